import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { game, step } from "../testing/games.ts";
import { Islanders, Tiles } from "./placed.tsx";
import type { Pictures } from "./pictures.ts";

test("a tile whose picture is not there yet has its place, and the last of a player a frame in their colour", () => {
  const pictures = { isLoaded: false } as Pictures;
  const placed = { tile: "start", rotation: 0, order: 0, islanders: [], covered: [] };
  const board = { "0,0": placed, "1,0": placed };
  const last = new Map([[1, { x: 1, y: 0 }]]);
  const shown = renderToString(<Tiles game={game({ board })} pictures={pictures} recent={[]} last={last} />);
  assert.match(shown, /class="tile"><g class="tile-loading"><rect/);
  assert.deepEqual(shown.match(/newest-frame ink-\w+/g), ["newest-frame ink-blue"]);
});

test("an islander stands where the picture of its tile says, and fades there as it goes home", () => {
  const spots: unknown[] = [];
  const pictures = {
    spot: (...of: unknown[]) => {
      spots.push(of);
      return { x: 30, y: 40 };
    },
  } as unknown as Pictures;
  const placed = { tile: "start", rotation: 3, order: 0, islanders: [{ seat: 0, segment: 2 }], covered: [] };
  const shown = (
    <Islanders
      game={game({ board: { "2,-1": placed } })}
      pictures={pictures}
      recent={[step(game(), { events: [{ type: "islander_retrieved", seat: 1, x: 2, y: -1, segment: 1 }] })]}
      pointedOut={null}
      kindOf={() => "sea"}
      onInspect={() => undefined}
    />
  );
  assert.match(renderToString(shown), /"translate\(230 -60\)".*"translate\(230 -60\)"><g class="gone"/);
  assert.deepEqual(spots, [
    ["start", 3, 2],
    ["start", 3, 1],
  ]);
});
