/** The cells of the board in words, for those who walk it without seeing it. */

import type { BoardFeature, Game, PlacedTile, Segment, TileSet } from "south-seas-client";
import { text } from "../messages/index.ts";
import { type Cell, EDGES, type Edge, SIDES, cellOf, keyOf, neighbours } from "./cells.ts";
import { nameOf } from "./event_sentences.ts";
import { total } from "./payments.ts";
import { tilesOf } from "./tileset.ts";
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
      return text.walk.feature({
        kind: segment.kind,
        sides: sidesOf(segment, placed.rotation),
        hasBoat: segment.kind === "sea" && segment.boat,
        here: here ? nameOf(game, here.seat) : null,
        known: feature && {
          wares: total(feature.wares),
          open: feature.open,
          elsewhere: feature.islanders.flatMap(({ seat, count }) => {
            const elsewhere = seat === here?.seat ? count - 1 : count;
            return elsewhere > 0 ? [[nameOf(game, seat), elsewhere]] : [];
          }),
        },
      });
    })
    .join(" ");
}

/** The sides of a turned tile that a segment reaches. */
function sidesOf(segment: Segment, rotation: number): Edge[] {
  const printed = new Set(printedSidesOf(segment));
  return EDGES.filter((_, side) => printed.has((side - rotation + 4) % 4));
}

function printedSidesOf(segment: Segment): number[] {
  switch (segment.kind) {
    case "sea":
      return segment.halves.map((half) => half >> 1);
    case "market":
      return [];
    default:
      return segment.edges.map((edge) => EDGES.indexOf(edge));
  }
}

function isNewest({ board }: Game, { order }: PlacedTile): boolean {
  return order > 0 && Object.values(board).every((other) => other.order <= order);
}

function besideOf(cell: Cell): (readonly [Edge, string])[] {
  return EDGES.map((edge) => [edge, keyOf({ x: cell.x + SIDES[edge].x, y: cell.y + SIDES[edge].y })]);
}
