import assert from "node:assert/strict";
import { test } from "node:test";
import type { GameEvent } from "south-seas-client";
import { text } from "../messages/index.ts";
import { TILESET, change, evaluated, game, wares } from "../testing/games.ts";
import { lateWords, shortEvents } from "./short_events.ts";

const PLACED: GameEvent = { type: "tile_placed", seat: 0, tile: "market", x: 1, y: 0, rotation: 0 };
const NOTHING = { icon: "", seat: null, words: "", place: "", wares: wares(0, 0, 0), points: 0 };

function short(...events: GameEvent[]) {
  return shortEvents(change(2, [], events), game(), TILESET);
}

test("what is evaluated together is one gain of each who gains, and one line of what brings nothing", () => {
  const final = [wares(0, 2, 0), wares(0, 0, 0), wares(0, 1, 0)].map((gain) =>
    evaluated("bridge", [0, 1], gain),
  );
  assert.deepEqual(short(PLACED, ...final, evaluated("sea", [], wares(0, 0, 0))), [
    { ...NOTHING, icon: "tile", seat: 0, words: text.short.tile },
    { ...NOTHING, seat: 0, wares: wares(0, 3, 0) },
    { ...NOTHING, seat: 1, wares: wares(0, 3, 0) },
    { ...NOTHING, words: text.short.nothing(2) },
  ]);
});

test("what is paid, or covered, is less than nothing", () => {
  const paid = wares(1, 0, 2);
  assert.deepEqual(
    short(
      { type: "ship_taken", seat: 1, ship: "any", points: 5, by: "delivery", paid },
      { type: "fish_covered", x: 0, y: 0, segment: 2, group: 0, fish: 2 },
    ),
    [
      { ...NOTHING, seat: 1, wares: wares(-1, -0, -2), points: 5 },
      { ...NOTHING, icon: "boat", wares: wares(0, 0, -2) },
    ],
  );
});

test("an islander has its role, and what has no short words the service's", () => {
  const words = short(
    { type: "islander_placed", seat: 0, x: 0, y: 0, segment: 2 },
    { type: "islander_returned", seat: 0, x: 0, y: 0, segment: 2 },
    { type: "player_returned", seat: 1 },
  ).map((one) => one.words);
  assert.deepEqual(words, ["fisherman", "Bo is back."]);
  const [home] = short({ type: "islander_retrieved", seat: 0, x: 0, y: 0, segment: 2 });
  assert.deepEqual(home, {
    ...NOTHING,
    icon: "home",
    seat: 0,
    words: "fisherman",
    place: `(${text.describe.at(0, 0)})`,
  });
});

test("a time-out says whether it placed the tile", () => {
  const late: GameEvent = { type: "turn_timed_out", seat: 0, policy: "pass" };
  const said = [[late, PLACED], [late], [PLACED]].map((events) => lateWords(change(2, [], events)));
  assert.deepEqual(said, [text.short.latePlaced, text.short.late, null]);
});
