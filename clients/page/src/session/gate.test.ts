import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Diff } from "south-seas-client";
import { service } from "../service.ts";
import { game, move, place, turn } from "../testing/games.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { confirm, pass } from "./actions.ts";
import { DOUBLE_MS, SETTLING_MS, type Touch } from "./gate.ts";
import type { GameSession } from "./game_session.ts";

const PASS = move("pass", { type: "pass", phase: "islander" });
const SENDING = turn({ phase: "islander", placed: { x: 0, y: 0 } });

type Press = (ms: number, act?: (session: GameSession) => void, touch?: Partial<Touch>) => void;

/** Ana's browser, which asks her for an islander at time 0. */
async function asked(t: TestContext): Promise<{ script: ScriptedGame; session: GameSession; press: Press }> {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const script = new ScriptedGame(t, game({ turn: SENDING }));
  script.moves = [PASS];
  const session = await script.open();
  const press: Press = (ms, act, touch) => {
    now = ms;
    if (!act) return;
    session.gate.touch({ at: ms, ...touch });
    act(session);
  };
  return { script, session, press };
}

function undone(script: ScriptedGame): Diff {
  const events = [{ type: "move_undone", seat: 0 }] as never;
  return script.change({ turn: { ...SENDING, undoable: 1 } }, { events });
}

test("a tap that begins soon after a question has appeared is kept, and done once", async (t) => {
  const { script, press } = await asked(t);
  press(1000, pass);
  await settled();
  assert.equal(script.act.mock.callCount(), 1);
  for (const since of [DOUBLE_MS, SETTLING_MS - 1]) press(1000 + since, pass);
  await settled();
  assert.equal(script.act.mock.callCount(), 1, "not yet");
  press(1000 + SETTLING_MS);
  t.mock.timers.tick(SETTLING_MS);
  await settled();
  t.mock.timers.tick(SETTLING_MS);
  assert.equal(script.act.mock.callCount(), 2);
});

test("a tap that begins too soon and ends in time is done at its end", async (t) => {
  const { script, press } = await asked(t);
  press(1000, pass);
  await settled();
  press(1000 + SETTLING_MS);
  t.mock.timers.tick(SETTLING_MS);
  press(1000 + SETTLING_MS, pass, { at: 1000 + SETTLING_MS - 1 });
  await settled();
  assert.equal(script.act.mock.callCount(), 2);
});

test("a double tap, what was pressed for another question, and what a choice replaces pass nothing", async (t) => {
  for (const later of [
    { at: 1000 + DOUBLE_MS - 1 },
    { at: 1000 - 1 },
    { at: 1000 + DOUBLE_MS, then: (session: GameSession) => session.select({ spot: "s" }) },
  ]) {
    const { script, session, press } = await asked(t);
    press(1000, pass);
    await settled();
    press(later.at, pass);
    later.then?.(session);
    press(1000 + SETTLING_MS);
    t.mock.timers.tick(SETTLING_MS);
    await settled();
    assert.equal(script.act.mock.callCount(), 1, `${later.at} ms`);
    t.mock.timers.reset();
    t.mock.restoreAll();
  }
});

test("another key, or a tap elsewhere, is no double one; a key is kept while a move is on its way", async (t) => {
  for (const touch of [{ key: "p" }, { x: 100 }]) {
    const { script, press } = await asked(t);
    press(1000, pass);
    if (touch.key) press(1010, pass, touch);
    await settled();
    if (!touch.key) press(1010, pass, touch);
    press(2000);
    t.mock.timers.tick(SETTLING_MS);
    await settled();
    assert.equal(script.act.mock.callCount(), 2, JSON.stringify(touch));
    press(2010, pass);
    press(3000);
    t.mock.timers.tick(SETTLING_MS);
    await settled();
    assert.equal(script.act.mock.callCount(), 3, "what was kept was pressed elsewhere");
    t.mock.timers.reset();
    t.mock.restoreAll();
  }
});

test("what is chosen for a question can be confirmed at once", async (t) => {
  const { script, press } = await asked(t);
  script.moves = [place(1, 0, 0)];
  script.deliver(script.change({ turn: turn() }));
  await settled();
  press(100, (session) => session.select({ cell: { x: 1, y: 0 } }));
  press(100, confirm);
  await settled();
  assert.equal(script.act.mock.callCount(), 1);
});

test("a listed move is no choice: it waits as a pass does", async (t) => {
  const { script, press } = await asked(t);
  press(100, (session) => void session.act(PASS));
  assert.equal(script.act.mock.callCount(), 0);
  press(SETTLING_MS);
  t.mock.timers.tick(SETTLING_MS);
  assert.equal(script.act.mock.callCount(), 1);
});

test("taking back waits for its answer, and for the state that this shows", async (t) => {
  const { script, press } = await asked(t);
  script.deliver(script.change({ turn: { ...SENDING, undoable: 2 } }));
  await settled();
  let answer: (acted: never) => void = () => {};
  const undo = t.mock.method(service, "undo", () => new Promise<never>((resolve) => (answer = resolve)));
  for (const ms of [2000, 2150, 3000]) press(ms, (session) => session.undo());
  assert.equal(undo.mock.callCount(), 1);
  answer({ ...script.game, diffs: [undone(script)] } as never);
  await settled();
  press(3400, (session) => session.undo());
  assert.equal(undo.mock.callCount(), 1);
  press(3600);
  t.mock.timers.tick(SETTLING_MS);
  assert.equal(undo.mock.callCount(), 2);
});
