import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardFeature, GameEvent, Move } from "south-seas-client";
import { text } from "../messages/index.ts";
import { move, place, wares } from "../testing/games.ts";
import { featureAt, worthOfFeature, worthOfMove } from "./worth.ts";

const CELLS = [
  { x: 0, y: 0 },
  { x: 1, y: 0 },
];
const EVALUATED: GameEvent = {
  type: "feature_evaluated",
  kind: "island",
  cause: "completed",
  cells: CELLS,
  islanders: [],
  winners: [1],
  wares: wares(2, 0, 0),
};
const FEATURE: BoardFeature = {
  kind: "island",
  cells: CELLS,
  islanders: [
    { seat: 0, count: 1 },
    { seat: 1, count: 2 },
  ],
  wares: wares(2, 0, 0),
  open: 1,
  segments: [
    { x: 0, y: 0, segment: 0 },
    { x: 1, y: 0, segment: 3 },
  ],
  text: "The island is worth 2 bananas so far and has 1 open side.",
};

function appraised(of: Move, effects: GameEvent[], worth: string, feature: Move["feature"] = null): Move {
  return { ...of, effects, worth, feature };
}

test("a move that the service has not appraised says nothing", () => {
  assert.equal(worthOfMove(place(1, 0, 0)), null);
});

test("a cell says what it would finish, and in whose colour", () => {
  const worth = "Island completed 1 east of the start: Bo receives 2 bananas.";
  const gains = new Map([[1, { wares: wares(2, 0, 0), points: 0 }]]);
  const none = { prospect: null, loss: null };
  assert.deepEqual(worthOfMove(appraised(place(1, 0, 0), [EVALUATED], worth)), {
    words: worth,
    outlines: [{ cells: CELLS, seat: 1 }],
    gains,
    ...none,
  });
  const nothing = worthOfMove(appraised(place(1, 0, 0), [], ""));
  assert.deepEqual(nothing, { words: text.worth.nothing, outlines: [], gains: new Map(), ...none });
});

test("a spot outlines its feature, once where that is evaluated at once", () => {
  const send = move("i0", { type: "place_islander", segment: 0 });
  const open = worthOfMove(appraised(send, [], "It lacks 1 side.", FEATURE));
  assert.deepEqual(open?.outlines, [{ cells: CELLS, seat: null }]);
  const complete = worthOfMove(appraised(send, [EVALUATED], "It gives 2 bananas.", FEATURE));
  assert.deepEqual(complete?.outlines, [{ cells: CELLS, seat: 1 }]);
  const others = appraised(send, [{ ...EVALUATED, cells: [{ x: 5, y: 5 }] }], "It lacks 1 side.", FEATURE);
  assert.deepEqual(worthOfMove(others)?.outlines, [{ cells: CELLS, seat: null }], "not what comes anyway");
  const pass = worthOfMove(appraised(move("pass", { type: "pass", phase: "islander" }), [], ""));
  assert.deepEqual([pass?.words, pass?.outlines], ["", []]);
  assert.deepEqual([open?.prospect, complete?.prospect], [FEATURE, FEATURE]);
  const sent = appraised(send, [EVALUATED], "It gives 2 bananas.", FEATURE);
  assert.deepEqual([complete?.gains.size, worthOfMove(sent, [EVALUATED])?.gains.size], [1, 0]);
});

test("whoever takes an islander home gives up what the others then get, or nobody", () => {
  const takeHome = move("r", { type: "retrieve_islander", x: 0, y: 0, segment: 0 });
  const retrieved = (seat: number): GameEvent => ({
    type: "islander_retrieved",
    seat,
    x: 0,
    y: 0,
    segment: 0,
  });
  const loss = (seat: number, more: Partial<BoardFeature> = {}) =>
    worthOfMove(appraised(takeHome, [retrieved(seat)], "", { ...FEATURE, ...more }))?.loss;
  const counts = (...of: number[]) => ({ islanders: of.map((count, seat) => ({ seat, count })) });
  assert.deepEqual(
    [loss(1), loss(0), loss(0, counts(1)), loss(0, counts(2)), loss(1, counts(1, 1))],
    [wares(0, 0, 0), wares(0, 0, 0), wares(2, 0, 0), wares(0, 0, 0), wares(2, 0, 0)],
  );
  assert.equal(loss(0, { kind: "market", ...counts(1) }), "ship");
});

test("a feature is outlined in the colour of whoever has most islanders there", () => {
  const { words, outlines } = worthOfFeature(FEATURE);
  assert.equal(words, FEATURE.text);
  assert.deepEqual(outlines, [{ cells: CELLS, seat: 1 }]);
  const tied = FEATURE.islanders.map((one) => ({ ...one, count: 1 }));
  assert.equal(worthOfFeature({ ...FEATURE, islanders: tied }).outlines[0]?.seat, null);
  assert.equal(worthOfFeature({ ...FEATURE, islanders: [] }).outlines[0]?.seat, null);
});

test("a touched segment leads to its feature", () => {
  assert.equal(featureAt([FEATURE], { x: 1, y: 0 }, 3), FEATURE);
  assert.equal(featureAt([FEATURE], { x: 1, y: 0 }, 0), null);
  assert.equal(featureAt([FEATURE], { x: 1, y: 0 }, null), null);
});
