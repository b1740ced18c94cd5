/** What a choice or a feature is worth, as the service says it: words, and what to outline on the board. */

import type { BoardFeature, FeatureValue, GameEvent, Move, Wares } from "south-seas-client";
import { text } from "../messages/index.ts";
import { type Cell, sameCell } from "./cells.ts";
import { NO_WARES } from "./choices.ts";
import { type Gain, gainsIn } from "./news.ts";

export interface Outline {
  readonly cells: readonly Cell[];
  /** The seat in whose colour; null for none's. */
  readonly seat: number | null;
}

export interface Worth {
  readonly words: string;
  readonly outlines: readonly Outline[];
}

/** What a move is worth: what each seat gains by it at once, and what it changes for later. */
export interface MoveWorth extends Worth {
  readonly gains: ReadonlyMap<number, Gain>;
  /** The feature that an islander is sent to, while it is not finished; null for other moves. */
  readonly prospect: FeatureValue | null;
  /** What the player gives up who takes an islander home: wares, or the ship of a market; null for other moves. */
  readonly loss: Wares | "ship" | null;
}

/** What a move is worth beside what comes `anyway`; null where the service has not said so. */
export function worthOfMove(move: Move, anyway: readonly GameEvent[] = []): MoveWorth | null {
  const { action, effects, if_passed: passed, feature, worth } = move;
  if (effects === null || worth === null) return null;
  const events = [...effects, ...(passed ?? [])];
  const coming = new Set(anyway.map((event) => JSON.stringify(event)));
  const more = {
    gains: gainsIn(events.filter((event) => !coming.has(JSON.stringify(event)))),
    prospect: action.type === "place_islander" && feature?.open ? feature : null,
    loss: action.type === "retrieve_islander" && feature ? lossOf(feature, events) : null,
  };
  const evaluated = events.flatMap((event) =>
    event.type === "feature_evaluated" ? [{ cells: event.cells, seat: event.winners[0] ?? null }] : [],
  );
  const words = worth || (action.type === "place_tile" ? text.worth.nothing : "");
  if (feature === null) return { words, outlines: evaluated, ...more };
  // What else is evaluated is so whatever is done with the islander.
  const { cells } = feature;
  const outline = evaluated.find((one) => sameCells(one.cells, cells)) ?? { cells, seat: null };
  return { words, outlines: [outline], ...more };
}

/** What a feature no longer brings without one of the player's islanders; `events` begin with how it is taken home. */
function lossOf({ kind, islanders, wares }: FeatureValue, [retrieved]: readonly GameEvent[]): Wares | "ship" {
  const seat = retrieved && "seat" in retrieved ? retrieved.seat : null;
  const own = islanders.find((one) => one.seat === seat)?.count ?? 0;
  // With more than the others, or with two where nobody else is, one less is enough.
  const others = islanders.filter((one) => one.seat !== seat).map(({ count }) => count);
  if (own !== (others.length > 0 ? Math.max(...others) : 1)) return NO_WARES;
  return kind === "market" ? "ship" : wares;
}

/** What a feature is worth so far, and what it lacks. */
export function worthOfFeature({ text: words, cells, islanders }: BoardFeature): Worth {
  const most = Math.max(0, ...islanders.map(({ count }) => count));
  const seats = islanders.filter(({ count }) => count === most).map(({ seat }) => seat);
  return {
    words,
    outlines: [{ cells, seat: seats.length === 1 ? (seats[0] ?? null) : null }],
  };
}

/** The features on a tile. */
export function featuresOn(features: readonly BoardFeature[], cell: Cell): BoardFeature[] {
  return features.filter(({ segments }) => segments.some((segment) => sameCell(segment, cell)));
}

/** The feature that a segment of a tile belongs to. */
export function featureAt(
  features: readonly BoardFeature[],
  cell: Cell,
  segment: number | null,
): BoardFeature | null {
  return (
    features.find(({ segments }) => segments.some((one) => one.segment === segment && sameCell(one, cell))) ??
    null
  );
}

function sameCells(some: readonly Cell[], others: readonly Cell[]): boolean {
  return some.length === others.length && some.every((cell, index) => sameCell(cell, others[index] ?? null));
}
