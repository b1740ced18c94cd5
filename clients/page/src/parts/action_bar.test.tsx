import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Game, Move } from "south-seas-client";
import type { Pictures } from "../board/pictures.ts";
import { text } from "../messages/index.ts";
import { service } from "../service.ts";
import { choose, rotate } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { deliver, game, move, place, player, turn, wares } from "../testing/games.ts";
import { elements, textOf } from "../testing/render.ts";
import { NO_ANSWER, ScriptedGame, settled } from "../testing/scripted_game.ts";
import { ActionBar } from "./action_bar.tsx";
import { askedInWords } from "./asked.ts";

const PICTURES = { href: () => "#" } as unknown as Pictures;
const SEND = move("i0", { type: "place_islander", segment: 0 });
const HOME = move("r", { type: "retrieve_islander", x: 0, y: 0, segment: 1 });
const PASS = move("pass", { type: "pass", phase: "islander" });
const DELIVERING = turn({ phase: "deliver", placed: { x: 0, y: 0 } });

async function playing(t: TestContext, shown: Game, ...moves: Move[]): Promise<GameSession> {
  const script = new ScriptedGame(t, shown);
  script.moves = moves;
  return script.open();
}

const bar = (session: GameSession) => (
  <ActionBar session={session} pictures={PICTURES} viewRef={{ current: null }} />
);
const words = (session: GameSession): string => textOf(bar(session));
/** The buttons that can be pressed. */
const enabled = (session: GameSession): string[] =>
  elements(bar(session), "button", "").filter(
    (label) => elements(bar(session), "button", "disabled").indexOf(label) < 0,
  );

test("who is out while the others play on is told why", async (t) => {
  const late = { type: "turn_timed_out", seat: 0, policy: "resign" };
  for (const [events, why] of [
    [[], text.result.youResigned],
    [[late], text.result.youWereLate],
  ] as const) {
    const players = [player(0, "Ana", { resigned: true }), player(1, "Bo"), player(2, "Cy")];
    const script = new ScriptedGame(t, game({ players, turn: turn({ decider: 1, seat: 1 }) }));
    const session = await script.open();
    assert.ok(!words(session).includes(why));
    script.deliver(script.change({}, { events: [...events, { type: "player_resigned", seat: 0 }] as never }));
    assert.ok(words(session).includes(why));
  }
});

test("a paused game is said to be", async (t) => {
  const session = await playing(t, game({ turn: turn({ paused: true }) }));
  assert.ok(words(session).includes(text.actionBar.paused));
});

test("a tile is placed where it fits, and turned where it may", async (t) => {
  const session = await playing(t, game(), place(1, 0, 0), place(1, 0, 1), place(2, 0, 0));
  assert.ok(words(session).includes(text.actionBar.placeTile));
  assert.ok(words(session).includes(text.actionBar.placeTip));
  assert.ok(!enabled(session).includes(text.actionBar.place));
  choose.cell(session, { x: 1, y: 0 });
  assert.ok(words(session).includes(text.actionBar.placeChosen));
  assert.ok(enabled(session).includes(text.actionBar.place));
  rotate(session);
  assert.equal(session.selectedMove?.id, "p1.0.1");
  choose.cell(session, { x: 2, y: 0 });
  assert.ok(words(session).includes(text.actionBar.placeChosenOnly));
});

test("the page says why no islander can be placed, and what the player can do", async (t) => {
  const sending = { turn: turn({ phase: "islander", placed: { x: 0, y: 0 } }) };
  const free = await playing(t, game(sending), SEND, HOME, PASS);
  assert.ok(words(free).includes(text.actionBar.islander));
  assert.ok(words(free).includes(text.actionBar.retrieveTip));
  choose.spot(free, "place:0,0:0");
  assert.ok(words(free).includes(text.actionBar.islanderChosen("island")));
  const none = await playing(t, game(sending), HOME, PASS);
  assert.ok(words(none).includes(text.actionBar.noneFree));
  const players = [player(0, "Ana", { supply: 0 }), player(1, "Bo")];
  const out = await playing(t, game({ ...sending, players }), HOME, PASS);
  assert.ok(words(out).includes(text.actionBar.allOut));
  assert.ok(enabled(out).includes(text.actionBar.leaveThem));
  choose.spot(out, "retrieve:0,0:1");
  assert.ok(words(out).includes(text.actionBar.retrieveChosen("bridge")));
  assert.ok(enabled(out).includes(text.actionBar.takeHome));
});

