import assert from "node:assert/strict";
import { test } from "node:test";
import { PATIENCE_MS, withinPatience } from "./patience.ts";

test("an answer that takes too long is not waited for", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  assert.equal(await withinPatience(Promise.resolve("page")), "page");
  const late = withinPatience(new Promise(() => {}));
  t.mock.timers.tick(PATIENCE_MS);
  assert.equal(await late, null);
  await assert.rejects(withinPatience(Promise.reject(new Error("gone"))), /gone/);
});
