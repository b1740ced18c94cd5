import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../messages/index.ts";
import { game, player, wares } from "../testing/games.ts";
import { elements } from "../testing/render.ts";
import { ScriptedGame } from "../testing/scripted_game.ts";
import { Players } from "./players.tsx";

test("each card has wares and free islanders, and a name whose end stays where it is cut", async (t) => {
  const ana = player(0, "Anfänger 12", { supply: 3, wares: wares(1, 0, 2) });
  const session = await new ScriptedGame(t, game({ players: [ana, player(1, "Bo", { supply: 0 })] })).open();
  const cards = <Players session={session} />;
  assert.deepEqual(elements(cards, "h3"), [`Anfänger 12 Anfänger 12 ${text.game.you}`, "Bo"]);
  assert.deepEqual(elements(cards, "span", `aria-label="${text.score.islandersHome(3)}"`), ["3"]);
  assert.deepEqual(elements(cards, "span", `aria-label="${text.score.islandersHome(0)}"`), ["0"]);
  assert.equal(elements(cards, "span", `aria-label="${text.stock(ana.wares)}"`).length, 1);
});
