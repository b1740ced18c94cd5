import assert from "node:assert/strict";
import { test } from "node:test";
import { START, TILESET, game } from "../testing/games.ts";
import { borderOf, cellOf, edgeKind, keyOf, neighbours, sameCell } from "./cells.ts";
import { tilesOf } from "./tileset.ts";

test("cells are keys of the board, and back", () => {
  assert.equal(keyOf({ x: -1, y: 2 }), "-1,2");
  assert.deepEqual(cellOf("-1,2"), { x: -1, y: 2 });
  assert.equal(sameCell({ x: 1, y: 2 }, { x: 1, y: 2 }), true);
  assert.equal(sameCell({ x: 1, y: 2 }, null), false);
  assert.equal(sameCell(null, null), true);
});

test("a tile turns clockwise", () => {
  const kinds = (rotation: number) =>
    (["n", "e", "s", "w"] as const).map((edge) => edgeKind(START, rotation, edge));
  assert.deepEqual(kinds(0), ["sea", "bridge", "sea", "island"]);
  assert.deepEqual(kinds(1), ["island", "sea", "bridge", "sea"]);
  assert.deepEqual(kinds(3), ["bridge", "sea", "island", "sea"]);
});

test("a cell knows what its neighbours turn to it", () => {
  assert.deepEqual([...neighbours(game(), tilesOf(TILESET), { x: 1, y: 0 })], [["w", "bridge"]]);
  assert.deepEqual([...neighbours(game(), tilesOf(TILESET), { x: 5, y: 5 })], []);
});

test("the path around cells leaves out the sides between them", () => {
  assert.equal(borderOf([{ x: 1, y: -1 }]), "M100 -100h100M200 -100v100M100 0h100M100 -100v100");
  const pair = borderOf([
    { x: 0, y: 0 },
    { x: 1, y: 0 },
  ]);
  assert.equal(pair, "M0 0h100M0 100h100M0 0v100M100 0h100M200 0v100M100 100h100");
  assert.equal(borderOf([]), "");
});
