import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { choiceInDirection, positionOf } from "./keyboard_navigation.ts";

interface Choice {
  getAttribute(name: string): string | null;
}

function choice(x: number, y: number, tabindex = "-1"): Choice {
  const attributes: Record<string, string> = { "data-x": `${x}`, "data-y": `${y}`, tabindex };
  return { getAttribute: (name) => attributes[name] ?? null };
}

const LEFT = choice(0, 0);
const RIGHT = choice(200, 0, "0");
const NEAR_BUT_ASIDE = choice(100, 90);
const BELOW = choice(0, 300);

function next(t: TestContext, key: string, focused: Choice | null): unknown {
  Object.assign(document, { activeElement: focused });
  t.after(() => Object.assign(document, { activeElement: null }));
  const frame = { querySelectorAll: () => [LEFT, RIGHT, NEAR_BUT_ASIDE, BELOW] };
  return choiceInDirection(key, frame as unknown as Element);
}

test("from nowhere an arrow leads to the first choice, and other keys to none", (t) => {
  assert.equal(next(t, "ArrowUp", null), RIGHT);
  assert.equal(next(t, "Enter", null), null);
});

test("an arrow leads to the nearest choice on its way, and stays where there is none", (t) => {
  assert.equal(next(t, "ArrowRight", LEFT), RIGHT);
  assert.equal(next(t, "ArrowDown", LEFT), BELOW);
  assert.equal(next(t, "ArrowLeft", NEAR_BUT_ASIDE), LEFT);
  assert.equal(next(t, "ArrowUp", RIGHT), RIGHT);
  assert.deepEqual(positionOf(BELOW as unknown as Element), { x: 0, y: 300 });
});
