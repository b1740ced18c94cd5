import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Box, Cell } from "../model/cells.ts";
import { FINGER } from "../model/pointer.ts";
import { type Aim, targetOf } from "./placing.ts";
import { View } from "./view.ts";

const THREE_BY_THREE = cellsIn({ left: -1, top: -1, right: 2, bottom: 2 });

/** What aims at nothing, on tiles that a finger hits. */
const NOTHING: Aim = {
  isChoice: false,
  isChosen: false,
  targets: [],
  first: [],
  latest: [],
  own: [],
  tile: 50,
};

/** All cells from a corner to the other one. */
function cellsIn({ left, top, right, bottom }: Box): Cell[] {
  const columns = Array.from({ length: right - left }, (_, index) => left + index);
  const rows = Array.from({ length: bottom - top }, (_, index) => top + index);
  return rows.flatMap((y) => columns.map((x) => ({ x, y })));
}

/** Cells that can be chosen, as free cells are; `first` is the number of one that is suggested. */
function choiceOf(cells: readonly Cell[], first?: number): Aim {
  const targets = cells.map((cell, index) => targetOf(`${index}`, cell));
  return { ...NOTHING, isChoice: true, targets, first: first === undefined ? [] : [`${first}`] };
}

/** Cells in which something has happened, in another player's turn. */
function newsIn(...cells: readonly Cell[]): Aim {
  return { ...NOTHING, latest: cells };
}

/** Spots on the tile in a cell, at places from 0 to 1 on it. */
function spotsOn({ x, y }: Cell, ...places: readonly [number, number][]): Aim {
  const targets = places.map(([right, down]) => ({ key: `${right}`, x: x + right, y: y + down, half: 0.15 }));
  return { ...NOTHING, isChoice: true, targets, first: targets.map(({ key }) => key) };
}

/** A view on a frame of this size, and the place of a point of the board on the screen. */
function viewOf(t: TestContext, width: number, height: number, ...covers: readonly Box[]) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const size = { left: 0, top: 0, width, height };
  const style = { transform: "", setProperty() {} };
  const frame = { getBoundingClientRect: () => size } as Element;
  const over = [...covers];
  const rests = t.mock.fn();
  const view = new View(frame, { style } as unknown as SVGGElement, () => over, rests);
  function at(x: number, y: number): { x: number; y: number; isInFrame: boolean } {
    const [left = 0, top = 0, scale = 0] = style.transform.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [];
    const seen = { x: left + 100 * x * scale, y: top + 100 * y * scale };
    return { ...seen, isInFrame: seen.x > 0 && seen.x < size.width && seen.y > 0 && seen.y < size.height };
  }
  /** Whether a finger hits a point, and nothing that lies over it. */
  function isHit(x: number, y: number): boolean {
    const middle = at(x, y);
    const finger = FINGER / 2 - 0.01;
    const isCovered = over.some(
      ({ left, top, right, bottom }) =>
        middle.x + finger > left &&
        middle.x - finger < right &&
        middle.y + finger > top &&
        middle.y - finger < bottom,
    );
    return (
      !isCovered &&
      middle.x >= finger &&
      middle.x <= size.width - finger &&
      middle.y >= finger &&
      middle.y <= size.height - finger
    );
  }
  return { view, style, size, over, rests, at, isHit };
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
    view.showWhole();
    assert.deepEqual(corners(), [true, true]);
  });

  test(`in ${width} x ${height}, new choices are brought into view, the nearest first`, (t) => {
    const { view, style, at } = viewOf(t, width, height);
    view.fit(cellsIn({ left: -65, top: -1, right: 61, bottom: 2 }));
    view.zoom(5);
    view.pan(1300, 0);
    view.aimAt(
      choiceOf([
        { x: 60, y: 0 },
        { x: -65, y: 0 },
      ]),
    );
    assert.equal(at(-64.5, 0.5).isInFrame, true);
    const before = style.transform;
    view.aimAt(choiceOf([{ x: -65, y: 0 }]));
    assert.equal(style.transform, before, "a choice is in view already");
  });
}

