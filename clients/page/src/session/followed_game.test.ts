import assert from "node:assert/strict";
import { test } from "node:test";
import type { Game } from "south-seas-client";
import { text } from "../messages/index.ts";
import { storedGame } from "../model/storage.ts";
import { PATIENCE_MS } from "../model/patience.ts";
import { service } from "../service.ts";
import { game, player, step, turn, wares } from "../testing/games.ts";
import { setCalm } from "../testing/browser.ts";
import { NO_ANSWER, ScriptedGame, problem, retry, settled } from "../testing/scripted_game.ts";
import { announcer } from "./announcer.ts";
import { GameSession } from "./game_session.ts";

test("a game that is opened without a network loads once there is one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const script = new ScriptedGame(t, game());
  const log = t.mock.method(service, "log", () => {
    throw NO_ANSWER;
  });
  const session = await script.open();
  assert.deepEqual([session.game, session.fatal, session.network.isOffline], [null, null, true]);
  log.mock.restore();
  new ScriptedGame(t, game());
  await retry(t);
  assert.equal(session.game?.version, 1);
});

test("without a network a game is shown as it was when it was last seen here, until it can be read", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  session.addTokens({ seats: { 0: "token-0" } });
  script.deliver(script.change({ bag: 1 }));
  await settled();
  session.close();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.property(navigator, "onLine", false);
  const log = t.mock.method(service, "log", () => {
    throw NO_ANSWER;
  });
  const reopened = await script.open();
  assert.deepEqual([reopened.game?.version, reopened.game?.bag, reopened.network.isOffline], [2, 1, true]);
  assert.equal(reopened.lastStep, 1);
  log.mock.restore();
  new ScriptedGame(t, script.game);
  await retry(t);
  assert.deepEqual([reopened.game?.version, reopened.network.isOffline], [2, false]);
});

test("a game that does not exist is missing", async (t) => {
  const script = new ScriptedGame(t, game());
  t.mock.method(service, "log", () => {
    throw problem("not_found", 404);
  });
  const session = await script.open();
  assert.equal(session.fatal, text.game.missing);
});

test("a game that is gone, or whose token was replaced, while it is looked at, can no longer be played", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  session.addTokens({ private: true, seats: { 0: "token-0" } });
  assert.equal(session.decider, 0);
  script.subscription.onError?.(problem("not_found", 404));
  assert.deepEqual([session.fatal, session.decider], [text.game.gone, null]);
  const moves = t.mock.method(service, "legalMoves", () => assert.fail());
  session.onSettled();
  assert.equal(moves.mock.callCount(), 0);
});

test("whoever was sent away from a game that anybody may watch watches it", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  session.addTokens({ seats: { 0: "token-0" } });
  const { log } = service;
  t.mock.method(service, "log", (...[id, since, options]: Parameters<typeof log>) => {
    if (options?.token) throw problem("unauthorized", 401);
    return log(id, since, options);
  });
  script.deliver(script.change({ bag: 1 }, { events: [{ type: "player_left", seat: 0, name: "Ana" }] }));
  await settled();
  assert.deepEqual([session.fatal, session.decider, session.readToken], [null, null, null]);
  assert.deepEqual([session.game?.version, storedGame("g")?.seats], [2, {}]);
});

test("a service that does not answer is not waited for: the game is shown as it was last seen", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  session.addTokens({ seats: { 0: "token-0" } });
  session.close();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(service, "log", async function* () {
    await new Promise(() => {});
  });
  const reopened = await script.open();
  assert.equal(reopened.lastStep, 0);
  t.mock.timers.tick(PATIENCE_MS);
  await settled();
  assert.deepEqual([reopened.game?.version, reopened.lastStep], [1, 1]);
});

test("where no socket can be opened, requests bring what happens", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, seat: 1 }) }));
  const session = await script.open();
  script.subscription.onStatus?.("reconnecting");
  script.change({ turn: turn({ decider: 0, seat: 0 }) });
  assert.deepEqual([session.decider, session.network.status], [null, "reconnecting"]);
  t.mock.timers.tick(5000);
  await settled();
  script.subscription.onStatus?.("reconnecting");
  assert.deepEqual([session.decider, session.network.status], [0, "http"]);
  script.change({ bag: 7 });
  t.mock.timers.tick(5000);
  await settled();
  assert.equal(session.game?.bag, 7);
});

test("the board goes along with what others do, each for a while, until it is touched; not for who wants no motion", async (t) => {
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, seat: 1 }) }));
  const session = await script.open();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => 100_000);
  const placed = (x: number) => ({ seat: 1, tile: "market", x, y: 0, rotation: 0 });
  const deliver = (x: number): void =>
    script.deliver(
      script.change({}, { seat: 1, by: "bot", events: [{ type: "tile_placed", ...placed(x) }] }),
    );
  const told = (): unknown => session.told?.diff.events[0];
  deliver(1);
  assert.equal(told(), undefined, "who wants no motion sees none");
  setCalm(t, false);
  deliver(2);
  t.mock.timers.tick(450);
  assert.deepEqual(told(), { type: "tile_placed", ...placed(2) });
  t.mock.timers.tick(900);
  assert.equal(told(), undefined);
  deliver(3);
  deliver(4);
  t.mock.timers.tick(1000);
  assert.ok(told());
  session.stopTelling();
  t.mock.timers.tick(9000);
  assert.equal(told(), undefined);
});

test("a change is announced", async (t) => {
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, seat: 1 }) }));
  await script.open();
  const tell = t.mock.method(announcer, "tell", () => undefined);
  const returned = { type: "player_returned", seat: 1 } as const;
  script.deliver(script.change({ turn: turn({ number: 2 }) }, { events: [returned] }));
  assert.deepEqual(tell.mock.calls.at(-1)?.arguments, ["Bo is back."]);
});

