import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Game, Move } from "south-seas-client";
import { choose, rotate } from "../session/actions.ts";
import { deliver, finished, game, move, place, player, turn, wares } from "../testing/games.ts";
import { ScriptedGame } from "../testing/scripted_game.ts";
import { askedInWords } from "./asked.ts";

async function playing(t: TestContext, shown: Game, ...moves: Move[]) {
  const script = new ScriptedGame(t, shown);
  script.moves = moves;
  return script.open();
}

const MARKET = "Tile: market";

test("what a tile looks like is said, how often it fits, and where it would lie", async (t) => {
  const session = await playing(t, game(), place(1, 0, 0), place(1, 0, 1), place(2, 0, 0));
  assert.equal(askedInWords(session), `Your turn. ${MARKET}. It fits in 2 places.`);
  choose.cell(session, { x: 1, y: 0 });
  assert.equal(
    askedInWords(session),
    `Chosen: 1 east of the start, not turned. ${MARKET}. Enter places it, R turns it.`,
  );
  rotate(session);
  assert.match(askedInWords(session), /^Chosen: 1 east of the start, turned 90 degrees\. Tile: market\./);
  choose.cell(session, { x: 2, y: 0 });
  assert.match(askedInWords(session), /There is nothing to turn\./);
});

test("islanders that can go out and come back are counted", async (t) => {
  const sending = game({ turn: turn({ phase: "islander", placed: { x: 0, y: 0 } }) });
  const pass = move("pass", { type: "pass", phase: "islander" });
  const home = move("r", { type: "retrieve_islander", x: 0, y: 0, segment: 1 });
  const session = await playing(t, sending, move("i0", { type: "place_islander", segment: 0 }), home, pass);
  assert.equal(
    askedInWords(session),
    "Send out an islander? 1 spot is free. You may take back an islander. P passes.",
  );
  choose.spot(session, "place:0,0:0");
  assert.match(askedInWords(session), /^Chosen\. A banana picker: .* Enter confirms\.$/);
});

test("ships that can be paid are counted, and what is paid is said", async (t) => {
  const delivering = game({ turn: turn({ phase: "deliver", placed: { x: 0, y: 0 } }) });
  const ways = [
    deliver("same", wares(3, 1, 1)),
    deliver("same", wares(1, 3, 1)),
    deliver("any", wares(6, 0, 0)),
  ];
  const session = await playing(t, delivering, ...ways);
  assert.equal(askedInWords(session), "You can load one of 2 ships. P keeps your wares.");
  choose.ship(session, "any");
  assert.equal(askedInWords(session), "Chosen. You pay 6 bananas. Enter confirms.");
  choose.ship(session, "same");
  assert.match(askedInWords(session), /^\d of 5 chosen, \d missing\. The ship takes /);
});

test("who plays several seats hears whose turn it is, others whom they wait for; nobody waits for a bot", async (t) => {
  const both = await new ScriptedGame(t, game()).open([0, 1]);
  assert.match(askedInWords(both), /^Ana, your turn\. /);
  const theirs = (more: Partial<Game>) => playing(t, game({ turn: turn({ decider: 1 }), ...more }));
  assert.equal(askedInWords(await theirs({})), "It is Bo’s turn");
  assert.equal(
    askedInWords(await theirs({ players: [player(0, "Ana"), player(1, "Bo", { bot: "greedy" })] })),
    "",
  );
});

test("the scores are said when the game is over", async (t) => {
  const over = finished(
    [1],
    [
      [3, 1],
      [5, 0],
    ],
  );
  assert.equal(askedInWords(await playing(t, over)), "Final scores: Ana 4 and Bo 5.");
});

test("a replay says its step", async (t) => {
  const session = await playing(t, game());
  session.replay(1);
  assert.equal(askedInWords(session), "Step 1 of 1. ");
});

test("in a lesson its hint is said, and then what is asked", async (t) => {
  const script = new ScriptedGame(t, game());
  script.moves = [place(1, 0, 0)];
  const session = await script.open([0], []);
  assert.equal(askedInWords(session), `${session.hint?.words} Your turn. ${MARKET}. It fits in 1 place.`);
});
