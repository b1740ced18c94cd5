import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardFeature, Wares } from "south-seas-client";
import { TILESET, game, wares } from "../testing/games.ts";
import { freeCellInWords, tileOnBoardInWords, walkedCells } from "./described_cells.ts";

const START = { tile: "start", rotation: 0, order: 0, islanders: [{ segment: 2, seat: 0 }], covered: [] };
const SECOND = { ...START, rotation: 2, order: 1, islanders: [{ segment: 1, seat: 1 }] };
const BOARD = { "0,0": START, "1,0": SECOND };
const GAME = game({ board: BOARD });

type Segments = readonly (readonly [x: number, segment: number])[];

function feature(kind: BoardFeature["kind"], gives: Wares, open: number, segments: Segments): BoardFeature {
  const located = segments.map(([x, segment]) => ({ x, y: 0, segment }));
  const seats = located.flatMap(({ x, segment }) =>
    BOARD[x === 0 ? "0,0" : "1,0"].islanders.flatMap((one) => (one.segment === segment ? [one.seat] : [])),
  );
  const islanders = seats.map((seat) => ({ seat, count: 1 }));
  return { kind, cells: [], islanders, wares: gives, open, segments: located, text: "" };
}

const FEATURES = [
  feature("island", wares(1, 0, 0), 1, [[0, 0]]),
  feature("bridge", wares(0, 2, 0), 0, [
    [0, 1],
    [1, 1],
  ]),
  feature("sea", wares(0, 0, 3), 2, [
    [0, 2],
    [1, 3],
  ]),
  feature("sea", wares(0, 0, 3), 2, [
    [0, 3],
    [1, 2],
  ]),
];

test("tiles and the free cells beside them are walked row by row", () => {
  assert.deepEqual(
    walkedCells(GAME).map(({ x, y }) => [x, y]),
    [
      [0, -1],
      [1, -1],
      [-1, 0],
      [0, 0],
      [1, 0],
      [2, 0],
      [0, 1],
      [1, 1],
    ],
  );
});

test("a tile says where it lies, what its features are, who stands there, and what is around it", () => {
  assert.equal(
    tileOnBoardInWords(GAME, TILESET, { x: 0, y: 0 }, START, FEATURES),
    "Start tile. Island west, 1 banana, 1 side open. Bridge east, 2 shells, finished, 1 islander of Bo elsewhere on it. " +
      "Sea north and east, 3 fish, 2 sides open, Ana’s fisherman here. " +
      "Sea east and south, 3 fish, a boat, 2 sides open. " +
      "Tiles to the east. Free to the north, south and west.",
  );
  assert.match(
    tileOnBoardInWords(GAME, TILESET, { x: 1, y: 0 }, SECOND, FEATURES),
    /^Tile 1 east of the start, the last one placed\./,
  );
});

test("without the service it says what is printed there, on the sides to which the tile is turned", () => {
  assert.equal(
    tileOnBoardInWords(
      GAME,
      TILESET,
      { x: 1, y: 0 },
      { ...SECOND, covered: [{ segment: 2, group: 1 }] },
      null,
    ),
    "Tile 1 east of the start, the last one placed. Island east, 1 banana. Bridge west, 1 shell, Bo’s shell collector here. " +
      "Sea south and west, 2 fish. Sea north and west, a boat. " +
      "Tiles to the west. Free to the north, east and south.",
  );
});

test("a free cell says where it is, and what its neighbours turn to it", () => {
  assert.equal(
    freeCellInWords(GAME, TILESET, { x: 2, y: 0 }),
    "Free, 2 east of the start: island to the west.",
  );
});
