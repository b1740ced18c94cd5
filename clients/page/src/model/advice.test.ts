import assert from "node:assert/strict";
import { test } from "node:test";
import type { Move } from "south-seas-client";
import { deliver, evaluated, game, move, place, placed, turn, wares } from "../testing/games.ts";
import { advisedMove } from "./advice.ts";

const PASS = move("pass", { type: "pass", phase: "islander" });

function send(segment: number, kind: string, open: number, gain = wares(0, 0, 0)): Move {
  const feature = { kind, cells: [], islanders: [], wares: gain, open };
  return { ...move(`i${segment}`, { type: "place_islander", segment }), feature };
}

function advised(moves: Move[], more: Partial<Parameters<typeof advisedMove>[0]> = {}): string | undefined {
  return advisedMove({ game: game(), seat: 0, moves, known: new Set(), ...more })?.id;
}

test("a tile goes where it brings wares, else where most of its sides touch", () => {
  const board = { "0,0": placed("start"), "1,1": placed("market") };
  const [one, two, three] = [place(-1, 0, 0), place(1, 0, 0), place(0, -1, 0)];
  assert.equal(advised([one, two, three], { game: game({ board }) }), two.id);
  const mine = { ...one, if_passed: [evaluated("bridge", [0], wares(0, 1, 0))] };
  assert.equal(advised([mine, two], { game: game({ board }) }), mine.id);
  const theirs = { ...two, effects: [evaluated("bridge", [1], wares(0, 1, 0))] };
  assert.equal(advised([theirs, one], { game: game({ board }) }), one.id);
  assert.equal(advised([]), undefined);
});

test("an islander does a work that is new, else one that soon brings much; or it stays at home", () => {
  const islander = { game: game({ turn: turn({ phase: "islander" }) }) };
  const [bridge, island] = [send(0, "bridge", 1, wares(0, 2, 0)), send(1, "island", 3)];
  assert.equal(advised([bridge, island, PASS], islander), "i0");
  assert.equal(advised([bridge, island, PASS], { ...islander, known: new Set(["bridge"]) }), "i1");
  const known = new Set(["bridge", "island", "sea", "market"]);
  assert.equal(advised([island, bridge, PASS], { ...islander, known }), "i0");
  assert.equal(advised([island, send(2, "market", 7), PASS], { ...islander, known }), "pass");
  const home = move("r", { type: "retrieve_islander", x: 0, y: 0, segment: 1 });
  assert.equal(advised([home, PASS], islander), "pass");
});

test("the ship with the most points is paid", () => {
  const offers = [deliver("any", wares(6, 0, 0)), deliver("same", wares(3, 0, 1))].map((one, index) => ({
    ...one,
    effects: [
      { type: "ship_taken", seat: 0, ship: "", points: 2 + index, by: "delivery", paid: null } as const,
    ],
  }));
  const delivering = { game: game({ turn: turn({ phase: "deliver" }) }) };
  assert.equal(advised([PASS, ...offers], delivering), offers[1]?.id);
});
