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

/** Where a seat has islanders on the board; nowhere for null. */
export function cellsOfIslanders({ board }: Game, seat: number | null): Cell[] {
  return Object.entries(board).flatMap(([key, { islanders }]) =>
    islanders.some((islander) => islander.seat === seat) ? [cellOf(key)] : [],
  );
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

/** The path around cells, in units of the board. */
export function borderOf(cells: readonly Cell[]): string {
  const within = new Set(cells.map(keyOf));
  return cells
    .flatMap(({ x, y }) => {
      const isOpen = (edge: Edge): boolean =>
        !within.has(keyOf({ x: x + SIDES[edge].x, y: y + SIDES[edge].y }));
      const [left, top] = [x * SIZE, y * SIZE];
      return [
        ...(isOpen("n") ? [`M${left} ${top}h${SIZE}`] : []),
        ...(isOpen("e") ? [`M${left + SIZE} ${top}v${SIZE}`] : []),
        ...(isOpen("s") ? [`M${left} ${top + SIZE}h${SIZE}`] : []),
        ...(isOpen("w") ? [`M${left} ${top}v${SIZE}`] : []),
      ];
    })
    .join("");
}

/** In cells, or in pixels: right and bottom are exclusive. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
