import assert from "node:assert/strict";
import { test } from "node:test";
import type { Move } from "south-seas-client";
import { text } from "../messages/index.ts";
import { evaluated, game, move, place, turn, wares } from "../testing/games.ts";
import { textOf } from "../testing/render.ts";
import { ScriptedGame, settled } from "../testing/scripted_game.ts";
import { MoveWorthLine } from "./move_worth.tsx";

const FEATURE = {
  kind: "bridge",
  cells: [],
  islanders: [{ seat: 0, count: 1 }],
  wares: wares(0, 2, 0),
  open: 1,
};
const PLACED = place(1, 0, 0);
const SENT = move("i0", { type: "place_islander", segment: 0 });
const { get, nothing, soFar } = text.worth;

const SHOWN: readonly (readonly [string, Move, string])[] = [
  ["nothing", PLACED, nothing],
  [
    "what I get, then what others get",
    {
      ...PLACED,
      worth: "All of it.",
      effects: [evaluated("bridge", [0, 1], wares(0, 2, 0)), evaluated("sea", [0], wares(0, 0, 3))],
    },
    `${get} +2 +3 Bo +2`,
  ],
  [
    "what only others get",
    { ...PLACED, worth: "All of it.", effects: [evaluated("bridge", [1], wares(0, 2, 0))] },
    `${nothing} Bo +2`,
  ],
  ["what there is for later", { ...SENT, worth: "All of it.", feature: FEATURE }, `${soFar} 2, 1 side open`],
];

for (const [name, chosen, shown] of SHOWN)
  test(`the worth of a choice: ${name}`, async (t) => {
    const script = new ScriptedGame(t, game({ turn: turn({ placed: { x: 0, y: 0 } }) }));
    script.moves = [{ ...chosen, effects: chosen.effects ?? [], worth: chosen.worth ?? "" }];
    const session = await script.open();
    await settled();
    session.select(
      chosen === SENT || chosen.feature
        ? { spot: session.choices.spots[0]?.key ?? null }
        : { cell: { x: 1, y: 0 } },
    );
    assert.equal(textOf(<MoveWorthLine session={session} />), shown);
  });
