import assert from "node:assert/strict";
import { test } from "node:test";
import type { GameEvent } from "south-seas-client";
import { game, turn } from "../testing/games.ts";
import { elements } from "../testing/render.ts";
import { ScriptedGame } from "../testing/scripted_game.ts";
import { Located, beside } from "./located.tsx";

const placed = (x: number): GameEvent => ({
  type: "tile_placed",
  seat: 1,
  tile: "market",
  x,
  y: 0,
  rotation: 0,
});

test("from what the board shows it goes on to what happened before and after it elsewhere on the board", async (t) => {
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, seat: 1 }) }));
  const session = await script.open();
  for (const event of [placed(1), { type: "game_aborted" }, placed(2), placed(3)] as GameEvent[])
    script.deliver(script.change({ bag: 5 }, { seat: 1, by: "seat", events: [event] }));
  const [, first, , , third] = session.shownSteps;
  assert.ok(first && third);
  const seen: unknown[] = [];
  for (let step = third; ;) {
    session.locate(step);
    const shown = <Located session={session} step={step} />;
    seen.push([elements(shown, "span", 'class="unseen"')[0], elements(shown, "button", "disabled").length]);
    const next = beside(session, step, -1);
    if (!next) break;
    step = next;
  }
  assert.deepEqual(seen, [
    ["Bo places a tile 3 east of the start.", 1],
    ["Bo places a tile 2 east of the start.", 0],
    ["Bo places a tile 1 east of the start.", 1],
  ]);
  assert.equal(beside(session, first, 1)?.game.version, 4);
  assert.deepEqual(session.outlines, [{ cells: [{ x: 1, y: 0 }], seat: null }]);
  session.inspect({ x: 0, y: 0 });
  assert.equal(session.located, null);
});
