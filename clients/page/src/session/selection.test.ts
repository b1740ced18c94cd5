import assert from "node:assert/strict";
import { test } from "node:test";
import { choicesIn } from "../model/choices.ts";
import { deliver, legal, place, wares } from "../testing/games.ts";
import { NOTHING_SELECTED, rotated, selectedMove, withCell, withShip } from "./selection.ts";

const PLACING = choicesIn(legal([place(1, 0, 1), place(1, 0, 2), place(1, 0, 3), place(0, 1, 0)]), null);
const DELIVERING = choicesIn(legal([deliver("s", wares(1, 2, 0)), deliver("s", wares(1, 0, 2))]), null);

test("a tile is laid as it fits, and turns on the same cell", () => {
  const laid = withCell(NOTHING_SELECTED, PLACING, { x: 1, y: 0 });
  assert.deepEqual(selectedMove(laid, PLACING), place(1, 0, 1));
  assert.deepEqual(selectedMove(withCell(laid, PLACING, { x: 1, y: 0 }), PLACING), place(1, 0, 2));
  assert.deepEqual(selectedMove(withCell(laid, PLACING, { x: 0, y: 1 }), PLACING), place(0, 1, 0));
  assert.equal(withCell(laid, PLACING, { x: 9, y: 9 }), laid);
});

test("in the hand it turns by a quarter, on the board to the next way, and back", () => {
  assert.equal(rotated(NOTHING_SELECTED, PLACING).rotation, 1);
  assert.equal(rotated(NOTHING_SELECTED, PLACING, -1).rotation, 3);
  const laid = withCell(NOTHING_SELECTED, PLACING, { x: 1, y: 0 });
  assert.equal(rotated(laid, PLACING).rotation, 2);
  assert.equal(rotated(laid, PLACING, -1).rotation, 3);
});

test("a ship starts with the payment that leaves the most even stock, and can be paid otherwise", () => {
  const chosen = withShip(DELIVERING, "s", wares(5, 2, 5));
  assert.deepEqual(selectedMove(chosen, DELIVERING), deliver("s", chosen.wares));
  const paid = { ...chosen, wares: wares(1, 2, 0) };
  assert.deepEqual(selectedMove(paid, DELIVERING), deliver("s", wares(1, 2, 0)));
  assert.equal(selectedMove(NOTHING_SELECTED, DELIVERING), null);
});
