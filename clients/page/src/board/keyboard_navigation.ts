/** The board by keyboard: arrows walk it cell by cell, Page Down and Page Up go from choice to choice. */

import type { Game } from "south-seas-client";
import { keyOf } from "../model/cells.ts";
import type { Choices } from "../model/choices.ts";
import { walkedCells } from "../model/described_cells.ts";
import type { Point } from "./view.ts";

const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowUp: { x: 0, y: -1 },
  ArrowRight: { x: 1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
};
const PAGES: Readonly<Record<string, number>> = { PageDown: 1, PageUp: -1 };

/** How much farther something aside of the way counts than something on it. */
const ASIDE = 2.5;

/**
 * The stop that Tab reaches: the last one that had the focus, else what the lesson suggests, else a choice where there
 * are any, else the newest tile.
 */
export function reachableStop(
  game: Game,
  { cells, spots }: Choices,
  active: string | null,
  suggested: string | undefined,
  inSight: ReadonlySet<string>,
): string {
  const choices = [...cells.keys(), ...spots.map(({ key }) => key)];
  const offered = choices.length > 0 ? choices : walkedCells(game).map(keyOf);
  if (active !== null && offered.includes(active)) return active;
  if (suggested !== undefined && choices.includes(suggested)) return suggested;
  const newest = Object.entries(game.board).sort(([, one], [, other]) => other.order - one.order)[0];
  return choices.find((key) => inSight.has(key)) ?? choices[0] ?? newest?.[0] ?? "";
}

/** The stop that a key leads to from the one that has the focus; null for another key. */
export function nextStop(key: string, frame: Element): SVGElement | null {
  const stops = [...frame.querySelectorAll<SVGElement>("[data-stop]")];
  const from = stops.find((stop) => stop === document.activeElement);
  const direction = DIRECTIONS[key];
  const step = PAGES[key];
  if (!direction && step === undefined) return null;
  if (!from) return stops.find((stop) => stop.getAttribute("tabindex") === "0") ?? null;
  return direction ? stopInDirection(direction, from, stops) : choiceAfter(from, stops, step ?? 1);
}

/** The nearest one on the way; the same where there is none. */
function stopInDirection(
  { x: right, y: down }: Point,
  from: SVGElement,
  stops: readonly SVGElement[],
): SVGElement {
  const start = positionOf(from);
  const spotted = new Set(stops.filter(isSpot).map(cellAt));
  let best = from;
  let least = Infinity;
  for (const stop of stops) {
    // A tile with spots is reached by these.
    if (!isSpot(stop) && spotted.has(cellAt(stop))) continue;
    const { x, y } = positionOf(stop);
    const along = (x - start.x) * right + (y - start.y) * down;
    const aside = Math.abs((x - start.x) * down) + Math.abs((y - start.y) * right);
    const distance = along + ASIDE * aside;
    if (stop !== from && along > 0 && distance < least) [best, least] = [stop, distance];
  }
  return best;
}

/** The next choice in the order of reading, after the last one the first; from none of them what the lesson suggests. */
function choiceAfter(from: SVGElement, stops: readonly SVGElement[], step: number): SVGElement {
  const suggested = stops.find((stop) => stop.getAttribute("data-suggested") !== null);
  if (suggested && from.getAttribute("data-choice") === null) return suggested;
  const choices = stops.filter((stop) => stop === from || stop.getAttribute("data-choice") !== null);
  return choices[(choices.indexOf(from) + step + choices.length) % choices.length] ?? from;
}

function isSpot(stop: Element): boolean {
  return stop.getAttribute("data-stop") !== cellAt(stop);
}

function cellAt(stop: Element): string | null {
  return stop.getAttribute("data-cell");
}

function positionOf(stop: Element): Point {
  return { x: Number(stop.getAttribute("data-x")), y: Number(stop.getAttribute("data-y")) };
}
