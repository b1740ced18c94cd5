/** The cells of the board in words, for those who walk it without seeing it. */

import type { BoardFeature, Game, PlacedTile, Segment, TileSet } from "south-seas-client";
import { capitalized } from "../messages/grammar.ts";
import { text } from "../messages/index.ts";
import { type Cell, EDGES, type Edge, SIDES, cellOf, keyOf, neighbours } from "./cells.ts";
import { nameOf } from "./event_sentences.ts";
import { total } from "./payments.ts";
import { segmentInWords, tilesOf } from "./tileset.ts";
import { featureAt } from "./worth.ts";

/** All tiles and the free cells beside them, row by row. */
export function walkedCells({ board }: Game): Cell[] {
  const keys = new Set(
    Object.keys(board).flatMap((key) => [key, ...besideOf(cellOf(key)).map(([, beside]) => beside)]),
  );
  return [...keys].map(cellOf).sort((one, other) => one.y - other.y || one.x - other.x);
}

/** Where a tile lies, the features on it, who stands there, and what is around it. */
export function tileOnBoardInWords(
  game: Game,
  tileset: TileSet,
  cell: Cell,
  placed: PlacedTile,
  features: readonly BoardFeature[] | null,
): string {
  const around = besideOf(cell);
  const sides = (isTaken: boolean): Edge[] =>
    around.flatMap(([edge, key]) => (key in game.board === isTaken ? [edge] : []));
  return [
    text.walk.tile(text.describe.tileAt(cell.x, cell.y), isNewest(game, placed)),
    segmentsInWords(game, tileset, cell, placed, features),
    text.walk.around(sides(true), sides(false)),
  ].join(" ");
}

/** Where a free cell is, and what its neighbours turn to it. */
export function freeCellInWords(game: Game, tileset: TileSet, cell: Cell): string {
  const beside = text.describe.beside([...neighbours(game, tilesOf(tileset), cell)]);
  return text.walk.free(text.describe.at(cell.x, cell.y), beside);
}

/** What is printed on a tile and who stands there; with the service's `features` also what each is worth as a whole. */
export function segmentsInWords(
  game: Game,
  tileset: TileSet,
  cell: Cell,
  placed: PlacedTile,
  features: readonly BoardFeature[] | null,
): string {
  const segments = tilesOf(tileset).get(placed.tile)?.segments ?? [];
  return segments
    .map((segment, index) => {
      const here = placed.islanders.find((islander) => islander.segment === index);
      const feature = featureAt(features ?? [], cell, index);
      const known = feature && {
        wares: segment.kind === "market" ? null : total(feature.wares),
        open: feature.open,
        elsewhere: feature.islanders.flatMap(({ seat, count }) => {
          const elsewhere = seat === here?.seat ? count - 1 : count;
          return elsewhere > 0 ? [[nameOf(game, seat), elsewhere] as const] : [];
        }),
      };
      const name = here ? nameOf(game, here.seat) : null;
      return `${capitalized(segmentInWords(uncovered(segment, index, placed), placed.rotation, { ...known, here: name }))}.`;
    })
    .join(" ");
}

/** A segment without the fish that a boat covers (R5.7). */
function uncovered(segment: Segment, index: number, { covered }: PlacedTile): Segment {
  if (segment.kind !== "sea") return segment;
  const isCovered = (fish: number): boolean =>
    covered.some((one) => one.segment === index && one.group === fish);
  return { ...segment, fish: segment.fish.filter((_, group) => !isCovered(group)) };
}

function isNewest({ board }: Game, { order }: PlacedTile): boolean {
  return order > 0 && Object.values(board).every((other) => other.order <= order);
}

function besideOf(cell: Cell): (readonly [Edge, string])[] {
  return EDGES.map((edge) => [edge, keyOf({ x: cell.x + SIDES[edge].x, y: cell.y + SIDES[edge].y })]);
}
