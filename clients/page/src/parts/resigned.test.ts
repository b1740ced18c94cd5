import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../messages/index.ts";
import { game, turn } from "../testing/games.ts";
import { ScriptedGame } from "../testing/scripted_game.ts";
import { resignerOf } from "./resigned.ts";

test("of several players at one device the one on turn gives up, by name", async (t) => {
  const session = await new ScriptedGame(t, game({ turn: turn({ seat: 1, decider: 1 }) })).open([0, 1]);
  assert.equal(resignerOf(session)?.seat, 1);
  assert.match(text.game.resignSure("Bo"), /Resign for Bo\?/);
});

test("who plays here alone gives up on any turn, and a spectator never", async (t) => {
  const script = new ScriptedGame(t, game({ turn: turn({ seat: 1, decider: 1 }) }));
  assert.equal(resignerOf(await script.open([0]))?.seat, 0);
  assert.equal(resignerOf(await script.open([])), null);
});
