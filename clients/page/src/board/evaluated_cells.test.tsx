import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { change, evaluated, game, wares } from "../testing/games.ts";
import { textOf } from "../testing/render.ts";
import { EvaluatedCells, FinalGains, below } from "./evaluated_cells.tsx";

test("what the end of the game brings stays on its feature, for each player who gets it; the rest lights up", () => {
  const cells = [{ x: 1, y: 0 }];
  const events = [
    { ...evaluated("sea", [0, 1], wares(0, 0, 3), "final"), cells },
    { ...evaluated("bridge", [], wares(0, 0, 0), "final"), cells },
    { ...evaluated("island", [1], wares(2, 0, 0)), cells },
  ] as never;
  const steps = [{ diff: change(2, [], events), game: game(), delayMs: 0 }];
  assert.equal(textOf(<FinalGains game={game()} steps={steps} tileSize={90} />), "+3 +3");
  assert.equal(renderToString(<EvaluatedCells steps={steps} />).match(/<rect/g)?.length, 1);
});

test("what the end of the game brings lies over nothing else that it brings", () => {
  const places = [3, 0, 0, 40, 8].map((x) => ({ x, y: x }));
  assert.deepEqual(
    below(places, 10, 5).map(({ y }) => y),
    [3, 12, 21, 40, 30],
  );
});

test("boxes of any size lie below each other, however their sides are rounded", () => {
  for (let height = 30; height < 60; height += 0.37) {
    const lines = below(Array(9).fill({ x: 0.1, y: 60 / 7 }), height, height).map(({ y }) => y);
    assert.deepEqual(
      lines,
      [...new Set(lines)].toSorted((one, other) => one - other),
    );
  }
});
