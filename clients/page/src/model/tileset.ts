/** Looking things up in a tile set, and telling them in words. */

import type { Segment, Ship, Tile, TileSet } from "south-seas-client";
import type { DescribedFeature } from "../messages/en.ts";
import { text } from "../messages/index.ts";
import { EDGES, type Edge } from "./cells.ts";
import { WARES } from "./payments.ts";

const TILES = new WeakMap<TileSet, ReadonlyMap<string, Tile>>();

/** The types of tile, by id. */
export function tilesOf(tileset: TileSet): ReadonlyMap<string, Tile> {
  const known = TILES.get(tileset);
  if (known) return known;
  const made = new Map(tileset.tiles.map((tile) => [tile.id, tile]));
  TILES.set(tileset, made);
  return made;
}

export function shipOf(tileset: TileSet, id: string): Ship | null {
  return tileset.ships.find((ship) => ship.id === id) ?? null;
}

/** What a ship asks for, part by part: the sign on it, which is a ware, "any" or a letter, and the words (R6.3). */
export function costParts({ cost }: Ship): (readonly [sign: string, words: string])[] {
  const { any, same, ...named } = cost;
  const wares = WARES.filter((ware) => named[ware] > 0);
  return [
    ...text.wareParts(named).map((words, part) => [wares[part] ?? "", words] as const),
    ...(any > 0 ? [["any", text.describe.cost.any(any)] as const] : []),
    ...same.map((count, group) => ["ABC"[group] ?? "", text.describe.cost.same(count, group)] as const),
  ];
}

export function costInWords(ship: Ship): string {
  return text.listed(costParts(ship).map(([, words]) => words));
}

export function shipInWords(ship: Ship): string {
  return text.describe.ship(ship.points, costInWords(ship));
}

/** A turned tile in words: its features, each with the sides that it reaches and what is printed there. */
export function tileInWords({ segments }: Tile, rotation: number): string {
  return text.describe.tile(segments.map((segment) => segmentInWords(segment, rotation)));
}

/** A feature of a turned tile in words; what is not `told` is what is printed there. */
export function segmentInWords(
  segment: Segment,
  rotation: number,
  told: Partial<DescribedFeature> = {},
): string {
  return text.walk.feature({
    kind: segment.kind,
    sides: sidesOf(segment, rotation),
    wares: waresPrinted(segment) || null,
    hasBoat: segment.kind === "sea" && segment.boat,
    open: null,
    here: null,
    elsewhere: [],
    ...told,
  });
}

function waresPrinted(segment: Segment): number {
  switch (segment.kind) {
    case "island":
      return segment.bananas;
    case "bridge":
      return segment.shells;
    case "sea":
      return segment.fish.reduce((sum, fish) => sum + fish, 0);
    case "market":
      return 0;
  }
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
