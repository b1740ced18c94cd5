import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choices, NOTHING } from "../model/choices.ts";
import { FINGER, MOUSE } from "../model/pointer.ts";
import type { GameSession } from "../session/game_session.ts";
import { NOTHING_SELECTED } from "../session/selection.ts";
import { removeFinger } from "../testing/browser.ts";
import { TILESET, game, move, place, placed, player, turn } from "../testing/games.ts";
import { aimOf, spotsShown } from "./aim.ts";
import type { Pictures } from "./pictures.ts";

/** A picture of the start tile, whose spots are near each other. */
const PICTURES = {
  spot: (_tile: string, _rotation: number, segment: number) => ({ x: 15 + 25 * segment, y: 50 }),
} as unknown as Pictures;

const BOARD = { "0,0": placed("start"), "1,0": placed("market") };

function spot(kind: "place" | "retrieve", x: number, segment: number): Choices["spots"][number] {
  const action =
    kind === "place"
      ? ({ type: "place_islander", segment } as const)
      : ({ type: "retrieve_islander", x, y: 0, segment } as const);
  return {
    key: `${kind}:${x},0:${segment}`,
    kind,
    cell: { x, y: 0 },
    segment,
    move: move(`${x}.${segment}`, action),
  };
}

function session(choices: Partial<Choices>, more: Partial<GameSession> = {}): GameSession {
  return {
    game: game({ board: BOARD, turn: turn({ tile: "start" }) }),
    tileset: TILESET,
    replayed: null,
    decider: 0,
    selection: NOTHING_SELECTED,
    choices: { ...NOTHING, ...choices },
    hint: null,
    shownSteps: [],
    isMine: () => false,
    ...more,
  } as unknown as GameSession;
}

const CELL = { x: 1, y: -1 };
const CELLS: Choices["cells"] = new Map([
  ["1,-1", { cell: CELL, rotations: new Map([[0, place(1, -1, 0)]]) }],
]);

test("there is nothing to follow in a replay and for a spectator, and what is not known is not followed", () => {
  assert.equal(aimOf(session({ cells: CELLS }, { replayed: 1 }), PICTURES), null);
  assert.equal(aimOf(session({ cells: CELLS }, { decider: null }), PICTURES), null);
  assert.equal(aimOf(session({}, { choices: NOTHING }), PICTURES), undefined);
  assert.equal(aimOf(session({}), PICTURES), null);
});

test("while a player has nothing to choose on the board, the last that happened is followed, in the size for a free cell", () => {
  const placing = { type: "tile_placed", seat: 1, x: 1, y: -1, tile: "start", rotation: 0 };
  const steps = [{ events: [placing] }, { events: [{ type: "ship_taken", seat: 1, ship: "s" }] }];
  const shownSteps = steps.map((diff) => ({ diff })) as unknown as GameSession["shownSteps"];
  const mine = { decider: null, shownSteps, isMine: (seat: number) => seat === 0 };
  const [choice, news] = [aimOf(session({ cells: CELLS }), PICTURES), aimOf(session({}, mine), PICTURES)];
  assert.ok(choice && news);
  assert.deepEqual(news, { ...choice, isChoice: false });
  assert.deepEqual(aimOf(session({}, { ...mine, decider: 0 }), PICTURES), news, "a ship may be loaded");
  const over = game({ board: BOARD, status: "finished" });
  assert.equal(aimOf(session({}, { ...mine, game: over }), PICTURES), null);
});

test("the whole of a free cell is a target", () => {
  const aim = aimOf(session({ cells: CELLS }), PICTURES);
  assert.deepEqual(aim?.targets, [{ key: "1,-1", x: 1.5, y: -0.5, half: 0.5 }]);
  assert.equal(aim?.least, FINGER);
});

test("on tiles of the least size each spot is a target for a finger, and no other's", () => {
  const spots = [0, 1, 2].map((segment) => spot("place", 0, segment));
  const aim = aimOf(session({ spots }), PICTURES);
  assert.ok(aim && aim.targets.length === 3);
  for (const { half } of aim.targets) assert.ok(2 * half * aim.least >= FINGER);
  const [first, second] = spotsShown(session({ spots }), PICTURES);
  assert.ok(first && second && second.touch.x - first.touch.x > first.side - 1e-4);
});

test("where an islander may go comes before those that may be taken back, which are followed too", () => {
  const aim = aimOf(session({ spots: [spot("place", 0, 0), spot("retrieve", 1, 0)] }), PICTURES);
  assert.deepEqual(aim?.first, ["place:0,0:0"]);
  assert.equal(aim?.targets.length, 2);
});

test("a tile on trial is so near already that its spots can be chosen next", () => {
  const chosen = session({ cells: CELLS }, { selection: { ...NOTHING_SELECTED, cell: CELL } });
  const spots = [0, 1, 2, 3].map((segment) => spot("place", 0, segment));
  const [trial, next] = [aimOf(chosen, PICTURES), aimOf(session({ spots }), PICTURES)];
  assert.ok(trial && next && trial.least >= next.least && trial.size >= trial.least);
});

test("a tile on trial is no nearer than the free cells where there is no islander for it", () => {
  const outside = game({
    board: BOARD,
    turn: turn({ tile: "start" }),
    players: [player(0, "Ana", { supply: 0 })],
  });
  const cells = aimOf(session({ cells: CELLS }), PICTURES);
  const selection = { ...NOTHING_SELECTED, cell: CELL };
  const trial = aimOf(session({ cells: CELLS }, { selection, game: outside }), PICTURES);
  const figures = aimOf(session({ spots: [spot("retrieve", 1, 0)] }, { game: outside }), PICTURES);
  assert.ok(cells && trial && figures);
  assert.deepEqual([trial.least, trial.size], [cells.least, cells.size]);
  assert.ok(figures.least <= cells.size, "the view stays for the figures that are taken back next");
});

test("a mouse needs smaller targets than a finger", (t) => {
  const spots = [0, 1, 2].map((segment) => spot("place", 0, segment));
  const fingers = aimOf(session({ spots }), PICTURES);
  removeFinger(t);
  assert.equal(aimOf(session({ cells: CELLS }), PICTURES)?.least, MOUSE);
  const aim = aimOf(session({ spots }), PICTURES);
  assert.ok(aim && fingers && aim.least < fingers.least && aim.size < fingers.size);
  for (const { half } of aim.targets) assert.ok(2 * half * aim.least >= MOUSE);
});