test("only seats of this browser decide, and a seat that the computer plays does not", async (t) => {
  const script = new ScriptedGame(t, game());
  assert.equal((await script.open([1])).decider, null);
  const session = await script.open([0, 1]);
  assert.deepEqual([session.decider, session.standIns], [0, []]);
  const away = [player(0, "Ana", { bot: "greedy" }), player(1, "Bo")];
  script.deliver(script.change({ players: away, turn: turn({ decider: 1 }) }));
  assert.deepEqual([session.decider, session.standIns, session.isMine(0)], [1, [0], false]);
  assert.deepEqual((await script.open([])).standIns, []);
});

test("a link can open a step before the game is loaded; after the last one it is the last one", async (t) => {
  const script = new ScriptedGame(t, game());
  script.change({ bag: 1 });
  const { credentials } = await script.open();
  for (const [step, replayed] of [
    [1, 1],
    [57, 2],
  ] as const) {
    const session = new GameSession(credentials);
    session.replay(step);
    await settled();
    assert.deepEqual([session.replayed, session.game?.version], [replayed, replayed]);
    session.close();
  }
});

test("a replay goes from the first to the last step, without choices of its own", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  script.deliver(script.change({ bag: 1 }));
  session.replay(-3);
  assert.deepEqual([session.game?.version, session.latest?.version, session.decider], [1, 2, null]);
  session.replay(99);
  assert.deepEqual([session.replayed, session.shownSteps.length], [2, 2]);
  session.replay(null);
  assert.deepEqual([session.replayed, session.decider], [null, 0]);
});

test("a connection is said to be back only after it was lost", async (t) => {
  const script = new ScriptedGame(t, game());
  const tell = t.mock.method(announcer, "tell", () => undefined);
  const warn = t.mock.method(announcer, "warn", () => undefined);
  await script.open();
  assert.deepEqual([tell.mock.callCount(), warn.mock.callCount()], [0, 0]);
  script.subscription.onStatus?.("reconnecting");
  assert.deepEqual(warn.mock.calls[0]?.arguments, [text.say.lost]);
  script.subscription.onStatus?.("connected");
  assert.deepEqual(tell.mock.calls[0]?.arguments, [text.say.back]);
});

test("news and gains are those since the last action here", async (t) => {
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, seat: 1 }) }));
  const session = await script.open();
  script.deliver(script.change({ bag: 5 }, { by: "seat" }));
  assert.deepEqual([session.news.length, session.recent.length], [0, 0]);
  const players = [player(0, "Ana", { wares: wares(2, 0, 0) }), player(1, "Bo")];
  script.deliver(script.change({ players }, { seat: 1, by: "seat" }));
  script.deliver(script.change({ bag: 4 }, { seat: 1, by: "seat" }));
  assert.equal(session.news.length, 2);
  assert.deepEqual([...session.gains], [[0, { wares: wares(2, 0, 0), points: 0 }]]);
  session.locate(step(game(), { events: [{ type: "islander_placed", seat: 1, x: 1, y: 1, segment: 0 }] }));
  assert.deepEqual(session.outlines, [{ cells: [{ x: 1, y: 1 }], seat: null }]);
  script.deliver(script.change({ bag: 3 }));
  assert.deepEqual(session.outlines, []);
});

test("what was taken back brings the news back, and the board does not show it once more", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  script.deliver(script.change({}, { seat: 1, by: "seat" }));
  script.deliver(script.change({}, { by: "seat" }));
  assert.equal(session.news.length, 0);
  script.deliver(
    script.change({}, { by: "seat", events: [{ type: "move_undone", seat: 0, move: "p1.0.0" }] }),
  );
  assert.deepEqual([session.news.length, session.recent.length], [3, 0]);
});

test("whoever comes back sees what others did since they last looked, step by step, unless nothing is to move", async (t) => {
  let now = performance.now();
  t.mock.method(performance, "now", () => now);
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, seat: 1 }) }));
  const bo = (x: number, more: Partial<Game> = {}) =>
    script.change(more, {
      seat: 1,
      by: "seat",
      events: [{ type: "tile_placed", seat: 1, tile: "market", x, y: 0, rotation: 0 }],
    });
  const isShown = (session: GameSession) => [session.isRecap, session.game?.version, session.decider];
  bo(1);
  script.change({}, { seat: 1, by: "seat", move: "pass.islander" });
  bo(2, { turn: turn() });
  assert.equal((await script.open()).isRecap, false, "nothing is to move");
  setCalm(t, false);
  const session = await script.open();
  session.addTokens({ seats: { 0: "token-0" } });
  assert.deepEqual(isShown(session), [true, 2, null]);
  assert.deepEqual(session.outlines, [{ cells: [{ x: 1, y: 0 }], seat: 1 }]);
  session.continueRecap();
  assert.deepEqual(isShown(session), [true, 4, null], "a step of which the board shows nothing is left out");
  session.continueRecap();
  assert.deepEqual(isShown(session), [false, 4, 0]);
  now += 3_000;
  script.deliver(bo(3));
  assert.equal(session.isRecap, false, "who looks on sees it live");
  const hidden = t.mock.property(document, "hidden", true).mock;
  script.deliver(bo(4));
  hidden.restore();
  document.dispatchEvent(new Event("visibilitychange"));
  assert.deepEqual(isShown(session), [true, 6, null]);
  session.replay(null);
  session.close();
  assert.equal((await script.open()).isRecap, false, "it has been seen");
});
