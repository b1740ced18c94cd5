import assert from "node:assert/strict";
import { test } from "node:test";
import { SCREENS, framesOf } from "../testing/frames.ts";

for (const screen of SCREENS)
  for (const isMoved of [false, true])
    test(`in ${screen.name} a frame ${isMoved ? "that the player moves " : ""}shows the choices, and no side is empty beside more of the board`, (t) => {
      const { shown, best, lopsided } = framesOf(t, screen, 5, isMoved, [0]);
      assert.ok(shown >= 0.95 * best, `${shown} of ${best}`);
      assert.equal(lopsided, 0);
    });
