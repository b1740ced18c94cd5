import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Move, type Problem, ProblemError, UnreachableError } from "south-seas-client";
import { en } from "../messages/en.ts";
import { fr } from "../messages/fr.ts";
import { language, text } from "../messages/index.ts";
import { NOTHING } from "../model/choices.ts";
import { deliver, game, legal, move, place, player, turn, wares } from "../testing/games.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { service } from "../service.ts";
import { confirm } from "./actions.ts";
import { announcer } from "./announcer.ts";
import { GameSession } from "./game_session.ts";
import * as seats from "./seats.ts";
import { NOTHING_SELECTED, type Selection } from "./selection.ts";

const NO_ANSWER = new UnreachableError("https://seas.example", new Error("gone"));
const MOVE = place(1, 0, 0);

function problem(code: string, status: number, more: Partial<Problem> = {}): ProblemError {
  return new ProblemError({ code, status, detail: `detail of ${code}`, title: "", ...more } as Problem);
}

/** Ana's browser, in which she has chosen a cell. */
async function chosen(t: TestContext): Promise<{ script: ScriptedGame; session: GameSession }> {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const script = new ScriptedGame(t, game());
  script.moves = [MOVE];
  const session = await script.open();
  session.select({ cell: { x: 1, y: 0 } });
  return { script, session };
}

/** Lets the network be tried again. */
async function retry(t: TestContext): Promise<void> {
  t.mock.timers.tick(3000);
  await settled();
}

test("a chosen move is sent for the version that is shown, and its diffs are shown at once", async (t) => {
  const { script, session } = await chosen(t);
  confirm(session);
  await settled();
  const [id, action, options] = script.act.mock.calls[0]?.arguments ?? assert.fail();
  assert.deepEqual(
    [id, action, options?.ifMatch, options?.token],
    ["g", { move: MOVE.id, seat: 0 }, { version: 1 }, "token-0"],
  );
  assert.deepEqual([session.game?.version, session.isBusy, session.selectedMove], [2, false, null]);
});

test("a move without an answer is sent again with the same key, until there is one", async (t) => {
  const { script, session } = await chosen(t);
  script.failures.push(NO_ANSWER, problem("store_unavailable", 503), problem("conflict", 409));
  confirm(session);
  await settled();
  assert.deepEqual([session.isUnsent, session.network.status, session.notice], [true, "reconnecting", null]);
  for (let attempt = 0; attempt < 3; attempt++) await retry(t);
  assert.deepEqual([session.game?.version, session.isUnsent, session.notice], [2, false, null]);
  const keys = script.act.mock.calls.map(({ arguments: [, , options] }) => options?.key);
  assert.equal(keys.length, 4);
  assert.equal(new Set(keys).size, 1);
  assert.equal(session.network.status, "connected");
});

test("another language reads the texts of moves anew, keeps what is chosen, and repeats nothing of the former", async (t) => {
  t.after(() => language.use(en));
  const { script, session } = await chosen(t);
  announcer.warn("former words");
  script.moves = [{ ...MOVE, text: "poser la tuile" }];
  language.use(fr);
  await settled();
  assert.deepEqual([announcer.messages, session.selection.cell], [[], { x: 1, y: 0 }]);
  assert.deepEqual(
    [session.listedMoves[0]?.text, session.selectedMove?.text],
    ["poser la tuile", "poser la tuile"],
  );
});

test("offline, nothing is sent and nothing can be chosen", async (t) => {
  const { script, session } = await chosen(t);
  t.mock.property(navigator, "onLine", false);
  confirm(session);
  await settled();
  session.deselect();
  assert.deepEqual([script.act.mock.callCount(), session.isUnsent, session.selectedMove], [0, true, MOVE]);
});

test("an unsent move is dropped where the game has changed, which a new choice dismisses", async (t) => {
  const { script, session } = await chosen(t);
  script.failures.push(NO_ANSWER, problem("version_mismatch", 412));
  confirm(session);
  await settled();
  script.deliver(script.change({ bag: 1 }));
  await retry(t);
  assert.deepEqual([session.notice, session.isUnsent, session.game?.version], [text.game.dropped, false, 2]);
  script.deliver(script.change({ bag: 0 }));
  assert.equal(session.notice, text.game.dropped, "a change keeps what the player must read");
  session.select({ cell: { x: 1, y: 0 } });
  assert.equal(session.notice, null);
});

test("an unsent move can be cancelled", async (t) => {
  const { script, session } = await chosen(t);
  script.failures.push(NO_ANSWER);
  confirm(session);
  await settled();
  session.cancelUnsent();
  await retry(t);
  assert.deepEqual([script.act.mock.callCount(), session.isUnsent, session.isBusy], [1, false, false]);
  assert.equal(session.network.status, "connected");
});

