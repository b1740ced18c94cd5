/** What has happened lately, where on the board, and what it brought to whom. */

import type { Diff, Game, GameEvent, Wares } from "south-seas-client";
import { type Cell, keyOf } from "./cells.ts";
import { NO_WARES } from "./choices.ts";
import { WARES, eachWare } from "./payments.ts";

interface Change {
  readonly game: Game;
  readonly diff: Diff;
}

/** Whether one of these seats decided it, and not somebody for it. */
export function isOwn({ seat, by }: Diff, seats: ReadonlySet<number>): boolean {
  return seat !== null && seats.has(seat) && by !== "bot" && by !== "clock";
}

/** How many changes are older than the last decision of these seats that was not taken back; for nobody, than the last turn. */
export function newsFrom(course: readonly Change[], seats: ReadonlySet<number>): number {
  if (seats.size === 0) return turnFrom(course);
  let undone = 0;
  const isOlder = ({ diff }: Change): boolean => {
    if (!isOwn(diff, seats)) return diff.events.some(({ type }) => type === "game_started");
    if (!diff.events.some(({ type }) => type === "move_undone")) return undone-- <= 0;
    undone++;
    return false;
  };
  return course.findLastIndex(isOlder) + 1;
}

/** How many of the changes are older than the last placed tile. */
export function turnFrom(course: readonly Change[]): number {
  const last = course.findLastIndex(placesTile);
  return last < 0 ? course.length : last;
}

function placesTile({ diff }: Change): boolean {
  return diff.events.some(({ type }) => type === "tile_placed");
}

/** The cells of the last tile that each seat has placed, in the last round, by seat. */
export function lastTiles(course: readonly Change[], players: number): ReadonlyMap<number, Cell> {
  const placed = course.flatMap(({ diff }) => diff.events).filter(({ type }) => type === "tile_placed");
  return new Map(
    placed.slice(-players).flatMap((event) => (event.type === "tile_placed" ? [[event.seat, event]] : [])),
  );
}

/** Changes that follow each other in the turn of one seat, together. */
export function byTurn<One extends Change>(course: readonly One[]): One[][] {
  const turns: One[][] = [];
  for (const change of course) {
    const { diff } = turns.at(-1)?.[0] ?? {};
    const goesOn = diff && diff.seat !== null && diff.seat === change.diff.seat && !placesTile(change);
    if (goesOn) turns.at(-1)?.push(change);
    else turns.push([change]);
  }
  return turns;
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

/** What each seat gains by some events; what is paid is no loss. */
export function gainsIn(events: readonly GameEvent[]): ReadonlyMap<number, Gain> {
  const gains = new Map<number, Gain>();
  const add = (seat: number, wares: Wares, points: number): void => {
    if (points === 0 && WARES.every((ware) => wares[ware] === 0)) return;
    const before = gains.get(seat) ?? { wares: NO_WARES, points: 0 };
    const sum = eachWare((ware) => before.wares[ware] + wares[ware]);
    gains.set(seat, { wares: sum, points: before.points + points });
  };
  for (const event of events) {
    if (event.type === "feature_evaluated") event.winners.forEach((seat) => add(seat, event.wares, 0));
    if (event.type === "ship_taken") add(event.seat, NO_WARES, event.points);
  }
  return gains;
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
