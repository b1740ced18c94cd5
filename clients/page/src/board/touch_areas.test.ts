import assert from "node:assert/strict";
import { test } from "node:test";
import { touchAreas } from "./touch_areas.ts";

test("a spot alone has the largest area, around it", () => {
  assert.deepEqual(touchAreas([{ x: 20, y: 50 }], 60), { side: 60, middles: [{ x: 20, y: 50 }] });
});

/** Where islanders may stand on the tiles with the least room between them. */
const CROWDED = {
  "piers in a corner": [
    { x: 67.5, y: 87.5 },
    { x: 27.5, y: 72.5 },
    { x: 12.5, y: 32.5 },
    { x: 70, y: 30 },
    { x: 50, y: 83 },
    { x: 15.1, y: 50 },
  ],
  "tips and a bridge": [
    { x: 82.5, y: 47.5 },
    { x: 12.5, y: 70 },
    { x: 12.5, y: 30 },
    { x: 50, y: 27.5 },
    { x: 47.5, y: 70 },
    { x: 28.3, y: 50 },
  ],
  "a junction of four": [
    { x: 72.5, y: 27.5 },
    { x: 77.5, y: 77.5 },
    { x: 27.5, y: 72.5 },
    { x: 22.5, y: 22.5 },
    { x: 50, y: 21 },
    { x: 79, y: 50 },
    { x: 50, y: 79 },
    { x: 21, y: 50 },
  ],
};

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
