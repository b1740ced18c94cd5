import assert from "node:assert/strict";
import { test } from "node:test";
import { setCalm } from "../testing/browser.ts";
import { game } from "../testing/games.ts";
import { ScriptedGame } from "../testing/scripted_game.ts";

test("changes of others are shown one after the other, so that they can be seen", async (t) => {
  setCalm(t, false);
  const script = new ScriptedGame(t, game());
  const session = await script.open([]);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const bag of [1, 0]) script.deliver(script.change({ bag }));
  assert.equal(session.game?.version, 2);
  t.mock.timers.tick(0);
  t.mock.timers.tick(649);
  assert.equal(session.game?.version, 2);
  t.mock.timers.tick(1);
  assert.equal(session.game?.version, 3);
});

test("many changes, and those that nobody sees, are shown at once", async (t) => {
  setCalm(t, false);
  const script = new ScriptedGame(t, game());
  const session = await script.open([]);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.property(document, "hidden", true);
  script.deliver(script.change({ bag: 1 }));
  script.deliver(script.change({ bag: 0 }));
  assert.equal(session.game?.version, 3);
  t.mock.restoreAll();
});

test("where the user wants calm, nothing is delayed", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open([]);
  for (const bag of [1, 0]) script.deliver(script.change({ bag }));
  assert.equal(session.game?.version, 3);
});
