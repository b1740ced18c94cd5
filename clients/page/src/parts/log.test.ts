import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { followEnd } from "./log.tsx";

const VISIBLE = 100;

/** A panel of 100 pixels, whose list grows; a browser tells of scrolling only after that. */
function grownPanel(t: TestContext) {
  let sized = (): void => {};
  class FakeObserver {
    constructor(changed: () => void) {
      sized = changed;
    }
    observe(): void {}
    disconnect(): void {}
  }
  Object.assign(globalThis, { ResizeObserver: FakeObserver });
  t.after(() => Reflect.deleteProperty(globalThis, "ResizeObserver"));
  const panel = Object.assign(new EventTarget(), {
    scrollTop: 0,
    scrollHeight: VISIBLE,
    clientHeight: VISIBLE,
  });
  followEnd({} as Element, panel as unknown as HTMLElement);
  return {
    scrollTo(top: number): void {
      panel.scrollTop = Math.min(top, panel.scrollHeight - VISIBLE);
    },
    scrolled: () => panel.dispatchEvent(new Event("scroll")),
    /** Adds to the list, or takes from it; a browser tells of scrolling first, whoever has scrolled. */
    grow(height: number, hasScrolled = false): void {
      panel.scrollHeight += height;
      panel.scrollTop = Math.min(panel.scrollTop, panel.scrollHeight - VISIBLE);
      if (hasScrolled) panel.dispatchEvent(new Event("scroll"));
      sized();
      panel.scrollTop = Math.min(panel.scrollTop, panel.scrollHeight - VISIBLE);
    },
    get isAtEnd(): boolean {
      return panel.scrollTop === panel.scrollHeight - VISIBLE;
    },
  };
}

test("the history follows the game, also where it changes before the browser has told of scrolling", (t) => {
  const panel = grownPanel(t);
  for (const added of [100, 100, -30, 100]) {
    panel.grow(added, true);
    assert.ok(panel.isAtEnd);
  }
});

test("who scrolls up reads on, and follows the game again from the end on", (t) => {
  const panel = grownPanel(t);
  for (let entries = 0; entries < 5; entries++) panel.grow(100);
  panel.scrolled();
  panel.scrollTo(150);
  panel.scrolled();
  panel.grow(100);
  assert.ok(!panel.isAtEnd);
  panel.scrollTo(Infinity);
  panel.scrolled();
  panel.grow(100);
  assert.ok(panel.isAtEnd);
});
