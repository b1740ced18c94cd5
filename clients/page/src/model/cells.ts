/** Cells of the board, their sides and the turning of tiles. */

import type { Game, Tile } from "south-seas-client";

export interface Cell {
  readonly x: number;
  readonly y: number;
}

export const EDGES = ["n", "e", "s", "w"] as const;
export type Edge = (typeof EDGES)[number];

/** A tile is drawn in a square of this many units. */
export const SIZE = 100;

export const SIDES: Readonly<Record<Edge, Cell>> = {
  n: { x: 0, y: -1 },
  e: { x: 1, y: 0 },
  s: { x: 0, y: 1 },
  w: { x: -1, y: 0 },
};

/** A cell as the board's keys write it. */
export function keyOf({ x, y }: Cell): string {
  return `${x},${y}`;
}

export function cellOf(key: string): Cell {
  const [x = 0, y = 0] = key.split(",").map(Number);
  return { x, y };
}

export function sameCell(one: Cell | null, other: Cell | null): boolean {
  return one?.x === other?.x && one?.y === other?.y;
}

/** What lies on a side of a turned tile. */
export function edgeKind(tile: Tile, rotation: number, edge: Edge): string {
  const printed = EDGES[(EDGES.indexOf(edge) - rotation + 4) % 4] ?? edge;
  return tile.edges[printed];
}

/** The kinds of edge that a cell's neighbours turn to it, by side. */
export function neighbours(game: Game, tiles: ReadonlyMap<string, Tile>, cell: Cell): Map<Edge, string> {
  const found = new Map<Edge, string>();
  for (const edge of EDGES) {
    const side = SIDES[edge];
    const placed = game.board[keyOf({ x: cell.x + side.x, y: cell.y + side.y })];
    const tile = placed && tiles.get(placed.tile);
    if (!placed || !tile) continue;
    const opposite = EDGES[(EDGES.indexOf(edge) + 2) % 4] ?? edge;
    found.set(edge, edgeKind(tile, placed.rotation, opposite));
  }
  return found;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The cells that hold tiles, with a border of free cells around; in cells, right and bottom exclusive. */
export function bounds(game: Game, border: number): Box {
  const cells = Object.keys(game.board).map(cellOf);
  const xs = cells.map((cell) => cell.x);
  const ys = cells.map((cell) => cell.y);
  return {
    left: Math.min(0, ...xs) - border,
    top: Math.min(0, ...ys) - border,
    right: Math.max(0, ...xs) + 1 + border,
    bottom: Math.max(0, ...ys) + 1 + border,
  };
}
