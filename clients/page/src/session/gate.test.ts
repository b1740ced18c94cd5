import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Diff } from "south-seas-client";
import { service } from "../service.ts";
import { game, move, place, turn } from "../testing/games.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { pass } from "./actions.ts";
import { SETTLING_MS } from "./gate.ts";
import type { GameSession } from "./game_session.ts";

const PASS = move("pass", { type: "pass", phase: "islander" });
const SENDING = turn({ phase: "islander", placed: { x: 0, y: 0 } });

/** Ana's browser, which asks her for an islander at time 0. */
async function asked(
  t: TestContext,
): Promise<{ script: ScriptedGame; session: GameSession; at: (ms: number) => void }> {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const script = new ScriptedGame(t, game({ turn: SENDING }));
  script.moves = [PASS];
  const session = await script.open();
  return { script, session, at: (ms) => void (now = ms) };
}

function undone(script: ScriptedGame): Diff {
  const events = [{ type: "move_undone", seat: 0 }] as never;
  return script.change({ turn: { ...SENDING, undoable: 1 } }, { events });
}

test("a second tap that began before the next question had been shown for long passes nothing", async (t) => {
  const { script, session, at } = await asked(t);
  at(1000);
  session.gate.touch(1000);
  pass(session);
  await settled();
  for (const since of [150, 400, SETTLING_MS - 1]) {
    session.gate.touch(1000 + since);
    at(1000 + since + SETTLING_MS);
    pass(session);
    await settled();
    assert.equal(script.act.mock.callCount(), 1, `${since} ms`);
  }
  session.gate.touch(1000 + SETTLING_MS);
  pass(session);
  await settled();
  assert.equal(script.act.mock.callCount(), 2);
});

test("what is chosen for a question can be confirmed at once", async (t) => {
  const { script, session, at } = await asked(t);
  script.moves = [place(1, 0, 0)];
  script.deliver(script.change({ turn: turn() }));
  await settled();
  at(100);
  session.gate.touch(100);
  session.select({ cell: { x: 1, y: 0 } });
  void session.act(session.selectedMove ?? assert.fail());
  await settled();
  assert.equal(script.act.mock.callCount(), 1);
});

test("a listed move is no choice: it waits as a pass does", async (t) => {
  const { script, session, at } = await asked(t);
  at(100);
  session.gate.touch(100);
  await session.act(PASS);
  assert.equal(script.act.mock.callCount(), 0);
});

test("taking back waits for its answer, and for the state that this shows", async (t) => {
  const { script, session, at } = await asked(t);
  script.deliver(script.change({ turn: { ...SENDING, undoable: 2 } }));
  await settled();
  let answer: (acted: never) => void = () => {};
  const undo = t.mock.method(service, "undo", () => new Promise<never>((resolve) => (answer = resolve)));
  for (const ms of [2000, 2150, 3000]) {
    at(ms);
    session.gate.touch(ms);
    session.undo();
  }
  assert.equal(undo.mock.callCount(), 1);
  answer({ ...script.game, diffs: [undone(script)] } as never);
  await settled();
  session.gate.touch(3400);
  session.undo();
  assert.equal(undo.mock.callCount(), 1);
  at(4000);
  session.gate.touch(4000);
  session.undo();
  assert.equal(undo.mock.callCount(), 2);
});
