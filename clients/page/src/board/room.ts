/** The room that a frame has between what lies over it. */

import type { Box } from "../model/cells.ts";

/** A frame, and what covers parts of it, in pixels of the frame. */
export interface Room {
  readonly frame: Box;
  readonly covers: readonly Box[];
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Whether the whole of one box is in the other one. */
export function isWithin(one: Box, other: Box): boolean {
  return (
    one.left >= other.left && one.right <= other.right && one.top >= other.top && one.bottom <= other.bottom
  );
}

/** Whether all of a box can be seen and touched. */
export function isClear(box: Box, { frame, covers }: Room): boolean {
  return isWithin(box, frame) && !covers.some((cover) => overlap(cover, box));
}

/** A box that is so much larger, or smaller, on each side. */
export function grown({ left, top, right, bottom }: Box, by: number): Box {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}

/** The smallest box around others. */
export function around(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

export function sizeOf({ left, top, right, bottom }: Box): { width: number; height: number } {
  return { width: right - left, height: bottom - top };
}

/** The part of a frame beside all covers that is worth most, and of equal ones the largest; all of it, where none is left. */
export function largestPart({ frame, covers }: Room, worth: (part: Box) => number = () => 1): Box {
  let best = frame;
  let [most, largest] = [0, 0];
  for (const left of [frame.left, ...covers.map((cover) => cover.right)])
    for (const right of [frame.right, ...covers.map((cover) => cover.left)])
      for (const top of [frame.top, ...covers.map((cover) => cover.bottom)])
        for (const bottom of [frame.bottom, ...covers.map((cover) => cover.top)]) {
          const part = { left, top, right, bottom };
          if (left >= right || top >= bottom || !isClear(part, { frame, covers })) continue;
          const [value, area] = [worth(part), (right - left) * (bottom - top)];
          if (value < most || (value === most && area <= largest)) continue;
          [best, most, largest] = [part, value, area];
        }
  return best;
}

/**
 * Places something, which `place` does in a part of the frame, so that none of its boxes is covered. Room is left only
 * beside what else would cover one.
 */
export function placeBetween<Placed extends { readonly boxes: readonly Box[] }>(
  { frame, covers }: Room,
  worth: (part: Box) => number,
  place: (part: Box) => Placed,
): Placed {
  const beside: Box[] = [];
  for (;;) {
    const placed = place(largestPart({ frame, covers: beside }, worth));
    const over = covers.filter(
      (cover) => !beside.includes(cover) && placed.boxes.some((box) => overlap(box, cover)),
    );
    if (over.length === 0) return placed;
    beside.push(...over);
  }
}