/** News above, and buttons in the lower corners, as large text makes them. */
function over(width: number, height: number): Box[] {
  return [
    { left: 10, top: 4, right: width - 10, bottom: 70 },
    { left: 8, top: height - 70, right: 120, bottom: height - 8 },
    { left: width - 74, top: height - 74, right: width - 8, bottom: height - 8 },
  ];
}

/** A board of 20 by 12 cells, and the free ones around it. */
const FULL = cellsIn({ left: -10, top: -6, right: 10, bottom: 6 });
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
    const { view, isHit } = viewOf(t, width, height, ...over(width, height));
    view.fit(FULL);
    assert.ok(view.tileSize < FINGER);
    view.aimAt(choiceOf(AROUND));
    const unseen = new Set(AROUND);
    for (let look = 0; look < 12; look++) {
      assert.ok(view.tileSize >= FINGER);
      for (const cell of unseen) if (isHit(cell.x + 0.5, cell.y + 0.5)) unseen.delete(cell);
      if (unseen.size > 0) assert.ok(view.inSight.length < AROUND.length);
      view.showOthers();
    }
    assert.equal(unseen.size, 0);
  });
}

test("of all that can be chosen, what is suggested is in sight", (t) => {
  const { view, isHit } = viewOf(t, 360, 250, ...over(360, 250));
  view.fit(FULL);
  for (const [index, first] of AROUND.entries()) {
    view.showWhole();
    view.aimAt(choiceOf(AROUND, index));
    assert.equal(isHit(first.x + 0.5, first.y + 0.5), true);
  }
});

test("on a full board a turn moves the view once, to tiles of the size that choosing needs, and follows others so", (t) => {
  const { view, style, isHit } = viewOf(t, 390, 500);
  view.fit(FULL);
  view.aimAt(choiceOf(AROUND));
  assert.equal(view.tileSize, 50);
  const { transform } = style;
  const [cell] = AROUND.filter(({ x, y }) => isHit(x + 0.5, y + 0.5));
  assert.ok(cell);
  view.aimAt(choiceOf([cell]));
  view.aimAt(spotsOn(cell, [0.3, 0.3], [0.7, 0.7]));
  assert.equal(style.transform, transform, "the tile on trial and its spots are where the cell was");
  for (const { x, y } of AROUND) {
    view.aimAt(newsIn({ x, y }));
    assert.ok(isHit(x + 0.5, y + 0.5));
    assert.equal(view.tileSize, 50);
  }
});

test("in the turns of others the whole board is there for whoever asks for it, and as long as it is large enough", (t) => {
  const { view, at, style } = viewOf(t, 390, 500);
  const isWhole = (): boolean => at(-10, -6).isInFrame && at(10, 6).isInFrame;
  view.fit(FULL);
  view.aimAt(newsIn({ x: 3, y: -6 }));
  assert.equal(isWhole(), false);
  view.showWhole();
  assert.equal(isWhole(), true);
  view.aimAt(newsIn({ x: -10, y: 5 }));
  assert.equal(isWhole(), true);
  view.aimAt(choiceOf(AROUND));
  view.aimAt(newsIn({ x: 3, y: -6 }));
  assert.equal(isWhole(), false, "the next choice is as large as it needs to be");
  view.pan(-30, 0);
  const own = style.transform;
  view.aimAt(newsIn({ x: -10, y: 5 }));
  assert.equal(style.transform, own, "the user's own view stays");
  view.fit(THREE_BY_THREE);
  view.showWhole();
  view.aimAt(choiceOf([{ x: 1, y: 0 }]));
  const small = style.transform;
  view.aimAt(newsIn({ x: 1, y: 0 }));
  assert.equal(style.transform, small);
});

test("whoever only watches sees the whole board", (t) => {
  const { view, style } = viewOf(t, 390, 500);
  view.fit(FULL);
  const whole = style.transform;
  view.aimAt(choiceOf(AROUND));
  view.aimAt(null);
  assert.equal(style.transform, whole);
});

