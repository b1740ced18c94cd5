/** What has happened lately, where on the board, and what it brought to whom. */

import type { Diff, Game, Wares } from "south-seas-client";
import { type Cell, keyOf } from "./cells.ts";
import { NO_WARES } from "./choices.ts";
import { WARES } from "./payments.ts";

interface Change {
  readonly game: Game;
  readonly diff: Diff;
}

/** Whether one of these seats decided it, and not somebody for it. */
export function isOwn({ seat, by }: Diff, seats: ReadonlySet<number>): boolean {
  return seat !== null && seats.has(seat) && by !== "bot" && by !== "clock";
}

/** How many of the changes are older than the last decision of one of these seats; for nobody, than the last turn. */
export function newsFrom(course: readonly Change[], seats: ReadonlySet<number>): number {
  return seats.size > 0 ? course.findLastIndex(({ diff }) => isOwn(diff, seats)) + 1 : turnFrom(course);
}

/** How many of the changes are older than the last placed tile. */
export function turnFrom(course: readonly Change[]): number {
  const last = course.findLastIndex(({ diff }) => diff.events.some(({ type }) => type === "tile_placed"));
  return last < 0 ? course.length : last;
}

/** The cells in which something happened, each once. */
export function placesOf({ events }: Diff): Cell[] {
  const places = new Map<string, Cell>();
  for (const event of events) {
    const cells = "cells" in event ? event.cells : "x" in event ? [event] : [];
    for (const { x, y } of cells) places.set(keyOf({ x, y }), { x, y });
  }
  return [...places.values()];
}

export interface Gain {
  readonly wares: Wares;
  readonly points: number;
}

/** What each seat has gained from one state of the game to another, by what happened between: what was paid is no loss. */
export function gainsBetween(
  before: Game,
  after: Game,
  course: readonly Change[],
): ReadonlyMap<number, Gain> {
  const gains = new Map<number, Gain>();
  for (const { seat, wares, ships, points } of after.players) {
    const start = before.players[seat];
    const paid = new Map<string, Wares>();
    for (const { diff } of course)
      for (const event of diff.events)
        if (event.type === "ship_taken" && event.seat === seat && ships.includes(event.ship))
          paid.set(event.ship, event.paid ?? NO_WARES);
    const gained: Record<(typeof WARES)[number], number> = { ...NO_WARES };
    for (const ware of WARES) {
      const spent = [...paid.values()].reduce((sum, payment) => sum + payment[ware], 0);
      gained[ware] = Math.max(0, wares[ware] - (start?.wares[ware] ?? 0) + spent);
    }
    const gain = { wares: gained, points: Math.max(0, points - (start?.points ?? 0)) };
    if (gain.points > 0 || WARES.some((ware) => gain.wares[ware] > 0)) gains.set(seat, gain);
  }
  return gains;
}
