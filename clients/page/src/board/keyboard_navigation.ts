/** The board by keyboard: arrows go from choice to choice. */

import type { Point } from "./view.ts";

const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowUp: { x: 0, y: -1 },
  ArrowRight: { x: 1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
};

/** How much farther something aside of the way counts than something on it. */
const ASIDE = 2.5;

/** The choice that an arrow key leads to from the one that has the focus, or the first; null for another key. */
export function choiceInDirection(key: string, frame: Element): SVGElement | null {
  const direction = DIRECTIONS[key];
  if (!direction) return null;
  const choices = [...frame.querySelectorAll<SVGElement>("[data-choice]")];
  const from = choices.find((choice) => choice === document.activeElement);
  if (!from) return choices.find((choice) => choice.getAttribute("tabindex") === "0") ?? null;
  const start = positionOf(from);
  let best: SVGElement | null = null;
  let least = Infinity;
  for (const choice of choices) {
    const { x, y } = positionOf(choice);
    const along = (x - start.x) * direction.x + (y - start.y) * direction.y;
    const aside = Math.abs((x - start.x) * direction.y) + Math.abs((y - start.y) * direction.x);
    const distance = along + ASIDE * aside;
    if (choice !== from && along > 0 && distance < least) [best, least] = [choice, distance];
  }
  return best ?? from;
}

export function positionOf(choice: Element): Point {
  return { x: Number(choice.getAttribute("data-x")), y: Number(choice.getAttribute("data-y")) };
}
