import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { game } from "../testing/games.ts";
import { Islanders, Tiles } from "./placed.tsx";
import type { Pictures } from "./pictures.ts";

test("a tile whose picture is not there yet has its place, and a sign that it comes", () => {
  const pictures = { isLoaded: false } as Pictures;
  const placed = { tile: "start", rotation: 0, order: 0, islanders: [], covered: [] };
  const shown = <Tiles game={game({ board: { "0,0": placed } })} pictures={pictures} recent={[]} />;
  assert.match(renderToString(shown), /class="tile"><g class="tile-loading"><rect/);
});

test("an islander stands where the picture of its tile says", () => {
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
      recent={[]}
      pointedOut={null}
      kindOf={() => "sea"}
      onInspect={() => undefined}
    />
  );
  assert.match(renderToString(shown), /transform="translate\(230 -60\)"/);
  assert.deepEqual(spots, [["start", 3, 2]]);
});
