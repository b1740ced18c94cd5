import assert from "node:assert/strict";
import { test } from "node:test";
import { isScrolled } from "./keyboard_shortcuts.ts";

/** An element that these selectors find, and of which so many pixels are out of sight below. */
class Scripted {
  readonly scrollLeft = 0;
  readonly scrollTop = 0;
  readonly scrollWidth = 100;
  readonly clientWidth = 100;
  readonly clientHeight = 100;
  readonly scrollHeight: number;

  constructor(
    private readonly selectors: readonly string[],
    hidden = 0,
  ) {
    this.scrollHeight = this.clientHeight + hidden;
  }

  matches(selector: string): boolean {
    return this.selectors.includes(selector);
  }

  closest(selector: string): this | null {
    return this.matches(selector) ? this : null;
  }
}

test("arrows and pages go to the board from a ship too, but stay with the menu and with what they scroll", (t) => {
  Object.assign(globalThis, { HTMLElement: Scripted });
  t.after(() => Reflect.deleteProperty(globalThis, "HTMLElement"));
  const is = (...made: ConstructorParameters<typeof Scripted>) =>
    isScrolled(new Scripted(...made) as unknown as HTMLElement);
  assert.equal(isScrolled(null), false, "nowhere");
  assert.equal(is([]), false, "a ship");
  assert.equal(is([], 50), false, "a button whose words are cut");
  assert.equal(is(["[tabindex='0']"]), false, "a list that is all there");
  assert.equal(is(["[tabindex='0']"], 50), true);
  assert.equal(is([".menu"]), true);
});
