/** A small tile set, and games of it. */

import type {
  Diff,
  Game,
  GameEvent,
  LegalMoves,
  Move,
  PlacedTile,
  Player,
  Ship,
  Tile,
  TileSet,
  Turn,
  Wares,
} from "south-seas-client";
import type { Step } from "../session/game_history.ts";

export function wares(bananas: number, shells: number, fish: number): Wares {
  return { bananas, shells, fish };
}

export function ship(id: string, cost: Partial<Ship["cost"]>): Ship {
  return { id, points: 5, cost: { bananas: 0, shells: 0, fish: 0, any: 0, same: [], ...cost } };
}

/** An island in the west, a bridge to the east, and sea around them. */
export const START: Tile = {
  id: "start",
  count: 1,
  edges: { n: "sea", e: "bridge", s: "sea", w: "island" },
  segments: [
    { kind: "island", edges: ["w"], bananas: 1 },
    { kind: "bridge", edges: ["e"], shells: 1 },
    { kind: "sea", halves: [0, 1, 2], fish: [2, 1], boat: false },
    { kind: "sea", halves: [3, 4, 5], fish: [], boat: true },
  ],
};

export const MARKET: Tile = {
  id: "market",
  count: 3,
  edges: { n: "sea", e: "bridge", s: "bridge", w: "bridge" },
  segments: [{ kind: "market" }],
};

export const TILESET: TileSet = {
  id: "small",
  name: "Small",
  provenance: "community",
  start: "start",
  tiles: [START, MARKET],
  ships: [ship("any", { any: 6 }), ship("same", { fish: 1, same: [3, 1] })],
};

export function player(seat: number, name: string, more: Partial<Player> = {}): Player {
  const color = seat === 0 ? "red" : "blue";
  const nothing = { resigned: false, supply: 4, wares: wares(0, 0, 0), ships: [], points: 0 };
  return { seat, name, color, kind: "human", bot: null, ...nothing, ...more };
}

export function turn(more: Partial<Turn> = {}): Turn {
  const start = { placed: null, deadline: null, paused: false, undoable: 0 };
  return { number: 1, seat: 0, phase: "place_tile", decider: 0, tile: "market", ...start, ...more };
}

/** A game of Ana and Bo, in which Ana is to place a tile. */
export function game(more: Partial<Game> = {}): Game {
  return {
    id: "g",
    version: 1,
    status: "active",
    tileset: "small",
    edition: "international",
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    players: [player(0, "Ana"), player(1, "Bo")],
    turn: turn(),
    board: { "0,0": placed("start") },
    display: ["any", "same"],
    ship_pile: 0,
    bag: 2,
    discarded: [],
    deck: { commitment: "", seed: null, seed_chosen: false },
    result: null,
    turn_timeout_s: null,
    on_timeout: null,
    previous_game: null,
    next_game: null,
    ...more,
  };
}

/** A game that is over, with its ships' and wares' points by seat. */
export function finished(winners: number[], points: readonly (readonly [number, number])[]): Game {
  const scores = points.map(([ships, wares], seat) => ({ seat, ships, wares, total: ships + wares }));
  return game({ status: "finished", turn: null, result: { reason: "last_tile", winners, scores } });
}

export function step(after: Game, diff: Partial<Diff> = {}): Step {
  return { game: after, diff: { ...change(after.version, []), ...diff }, delayMs: 0 };
}

export function change(version: number, patch: Diff["patch"], events: GameEvent[] = []): Diff {
  const at = "2026-01-01T00:00:00Z";
  return { type: "diff", game: "g", version, at, seat: 0, move: null, by: null, events, patch, digest: "" };
}

export function move(id: string, action: Move["action"], text = ""): Move {
  return { id, text, action, effects: null, if_passed: null, feature: null, worth: null };
}

/** A feature that was evaluated for these seats. */
export function evaluated(kind: string, winners: number[], gain: Wares, cause = "completed"): GameEvent {
  return { type: "feature_evaluated", kind, cause, cells: [], islanders: [], winners, wares: gain };
}

export function placed(tile: string): PlacedTile {
  return { tile, rotation: 0, order: 0, islanders: [], covered: [] };
}

export function place(x: number, y: number, rotation: number): Move {
  const id = `p${x}.${y}.${rotation}`;
  return move(id, { type: "place_tile", x, y, rotation }, `place ${x} east and ${y} south of the start`);
}

export function deliver(ship: string, paid: Wares): Move {
  const id = `d.${ship}.${paid.bananas}.${paid.shells}.${paid.fish}`;
  return move(id, { type: "deliver", ship, wares: paid });
}

export function legal(moves: Move[], version = 1, repeated: string[] = []): LegalMoves {
  const none = { cells: null, ships: [], next_cursor: null, repeated };
  return { version, digest: "", language: "en", seat: 0, phase: "place_tile", moves, ...none };
}