test("an unsent move outlives the page, and is sent with its key when the game is opened again", async (t) => {
  const { script, session } = await chosen(t);
  session.addTokens({ seats: { 0: "token-0" } });
  script.failures.push(NO_ANSWER);
  confirm(session);
  await settled();
  session.close();
  const reopened = await script.open();
  await settled();
  assert.deepEqual([reopened.game?.version, reopened.isUnsent, reopened.isBusy], [2, false, false]);
  const [before, after] = script.act.mock.calls.map(({ arguments: [, , options] }) => options?.key);
  assert.equal(before, after);
  (await script.open()).close();
  assert.equal(script.act.mock.callCount(), 2, "what was sent is not stored");
});

/** Lets the page be left and opened again, with the game's token in its storage. */
async function reopened({
  script,
  session,
}: {
  script: ScriptedGame;
  session: GameSession;
}): Promise<GameSession> {
  session.close();
  return script.open();
}

test("what is chosen, and not confirmed, outlives the page for as long as it can be done", async (t) => {
  const placed = { x: 0, y: 0 };
  const spot = move("i0", { type: "place_islander", segment: 0 });
  const ways = [wares(3, 1, 1), wares(1, 3, 1)].map((paid) => deliver("same", paid));
  const questions: [ReturnType<typeof turn>, Move[], Partial<Selection>][] = [
    [turn(), [place(1, 0, 0), place(1, 0, 3)], { cell: { x: 1, y: 0 }, rotation: 3 }],
    [turn({ phase: "islander", placed }), [spot], { spot: "place:0,0:0" }],
    [turn({ phase: "deliver", placed }), ways, { ship: "same", wares: wares(1, 1, 0) }],
  ];
  for (const [asked, moves, chosen] of questions) {
    const script = new ScriptedGame(t, game({ turn: asked }));
    script.moves = moves;
    const session = await script.open();
    session.addTokens({ seats: { 0: "token-0" } });
    await settled();
    session.select(chosen);
    const again = await reopened({ script, session });
    assert.deepEqual(again.selection, { ...NOTHING_SELECTED, ...chosen });
    script.change({ bag: 1 });
    assert.deepEqual(
      (await reopened({ script, session: again })).selection,
      NOTHING_SELECTED,
      "another version",
    );
  }
});

test("a ship that is not paid yet stays chosen when the game goes on, unless it has gone", async (t) => {
  const script = new ScriptedGame(t, game({ turn: turn({ phase: "deliver", placed: { x: 0, y: 0 } }) }));
  script.moves = [deliver("same", wares(3, 1, 1))];
  const session = await script.open();
  session.select({ ship: "same", wares: wares(1, 0, 0) });
  script.deliver(script.change({ bag: 1 }));
  await settled();
  assert.deepEqual([session.selection.ship, session.selection.wares], ["same", wares(1, 0, 0)]);
  script.moves = [deliver("any", wares(6, 0, 0))];
  script.deliver(script.change({ bag: 0 }));
  await settled();
  assert.equal(session.selection.ship, null);
});

test("without a network a move that is not sent is still chosen after a reload, and alone, until it is cancelled", async (t) => {
  const { script, session } = await chosen(t);
  script.moves = [MOVE, place(2, 0, 0)];
  session.addTokens({ seats: { 0: "token-0" } });
  t.mock.property(navigator, "onLine", false);
  confirm(session);
  await settled();
  t.mock.method(service, "log", () => {
    throw NO_ANSWER;
  });
  t.mock.method(service, "legalMoves", async () => {
    throw NO_ANSWER;
  });
  const again = await reopened({ script, session });
  assert.deepEqual([again.isUnsent, again.selectedMove, again.choices.cells.size], [true, MOVE, 1]);
  again.cancelUnsent();
  await settled();
  assert.deepEqual([again.isUnsent, again.choices], [false, NOTHING]);
});

test("a move waits for its own answer, whatever else is answered meanwhile", async (t) => {
  const { script, session } = await chosen(t);
  let answer: (() => void) | undefined;
  t.mock.method(service, "scores", async () => {
    await new Promise<void>((resolve) => (answer = resolve));
    return { version: 1, players: [], islanders: [] };
  });
  session.scores = null;
  session.addTokens({ seats: { 0: "token-0" } });
  script.failures.push(NO_ANSWER);
  confirm(session);
  await settled();
  answer?.();
  await settled();
  assert.deepEqual([session.isUnsent, session.network.status], [true, "reconnecting"]);
  await retry(t);
  assert.deepEqual([session.isUnsent, session.game?.version], [false, 2]);
});

