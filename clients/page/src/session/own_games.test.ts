import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Game, type Problem, ProblemError } from "south-seas-client";
import { saveGame, savePart, storedGame, storedGames } from "../model/storage.ts";
import { titleOf } from "../parts/page_title.ts";
import { service } from "../service.ts";
import { finished, game, player, turn } from "../testing/games.ts";
import { ownGames } from "./own_games.ts";

const MINE = turn({ decider: 1 });

/** Stores games in which this browser has seat 1, and lets the service have them. */
function play(t: TestContext, games: Readonly<Record<string, Partial<Game> | string>>) {
  localStorage.clear();
  for (const id of Object.keys(games)) saveGame(id, { seats: { 1: "b" }, private: id.startsWith("private") });
  return t.mock.method(service, "game", async (id: string, _: { token: string | null }) => {
    const found = games[id];
    if (typeof found === "string") throw new ProblemError({ code: found, status: 404 } as Problem);
    return game({ id, ...found });
  });
}

const listed = (): string[] => ownGames.list.map(({ game }) => game.id);

test("all games of this browser are listed, those that wait for it first, the most urgent at the top", async (t) => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`theirs-${index}`, {}]));
  const deadline = "2026-01-01T00:05:00Z";
  play(t, {
    mine: { turn: MINE },
    urgent: { turn: { ...MINE, deadline } },
    over: { ...finished([0], []), id: "over" },
    open: { status: "waiting", turn: null },
    ...many,
  });
  await ownGames.read();
  assert.equal(listed().length, 74);
  assert.deepEqual(listed().slice(0, 2), ["urgent", "mine"]);
  assert.deepEqual(listed().slice(-2), ["open", "over"]);
  assert.deepEqual(
    ownGames.waiting.map(({ id }) => id),
    ["urgent", "mine"],
  );
});

test("where the computer plays for somebody, or they have resigned, nothing waits for them", async (t) => {
  const bo = (more: Parameters<typeof player>[2]) => [player(0, "Ana"), player(1, "Bo", more)];
  play(t, {
    away: { turn: MINE, players: bo({ bot: "greedy" }) },
    out: { turn: MINE, players: bo({ resigned: true }) },
  });
  await ownGames.read();
  assert.deepEqual([listed().length, ownGames.waiting.length], [2, 0]);
});

test("a game that is gone is forgotten, one whose token has ended stays, and neither hides the others", async (t) => {
  play(t, { "gone-1": "not_found", "ended-1": "unauthorized", "there-1": {} });
  await ownGames.read();
  assert.deepEqual(listed(), ["there-1"]);
  assert.deepEqual(
    storedGames()
      .map(({ id }) => id)
      .sort(),
    ["ended-1", "there-1"],
  );
});

test("a private game is read with its seat's token", async (t) => {
  const read = play(t, { "private-2": {}, "public-2": {} });
  await ownGames.read();
  const tokens = new Map(read.mock.calls.map(({ arguments: [id, options] }) => [id, options?.token]));
  assert.deepEqual([tokens.get("private-2"), tokens.get("public-2")], ["b", null]);
});

test("the rematch of an own game is an own game, whoever created it", async (t) => {
  play(t, { "first-3": { ...finished([0], []), id: "first-3", next_game: "second-3" } });
  await ownGames.read();
  assert.deepEqual(storedGame("second-3")?.seats, { 1: "b" });
});

test("what is seen on the screen counts at once, and an older answer does not take it back", async (t) => {
  play(t, { "live-4": { version: 3, turn: turn({ decider: 0 }) } });
  ownGames.onChange(game({ id: "live-4", version: 4, turn: MINE }));
  assert.deepEqual(
    ownGames.waiting.map(({ id }) => id),
    ["live-4"],
  );
  await ownGames.read();
  assert.equal(ownGames.waiting.length, 1);
});

test("until they have been read, games are as they were when they were last seen here", (t) => {
  play(t, { "seen-5": {}, "new-5": {} });
  t.mock.property(ownGames, "isRead", false);
  savePart("seen-5", "step", { game: game({ id: "seen-5", turn: MINE }) });
  assert.deepEqual(
    ownGames.list.map(({ game, isMyTurn }) => [game.id, isMyTurn]),
    [["seen-5", true]],
  );
  ownGames.isRead = true;
  assert.deepEqual(listed(), []);
});

test("the title counts the games that wait", () => {
  assert.equal(titleOf(0, null), "South Seas");
  assert.equal(titleOf(3, null), "(3) South Seas");
  assert.equal(titleOf(1, "Your turn"), "(1) Your turn · South Seas");
});
