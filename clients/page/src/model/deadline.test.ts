import assert from "node:assert/strict";
import { test } from "node:test";
import { clockOf, exactDurationOf, warnsFrom } from "./deadline.ts";

test("the warning comes with a quarter of the time left, and never more than an hour before", () => {
  assert.deepEqual([1, 20, 60, 300, 86_400].map(warnsFrom), [0.5, 10, 15, 75, 3600]);
});

test("a clock shows seconds, and days where there are some", () => {
  assert.deepEqual([0, 9, 75, 3661, 86_400 + 7200].map(clockOf), [
    "0:00",
    "0:09",
    "1:15",
    "1:01:01",
    "1d 2h",
  ]);
});

test("how much time a decision has is told in whole units", () => {
  const told = [90, 300, 5400, 86_400].map(exactDurationOf).map(({ count, unit }) => `${count} ${unit}`);
  assert.deepEqual(told, ["90 second", "5 minute", "90 minute", "1 day"]);
});
