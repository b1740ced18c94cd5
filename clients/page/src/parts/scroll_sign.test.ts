import assert from "node:assert/strict";
import { test } from "node:test";
import { edgesWithMore } from "./scroll_sign.ts";

const SMALL = {
  scrollLeft: 0,
  scrollTop: 0,
  scrollWidth: 100,
  scrollHeight: 80,
  clientWidth: 100,
  clientHeight: 80,
};

test("what fits has no sign of more", () => {
  assert.deepEqual(edgesWithMore(SMALL), []);
  assert.deepEqual(edgesWithMore({ ...SMALL, scrollHeight: 81 }), [], "a pixel is no more");
});

test("each edge beyond which there is more has a sign", () => {
  const long = { ...SMALL, scrollHeight: 200 };
  assert.deepEqual(edgesWithMore(long), ["bottom"]);
  assert.deepEqual(edgesWithMore({ ...long, scrollTop: 60 }), ["top", "bottom"]);
  assert.deepEqual(edgesWithMore({ ...long, scrollTop: 120 }), ["top"]);
  assert.deepEqual(edgesWithMore({ ...SMALL, scrollWidth: 300, scrollLeft: 50 }), ["left", "right"]);
});
