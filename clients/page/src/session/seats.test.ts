import assert from "node:assert/strict";
import { test } from "node:test";
import { service } from "../service.ts";
import { game, player, turn } from "../testing/games.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import * as seats from "./seats.ts";

test("a player's commands carry the token of the seat", async (t) => {
  const away = [player(0, "Ana", { bot: "greedy" }), player(1, "Bo")];
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, undoable: 1 }), players: away }));
  const session = await script.open([0, 1]);
  const result = async () => ({ diffs: [] }) as never;
  const undo = t.mock.method(service, "undo", result);
  const resign = t.mock.method(service, "resign", result);
  const returned = t.mock.method(service, "returnToSeat", result);
  session.undo();
  await settled();
  seats.resign(session, 1);
  await settled();
  seats.returnToSeat(session, 0);
  await settled();
  assert.deepEqual(undo.mock.calls[0]?.arguments, ["g", { seat: 1 }, { token: "token-1" }]);
  assert.deepEqual(resign.mock.calls[0]?.arguments, ["g", { seat: 1 }, { token: "token-1" }]);
  assert.deepEqual(returned.mock.calls[0]?.arguments, ["g", { seat: 0 }, { token: "token-0" }]);
});
