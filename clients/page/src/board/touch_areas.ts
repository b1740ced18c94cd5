/** Where a touch means which of several spots: a square for each, the larger the more room there is between them. */

import type { Cell } from "../model/cells.ts";

/** The sides of such a square, in units of the board: with the last one, spots of any tile have room beside each other. */
const LEAST = 26;
const SIDES = [95, 75, 60, 50, 40, 35, 29.4, LEAST];
/** How far a spot may be from the middle of its square, as a share of its side. */
const ASIDE = 0.25;
const ROUNDS = 60;

export interface TouchAreas {
  readonly side: number;
  /** The middle of each spot's square: beside the spot, where another one is near. */
  readonly middles: readonly Cell[];
}

/** The areas of spots, with sides of `largest` at most; beside them where they need be, or over each other. */
export function touchAreas(spots: readonly Cell[], largest: number): TouchAreas {
  const apart = Math.min(largest, apartOf(spots));
  for (const side of SIDES.filter((one) => one > apart && one <= largest)) {
    const middles = pushedApart(spots, side);
    if (middles) return { side, middles };
  }
  return { side: Math.max(apart, LEAST), middles: spots };
}

/** The side of the largest squares around spots that do not overlap; Infinity for one alone. */
export function apartOf(spots: readonly Cell[]): number {
  const between = spots.flatMap(({ x, y }, index) =>
    spots.slice(0, index).map((other) => Math.max(Math.abs(other.x - x), Math.abs(other.y - y))),
  );
  return Math.min(...between);
}

/** The middles of squares that do not overlap, each of them over its spot; null where there is no room for them. */
export function pushedApart(spots: readonly Cell[], side: number, aside = ASIDE): readonly Cell[] | null {
  const middles = spots.map(({ x, y }) => ({ x, y }));
  const farthest = aside * side;
  function push(index: number, axis: "x" | "y", by: number): void {
    const [middle, spot] = [middles[index], spots[index]];
    if (middle && spot)
      middle[axis] = Math.max(spot[axis] - farthest, Math.min(middle[axis] + by, spot[axis] + farthest));
  }
  for (let round = 0; round < ROUNDS; round++) {
    let hasMoved = false;
    for (const [index, one] of middles.entries())
      for (const [before, other] of middles.slice(0, index).entries()) {
        const [across, down] = [side - Math.abs(one.x - other.x), side - Math.abs(one.y - other.y)];
        if (across < 1e-6 || down < 1e-6) continue;
        hasMoved = true;
        const axis = across < down ? "x" : "y";
        const by = (one[axis] < other[axis] ? -1 : 1) * (Math.min(across, down) / 2);
        push(index, axis, by);
        push(before, axis, -by);
      }
    if (!hasMoved) return middles;
  }
  return null;
}
