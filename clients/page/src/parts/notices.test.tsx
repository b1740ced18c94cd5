import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Game, ServerClock } from "south-seas-client";
import { text } from "../messages/index.ts";
import { service } from "../service.ts";
import { game, player, turn } from "../testing/games.ts";
import { elements, textOf } from "../testing/render.ts";
import { preferences } from "../model/storage.ts";
import { answer } from "../session/attention.ts";
import { ScriptedGame, problem } from "../testing/scripted_game.ts";
import { Countdown } from "./countdown.tsx";
import { AskToNotify, Blocked, Notices } from "./notices.tsx";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const BO = player(1, "Bo");
const AWAY = player(0, "Ana", { bot: "greedy" });

async function notices(t: TestContext, shown: Game, seats: readonly number[] = [0]) {
  const session = await new ScriptedGame(t, shown).open(seats);
  return <Notices session={session} />;
}

/** A game whose decider, Ana, has this many seconds of a minute left. */
function timed(seconds: number, more: Partial<Game> = {}): Game {
  const deadline = new Date(NOW + 1000 * seconds).toISOString();
  return game({ turn: turn({ deadline }), turn_timeout_s: 60, ...more });
}

test("the computer's stand-in can be taken over, in any turn, by its player alone", async (t) => {
  const away = game({ players: [AWAY, BO], turn: turn({ decider: 1 }) });
  const bar = await notices(t, away);
  assert.equal(textOf(bar), "The computer is playing for you. Take over");
  assert.deepEqual(elements(bar, "button"), ["Take over"]);
  assert.equal(textOf(await notices(t, away, [])), "");
  assert.equal(textOf(await notices(t, away, [1])), "");
  assert.match(textOf(await notices(t, away, [0, 1])), /^The computer is playing for Ana\./);
});

test("a game of which all players are away waits for them", async (t) => {
  const resting = await notices(t, game({ players: [AWAY, { ...BO, bot: "greedy" }] }));
  assert.ok(textOf(resting).includes(text.away.resting));
});

test("a player resumes a paused game in the turn of another one", async (t) => {
  const paused = game({ turn: turn({ decider: 1, paused: true }) });
  assert.deepEqual(elements(await notices(t, paused), "button"), [text.away.resume]);
  for (const seats of [[], [1]]) assert.equal(textOf(await notices(t, paused, seats)), "");
});

for (const policy of ["bot", "pass", "resign"] as const)
  test(`the page warns before time runs out, and what comes then: ${policy}`, async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: NOW });
    assert.equal(textOf(await notices(t, timed(16, { on_timeout: policy }))), "");
    const warning = textOf(await notices(t, timed(15, { on_timeout: policy })));
    assert.equal(warning, `Only 0:15 left! ${text.away.then[policy]?.("place_tile")}`);
    assert.equal(
      textOf(await notices(t, timed(0, { on_timeout: policy }))),
      `Time is up. ${text.away.late[policy]?.("place_tile")}`,
    );
    assert.equal(textOf(await notices(t, timed(14), [])), "", "a spectator");
  });

test("the countdown follows the service's clock, not the device's", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: NOW - 3_600_000 });
  const sent = performance.now();
  t.mock.property(service, "clock", new ServerClock());
  service.clock.observe(new Date(NOW).toISOString(), sent - 1000, sent);
  const deadline = new Date(NOW + 30_000).toISOString();
  assert.match(textOf(<Countdown deadline={deadline} timeout={60} />), /^0:(29|30) left$/);
});

test("the countdown changes its look when time is short", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: NOW });
  const left = (seconds: number) => (
    <Countdown deadline={new Date(NOW + 1000 * seconds).toISOString()} timeout={60} />
  );
  assert.deepEqual(elements(left(16), "span", 'class="countdown"'), ["0:16 left"]);
  assert.deepEqual(elements(left(15), "span", 'class="countdown soon"'), ["0:15 left"]);
  assert.equal(textOf(left(-5)), "Time is up");
});

test("what the network keeps from being done is said, and can be cancelled", async (t) => {
  const session = await new ScriptedGame(t, game()).open();
  session.network.onNoResponse();
  assert.equal(textOf(<Notices session={session} />), text.game.offline);
  t.mock.getter(session, "isUnsent", () => true);
  assert.equal(textOf(<Notices session={session} />), `${text.game.unsent} ${text.game.unsend}`);
});

test("who waits for other people is asked once whether the system should tell of turns", async (t) => {
  localStorage.clear();
  const requestPermission = t.mock.fn(async () => "granted");
  Object.assign(globalThis, { Notification: { permission: "default", requestPermission } });
  Object.assign(navigator, { serviceWorker: {} });
  t.after(() => {
    Reflect.deleteProperty(globalThis, "Notification");
    Reflect.deleteProperty(navigator, "serviceWorker");
  });
  const waiting = (players: Game["players"]) =>
    new ScriptedGame(t, game({ turn: turn({ decider: 1 }), players })).open();
  const against = await waiting([player(0, "Ana"), player(1, "Bo", { kind: "bot", bot: "greedy" })]);
  const session = await waiting([player(0, "Ana"), BO]);
  assert.equal(textOf(<AskToNotify session={session} />), "", "no move was made here yet");
  against.hasActed = session.hasActed = true;
  assert.equal(textOf(<AskToNotify session={against} />), "", "the computer does not let anybody wait");
  assert.ok(textOf(<AskToNotify session={session} />).includes(text.notify.ask));
  assert.equal(requestPermission.mock.callCount(), 0);
  await answer(true);
  assert.deepEqual([requestPermission.mock.callCount(), preferences().notifications], [1, true]);
  assert.equal(textOf(<AskToNotify session={session} />), "");
});

test("a browser that blocks notifications is said to, and where to allow them", async (t) => {
  const requestPermission = async () => "denied";
  Object.assign(globalThis, { Notification: { permission: "denied", requestPermission } });
  t.after(() => Reflect.deleteProperty(globalThis, "Notification"));
  assert.deepEqual([await answer(true), preferences().notifications], [true, false]);
  assert.equal(await answer(false), false);
  assert.match(textOf(<Blocked />), /blocks notifications from this page: allow them in its settings/);
});

test("what ends everything is said once, though a move was refused for the same reason", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  session.addTokens({ private: true, seats: { 0: "token-0" } });
  session.notice = text.game.gone;
  assert.equal(textOf(<Notices session={session} />), `${session.notice} `.trim());
  session.onError(problem("unauthorized", 401));
  assert.equal(textOf(<Notices session={session} />), "");
});
