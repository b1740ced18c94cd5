import assert from "node:assert/strict";
import { test } from "node:test";
import { service } from "../service.ts";
import { game } from "../testing/games.ts";
import { elements } from "../testing/render.ts";
import { ScriptedGame, problem } from "../testing/scripted_game.ts";
import { Bar } from "./game_screen.tsx";

test("only a connection that is lost is said to be; a game that cannot be read has none", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  const connection = (): string[] => elements(<Bar session={session} />, "span", 'class="connection');
  assert.deepEqual(connection(), ["Connected"]);
  script.subscription.onStatus?.("reconnecting");
  assert.deepEqual(connection(), ["Reconnecting…"]);
  for (const [code, status] of [
    ["not_found", 404],
    ["unauthorized", 401],
  ] as const) {
    t.mock.method(service, "log", () => {
      throw problem(code, status);
    });
    const stranger = await script.open([]);
    assert.deepEqual(elements(<Bar session={stranger} />, "span", 'class="connection'), []);
  }
});
