/** Looking things up in a tile set, and telling them in words. */

import type { Ship, Tile, TileSet } from "south-seas-client";
import { text } from "../messages/index.ts";
import { EDGES, edgeKind } from "./cells.ts";

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

/** What a ship asks for, in words (R6.3). */
export function costInWords({ cost }: Ship): string {
  const { any, same, ...named } = cost;
  return text.listed([
    ...text.wareParts(named),
    ...(any > 0 ? [text.describe.cost.any(any)] : []),
    ...same.map((count, group) => text.describe.cost.same(count, group)),
  ]);
}

export function shipInWords(ship: Ship): string {
  return text.describe.ship(ship.points, costInWords(ship));
}

/** A turned tile in words: its sides and what is printed on it. */
export function tileInWords(tile: Tile, rotation: number): string {
  const held = { bananas: 0, shells: 0, fish: 0 };
  const printed: string[] = [];
  for (const segment of tile.segments) {
    switch (segment.kind) {
      case "island":
        held.bananas += segment.bananas;
        break;
      case "bridge":
        held.shells += segment.shells;
        break;
      case "sea":
        held.fish += segment.fish.reduce((sum, fish) => sum + fish, 0);
        if (segment.boat) printed.push(text.describe.boat);
        break;
      case "market":
        printed.push(text.describe.market);
        break;
    }
  }
  return text.describe.tile(
    EDGES.map((edge) => [edge, edgeKind(tile, rotation, edge)]),
    [...text.wareParts(held), ...printed],
  );
}
