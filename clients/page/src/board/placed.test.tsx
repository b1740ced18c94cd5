import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { game } from "../testing/games.ts";
import { Islanders } from "./placed.tsx";
import type { Pictures } from "./pictures.ts";

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
