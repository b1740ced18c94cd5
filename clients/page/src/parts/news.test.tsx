import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { GameEvent } from "south-seas-client";
import { text } from "../messages/index.ts";
import { evaluated, game, player, turn, wares } from "../testing/games.ts";
import { elements, textOf } from "../testing/render.ts";
import { ScriptedGame } from "../testing/scripted_game.ts";
import { LastEntries } from "./log.tsx";
import { News } from "./news.tsx";
import { Players } from "./players.tsx";

const placed = (x: number): GameEvent => ({
  type: "tile_placed",
  seat: 1,
  tile: "market",
  x,
  y: 0,
  rotation: 0,
});

/** Ana's browser, after her own move and three of Bo's. */
async function played(t: TestContext, seats: readonly number[] = [0]) {
  const script = new ScriptedGame(t, game({ turn: turn({ decider: 1, seat: 1 }) }));
  const session = await script.open(seats);
  script.deliver(script.change({ bag: 5 }, { by: "seat", events: [{ ...placed(9), seat: 0 } as GameEvent] }));
  const players = [player(0, "Ana", { wares: wares(0, 2, 0), points: 4 }), player(1, "Bo")];
  script.deliver(script.change({ bag: 4 }, { seat: 1, by: "seat", events: [placed(1)] }));
  script.deliver(script.change({ players }, { seat: 1, by: "seat", events: [{ type: "game_aborted" }] }));
  script.deliver(script.change({ bag: 3 }, { seat: 1, by: "seat", events: [placed(2)] }));
  return session;
}

test("all of the news is there, with the way to each place; the rest is in the log", async (t) => {
  const session = await played(t);
  const news = <News session={session} />;
  assert.deepEqual(elements(news, "span", 'class="unseen"'), [
    "Bo places a tile 2 east of the start.",
    "Bo places a tile 1 east of the start.",
    "The game was aborted.",
  ]);
  assert.equal(elements(news, "button").length, 2);
  assert.ok(textOf(news).startsWith(text.news.since(3)));
  const log = <LastEntries session={session} count={4} />;
  assert.equal(elements(log, "button", `title="${text.news.show}"`).length, 3);
  assert.deepEqual(elements(log, "li", 'class="since"'), [text.news.since(3)]);
  assert.equal(elements(<LastEntries session={session} count={2} />, "li").length, 2);
});

test("a spectator sees the last turn; in a replay, and where nothing happened, there is no news", async (t) => {
  const watching = await played(t, []);
  assert.ok(textOf(<News session={watching} />).startsWith(text.news.last(1)));
  watching.replay(2);
  assert.equal(textOf(<News session={watching} />), "");
  const fresh = await new ScriptedGame(t, game()).open();
  assert.equal(textOf(<News session={fresh} />), "");
});

test("what was gained since is at its player", async (t) => {
  const session = await played(t);
  const players = <Players session={session} />;
  assert.deepEqual(elements(players, "span", 'class="gained"'), ["+4", "+2"]);
  assert.ok(textOf(players).includes("Ana has gained 2 shells and 4 points."));
});

test("the line says first what concerns its reader, then who gains, and all that each did", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  const late: GameEvent = { type: "turn_timed_out", seat: 0, policy: "pass" };
  const lines: readonly (readonly [number, GameEvent[]])[] = [
    [0, [late, { ...placed(1), seat: 0 } as GameEvent]],
    [1, [placed(2), evaluated("bridge", [0], wares(0, 2, 0)), evaluated("sea", [1], wares(0, 0, 0))]],
    [1, [placed(3), { type: "ship_taken", seat: 1, ship: "any", points: 5, by: "market", paid: null }]],
    [1, [{ type: "islander_retrieved", seat: 1, x: 0, y: 0, segment: 1 }]],
    [0, [late, { ...placed(4), seat: 0 } as GameEvent]],
  ];
  for (const [seat, events] of lines) script.deliver(script.change({}, { seat, by: "clock", events }));
  const [line] = elements(<News session={session} />, "summary");
  assert.ok(line?.endsWith(` ${text.short.latePlaced} you +2 Bo +5 shell collector`), line);
});
