import assert from "node:assert/strict";
import { test } from "node:test";
import { type Problem, ProblemError } from "south-seas-client";
import { storedGame } from "../model/storage.ts";
import { service } from "../service.ts";
import { finished } from "../testing/games.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { playAgain, rematchToken } from "./rematch.ts";

const STORED = { id: "g", owner: null, spectator: null, seats: {}, private: false, lesson: null, opened: 0 };

test("the owner, else a player, may create the rematch; a spectator may not", () => {
  assert.equal(rematchToken({ ...STORED, owner: "o", seats: { 1: "b" } }), "o");
  assert.equal(rematchToken({ ...STORED, seats: { 1: "b" } }), "b");
  assert.equal(rematchToken({ ...STORED, spectator: "s" }), null);
});

test("a rematch opens with the same seats, also where another player was faster", async (t) => {
  const session = await new ScriptedGame(t, finished([0], [])).open([1]);
  const rematch = t.mock.method(service, "rematch", async () => ({ game: { id: "next" } }) as never);
  playAgain(session);
  await settled();
  assert.deepEqual([location.pathname, storedGame("next")?.seats], ["/games/next", { 1: "token-1" }]);
  const faster = { code: "conflict", status: 409, detail: "", next_game: "theirs" } as Problem;
  rematch.mock.mockImplementation(async () => Promise.reject(new ProblemError(faster)));
  playAgain(session);
  await settled();
  assert.deepEqual([location.pathname, storedGame("theirs")?.seats], ["/games/theirs", { 1: "token-1" }]);
});
