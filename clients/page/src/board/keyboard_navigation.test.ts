import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Choices, NOTHING } from "../model/choices.ts";
import { game, move } from "../testing/games.ts";
import { nextStop, reachableStop } from "./keyboard_navigation.ts";

interface Stop {
  getAttribute(name: string): string | null;
}

/** A stop in a cell: the cell itself, or a spot in it; `choice` where it can be chosen. */
function stop(cell: string, x: number, y: number, more: Readonly<Record<string, string>> = {}): Stop {
  const attributes: Record<string, string> = {
    "data-stop": cell,
    "data-cell": cell,
    "data-x": `${x}`,
    "data-y": `${y}`,
    tabindex: "-1",
    ...more,
  };
  return { getAttribute: (name) => attributes[name] ?? null };
}

const CHOICE = { "data-choice": "" };
const LEFT = stop("0,0", 50, 50);
const RIGHT = stop("2,0", 250, 50, { ...CHOICE, tabindex: "0" });
const ASIDE = stop("1,1", 150, 150, CHOICE);
const BELOW = stop("0,3", 50, 350);
const STOPS = [LEFT, RIGHT, ASIDE, BELOW];

function next(t: TestContext, key: string, focused: Stop | null, stops: readonly Stop[] = STOPS): unknown {
  Object.assign(document, { activeElement: focused });
  t.after(() => Object.assign(document, { activeElement: null }));
  return nextStop(key, { querySelectorAll: () => stops } as unknown as Element);
}

test("from nowhere an arrow leads to the stop that Tab reaches, and other keys to none", (t) => {
  assert.equal(next(t, "ArrowUp", null), RIGHT);
  assert.equal(next(t, "Enter", null), null);
});

test("an arrow leads to the nearest stop on its way, over gaps too, and stays where there is none", (t) => {
  assert.equal(next(t, "ArrowRight", LEFT), RIGHT);
  assert.equal(next(t, "ArrowDown", LEFT), BELOW);
  assert.equal(next(t, "ArrowLeft", ASIDE), LEFT);
  assert.equal(next(t, "ArrowUp", RIGHT), RIGHT);
});

test("the spots of a tile are reached from its neighbour, and each from the others", (t) => {
  const middle = stop("1,0", 150, 50, { "data-stop": "place:1,0:0" });
  const upper = stop("1,0", 150, 20, { "data-stop": "place:1,0:1" });
  const stops = [LEFT, stop("1,0", 150, 50), middle, upper];
  assert.equal(next(t, "ArrowRight", LEFT, stops), middle);
  assert.equal(next(t, "ArrowUp", middle, stops), upper);
});

test("Page Down and Page Up go from choice to choice, from anywhere, and around", (t) => {
  assert.equal(next(t, "PageDown", LEFT), RIGHT);
  assert.equal(next(t, "PageDown", RIGHT), ASIDE);
  assert.equal(next(t, "PageDown", ASIDE), RIGHT);
  assert.equal(next(t, "PageUp", BELOW), ASIDE);
  const suggested = stop("3,3", 350, 350, { ...CHOICE, "data-suggested": "" });
  assert.equal(next(t, "PageDown", LEFT, [...STOPS, suggested]), suggested);
  assert.equal(next(t, "PageDown", RIGHT, [...STOPS, suggested]), ASIDE);
});

test("Tab reaches the stop that had the focus, else a choice in sight, else the newest tile", () => {
  const cell = (x: number) => ({ cell: { x, y: 0 }, rotations: new Map() });
  const choices: Choices = {
    ...NOTHING,
    cells: new Map([
      ["1,0", cell(1)],
      ["-1,0", cell(-1)],
    ]),
  };
  const spot = {
    kind: "place",
    cell: { x: 0, y: 0 },
    segment: 0,
    move: move("i", { type: "place_islander", segment: 0 }),
  } as const;
  const reached = (
    offered: Choices,
    active: string | null,
    inSight: readonly string[] = [],
    suggested?: string,
  ) => reachableStop(game(), offered, active, suggested, new Set(inSight));
  assert.equal(reached(choices, null), "1,0");
  assert.equal(reached(choices, null, ["-1,0"]), "-1,0");
  assert.equal(reached(choices, "-1,0"), "-1,0");
  assert.equal(reached(choices, null, ["1,0"], "-1,0"), "-1,0", "what the lesson suggests");
  assert.equal(reached(choices, "0,0"), "1,0", "what can be chosen first");
  assert.equal(reached({ ...NOTHING, spots: [{ ...spot, key: "place:0,0:0" }] }, null), "place:0,0:0");
  assert.equal(reached(NOTHING, "0,1"), "0,1");
  assert.equal(reached(NOTHING, "place:0,0:0"), "0,0", "a spot that is gone");
});
