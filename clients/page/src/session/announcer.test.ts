import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Announcer } from "./announcer.ts";

/** An announcer, and what it has said after so many seconds. */
function listened(t: TestContext) {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const announcer = new Announcer();
  const said = (seconds = 0): string[] => {
    now += 1000 * seconds;
    t.mock.timers.tick(1000 * seconds);
    return announcer.messages.map(({ words }) => words);
  };
  return { announcer, said };
}

test("messages wait for each other, and none is lost", (t) => {
  const { announcer, said } = listened(t);
  for (const words of ["Bo places a tile.", "Island completed.", "Cy places a tile."]) announcer.tell(words);
  assert.deepEqual(said(), ["Bo places a tile."]);
  assert.deepEqual(said(1), ["Bo places a tile.", "Island completed. Cy places a tile."]);
});

test("what is asked comes after what happened; only the last question is asked", (t) => {
  const { announcer, said } = listened(t);
  announcer.tell("You place a tile.");
  announcer.ask("An islander?");
  announcer.ask("Your turn.");
  announcer.tell("Bo places a tile.");
  assert.deepEqual(said(1), ["You place a tile.", "Bo places a tile. Your turn."]);
});

test("a warning does not wait, and what waits comes after it", (t) => {
  const { announcer, said } = listened(t);
  announcer.tell("Bo places a tile.");
  announcer.tell("Island completed.");
  announcer.warn("10 seconds left.");
  assert.deepEqual(said(), ["Bo places a tile.", "10 seconds left."]);
  assert.deepEqual(said(2).at(-1), "Island completed.");
});

test("what waits is said at once when a key is pressed, which silences a screen reader", (t) => {
  const { announcer, said } = listened(t);
  announcer.tell("Bo places a tile.");
  announcer.tell("Island completed.");
  announcer.interrupt();
  announcer.ask("Your turn.");
  announcer.interrupt();
  assert.deepEqual(said(), ["Bo places a tile.", "Island completed.", "Your turn."]);
});

test("the same words again are a new message", (t) => {
  const { announcer, said } = listened(t);
  announcer.ask("Your turn.");
  said(5);
  announcer.ask("Your turn.");
  assert.deepEqual(said(), ["Your turn.", "Your turn."]);
  const keys = announcer.messages.map(({ key }) => key);
  assert.notEqual(keys[0], keys[1]);
});

test("long messages do not keep others waiting for more than eight seconds", (t) => {
  const { announcer, said } = listened(t);
  announcer.tell("x".repeat(1000));
  announcer.ask("Your turn.");
  assert.deepEqual(said(8).at(-1), "Your turn.");
});
