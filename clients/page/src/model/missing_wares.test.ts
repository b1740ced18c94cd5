import assert from "node:assert/strict";
import { test } from "node:test";
import { ship, wares } from "../testing/games.ts";
import { missingWares } from "./missing_wares.ts";

const lacking = (bananas: number, shells: number, fish: number, ofChosenKinds: number, any: number) => ({
  wares: wares(bananas, shells, fish),
  ofChosenKinds,
  any,
});

test("a ship that can be paid lacks nothing", () => {
  assert.equal(missingWares(ship("s", { bananas: 1, any: 2 }), wares(1, 1, 1)), null);
  assert.equal(missingWares(ship("s", { same: [3, 1] }), wares(1, 3, 0)), null);
});

test("named wares, any wares and wares of chosen kinds are told apart (R6.3)", () => {
  assert.deepEqual(missingWares(ship("s", { bananas: 2 }), wares(0, 9, 9)), lacking(2, 0, 0, 0, 0));
  assert.deepEqual(missingWares(ship("s", { any: 7 }), wares(2, 2, 1)), lacking(0, 0, 0, 0, 2));
  assert.deepEqual(missingWares(ship("s", { same: [4] }), wares(2, 2, 0)), lacking(0, 0, 0, 2, 0));
  assert.deepEqual(missingWares(ship("s", { same: [3, 1] }), wares(3, 0, 0)), lacking(0, 0, 0, 1, 0));
  assert.deepEqual(missingWares(ship("s", { same: [4] }), wares(3, 0, 0)), lacking(1, 0, 0, 0, 0));
});
