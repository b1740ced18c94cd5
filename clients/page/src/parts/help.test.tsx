import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import type { Tile, TileSet } from "south-seas-client";
import lagoon from "../../../../service/tilesets/lagoon.json";
import { de } from "../messages/de.ts";
import { en } from "../messages/en.ts";
import { fr } from "../messages/fr.ts";
import { language } from "../messages/index.ts";
import { EDGES, type Edge, SIDES, edgeKind, sameCell } from "../model/cells.ts";
import { tilesOf } from "../model/tileset.ts";
import { Help } from "./help.tsx";
import { HELP_BOARDS, HELP_TILESET } from "./help_picture.tsx";

assert.equal(lagoon.id, HELP_TILESET);
const TILES = tilesOf(lagoon as unknown as TileSet);
const OPPOSITE: Readonly<Record<Edge, Edge>> = { n: "s", e: "w", s: "n", w: "e" };

test("the boards of the help follow the rules: sides that touch match (R3.3)", () => {
  for (const [name, board] of Object.entries(HELP_BOARDS))
    for (const placed of board)
      for (const edge of EDGES) {
        const side = { x: placed.x + SIDES[edge].x, y: placed.y + SIDES[edge].y };
        const other = board.find((one) => sameCell(one, side));
        if (other)
          assert.equal(
            kindOf(placed, edge),
            kindOf(other, OPPOSITE[edge]),
            `${name}: ${edge} of ${placed.tile}`,
          );
      }
});

test("each islander of the help stands on what its work is", () => {
  for (const kind of ["bridge", "island", "sea", "market"] as const)
    for (const { tile, islander } of HELP_BOARDS[kind])
      assert.equal(typeOf(tile).segments[islander?.segment ?? -1]?.kind, kind);
});

function typeOf(tile: string): Tile {
  return TILES.get(tile) ?? assert.fail(`no tile ${tile}`);
}

function kindOf({ tile, rotation }: { tile: string; rotation: number }, edge: Edge): string {
  return edgeKind(typeOf(tile), rotation, edge);
}

test("chapters and pictures are told in the reader's language", (t) => {
  t.after(() => language.use(en));
  for (const messages of [en, fr, de]) {
    language.use(messages);
    const shown = renderToString(<Help onClose={() => {}} />);
    const { place, islander, retrieve, finished, boat, market, ships, end } = messages.help;
    for (const { heading, words } of [place, islander, retrieve, finished, boat, market, ships, end])
      assert.ok(shown.includes(`<h3>${heading}</h3><p>${words}</p>`), heading);
    for (const { picture } of [place, finished, boat, market])
      assert.ok(shown.includes(`role="img" aria-label="${picture}"`), picture);
  }
});
