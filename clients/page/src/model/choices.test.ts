import assert from "node:assert/strict";
import { test } from "node:test";
import { deliver, legal, move, place, wares } from "../testing/games.ts";
import { choicesIn, fittingRotation, nextRotation } from "./choices.ts";

const PASS = move("pass", { type: "pass", phase: "islander" });
const RETRIEVE = move("r", { type: "retrieve_islander", x: 2, y: 3, segment: 1 });
const SEND = move("i", { type: "place_islander", segment: 4 });
const TAKE = move("t", { type: "take_ship", ship: "any" });

test("placements are grouped by cell", () => {
  const { cells } = choicesIn(legal([place(1, 0, 0), place(1, 0, 2), place(0, 1, 3)]), null);
  assert.deepEqual([...cells.keys()], ["1,0", "0,1"]);
  assert.deepEqual([...(cells.get("1,0")?.rotations.keys() ?? [])], [0, 2]);
});

test("a move that looks and plays like another one is left out", () => {
  const { cells } = choicesIn(legal([place(1, 0, 0), place(1, 0, 2)], 1, ["p1.0.2"]), null);
  assert.deepEqual([...(cells.get("1,0")?.rotations.keys() ?? [])], [0]);
});

test("spots lie on the tile of this turn, and where islanders are", () => {
  const { spots, pass } = choicesIn(legal([SEND, RETRIEVE, PASS]), { x: 1, y: 0 });
  assert.deepEqual(
    spots.map(({ key, move }) => [key, move]),
    [
      ["place:1,0:4", SEND],
      ["retrieve:2,3:1", RETRIEVE],
    ],
  );
  assert.equal(pass, PASS);
  assert.deepEqual(choicesIn(legal([SEND]), null).spots, []);
});

test("ships have all ways to pay them, and one where nothing is paid", () => {
  const moves = [
    deliver("any", wares(1, 2, 3)),
    deliver("any", wares(6, 0, 0)),
    deliver("same", wares(3, 0, 2)),
  ];
  assert.deepEqual(
    choicesIn(legal(moves), null).ships.map(({ ship, payments }) => [ship, payments.map((one) => one.wares)]),
    [
      ["any", [wares(1, 2, 3), wares(6, 0, 0)]],
      ["same", [wares(3, 0, 2)]],
    ],
  );
  assert.deepEqual(choicesIn(legal([TAKE]), null).ships, [
    { ship: "any", payments: [{ wares: wares(0, 0, 0), move: TAKE }] },
  ]);
});

test("a tile turns to the next way in which it fits", () => {
  const choice = choicesIn(legal([place(1, 0, 0), place(1, 0, 2)]), null).cells.get("1,0");
  assert.ok(choice);
  assert.deepEqual([nextRotation(choice, 0), nextRotation(choice, 2), fittingRotation(choice, 1)], [2, 0, 2]);
  assert.equal(fittingRotation(choice, 2), 2);
  assert.equal(nextRotation({ cell: { x: 0, y: 0 }, rotations: new Map() }, 3), 3);
});
