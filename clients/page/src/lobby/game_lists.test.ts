import assert from "node:assert/strict";
import { test } from "node:test";
import type { GameSummary, GamesQuery } from "south-seas-client";
import { saveGame } from "../model/storage.ts";
import { service } from "../service.ts";
import { game } from "../testing/games.ts";
import { readGameLists } from "./game_lists.ts";

test("a game of this browser is not listed with others' games", async (t) => {
  localStorage.clear();
  saveGame("mine", { seats: { 1: "b" } });
  saveGame("a", {});
  t.mock.method(service, "games", async ({ status }: GamesQuery) => ({
    games: ["mine", ..."abcdefg"].map((id) => game({ id, status: status ?? "active" }) as GameSummary),
  }));
  for (const listed of Object.values(await readGameLists()))
    assert.deepEqual(
      (listed as readonly GameSummary[]).map(({ id }) => id),
      [..."abcdef"],
    );
});
