/** What a choice or a feature is worth, as the service says it: words, and what to outline on the board. */

import type { BoardFeature, Move } from "south-seas-client";
import { text } from "../messages/index.ts";
import { type Cell, sameCell } from "./cells.ts";

export interface Outline {
  readonly cells: readonly Cell[];
  /** The seat in whose colour; null for none's. */
  readonly seat: number | null;
}

export interface Worth {
  readonly words: string;
  readonly outlines: readonly Outline[];
}

/** What a move is worth; null where the service has not said so. */
export function worthOfMove({ action, effects, if_passed: passed, feature, worth }: Move): Worth | null {
  if (effects === null || worth === null) return null;
  const evaluated = [...effects, ...(passed ?? [])].flatMap((event) =>
    event.type === "feature_evaluated" ? [{ cells: event.cells, seat: event.winners[0] ?? null }] : [],
  );
  const words = worth || (action.type === "place_tile" ? text.worth.nothing : "");
  if (feature === null) return { words, outlines: evaluated };
  // What else is evaluated is so whatever is done with the islander.
  const { cells } = feature;
  return { words, outlines: [evaluated.find((one) => sameCells(one.cells, cells)) ?? { cells, seat: null }] };
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
