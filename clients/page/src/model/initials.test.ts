import assert from "node:assert/strict";
import { test } from "node:test";
import { initialsOf } from "./initials.ts";

test("the initials of a game's names differ", () => {
  for (const [names, initials] of [
    ["Annemarie Annegret Bo Maximilian Maximiliane", "Am Ag Bo Mn Me"],
    ["Greedy Greedy2 Greedy3", "Gy G2 G3"],
    ["Zoë Łukasz Ōta Ana", "Zoë Łu Ōta Ana"],
    ["Ababa Acaca Abaca", "Ab Ac Aa"],
    ["Abaa Abaaa", "A1 A2"],
  ] as const)
    assert.deepEqual(initialsOf(names.split(" ")), initials.split(" "));
});
