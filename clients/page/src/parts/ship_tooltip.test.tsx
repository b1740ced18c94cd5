import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Game, Ship, Wares } from "south-seas-client";
import { text } from "../messages/index.ts";
import { finished, game, player, ship, turn, wares } from "../testing/games.ts";
import { elements, textOf } from "../testing/render.ts";
import { ScriptedGame } from "../testing/scripted_game.ts";
import { ShipTooltip } from "./ship_tooltip.tsx";

async function tooltip(t: TestContext, face: Ship, shown: Game, seats: readonly number[] = [0]) {
  const session = await new ScriptedGame(t, shown).open(seats);
  return <ShipTooltip id="x" session={session} game={shown} ship={face} />;
}

function holding(held: Wares, phase: "place_tile" | "deliver" = "place_tile"): Game {
  return game({ players: [player(0, "Ana", { wares: held }), player(1, "Bo")], turn: turn({ phase }) });
}

test("each sign of a ship is explained once", async (t) => {
  const face = ship("s", { any: 2, same: [3, 1] });
  assert.deepEqual(elements(await tooltip(t, face, game()), "span", 'class="sign"'), [
    "? 2 wares of any kind",
    "A 3 of one kind",
    "B 1 of another",
  ]);
  assert.match(textOf(await tooltip(t, face, game())), /^Ship of 5 points \? 2 wares of any kind A 3 of/);
});

test("it says whether the player can pay, now or later, and what is lacking", async (t) => {
  const face = ship("s", { bananas: 1, any: 1 });
  const last = async (shown: Game, seats?: readonly number[]) =>
    elements(await tooltip(t, face, shown, seats), "p", "lacking")[0];
  assert.equal(await last(holding(wares(1, 1, 0))), text.ship.payable);
  assert.equal(await last(holding(wares(1, 1, 0), "deliver")), text.ship.payableNow);
  const theirs = turn({ phase: "deliver", seat: 1, decider: 1 });
  assert.equal(await last({ ...holding(wares(1, 1, 0)), turn: theirs }), text.ship.payable);
  assert.equal(await last(holding(wares(0, 1, 0))), "You lack 1 banana.");
  assert.equal(await last(holding(wares(1, 0, 0)), []), undefined, "a spectator");
  assert.equal(await last(finished([0], [])), undefined);
});