test("while a move is sent again, it still waits, and one that was let go of takes no other with it", async (t) => {
  const { script, session } = await chosen(t);
  script.failures.push(NO_ANSWER);
  confirm(session);
  await settled();
  let answer: ((error: Error) => void) | undefined;
  script.act.mock.mockImplementationOnce(() => new Promise((_, reject) => (answer = reject)));
  await retry(t);
  assert.equal(session.isUnsent, true);
  session.cancelUnsent();
  script.failures.push(NO_ANSWER);
  await session.act(MOVE);
  answer?.(problem("illegal_move", 422));
  await settled();
  assert.equal(session.isUnsent, true);
  await retry(t);
  assert.deepEqual([session.isUnsent, session.game?.version], [false, 2]);
});

test("a rejected move says why", async (t) => {
  const { script, session } = await chosen(t);
  script.failures.push(problem("illegal_move", 422));
  confirm(session);
  await settled();
  assert.deepEqual([session.notice, session.network.isOffline], [text.problems["illegal_move"], false]);
  session.dismiss();
  assert.equal(session.notice, null);
});

test("a game that is opened without a network loads once there is one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const script = new ScriptedGame(t, game());
  const log = t.mock.method(service, "log", () => {
    throw NO_ANSWER;
  });
  const session = await script.open();
  assert.deepEqual([session.game, session.isMissing, session.network.isOffline], [null, false, true]);
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
  assert.deepEqual([session.isMissing, session.fatal], [true, text.problems["not_found"]]);
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

test("a player's commands carry the token of the seat", async (t) => {
  const away = [player(0, "Ana", { bot: "greedy" }), player(1, "Bo")];
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, undoable: 1 }), players: away }));
  const session = await script.open([0, 1]);
  const result = async () => ({ diffs: [] }) as never;
  const undo = t.mock.method(service, "undo", result);
  const resign = t.mock.method(service, "resign", result);
  const returned = t.mock.method(service, "returnToSeat", result);
  session.undo();
  await settled();
  seats.resign(session, 1);
  await settled();
  seats.returnToSeat(session, 0);
  await settled();
  assert.deepEqual(undo.mock.calls[0]?.arguments, ["g", { seat: 1 }, { token: "token-1" }]);
  assert.deepEqual(resign.mock.calls[0]?.arguments, ["g", { seat: 1 }, { token: "token-1" }]);
  assert.deepEqual(returned.mock.calls[0]?.arguments, ["g", { seat: 0 }, { token: "token-0" }]);
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
  session.showPlaces([{ x: 1, y: 1 }]);
  assert.deepEqual(session.outlines, [{ cells: [{ x: 1, y: 1 }], seat: null }]);
  script.deliver(script.change({ bag: 3 }));
  assert.deepEqual(session.outlines, []);
});

test("the moves of an answer can be chosen before it is known what they are worth", async (t) => {
  const { script, session } = await chosen(t);
  const appraised = { ...MOVE, effects: [], worth: "It is worth a lot." };
  const asked = t.mock.method(service, "legalMoves", async () => legal([appraised], script.game.version));
  const answer = script.act.mock;
  answer.mockImplementation(async () => {
    const diffs = [script.change({ bag: 1 })];
    return {
      ...script.game,
      diffs,
      legal_moves: { ...legal([MOVE], script.game.version), ships: null },
    } as never;
  });
  let known: (() => void) | undefined;
  asked.mock.mockImplementation(async () => {
    await new Promise<void>((resolve) => (known = resolve));
    return legal([appraised], script.game.version);
  });
  confirm(session);
  await settled();
  session.select({ cell: { x: 1, y: 0 } });
  assert.deepEqual([session.selectedMove, session.worth, session.appraisedMoves], [MOVE, null, []]);
  known?.();
  await settled();
  assert.equal(session.worth?.words, "It is worth a lot.");
  assert.deepEqual(asked.mock.calls[0]?.arguments, ["g", { effects: true }, { token: null }]);
});

test("moves that come after the turn has ended are another player's, and not offered", async (t) => {
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, seat: 1 }) }));
  const session = await script.open();
  let answer: (() => void) | undefined;
  t.mock.method(service, "legalMoves", async () => {
    await new Promise<void>((resolve) => (answer = resolve));
    return legal([MOVE], script.game.version);
  });
  script.deliver(script.change({ turn: turn({ decider: 0, seat: 0 }) }));
  const asked = answer ?? assert.fail();
  script.deliver(script.change({ turn: turn({ decider: 1, seat: 1 }) }, { by: "clock" }));
  asked();
  await settled();
  assert.equal(session.choices.cells.size, 0);
});
