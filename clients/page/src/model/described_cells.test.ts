import assert from "node:assert/strict";
import { test } from "node:test";
import { TILESET, game } from "../testing/games.ts";
import { freeCellInWords, tileOnBoardInWords, walkedCells } from "./described_cells.ts";

const START = { tile: "start", rotation: 0, order: 0, islanders: [{ segment: 2, seat: 0 }], covered: [] };
const SECOND = { ...START, rotation: 2, order: 1, islanders: [{ segment: 1, seat: 1 }] };
const GAME = game({ board: { "0,0": START, "1,0": SECOND } });

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
    tileOnBoardInWords(GAME, TILESET, { x: 0, y: 0 }, START),
    "Start tile. Island west, 1 banana, 1 side open. Bridge east, 2 shells, finished, 1 islander of Bo elsewhere on it. " +
      "Sea north and east, 3 fish, 2 sides open, Ana’s fisherman here. Sea east and south, 3 fish, a boat, 2 sides open. " +
      "Tiles to the east. Free to the north, south and west.",
  );
  assert.match(
    tileOnBoardInWords(GAME, TILESET, { x: 1, y: 0 }, SECOND),
    /^Tile 1 east of the start, the last one placed\./,
  );
});

test("a free cell says where it is, and what its neighbours turn to it", () => {
  assert.equal(
    freeCellInWords(GAME, TILESET, { x: 2, y: 0 }),
    "Free, 2 east of the start: island to the west.",
  );
});
