import assert from "node:assert/strict";
import { test } from "node:test";
import type { JSX } from "preact";
import { textOf } from "../testing/render.ts";
import { nextShown, useGradually } from "./gradually.ts";

function List({ count }: { count: number }): JSX.Element {
  return <>{useGradually(count, 40)}</>;
}

/** How many of a list of `count` are shown, frame by frame. */
function framesOf(count: number, step: number): number[] {
  const frames = [];
  for (let shown = 0; shown < Infinity; shown = nextShown(shown, count, step))
    frames.push(Math.min(shown, count));
  return frames;
}

test("the first frame has nothing of a list", () => {
  assert.equal(textOf(<List count={90} />), "0");
});

test("each frame has some more, until all are there", () => {
  assert.deepEqual(framesOf(90, 40), [0, 40, 80, 90]);
  assert.deepEqual(framesOf(80, 40), [0, 40, 80]);
  assert.deepEqual(framesOf(3, 40), [0, 3]);
});

test("what is added once all were there is shown at once", () => {
  const all = nextShown(120, 90, 40);
  assert.equal(Math.min(all, 500), 500);
});
