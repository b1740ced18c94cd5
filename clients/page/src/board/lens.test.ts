import assert from "node:assert/strict";
import { test } from "node:test";
import { FINGER } from "../model/pointer.ts";
import { CROWDED } from "../testing/crowded.ts";
import type { Spot } from "./aim.ts";
import { lensBox, spotsInLens } from "./lens.tsx";

/** The frames of small phones, upright and sideways, and with large text; above the frame the lens may be, too. */
const ROOMS = [
  { width: 360, height: 212, above: 208 },
  { width: 504, height: 344, above: 46 },
  { width: 320, height: 160, above: 60 },
];

for (const [name, places] of Object.entries(CROWDED))
  test(`in a lens each spot has a target for a finger, beside the others: ${name}`, () => {
    for (const { width, height, above } of ROOMS) {
      const tile = { left: width - 20, top: 10, right: width + 27, bottom: 57 };
      const spots = places.map((middle) => ({ middle })) as unknown as Spot[];
      const box = lensBox(spots, { tile, width, height, above });
      const side = box.right - box.left;
      assert.ok(box.left >= 0 && box.right <= width && box.top >= -above && box.bottom <= height);
      const targets = spotsInLens(spots, side);
      for (const [index, { middle, side: own }] of targets.entries()) {
        assert.ok((own * side) / 100 > FINGER - 1e-6);
        for (const { middle: other } of targets.slice(0, index))
          assert.ok(Math.max(Math.abs(other.x - middle.x), Math.abs(other.y - middle.y)) > own - 1e-4);
      }
    }
  });
