import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choices, NOTHING } from "../model/choices.ts";
import { FINGER, MOUSE } from "../model/pointer.ts";
import type { GameSession } from "../session/game_session.ts";
import { NOTHING_SELECTED } from "../session/selection.ts";
import { removeFinger } from "../testing/browser.ts";
import { TILESET, game, move, place, placed, turn } from "../testing/games.ts";
import { aimOf } from "./aim.ts";
import { tileForLens } from "./lens.tsx";
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
  assert.deepEqual(news, { ...choice, isChoice: false, targets: [], latest: [CELL] });
  assert.deepEqual(aimOf(session({}, { ...mine, decider: 0 }), PICTURES), news, "a ship may be loaded");
  const told = shownSteps[1] ?? assert.fail();
  const asked = { ...mine, decider: 0, choices: { ...NOTHING, cells: CELLS } };
  assert.deepEqual(
    aimOf(session({}, { ...asked, told }), PICTURES)?.targets,
    [],
    "what others do comes first",
  );
  const over = game({ board: BOARD, status: "finished" });
  assert.equal(aimOf(session({}, { ...mine, game: over }), PICTURES), null);
});

test("the whole of a free cell is a target", () => {
  const aim = aimOf(session({ cells: CELLS }), PICTURES);
  assert.deepEqual(aim?.targets, [{ key: "1,-1", x: 1.5, y: -0.5, half: 0.5 }]);
  assert.ok(aim && aim.tile >= FINGER);
});

test("spots that are too near for a finger on a tile are in a lens, and those of one tile alone", () => {
  const spots = [0, 1, 2].map((segment) => spot("place", 0, segment));
  const pictures = { ...PICTURES, isLoaded: true } as Pictures;
  const lensOn = (tile: number, ...shown: Choices["spots"]) =>
    tileForLens(session({ spots: shown }), pictures, tile);
  assert.deepEqual(lensOn(175, ...spots), { x: 0, y: 0 });
  assert.equal(lensOn(176, ...spots), null, "25 units are 44 pixels");
  assert.equal(lensOn(47, spot("place", 0, 0), spot("retrieve", 1, 0)), null);
  assert.equal(lensOn(47, spot("retrieve", 0, 0), spot("retrieve", 0, 1)), null);
  assert.equal(tileForLens(session({ spots }), PICTURES, 47), null, "it is not known yet where they are");
});

test("where an islander may go comes before those that may be taken back, which are followed too", () => {
  const aim = aimOf(session({ spots: [spot("place", 0, 0), spot("retrieve", 1, 0)] }), PICTURES);
  assert.deepEqual(aim?.first, ["place:0,0:0"]);
  assert.equal(aim?.targets.length, 2);
});

test("a tile on trial, and its spots, need no larger tiles than free cells", () => {
  const selection = { ...NOTHING_SELECTED, cell: CELL };
  const spots = [0, 1, 2, 3].map((segment) => spot("place", 0, segment));
  const [cells, trial, next] = [
    session({ cells: CELLS }),
    session({ cells: CELLS }, { selection }),
    session({ spots }),
  ];
  const [free, ...others] = [cells, trial, next].map((one) => aimOf(one, PICTURES)?.tile);
  assert.deepEqual(others, [free, free]);
  const [before, after] = [aimOf(cells, PICTURES), aimOf(trial, PICTURES)];
  assert.deepEqual(after, before && { ...before, isChosen: true, first: ["1,-1"] });
});

test("figures that are near each other need larger tiles, for a finger more than for a mouse", (t) => {
  const figures = session({ spots: [0, 1].map((segment) => spot("retrieve", 0, segment)) });
  const fingers = aimOf(figures, PICTURES);
  removeFinger(t);
  const mouse = aimOf(figures, PICTURES);
  assert.ok(fingers && mouse && fingers.tile > mouse.tile);
  for (const [{ targets, tile }, least] of [
    [fingers, FINGER],
    [mouse, MOUSE],
  ] as const)
    for (const { half } of targets) assert.ok(2 * half * tile >= least);
});
