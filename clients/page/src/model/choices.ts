/** What a player may do now: the list of legal moves, sorted by where it is shown. */

import type { LegalMoves, Move, Wares } from "south-seas-client";
import { type Cell, keyOf } from "./cells.ts";

/** A cell where the drawn tile may lie, and the move of each rotation in which it may. */
export interface CellChoice {
  readonly cell: Cell;
  readonly rotations: ReadonlyMap<number, Move>;
}

/** A segment to place an islander on, or one to take an islander back from. */
export interface SpotChoice {
  readonly key: string;
  readonly kind: "place" | "retrieve";
  readonly cell: Cell;
  readonly segment: number;
  readonly move: Move;
}

/** A ship to take or deliver to; `payments` has one entry where there is nothing to choose. */
export interface ShipChoice {
  readonly ship: string;
  readonly payments: readonly Payment[];
}

export interface Payment {
  /** None where nothing is paid. */
  readonly wares: Wares;
  readonly move: Move;
}

export interface Choices {
  readonly cells: ReadonlyMap<string, CellChoice>;
  readonly spots: readonly SpotChoice[];
  readonly ships: readonly ShipChoice[];
  readonly pass: Move | null;
}

export const NO_WARES: Wares = { bananas: 0, shells: 0, fish: 0 };

export const NOTHING: Choices = { cells: new Map(), spots: [], ships: [], pass: null };

export function spotKey(cell: Cell, segment: number): string {
  return `${keyOf(cell)}:${segment}`;
}

/** The moves without those that look and play like another one. */
export function shownMoves(legal: Pick<LegalMoves, "moves" | "repeated">): Move[] {
  const repeated = new Set(legal.repeated);
  return legal.moves.filter(({ id }) => !repeated.has(id));
}

/** The choices in a list of moves; `placed` is where the tile of this turn lies. */
export function choicesIn(legal: Parameters<typeof shownMoves>[0], placed: Cell | null): Choices {
  const cells = new Map<string, { cell: Cell; rotations: Map<number, Move> }>();
  const spots: SpotChoice[] = [];
  const ships = new Map<string, { ship: string; payments: Payment[] }>();
  let pass: Move | null = null;
  for (const move of shownMoves(legal)) {
    const { action } = move;
    switch (action.type) {
      case "place_tile": {
        const key = keyOf(action);
        const choice = cells.get(key) ?? { cell: { x: action.x, y: action.y }, rotations: new Map() };
        choice.rotations.set(action.rotation, move);
        cells.set(key, choice);
        break;
      }
      case "place_islander":
        if (placed) spots.push(spot("place", placed, action.segment, move));
        break;
      case "retrieve_islander":
        spots.push(spot("retrieve", { x: action.x, y: action.y }, action.segment, move));
        break;
      case "take_ship":
      case "deliver": {
        const choice = ships.get(action.ship) ?? { ship: action.ship, payments: [] };
        choice.payments.push({ wares: (action.type === "deliver" && action.wares) || NO_WARES, move });
        ships.set(action.ship, choice);
        break;
      }
      case "pass":
        pass = move;
        break;
    }
  }
  return { cells, spots, ships: [...ships.values()], pass };
}

function spot(kind: SpotChoice["kind"], cell: Cell, segment: number, move: Move): SpotChoice {
  return { key: `${kind}:${spotKey(cell, segment)}`, kind, cell, segment, move };
}

/** Whether an islander can only be taken home, and none sent out. */
export function isOnlyHome({ spots }: Choices): boolean {
  return spots.length > 0 && spots.every(({ kind }) => kind === "retrieve");
}

/** The next rotation in which the tile fits, from one on; the same where no other does. */
export function nextRotation(choice: CellChoice, rotation: number): number {
  for (let step = 1; step <= 4; step++) {
    const turned = (rotation + step) % 4;
    if (choice.rotations.has(turned)) return turned;
  }
  return rotation;
}

/** This rotation where the tile fits so, else the next in which it does. */
export function fittingRotation(choice: CellChoice, rotation: number): number {
  return choice.rotations.has(rotation) ? rotation : nextRotation(choice, rotation);
}
