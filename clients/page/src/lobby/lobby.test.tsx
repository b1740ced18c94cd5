import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../messages/index.ts";
import { saveGame, savePart } from "../model/storage.ts";
import { game, turn } from "../testing/games.ts";
import { textOf } from "../testing/render.ts";
import { Lobby } from "./lobby.tsx";

test("games that wait for this player come before the ways to start one, and their other games after them", () => {
  localStorage.clear();
  for (const [id, decider] of [
    ["mine", 0],
    ["theirs", 1],
  ] as const) {
    saveGame(id, { seats: { 0: "token" } });
    savePart(id, "step", { game: game({ id, turn: turn({ seat: decider, decider }) }) });
  }
  const words = textOf(<Lobby />);
  const places = [text.game.nextGame(1), text.lobby.quick, text.lobby.yourTables].map((one) =>
    words.indexOf(one),
  );
  assert.ok(
    places.every((place) => place >= 0),
    words,
  );
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
});
