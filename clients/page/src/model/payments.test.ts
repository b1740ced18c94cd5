import assert from "node:assert/strict";
import { test } from "node:test";
import { deliver, wares } from "../testing/games.ts";
import { leastOf, mostOf, needed, paymentOf, progressOf, stepped } from "./payments.ts";

const payments = (...paid: ReturnType<typeof wares>[]) => ({
  ship: "s",
  payments: paid.map((one) => ({ wares: one, move: deliver("s", one) })),
});
const ANY_THREE = payments(wares(1, 2, 0), wares(1, 1, 1), wares(1, 0, 2), wares(2, 1, 0));
/** Three of one kind and one of another. */
const GROUPED = payments(wares(3, 1, 0), wares(3, 0, 1), wares(1, 3, 0));

test("a ship takes the same number of wares in every way", () => {
  assert.equal(needed(ANY_THREE), 3);
  assert.equal(needed(payments()), 0);
  assert.deepEqual(leastOf(ANY_THREE), wares(1, 0, 0));
  assert.deepEqual(mostOf(ANY_THREE), wares(2, 2, 2));
});

test("a payment is missing wares, complete, or impossible", () => {
  assert.equal(progressOf(ANY_THREE, wares(1, 0, 0)), "missing");
  assert.equal(progressOf(ANY_THREE, wares(1, 1, 1)), "complete");
  assert.equal(progressOf(GROUPED, wares(2, 2, 0)), "impossible");
  assert.equal(progressOf(GROUPED, wares(0, 1, 1)), "impossible");
  assert.equal(paymentOf(GROUPED, wares(2, 2, 0)), null);
  assert.deepEqual(paymentOf(GROUPED, wares(1, 3, 0))?.move, deliver("s", wares(1, 3, 0)));
});

test("steps stay within what the ship takes", () => {
  assert.deepEqual(stepped(ANY_THREE, wares(1, 0, 0), "bananas", -1), wares(1, 0, 0));
  assert.deepEqual(stepped(ANY_THREE, wares(1, 0, 0), "shells", 1), wares(1, 1, 0));
  assert.deepEqual(stepped(ANY_THREE, wares(1, 0, 0), "shells", 9), wares(1, 2, 0));
  assert.deepEqual(stepped(ANY_THREE, wares(1, 2, 0), "fish", 1), wares(1, 2, 0));
  assert.deepEqual(stepped(ANY_THREE, wares(2, 1, 0), "bananas", 1), wares(2, 1, 0));
});