test("where tiles are large enough, the view stays as it is", (t) => {
  const { view, style } = viewOf(t, 800, 600);
  view.fit(THREE_BY_THREE);
  const before = style.transform;
  view.aimAt(choiceOf([{ x: 1, y: 0 }]));
  view.aimAt(spotsOn({ x: 1, y: 0 }, [0.5, 0.5]));
  view.aimAt(null);
  assert.equal(style.transform, before);
});

test("what the user moves in order to choose is theirs for as long as the choice", (t) => {
  const { view, style } = viewOf(t, 390, 500);
  view.fit(FULL);
  const whole = style.transform;
  view.aimAt(choiceOf(AROUND));
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
  view.aimAt(spotsOn({ x: 3, y: -6 }, [0.5, 0.5]));
  assert.equal(style.transform, before);
  view.release();
  assert.equal(view.inSight.length, 1);
  assert.notEqual(style.transform, before);
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
  view.uncover({ x: 0, y: -1 }, [{ left: 0, top: 0, right: 800, bottom: 200 }]);
  assert.ok(at(0, -1).y >= 200);
  assert.equal(view.isFitted, true);
});

test("places that are asked for are shown, large enough, until the view is fitted again", (t) => {
  const { view, at, size } = viewOf(t, 390, 300);
  view.fit(cellsIn({ left: -20, top: -20, right: 20, bottom: 20 }));
  view.show([{ x: 15, y: 15 }], [{ left: 0, top: 0, right: 390, bottom: 180 }]);
  assert.ok(at(15.5, 15.5).isInFrame && view.tileSize >= 76);
  assert.ok(at(15, 15).y >= 180, "beside what is open over the board");
  view.fit(cellsIn({ left: -20, top: -20, right: 20, bottom: 21 }));
  assert.ok(at(15.5, 15.5).isInFrame, "a new tile does not take it away");
  size.width = 2000;
  view.resized();
  size.width = 390;
  view.show([{ x: 15, y: 15 }], []);
  view.resized();
  assert.ok(at(15.5, 15.5).isInFrame, "the frame was made smaller for it");
});

