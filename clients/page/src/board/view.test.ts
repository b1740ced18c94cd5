import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Box } from "../model/cells.ts";
import { View } from "./view.ts";

const THREE_BY_THREE: Box = { left: -1, top: -1, right: 2, bottom: 2 };

/** A view on a frame of this size, and the place of a point of the board on the screen. */
function viewOf(t: TestContext, width: number, height: number) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const size = { left: 0, top: 0, width, height };
  const style = { transform: "", setProperty() {} };
  const frame = { getBoundingClientRect: () => size } as Element;
  const view = new View(frame, { style } as unknown as SVGGElement);
  function at(x: number, y: number): { x: number; y: number; isInFrame: boolean } {
    const [left = 0, top = 0, scale = 0] = style.transform.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [];
    const seen = { x: left + 100 * x * scale, y: top + 100 * y * scale };
    return { ...seen, isInFrame: seen.x > 0 && seen.x < size.width && seen.y > 0 && seen.y < size.height };
  }
  return { view, style, size, at };
}

for (const [width, height] of [
  [390, 500],
  [844, 200],
  [1280, 560],
] as const) {
  test(`in ${width} x ${height}, the whole board is in the frame, and again after it was moved`, (t) => {
    const { view, at } = viewOf(t, width, height);
    const corners = () => [at(-1, -1), at(2, 2)].map(({ isInFrame }) => isInFrame);
    view.fit(THREE_BY_THREE);
    assert.deepEqual(corners(), [true, true]);
    view.pan(5000, 0);
    view.fit(THREE_BY_THREE);
    assert.deepEqual(corners(), [false, false], "the user's own view stays");
    view.fit(THREE_BY_THREE, true);
    assert.deepEqual(corners(), [true, true]);
  });

  test(`in ${width} x ${height}, new choices are brought into view, the nearest first`, (t) => {
    const { view, style, at } = viewOf(t, width, height);
    view.fit(THREE_BY_THREE);
    view.pan(5000, 0);
    view.bring([]);
    assert.equal(at(0.5, 0.5).isInFrame, false);
    view.bring([
      { x: 9, y: 0 },
      { x: -5, y: 0 },
    ]);
    assert.equal(at(-4.5, 0.5).isInFrame, true);
    const before = style.transform;
    view.bring([{ x: -5, y: 0 }]);
    assert.equal(style.transform, before, "a choice is in view already");
  });
}

test("a board that fits is as the user left it when nothing new can be chosen", (t) => {
  const { view, style } = viewOf(t, 800, 600);
  view.fit(THREE_BY_THREE);
  const before = style.transform;
  view.bring([{ x: 40, y: 0 }]);
  assert.equal(style.transform, before);
});

test("what is under the pointer stays there while it zooms, within bounds", (t) => {
  const { view, at } = viewOf(t, 800, 600);
  view.fit(THREE_BY_THREE);
  const cell = view.cellAt({ x: 100, y: 100 });
  for (const factor of [2, 0.5, 1.3]) view.zoom(factor, { x: 100, y: 100 });
  assert.deepEqual(view.cellAt({ x: 100, y: 100 }), cell);
  view.zoom(1000);
  assert.equal(view.tileSize, 400);
  view.zoom(0.000_1);
  assert.ok(Math.abs(view.tileSize - 12) < 1e-9);
  assert.ok(at(0, 0).isInFrame);
});

test("a focused cell is revealed by as little as can be", (t) => {
  const { view, at, style } = viewOf(t, 800, 600);
  view.fit(THREE_BY_THREE);
  const before = style.transform;
  view.reveal({ x: 0, y: 0 });
  assert.equal(style.transform, before);
  view.reveal({ x: 30, y: 0 });
  assert.ok(Math.abs(at(31, 0).x - 788) < 1e-6);
});

test("a cell with small spots is shown close up, until it is left", (t) => {
  const { view } = viewOf(t, 390, 500);
  const wide = { left: -8, top: -8, right: 8, bottom: 8 };
  view.fit(wide);
  const small = view.tileSize;
  view.closeUp({ x: 0, y: 0 });
  assert.ok(view.tileSize >= 96);
  view.closeUp(null);
  assert.equal(view.tileSize, small);
});

test("a frame of another size shows the same cells, or the same middle", (t) => {
  const { view, size, at } = viewOf(t, 800, 600);
  view.resized();
  view.fit(THREE_BY_THREE);
  size.width = 400;
  view.resized();
  assert.equal(at(-1, -1).isInFrame && at(2, 2).isInFrame, true);
  view.pan(10, 0);
  const middle = view.cellAt({ x: 200, y: 300 });
  size.width = 600;
  view.resized();
  assert.deepEqual(view.cellAt({ x: 300, y: 300 }), middle);
});
