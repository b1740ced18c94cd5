import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type Game,
  type MyGamesQuery,
  type Problem,
  ProblemError,
  UnreachableError,
} from "south-seas-client";
import { isPersistent } from "../model/browser_storage.ts";
import { removeGame, saveGame, savePart, storedGame, storedGames } from "../model/storage.ts";
import { titleOf } from "../parts/page_title.ts";
import { service } from "../service.ts";
import { finished, game, player, turn } from "../testing/games.ts";
import { fillStorage, refuseStorage } from "../testing/browser.ts";
import { OwnGames, ownGames } from "./own_games.ts";

const MINE = turn({ decider: 1 });

type Games = Readonly<Record<string, Partial<Game> | string>>;

/** Stores games in which this browser has seat 1, and lets the service have them, or the problem with them. */
function play(t: TestContext, games: Games) {
  localStorage.clear();
  for (const id of Object.keys(games)) saveGame(id, { seats: { 1: `token-${id}` }, private: true });
  return serve(t, games);
}

/** Lists what the tokens open, a game a page; each game can be asked for by itself. */
function serve(t: TestContext, games: Games) {
  const one = t.mock.method(service, "game", async (id: string, _: { token: string | null }) => {
    const found = games[id];
    if (typeof found === "string") throw problem(found);
    return game({ id, ...found });
  });
  const list = t.mock.method(
    service,
    "myGames",
    async ({ limit = 1 }: MyGamesQuery, tokens: readonly string[]) => {
      const found = Object.entries(games).flatMap(([id, more]) =>
        typeof more !== "string" && tokens.includes(`token-${id}`) ? [{ game: game({ id, ...more }) }] : [],
      );
      if (found.length === 0) throw problem("unauthorized");
      assert.ok(tokens.length <= 100 && found.length <= limit);
      return { games: found, next_cursor: null } as never;
    },
  );
  return { one, list };
}

function problem(code: string): ProblemError {
  return new ProblemError({ code, status: 404 } as Problem);
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

test("a game that is gone, or whose token has ended, is not listed; it is forgotten once it was not opened for a week", async (t) => {
  const games = { "gone-1": "not_found", "ended-1": "unauthorized", "there-1": {} };
  const kept = () =>
    storedGames()
      .map(({ id }) => id)
      .sort();
  play(t, games);
  await ownGames.read();
  assert.deepEqual([listed(), kept()], [["there-1"], ["ended-1", "gone-1", "there-1"]]);
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 6 * 86_400_000 });
  await new OwnGames().read();
  assert.equal(kept().length, 3);
  t.mock.timers.tick(2 * 86_400_000);
  const later = new OwnGames();
  await later.read();
  assert.deepEqual([later.list.length, kept()], [1, ["there-1"]]);
});

test("a tour of the games that wait comes to each of them, whichever was opened last", async (t) => {
  const waiting = [3, 1, 2, 4].map((stop) => [
    `tour-${stop}`,
    { turn: MINE, updated_at: `2026-01-01T0${stop >> 1}:00:00Z` },
  ]);
  play(t, Object.fromEntries(waiting) as Games);
  await ownGames.read();
  const tour = ["elsewhere"];
  for (let stop = 0; stop < 5; stop++) {
    const [next] = ownGames.waitingBeside(tour.at(-1) ?? "");
    tour.push(saveGame(next?.id ?? "", {}).id);
  }
  assert.deepEqual(tour.slice(1), ["tour-1", "tour-2", "tour-3", "tour-4", "tour-1"]);
});

test("forty games are read with one request, and a hundred more with a second", async (t) => {
  const games = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, one) => [`many-${one}`, {}]));
  const { one, list } = play(t, games(40));
  await ownGames.read();
  assert.deepEqual([listed().length, one.mock.callCount(), list.mock.callCount()], [40, 0, 1]);
  const more = play(t, games(140));
  await ownGames.read();
  assert.deepEqual([listed().length, more.one.mock.callCount(), more.list.mock.callCount()], [140, 0, 2]);
});

test("a list of several pages is read to its end", async (t) => {
  play(t, { "page-1": {}, "page-2": {} });
  const pages = [["page-1"], ["page-2"]];
  t.mock.method(service, "myGames", async ({ cursor = "0" }: MyGamesQuery) => {
    const found = pages[Number(cursor)] ?? assert.fail();
    return {
      games: found.map((id) => ({ game: game({ id }) })),
      next_cursor: cursor === "0" ? "1" : null,
    } as never;
  });
  await ownGames.read();
  assert.deepEqual(listed().sort(), ["page-1", "page-2"]);
});