test("of cells that are pointed out, the most are shown, large enough, and nothing moves where all are", (t) => {
  const { view, isHit, style } = viewOf(t, 360, 300);
  view.fit(FULL);
  assert.ok(view.tileSize < 18);
  const cells = [0, 2, 4].map((x) => ({ x, y: x - 2 }));
  view.showMostOf([{ x: -10, y: -6 }, ...cells], 47);
  assert.ok(cells.every(({ x, y }) => isHit(x + 0.5, y + 0.5)));
  assert.equal(view.tileSize, 47);
  const before = style.transform;
  view.showMostOf(cells, 47);
  assert.equal(style.transform, before);
  view.zoom(4);
  view.showMostOf(cells, 47);
  assert.equal(view.tileSize, 76, "no nearer than is needed to see them well");
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

test("in a smaller frame, a choice that was in sight stays there, and one that the user has left stays away", (t) => {
  const { view, size, isHit } = viewOf(t, 390, 500);
  view.resized();
  view.fit(FULL);
  view.zoom(8);
  view.aimAt(spotsOn({ x: 3, y: -6 }, [0.2, 0.3], [0.8, 0.6]));
  view.pan(-10, 10);
  assert.equal(view.inSight.length, 2);
  [size.width, size.height] = [160, 240];
  view.resized();
  assert.ok(isHit(3.2, -5.7) && isHit(3.8, -5.4));
  view.pan(5000, 0);
  size.height = 200;
  view.resized();
  assert.equal(view.inSight.length, 0);
});

for (const [width, height] of [
  [340, 240],
  [480, 234],
  [900, 480],
] as const)
  test(`in ${width} x ${height}, nothing lies over a cell of a board that is seen as a whole`, (t) => {
    const { view, isHit } = viewOf(t, width, height, ...over(width, height));
    const cross = THREE_BY_THREE.filter(({ x, y }) => x === 0 || y === 0);
    view.fit(cross);
    view.aimAt(choiceOf(cross));
    for (const { x, y } of cross) assert.ok(isHit(x + 0.5, y + 0.5), `${x}, ${y}`);
  });

test("buttons in the corners take no room from a board that has no cells there", (t) => {
  const { view, over: covers } = viewOf(t, 400, 300);
  const cross = THREE_BY_THREE.filter(({ x, y }) => x === 0 || y === 0);
  view.fit(cross);
  const free = view.tileSize;
  covers.push({ left: 0, top: 240, right: 140, bottom: 300 });
  view.fit(cross);
  assert.equal(view.tileSize, free);
  view.fit(THREE_BY_THREE);
  assert.ok(view.tileSize < free);
});

test("from the first tap of a choice on the view stays, until the next question", (t) => {
  const { view, style, size, isHit } = viewOf(t, 390, 300);
  view.resized();
  view.fit(FULL);
  view.aimAt(newsIn({ x: 3, y: 5 }));
  view.hold();
  const { transform } = style;
  view.aimAt(choiceOf(AROUND));
  assert.equal(style.transform, transform, "the finger is on it");
  const [tapped = -1] = AROUND.flatMap(({ x, y }, index) => (isHit(x + 0.5, y + 0.5) ? [index] : []));
  const chosen = { ...choiceOf(AROUND, tapped), isChosen: true };
  view.aimAt(chosen);
  view.release();
  size.height = 290;
  view.resized();
  view.covered();
  assert.equal(style.transform, transform);
  size.height = 60;
  view.resized();
  assert.notEqual(style.transform, transform, "what is chosen comes out from under what grows over it");
  view.aimAt(choiceOf([{ x: 3, y: -6 }]));
  assert.ok(isHit(3.5, -5.5));
});

test("what comes over a choice moves it out from under it, and what covers none moves nothing", (t) => {
  const { view, style, over: covers, isHit } = viewOf(t, 390, 300);
  view.fit(THREE_BY_THREE);
  view.aimAt(choiceOf([{ x: 0, y: -1 }]));
  const before = style.transform;
  covers.push({ left: 0, top: 280, right: 390, bottom: 300 });
  view.covered();
  assert.equal(style.transform, before);
  covers.push({ left: 0, top: 0, right: 390, bottom: 60 });
  view.covered();
  assert.ok(isHit(0.5, -0.5));
  view.pan(0, -100);
  const moved = style.transform;
  view.covered();
  assert.equal(style.transform, moved, "the user's own view stays");
});

test("figures to choose that are not all in sight are brought there, also where the user has moved the board", (t) => {
  const { view, isHit } = viewOf(t, 390, 300, { left: 0, top: 0, right: 390, bottom: 50 });
  view.fit(FULL);
  view.zoom(3);
  const figures = choiceOf([
    { x: 0, y: 0 },
    { x: 3, y: -2 },
  ]);
  view.aimAt({ ...figures, tile: 74 });
  assert.ok(isHit(0.5, 0.5) && isHit(3.5, -1.5));
});

test("the spots of a tile are all in sight where the whole tile has no room", (t) => {
  const { view, isHit } = viewOf(t, 340, 180, { left: 0, top: 0, right: 340, bottom: 48 });
  view.fit(FULL);
  view.zoom(20);
  view.aimAt(spotsOn({ x: 3, y: 2 }, [0.2, 0.3], [0.8, 0.6]));
  assert.ok(isHit(3.2, 2.3) && isHit(3.8, 2.6));
});

test("a focused cell comes out from under what lies over the board", (t) => {
  const { view, at } = viewOf(t, 800, 600, { left: 100, top: 0, right: 700, bottom: 60 });
  view.fit(THREE_BY_THREE);
  view.pan(0, -at(0, -1).y);
  view.reveal({ x: 0, y: -1 });
  assert.ok(at(0, -1).y >= 60);
});

test("once it rests after a movement it says so", (t) => {
  const { view, rests } = viewOf(t, 800, 600);
  view.fit(THREE_BY_THREE);
  view.pan(10, 0);
  assert.equal(rests.mock.callCount(), 0);
  t.mock.timers.tick(500);
  assert.equal(rests.mock.callCount(), 1);
});
