import assert from "node:assert/strict";
import { test } from "node:test";
import { CROWDED } from "../testing/crowded.ts";
import { touchAreas } from "./touch_areas.ts";

test("a spot alone has the largest area, around it", () => {
  assert.deepEqual(touchAreas([{ x: 20, y: 50 }], 60), { side: 60, middles: [{ x: 20, y: 50 }] });
});

for (const [name, spots] of Object.entries(CROWDED))
  test(`each spot of a tile has an area that a finger hits, and that no other has: ${name}`, () => {
    const { side, middles } = touchAreas(spots, 60);
    assert.ok(side * 1.7 >= 44, "on a tile of 170 pixels");
    for (const [index, { x, y }] of middles.entries()) {
      const spot = spots[index] ?? { x: NaN, y: NaN };
      assert.ok(Math.max(Math.abs(spot.x - x), Math.abs(spot.y - y)) <= side / 4, "the spot is well within");
      for (const other of middles.slice(0, index))
        assert.ok(Math.max(Math.abs(other.x - x), Math.abs(other.y - y)) > side - 1e-4);
    }
  });
