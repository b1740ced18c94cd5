/** The features of a board: segments that are joined across tiles, with what is on them and what they lack (R0, R5). */

import type { Game, Segment, TileSet } from "south-seas-client";
import { type Cell, EDGES, type Edge, SIDES, cellOf, keyOf } from "./cells.ts";
import { spotKey } from "./choices.ts";
import { tilesOf } from "./tileset.ts";

export interface Feature {
  readonly kind: Segment["kind"];
  /** Wares printed on it that no boat has covered. */
  readonly wares: number;
  /** Sides that are open; for a market, cells around it without a tile. */
  readonly open: number;
  /** The number of islanders of each seat that has any. */
  readonly islanders: ReadonlyMap<number, number>;
}

/** A segment on the board, with the connectors that join it to segments of other tiles. */
interface Node {
  readonly cell: Cell;
  readonly segment: number;
  readonly connectors: readonly number[];
  readonly kind: Segment["kind"];
  readonly wares: number;
  readonly seats: readonly number[];
}

/** Sea joins sea by halves of edges, 0 to 7; bridges and islands join by whole edges, 8 to 11. */
const OPPOSITE = [5, 4, 7, 6, 1, 0, 3, 2, 10, 11, 8, 9];

const FEATURES = new WeakMap<Game, ReadonlyMap<string, Feature>>();

/** Every feature of a board by each of its segments, which `spotKey` names. */
export function featuresOf(game: Game, tileset: TileSet): ReadonlyMap<string, Feature> {
  const known = FEATURES.get(game);
  if (known) return known;
  const nodes = nodesOf(game, tileset);
  const connected = new Map(
    nodes.flatMap((node) =>
      node.connectors.map((connector) => [`${keyOf(node.cell)}/${connector}`, node] as const),
    ),
  );
  const found = new Map<string, Feature>();
  for (const node of nodes) {
    if (found.has(spotKey(node.cell, node.segment))) continue;
    const { joined, open } = flood(node, connected);
    const islanders = new Map<number, number>();
    for (const seat of joined.flatMap(({ seats }) => seats))
      islanders.set(seat, (islanders.get(seat) ?? 0) + 1);
    const feature: Feature = {
      kind: node.kind,
      wares: joined.reduce((sum, { wares }) => sum + wares, 0),
      open: node.kind === "market" ? freeAround(game, node.cell) : open,
      islanders,
    };
    for (const { cell, segment } of joined) found.set(spotKey(cell, segment), feature);
  }
  FEATURES.set(game, found);
  return found;
}

/** The sides of a turned tile that a segment reaches. */
export function sidesOf(segment: Segment, rotation: number): Edge[] {
  const reached = new Set(connectorsOf(segment, rotation).map(sideOf));
  return EDGES.filter((edge) => reached.has(edge));
}

function nodesOf({ board }: Game, tileset: TileSet): Node[] {
  return Object.entries(board).flatMap(([key, placed]) =>
    (tilesOf(tileset).get(placed.tile)?.segments ?? []).map((segment, index) => ({
      cell: cellOf(key),
      segment: index,
      connectors: connectorsOf(segment, placed.rotation),
      kind: segment.kind,
      wares: waresOn(
        segment,
        new Set(placed.covered.flatMap((one) => (one.segment === index ? [one.group] : []))),
      ),
      seats: placed.islanders.flatMap((one) => (one.segment === index ? [one.seat] : [])),
    })),
  );
}

function connectorsOf(segment: Segment, rotation: number): number[] {
  switch (segment.kind) {
    case "sea":
      return segment.halves.map((half) => (half + 2 * rotation) % 8);
    case "market":
      return [];
    default:
      return segment.edges.map((edge) => 8 + ((EDGES.indexOf(edge) + rotation) % 4));
  }
}

function sideOf(connector: number): Edge {
  return EDGES[connector < 8 ? connector >> 1 : connector - 8] ?? "n";
}

function waresOn(segment: Segment, covered: ReadonlySet<number>): number {
  switch (segment.kind) {
    case "sea":
      return segment.fish.reduce((sum, fish, group) => sum + (covered.has(group) ? 0 : fish), 0);
    case "market":
      return 0;
    case "bridge":
      return segment.shells;
    case "island":
      return segment.bananas;
  }
}

/** The segments that are joined to one, and the number of sides at which nothing lies. */
function flood(start: Node, connected: ReadonlyMap<string, Node>): { joined: readonly Node[]; open: number } {
  const joined = [start];
  const open = new Set<string>();
  for (const { cell, connectors } of joined) {
    for (const connector of connectors) {
      const side = SIDES[sideOf(connector)];
      const beside = keyOf({ x: cell.x + side.x, y: cell.y + side.y });
      const next = connected.get(`${beside}/${OPPOSITE[connector]}`);
      if (!next) open.add(`${keyOf(cell)}/${sideOf(connector)}`);
      else if (!joined.includes(next)) joined.push(next);
    }
  }
  return { joined, open: open.size };
}

function freeAround({ board }: Game, { x, y }: Cell): number {
  const around = [-1, 0, 1].flatMap((down) =>
    [-1, 0, 1].map((across) => keyOf({ x: x + across, y: y + down })),
  );
  return around.filter((key) => !(key in board)).length;
}
