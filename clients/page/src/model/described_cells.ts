/** The cells of the board in words, for those who walk it without seeing it. */

import type { Game, PlacedTile, TileSet } from "south-seas-client";
import { text } from "../messages/index.ts";
import { type Cell, EDGES, type Edge, SIDES, cellOf, keyOf, neighbours } from "./cells.ts";
import { spotKey } from "./choices.ts";
import { nameOf } from "./event_sentences.ts";
import { featuresOf, sidesOf } from "./features.ts";
import { tilesOf } from "./tileset.ts";

/** All tiles and the free cells beside them, row by row. */
export function walkedCells({ board }: Game): Cell[] {
  const keys = new Set(
    Object.keys(board).flatMap((key) => [key, ...besideOf(cellOf(key)).map(([, beside]) => beside)]),
  );
  return [...keys].map(cellOf).sort((one, other) => one.y - other.y || one.x - other.x);
}

/** Where a tile lies, the features on it, who stands there, and what is around it. */
export function tileOnBoardInWords(game: Game, tileset: TileSet, cell: Cell, placed: PlacedTile): string {
  const around = besideOf(cell);
  const sides = (isTaken: boolean): Edge[] =>
    around.flatMap(([edge, key]) => (key in game.board === isTaken ? [edge] : []));
  return [
    text.walk.tile(text.describe.tileAt(cell.x, cell.y), isNewest(game, placed)),
    ...segmentsInWords(game, tileset, cell, placed),
    text.walk.around(sides(true), sides(false)),
  ].join(" ");
}

/** Where a free cell is, and what its neighbours turn to it. */
export function freeCellInWords(game: Game, tileset: TileSet, cell: Cell): string {
  const beside = text.describe.beside([...neighbours(game, tilesOf(tileset), cell)]);
  return text.walk.free(text.describe.at(cell.x, cell.y), beside);
}

function segmentsInWords(game: Game, tileset: TileSet, cell: Cell, placed: PlacedTile): string[] {
  const features = featuresOf(game, tileset);
  const segments = tilesOf(tileset).get(placed.tile)?.segments ?? [];
  return segments.flatMap((segment, index) => {
    const feature = features.get(spotKey(cell, index));
    if (!feature) return [];
    const here = placed.islanders.find((islander) => islander.segment === index);
    const others = [...feature.islanders].map(([seat, count]) => {
      const elsewhere = seat === here?.seat ? count - 1 : count;
      return [nameOf(game, seat), elsewhere] as const;
    });
    return [
      text.walk.feature({
        kind: segment.kind,
        sides: sidesOf(segment, placed.rotation),
        wares: feature.wares,
        open: feature.open,
        hasBoat: segment.kind === "sea" && segment.boat,
        here: here ? nameOf(game, here.seat) : null,
        elsewhere: others.filter(([, count]) => count > 0),
      }),
    ];
  });
}

function isNewest({ board }: Game, { order }: PlacedTile): boolean {
  return order > 0 && Object.values(board).every((other) => other.order <= order);
}

function besideOf(cell: Cell): (readonly [Edge, string])[] {
  return EDGES.map((edge) => [edge, keyOf({ x: cell.x + SIDES[edge].x, y: cell.y + SIDES[edge].y })]);
}
