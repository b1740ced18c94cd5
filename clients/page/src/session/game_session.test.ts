import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Move } from "south-seas-client";
import { en } from "../messages/en.ts";
import { fr } from "../messages/fr.ts";
import { language, text } from "../messages/index.ts";
import { NOTHING } from "../model/choices.ts";
import { deliver, game, legal, move, place, turn, wares } from "../testing/games.ts";
import { NO_ANSWER, ScriptedGame, problem, retry, settled } from "../testing/scripted_game.ts";
import { storedPart } from "../model/storage.ts";
import { PATIENCE_MS } from "../model/patience.ts";
import { service } from "../service.ts";
import { choose, confirm, rotate } from "./actions.ts";
import { announcer } from "./announcer.ts";
import type { GameSession } from "./game_session.ts";
import { NOTHING_SELECTED, type Selection } from "./selection.ts";

const MOVE = place(1, 0, 0);

/** Ana's browser, in which she has chosen a cell. */
async function chosen(t: TestContext): Promise<{ script: ScriptedGame; session: GameSession }> {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const script = new ScriptedGame(t, game());
  script.moves = [MOVE];
  const session = await script.open();
  session.select({ cell: { x: 1, y: 0 } });
  return { script, session };
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

test("before it is known where a tile fits it can be turned, and stays so, but not while its move waits", async (t) => {
  const script = new ScriptedGame(t, game());
  script.moves = [MOVE, place(1, 0, 1)];
  const moves = t.mock.method(service, "legalMoves", async () => {
    throw NO_ANSWER;
  });
  const session = await script.open();
  rotate(session);
  assert.deepEqual([session.choices, session.canTurn, session.selection.rotation], [NOTHING, true, 1]);
  moves.mock.restore();
  script.deliver(script.change({ bag: 1 }));
  await settled();
  assert.equal(session.selection.rotation, 1);
  choose.cell(session, { x: 1, y: 0 });
  assert.equal(session.canTurn, true);
  t.mock.property(navigator, "onLine", false);
  confirm(session);
  await settled();
  assert.equal(session.canTurn, false);
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

test("a rejected move says why, in the words of the service", async (t) => {
  const { script, session } = await chosen(t);
  script.failures.push(problem("illegal_move", 422));
  confirm(session);
  await settled();
  assert.deepEqual([session.notice, session.network.isOffline], ["Detail of illegal_move.", false]);
  session.dismiss();
  assert.equal(session.notice, null);
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
  assert.deepEqual(asked.mock.calls[0]?.arguments, ["g", { effects: true }, { token: "token-0" }]);
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

test("a move that has no answer for long can be let go of, and is then sent no more", async (t) => {
  const { script, session } = await chosen(t);
  let signal: AbortSignal | undefined;
  script.act.mock.mockImplementationOnce((_id, _move, options) => {
    signal = options?.signal;
    return new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(signal?.reason as Error)),
    );
  });
  confirm(session);
  assert.deepEqual([session.isBusy, session.isUnsent], [true, false]);
  t.mock.timers.tick(PATIENCE_MS);
  assert.deepEqual([session.isUnsent, session.network.status], [true, "reconnecting"]);
  await retry(t);
  assert.deepEqual([session.isUnsent, script.act.mock.callCount()], [true, 1], "it is still being sent");
  session.cancelUnsent();
  await settled();
  assert.deepEqual(
    [signal?.aborted, session.isUnsent, session.isBusy, session.notice],
    [true, false, false, null],
  );
});

test("the last card of a lesson goes with the next move", async (t) => {
  const script = new ScriptedGame(t, game({ turn: turn({ number: 15 }) }));
  script.moves = [MOVE];
  const session = await script.open([0], ["place"]);
  assert.equal(session.hint?.topic, "over");
  await session.act(MOVE);
  await settled();
  assert.deepEqual([session.hint, session.credentials.lesson], [null, null]);
});

test("who asks to be asked no more leaves their islanders out, until they take that back or want to be asked", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asking = turn({ phase: "islander", placed: { x: 0, y: 0 } });
  const script = new ScriptedGame(t, game({ turn: asking }));
  script.moves = [
    move("r", { type: "retrieve_islander", x: 0, y: 0, segment: 1 }),
    move("pass", { type: "pass", phase: "islander" }),
  ];
  const session = await script.open();
  session.addTokens({ seats: { 0: "token-0" } });
  await settled();
  assert.equal(script.act.mock.callCount(), 0, "it is asked");
  const { moves } = script;
  session.replay(1);
  session.setLeaves(true);
  assert.equal(script.act.mock.callCount(), 0, "a replay asks nothing");
  session.replay(null);
  script.moves = [];
  await settled();
  assert.equal(script.act.mock.calls[0]?.arguments[1].move, "pass");
  script.moves = moves;
  script.deliver(script.change({}, { events: [{ type: "move_undone", seat: 0 }] as never }));
  await settled();
  assert.equal(script.act.mock.callCount(), 1, "what was taken back is asked");
  assert.equal(storedPart("g", "leave"), true);
  session.setLeaves(false);
  script.deliver(script.change({}));
  await settled();
  assert.equal(script.act.mock.callCount(), 1);
});