test("wares are chosen one by one, and only a legal payment can be confirmed", async (t) => {
  const ways = [wares(3, 1, 1), wares(1, 3, 1), wares(3, 0, 2)];
  const session = await playing(t, game({ turn: DELIVERING }), ...ways.map((paid) => deliver("same", paid)));
  assert.ok(words(session).includes(text.actionBar.deliver));
  choose.ship(session, "same");
  assert.ok(words(session).includes("2 of 5 chosen, 3 missing."));
  assert.ok(!enabled(session).includes(text.actionBar.deliverGo));
  choose.wares(session, wares(2, 2, 1));
  assert.ok(words(session).includes("Not these together: the ship takes "));
  assert.ok(!enabled(session).includes(text.actionBar.deliverGo));
  choose.wares(session, wares(1, 3, 1));
  assert.ok(words(session).includes("All 5 chosen."));
  assert.ok(enabled(session).includes(text.actionBar.deliverGo));
  const steps = elements(bar(session), "button", `(?=[^>]*disabled)[^>]*aria-label="One [^"]+ more"`);
  assert.equal(steps.length, 3, "no more can be chosen");
});

test("where a ship can be paid in one way only, that is shown", async (t) => {
  const session = await playing(t, game({ turn: DELIVERING }), deliver("any", wares(6, 0, 0)));
  choose.ship(session, "any");
  assert.ok(words(session).includes(text.pay.only));
  assert.ok(enabled(session).includes(text.actionBar.deliverGo));
});

for (const [asked, made] of [
  [turn(), place(1, 0, 0)],
  [DELIVERING, deliver("any", wares(6, 0, 0))],
] as const) {
  test(`a move of the phase ${asked.phase} that waits for the network is said to wait`, async (t) => {
    const script = new ScriptedGame(t, game({ turn: asked }));
    script.moves = [made];
    script.failures.push(NO_ANSWER);
    const session = await script.open();
    session.addTokens({ seats: { 0: "token-0" } });
    await settled();
    session.select({ cell: { x: 1, y: 0 }, ship: "any", wares: wares(6, 0, 0) });
    await session.act(made);
    session.close();
    t.mock.property(navigator, "onLine", false);
    t.mock.method(service, "log", () => {
      throw NO_ANSWER;
    });
    const reopened = await script.open();
    assert.ok(words(reopened).includes(`Your turn ${text.unsent.waits}`), words(reopened));
    assert.equal(askedInWords(reopened), text.unsent.waits);
  });
}

test("without a network, and without what can be done, nothing is asked for", async (t) => {
  const script = new ScriptedGame(t, game());
  t.mock.method(service, "legalMoves", async () => {
    throw NO_ANSWER;
  });
  assert.ok(words(await script.open()).includes(text.unsent.unknown));
});

test("whoever does not decide sees what the others do", async (t) => {
  const theirs = (more: Partial<Game>) => playing(t, game({ turn: turn({ decider: 1 }), ...more }));
  assert.match(words(await theirs({})), /^It is Bo’s turn They are placing this tile\.$/);
  const away = [player(0, "Ana"), player(1, "Bo", { bot: "greedy" })];
  assert.match(words(await theirs({ players: away })), /The computer is thinking\.$/);
  const all = away.map((one) => ({ ...one, bot: "greedy" }));
  assert.ok(words(await theirs({ players: all })).includes(text.away.restingFor));
});

test("a spectator is told so, and a player is not", async (t) => {
  const shown = game({ turn: turn({ decider: 1 }) });
  const watching = await new ScriptedGame(t, shown).open([]);
  assert.ok(words(watching).includes(text.game.spectating));
  assert.ok(!words(await playing(t, shown)).includes(text.game.spectating));
});

test("while a move waits for its answer, its tile does not look as if it could be turned", async (t) => {
  const script = new ScriptedGame(t, game());
  script.moves = [place(1, 0, 0), place(1, 0, 1)];
  const session = await script.open();
  const hand = () => elements(bar(session), "button", 'class="current-tile"');
  const idle = () => elements(bar(session), "button", 'class="current-tile"[^>]*disabled');
  choose.cell(session, { x: 1, y: 0 });
  assert.deepEqual([hand().length, idle().length], [1, 0]);
  script.failures.push(NO_ANSWER);
  const { selectedMove } = session;
  assert.ok(selectedMove);
  await session.act(selectedMove);
  assert.deepEqual([hand().length, idle().length], [1, 1]);
});
