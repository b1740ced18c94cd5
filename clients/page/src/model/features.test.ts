import assert from "node:assert/strict";
import { test } from "node:test";
import type { Game, PlacedTile } from "south-seas-client";
import { START, TILESET, game } from "../testing/games.ts";
import { featuresOf, sidesOf } from "./features.ts";

function placed(rotation: number, more: Partial<PlacedTile> = {}): PlacedTile {
  return { tile: "start", rotation, order: 1, islanders: [], covered: [], ...more };
}

function features(board: Game["board"]) {
  return featuresOf(game({ board }), TILESET);
}

test("segments are joined across edges of their kind, with all that is on them", () => {
  // The second tile is turned by half: bridge to bridge, and both its seas to those of the first.
  const found = features({
    "0,0": placed(0, { islanders: [{ segment: 1, seat: 0 }] }),
    "1,0": placed(2, { islanders: [{ segment: 3, seat: 1 }] }),
  });
  const bridge = found.get("0,0:1");
  assert.equal(found.get("1,0:1"), bridge);
  assert.deepEqual([bridge?.kind, bridge?.wares, bridge?.open], ["bridge", 2, 0]);
  assert.deepEqual([...(bridge?.islanders ?? [])], [[0, 1]]);
  const north = found.get("0,0:2");
  assert.equal(found.get("1,0:3"), north, "the sea above the bridge");
  assert.deepEqual([north?.wares, north?.open, north?.islanders.get(1)], [3, 2, 1]);
  assert.notEqual(found.get("1,0:2"), north, "the one below it is another");
  assert.deepEqual([found.get("0,0:0")?.open, found.get("0,0:0")?.wares], [1, 1]);
});

test("fish that a boat has covered do not count", () => {
  const found = features({ "0,0": placed(0, { covered: [{ segment: 2, group: 0 }] }) });
  assert.equal(found.get("0,0:2")?.wares, 1);
});

test("a market lacks the cells around it that are free", () => {
  const found = features({ "0,0": placed(0, { tile: "market" }), "1,1": placed(0), "0,-1": placed(0) });
  assert.equal(found.get("0,0:0")?.open, 6);
});

test("a segment reaches sides, which turn with its tile", () => {
  const [island, , sea] = START.segments;
  assert.ok(island && sea);
  assert.deepEqual(sidesOf(island, 1), ["n"]);
  assert.deepEqual(sidesOf(sea, 0), ["n", "e"]);
  assert.deepEqual(sidesOf(sea, 3), ["n", "w"]);
});