test("what another tab stores or forgets is seen in this one, and neither takes anything from the other", async (t) => {
  const other = new OwnGames();
  const { list } = play(t, { "mine-6": {}, "theirs-6": {} });
  removeGame("theirs-6");
  await Promise.all([ownGames.read(), other.read()]);
  // Both tabs store a game, and the other one forgets the first.
  const [here, there] = [storedGames(), storedGames()];
  assert.deepEqual(here, there);
  saveGame("theirs-6", { seats: { 1: "token-theirs-6" } });
  removeGame("mine-6");
  await ownGames.read();
  assert.deepEqual(listed(), ["theirs-6"]);
  assert.equal(list.mock.callCount(), 3);
  ownGames.onChange(game({ id: "mine-6", version: 9 }));
  assert.deepEqual(
    listed(),
    ["theirs-6"],
    "a game on the screen that was forgotten elsewhere is not stored again",
  );
});

for (const [name, refuse] of [
  ["is full", fillStorage],
  ["is refused", refuseStorage],
] as const) {
  test(`own games are listed while the tab is open where the browser's storage ${name}`, async (t) => {
    localStorage.clear();
    refuse(t);
    for (let one = 0; one < 40; one++) saveGame(`g-${one}`, { seats: { 1: `token-g-${one}` } });
    serve(t, Object.fromEntries(storedGames().map(({ id }) => [id, { turn: MINE }])));
    await ownGames.read();
    assert.deepEqual([listed().length, ownGames.waiting.length], [40, 40]);
    assert.equal(isPersistent(), false);
    for (let one = 0; one < 40; one++) removeGame(`g-${one}`);
    assert.deepEqual(listed(), []);
  });
}

test("a move that was not sent when its game was left is sent when the games are read, and waits for nobody until then", async (t) => {
  play(t, { "left-7": { turn: MINE }, "shown-7": { turn: MINE } });
  const unsent = { move: { id: "p1.0.0" }, seat: 1, version: 1, token: "token", key: "k" };
  for (const id of ["left-7", "shown-7"]) savePart(id, "move", unsent);
  t.mock.property(location, "pathname", "/games/shown-7");
  const act = t.mock.method(service, "act", async () => {
    throw new UnreachableError("https://seas.example", null);
  });
  await ownGames.read();
  assert.deepEqual(
    ownGames.list.map(({ isUnsent, isMyTurn }) => [isUnsent, isMyTurn]),
    [
      [true, false],
      [true, false],
    ],
  );
  act.mock.mockImplementation(async () => ({}) as never);
  await ownGames.read();
  assert.deepEqual(
    act.mock.calls.map(({ arguments: [id, , options] }) => [id, options?.key]),
    [
      ["left-7", "k"],
      ["left-7", "k"],
    ],
  );
  assert.deepEqual(
    ownGames.waiting.map(({ id }) => id),
    ["left-7"],
  );
});

test("the rematch of an own game is an own game at once, whoever created it", async (t) => {
  const first = { ...finished([0], []), id: "first-3", next_game: "second-3" };
  play(t, { "first-3": first });
  const newestFirst = [{ game: game({ id: "second-3", turn: MINE }) }, { game: first }];
  t.mock.method(service, "myGames", async () => ({ games: newestFirst, next_cursor: null }) as never);
  await ownGames.read();
  assert.deepEqual(storedGame("second-3")?.seats, { 1: "token-first-3" });
  assert.deepEqual(listed(), ["second-3", "first-3"]);
  removeGame("second-3");
  await new OwnGames().read();
  assert.equal(storedGame("second-3"), null, "what is taken off the list stays off it");
});

for (const status of ["finished", "aborted"] as const)
  test(`a game that was ${status} is read until it has a rematch`, async (t) => {
    const over = { status, turn: null, version: 7 };
    play(t, { [`over-${status}`]: over });
    await ownGames.read();
    serve(t, { [`over-${status}`]: { ...over, version: 8, next_game: `again-${status}` } });
    await ownGames.read();
    assert.deepEqual(storedGame(`again-${status}`)?.seats, { 1: `token-over-${status}` });
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
  savePart("seen-5", "step", { game: game({ id: "seen-5", turn: MINE }) });
  assert.deepEqual(
    ownGames.list.map(({ game, isMyTurn }) => [game.id, isMyTurn]),
    [["seen-5", true]],
  );
});

test("the title counts the games that wait", () => {
  assert.equal(titleOf(0, null), "South Seas");
  assert.equal(titleOf(3, null), "(3) South Seas");
  assert.equal(titleOf(1, "Your turn"), "(1) Your turn · South Seas");
});
