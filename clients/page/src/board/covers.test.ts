import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Box } from "../model/cells.ts";
import { coversOf, onFrame } from "./covers.ts";

const FRAME = element({ left: 100, top: 50, right: 500, bottom: 350 });

/** An element that the browser has laid out; `closed` is the height that what is told has when it is closed. */
function element(box: Box, closed?: number): Element {
  const matches = (selector: string): boolean => closed !== undefined && selector === ".told";
  return { getBoundingClientRect: () => box, matches, closed } as unknown as Element;
}

/** A page on which these lie over the board. */
function cover(t: TestContext, ...elements: readonly Element[]): void {
  const styled = ({ closed }: Element & { closed?: number }): object => ({ minHeight: `${closed}px` });
  Object.assign(globalThis, { getComputedStyle: styled });
  Object.assign(document, { querySelectorAll: () => elements });
  t.after(() => {
    Reflect.deleteProperty(globalThis, "getComputedStyle");
    Reflect.deleteProperty(document, "querySelectorAll");
  });
}

test("what lies over the board is in pixels of its frame", (t) => {
  cover(t, element({ left: 110, top: 300, right: 160, bottom: 344 }));
  assert.deepEqual(coversOf(FRAME), [{ left: 10, top: 250, right: 60, bottom: 294 }]);
  assert.deepEqual(onFrame(FRAME), []);
});

test("opened news covers what it does when it is closed, so that the board stays", (t) => {
  cover(t, element({ left: 100, top: 50, right: 500, bottom: 250 }, 44));
  assert.deepEqual(coversOf(FRAME), [{ left: 0, top: 0, right: 400, bottom: 44 }]);
});

test("what is not shown covers nothing", (t) => {
  cover(
    t,
    element({ left: 0, top: 0, right: 0, bottom: 0 }),
    element({ left: 0, top: 0, right: 0, bottom: 0 }, 44),
  );
  assert.deepEqual(coversOf(FRAME), []);
});
