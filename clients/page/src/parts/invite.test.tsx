import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../messages/index.ts";
import { storedGame } from "../model/storage.ts";
import { service } from "../service.ts";
import { game, player } from "../testing/games.ts";
import { elements, textOf } from "../testing/render.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { leave, removePlayer } from "../session/seats.ts";
import { Invite } from "./invite.tsx";

const FREE = player(2, "", { name: null, kind: "open", color: null });
const WAITING = game({ status: "waiting", turn: null, players: [player(0, "Ana"), player(1, "Bo"), FREE] });

test("a guest is asked to take a seat, in a free colour", async (t) => {
  const invite = <Invite session={await new ScriptedGame(t, WAITING).open([])} game={WAITING} />;
  assert.ok(textOf(invite).includes("Ana and Bo invited you to play."));
  assert.deepEqual(elements(invite, "option"), ["Any", "green", "yellow", "black"]);
});

test("the host may remove those who joined, and nobody else, and sends the link", async (t) => {
  const session = await new ScriptedGame(t, WAITING).open([0]);
  session.addTokens({ owner: "owner", spectator: "secret", private: true, seats: { 0: "token-0" } });
  const invite = <Invite session={session} game={WAITING} />;
  assert.match(textOf(invite), /^Waiting for 1 player to join\./);
  assert.deepEqual(
    elements(invite, "button").filter((label) => label.startsWith("Remove")),
    ["Remove Bo"],
  );
  const remove = t.mock.method(service, "removePlayer", async () => undefined as never);
  removePlayer(session, 1);
  await settled();
  assert.deepEqual(remove.mock.calls[0]?.arguments, ["g", 1, { token: "owner" }]);
});

test("a player who has joined may leave, and then has no token of the game any more", async (t) => {
  const session = await new ScriptedGame(t, WAITING).open([]);
  session.addTokens({ seats: { 1: "token-1" } });
  assert.ok(elements(<Invite session={session} game={WAITING} />, "button").includes(text.game.leave));
  const remove = t.mock.method(service, "removePlayer", async () => undefined as never);
  leave(session, "1");
  await settled();
  assert.deepEqual(remove.mock.calls[0]?.arguments, ["g", 1, { token: "token-1" }]);
  assert.deepEqual([location.pathname, storedGame("g")], ["/", null]);
});
