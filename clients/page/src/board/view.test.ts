import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Box } from "../model/cells.ts";
import { CELLS, SPOTS, View } from "./view.ts";

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
    assert.equal(at(0.5, 0.5).isInFrame, false);
    view.aimAt({
      cells: [
        { x: 60, y: 0 },
        { x: -65, y: 0 },
      ],
      ...CELLS,
    });
    assert.equal(at(-64.5, 0.5).isInFrame, true);
    const before = style.transform;
    view.aimAt({ cells: [{ x: -65, y: 0 }], ...CELLS });
    assert.equal(style.transform, before, "a choice is in view already");
  });
}

/** A board of 20 by 12 cells, and the free ones around it. */
const FULL: Box = { left: -10, top: -6, right: 10, bottom: 6 };
const AROUND = Array.from({ length: 20 }, (_, index) => [
  { x: index - 10, y: -6 },
  { x: index - 10, y: 5 },
]).flat();

for (const [width, height] of [
  [360, 250],
  [390, 500],
  [500, 340],
] as const) {
  test(`in ${width} x ${height}, all that can be chosen on a full board gets into sight, as large as a finger`, (t) => {
    const { view, at } = viewOf(t, width, height);
    view.fit(FULL);
    assert.ok(view.tileSize < 44);
    view.aimAt({ cells: AROUND, ...CELLS });
    const unseen = new Set(AROUND);
    for (let look = 0; look < 12; look++) {
      assert.ok(view.tileSize >= 44);
      for (const cell of unseen) if (at(cell.x + 0.5, cell.y + 0.5).isInFrame) unseen.delete(cell);
      if (unseen.size > 0) assert.ok(view.inSight.length < AROUND.length);
      view.showOthers();
    }
    assert.equal(unseen.size, 0);
  });
}

test("of all that can be chosen, what is suggested is in sight", (t) => {
  const { view, at } = viewOf(t, 360, 250);
  for (const first of AROUND) {
    view.fit(FULL, true);
    view.aimAt({ cells: AROUND, first, ...CELLS });
    assert.equal(at(first.x + 0.5, first.y + 0.5).isInFrame, true);
  }
});

test("a turn swings in once and out once", (t) => {
  const { view, style } = viewOf(t, 390, 500);
  view.fit(FULL);
  const whole = style.transform;
  view.aimAt({ cells: AROUND, ...CELLS });
  view.aimAt({ cells: [{ x: 3, y: -6 }], ...SPOTS });
  const close = style.transform;
  assert.ok(view.tileSize >= 96);
  view.aimAt({ cells: [{ x: 3, y: -6 }], ...SPOTS });
  assert.equal(style.transform, close, "the islander's spots are where the tile has been placed");
  view.aimAt(null);
  assert.equal(style.transform, whole);
});

test("where tiles are large enough, the view stays as it is", (t) => {
  const { view, style } = viewOf(t, 800, 600);
  view.fit(THREE_BY_THREE);
  const before = style.transform;
  view.aimAt({ cells: [{ x: 1, y: 0 }], ...CELLS });
  view.aimAt({ cells: [{ x: 1, y: 0 }], ...SPOTS });
  view.aimAt(null);
  assert.equal(style.transform, before);
});

test("what the user moves in order to choose is theirs for as long as the choice", (t) => {
  const { view, style } = viewOf(t, 390, 500);
  view.fit(FULL);
  const whole = style.transform;
  view.aimAt({ cells: AROUND, ...CELLS });
  view.pan(-100, 0);
  assert.equal(view.isFitted, false);
  view.aimAt(null);
  assert.equal(style.transform, whole);
});

test("the view stays while a tile is dragged over it", (t) => {
  const { view, style } = viewOf(t, 390, 500);
  view.fit(FULL);
  const before = style.transform;
  view.hold();
  view.aimAt({ cells: [{ x: 3, y: -6 }], ...SPOTS });
  assert.equal(style.transform, before);
  view.release();
  assert.ok(view.tileSize >= 96);
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

test("a cell under words about it comes out from under them, and the view is not the user's for that", (t) => {
  const { view, at } = viewOf(t, 800, 600);
  view.fit(THREE_BY_THREE);
  view.uncover({ x: 0, y: -1 }, 200);
  assert.ok(at(0, -1).y >= 200);
  assert.equal(view.isFitted, true);
});

test("places that are asked for are shown, large enough, until the view is fitted again", (t) => {
  const { view, at } = viewOf(t, 390, 300);
  view.fit({ left: -20, top: -20, right: 20, bottom: 20 });
  view.show([{ x: 15, y: 15 }]);
  assert.ok(at(15.5, 15.5).isInFrame && view.tileSize >= 76);
  view.fit({ left: -20, top: -20, right: 20, bottom: 21 });
  assert.ok(at(15.5, 15.5).isInFrame, "a new tile does not take it away");
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
