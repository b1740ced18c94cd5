import assert from "node:assert/strict";
import { test } from "node:test";
import { type GameSummary, type GamesQuery, type Problem, ProblemError } from "south-seas-client";
import { type StoredGame, saveGame, storedGames } from "../model/storage.ts";
import { service } from "../service.ts";
import { game, turn } from "../testing/games.ts";
import { readGameLists } from "./game_lists.ts";

function stored(id: string, seats: StoredGame["seats"], isPrivate = false): StoredGame {
  return { ...saveGame(id, { seats, private: isPrivate }), opened: 0 };
}

test("the games of this browser come first, and are not listed twice", async (t) => {
  localStorage.clear();
  const known = [stored("mine", { 1: "b" }, true), stored("gone", { 0: "x" }), stored("watched", {})];
  const tokens: unknown[] = [];
  t.mock.method(service, "game", async (id: string, options: { token: string | null }) => {
    tokens.push([id, options.token]);
    if (id === "gone") throw new ProblemError({ code: "not_found", status: 404 } as Problem);
    return game({ id, turn: turn({ decider: 1 }) });
  });
  t.mock.method(service, "games", async ({ status }: GamesQuery) => ({
    games: ["mine", ..."abcdefg"].map((id) => game({ id, status: status ?? "active" }) as GameSummary),
  }));
  const lists = await readGameLists(known);
  assert.deepEqual(
    lists.mine.map((listed) => [listed.game.id, listed.isMyTurn]),
    [["mine", true]],
  );
  assert.deepEqual(tokens, [
    ["mine", "b"],
    ["gone", null],
  ]);
  for (const listed of [lists.waiting, lists.active, lists.finished])
    assert.deepEqual(
      listed.map((one) => [one.game.id, one.isMyTurn]),
      [..."abcdef"].map((id) => [id, false]),
    );
  assert.ok(storedGames().every(({ id }) => id !== "gone"));
});
