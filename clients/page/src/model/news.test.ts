import assert from "node:assert/strict";
import { test } from "node:test";
import type { GameEvent } from "south-seas-client";
import { change, game, player, step, wares } from "../testing/games.ts";
import { byTurn, gainsBetween, newsFrom, placesOf } from "./news.ts";

const ANA = new Set([0]);
const PLACED: GameEvent = { type: "tile_placed", seat: 1, tile: "market", x: 2, y: -1, rotation: 0 };

function played(seat: number | null, by: string | null, events: GameEvent[] = []) {
  return step(game(), { seat, by, events });
}

test("news is all that happened since the last decision of one's own, which the clock's and a bot's are not", () => {
  const course = [
    played(0, "seat"),
    played(1, "seat"),
    played(null, null),
    played(0, "clock"),
    played(0, "bot"),
  ];
  assert.equal(newsFrom(course, ANA), 1);
  assert.equal(newsFrom([...course, played(0, "owner")], ANA), 6);
  const undo = played(0, "seat", [{ type: "move_undone", seat: 0, move: "pass.islander" }]);
  const twice = [played(0, "seat"), undo, played(0, "seat"), played(0, "seat"), undo, undo];
  assert.equal(newsFrom([...course, ...twice], ANA), 1, "what was taken back was no decision");
  assert.equal(newsFrom([...course, ...twice.slice(0, -1)], ANA), 8);
  assert.equal(newsFrom([], ANA), 0);
  assert.equal(newsFrom([played(1, "seat")], ANA), 0, "before one's first turn, all of it");
  const started = played(null, null, [{ type: "game_created" }, { type: "game_started", seat: 0 }]);
  assert.equal(newsFrom([started, played(0, "clock")], ANA), 1, "but for how the game began");
});

test("a turn is what one seat does from one tile to the next", () => {
  const turn = [played(1, "seat", [PLACED]), played(1, "seat")];
  assert.deepEqual(
    byTurn([played(null, null), ...turn, ...turn, played(0, "seat"), played(1, "seat")]).map(
      ({ length }) => length,
    ),
    [1, 2, 2, 1, 1],
  );
});

test("for a spectator it is the last turn", () => {
  const course = [played(0, "seat", [PLACED]), played(1, "seat", [PLACED]), played(1, "seat")];
  assert.equal(newsFrom(course, new Set()), 1);
  assert.equal(newsFrom([played(null, null)], new Set()), 1, "there has been none");
});

test("what happened has places, each once", () => {
  const cells = [
    { x: 2, y: -1 },
    { x: 3, y: -1 },
  ];
  const evaluated: GameEvent = {
    type: "feature_evaluated",
    kind: "island",
    cause: "completed",
    cells,
    islanders: [],
    winners: [0],
    wares: wares(2, 0, 0),
  };
  assert.deepEqual(placesOf(change(2, [], [PLACED, evaluated])), cells);
  assert.deepEqual(placesOf(change(2, [], [{ type: "player_returned", seat: 0 }])), []);
});

test("a gain is what came, also where as much was paid; what was taken back is none", () => {
  const before = game({ players: [player(0, "Ana", { wares: wares(3, 0, 0) }), player(1, "Bo")] });
  const paid = wares(3, 0, 0);
  const taken: GameEvent = { type: "ship_taken", seat: 0, ship: "any", points: 5, by: "delivery", paid };
  const after = game({
    players: [player(0, "Ana", { wares: wares(2, 0, 0), ships: ["any"], points: 5 }), player(1, "Bo")],
  });
  const gains = gainsBetween(before, after, [played(0, "seat", [taken])]);
  assert.deepEqual([...gains], [[0, { wares: wares(2, 0, 0), points: 5 }]]);
  assert.deepEqual([...gainsBetween(before, before, [played(0, "seat", [taken])])], []);
});
