import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../messages/index.ts";
import { service } from "../service.ts";
import { finished, game, player, wares } from "../testing/games.ts";
import { elements, textOf } from "../testing/render.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { Players } from "./players.tsx";

test("each card has wares and free islanders, and a name with what stands for it where there is no room", async (t) => {
  const ana = player(0, "Anfänger 12", { supply: 3, wares: wares(1, 0, 2) });
  const session = await new ScriptedGame(t, game({ players: [ana, player(1, "Bo", { supply: 0 })] })).open();
  const cards = <Players session={session} />;
  assert.deepEqual(elements(cards, "h3"), [`Anfänger 12 Anfänger 12 ${text.game.you}`, "Bo Bo"]);
  assert.equal(elements(cards, "span", 'data-initials="An"').length, 1);
  assert.deepEqual(elements(cards, "span", `aria-label="${text.score.islandersHome(3)}"`), ["3"]);
  assert.deepEqual(elements(cards, "span", `aria-label="${text.score.islandersHome(0)}"`), ["0"]);
  assert.equal(elements(cards, "span", `aria-label="${text.stock(ana.wares)}"`).length, 1);
});

test("an islander that is left on the board says what it would bring, and what that lacks, and that it brought nothing once the game is over", async (t) => {
  const merchant = { seat: 0, x: 1, y: 0, segment: 0, kind: "market", role: "merchant" };
  const market = {
    kind: "market" as const,
    cells: [{ x: 1, y: 0 }],
    islanders: [{ seat: 0, count: 1 }],
    wares: wares(0, 0, 0),
    open: 3,
    segments: [{ x: 1, y: 0, segment: 0 }],
    text: "The market lacks 3 tiles around it.",
  };
  const ended = { ships: 0, wares: 0, total: 0, pending: wares(0, 0, 0) };
  const scores = {
    version: 1,
    players: [{ seat: 0, points_now: 0, if_ended_now: ended }],
    islanders: [{ ...merchant, value: 5, unit: "points", majority: true }],
  };
  for (const [state, said, isPending] of [
    [game(), text.islander.wouldBring(5, "points", 3), true],
    [
      finished(
        [0],
        [
          [0, 0],
          [0, 0],
        ],
      ),
      text.islander.broughtNothing,
      false,
    ],
  ] as const) {
    const scripted = new ScriptedGame(t, state);
    t.mock.method(service, "scores", async () => scores);
    t.mock.method(service, "features", async () => ({ version: 1, language: "en", features: [market] }));
    const session = await scripted.open();
    session.pointOut(0);
    await settled();
    const cards = <Players session={session} />;
    assert.equal(elements(cards, "li")[0]?.endsWith(said), true);
    assert.equal(textOf(cards).includes(text.score.pending), isPending);
  }
});
