/** Where the board has to be, and how large, so that what matters on it is in sight. */

import type { Box, Cell } from "../model/cells.ts";
import { FINGER } from "../model/pointer.ts";
import { type Room, around, isClear, largestPart, placeBetween, sizeOf } from "./room.ts";

/** The largest that a tile is drawn by itself, so that a small board does not fill the screen with one tile. */
const LARGEST_FIT = 150;
/** Something that can be chosen: a square, in cells. */
export interface Target {
  readonly key: string;
  /** Its middle. */
  readonly x: number;
  readonly y: number;
  /** Half of its side. */
  readonly half: number;
}

/** What a frame is to show, each group before all that follow it. */
export interface Wanted {
  /** Keys of the targets that come before the others. */
  readonly first: readonly string[];
  readonly targets: readonly Target[];
  /** Where something has happened last. */
  readonly latest: readonly Cell[];
  /** Where the player has islanders. */
  readonly own: readonly Cell[];
}

/** What can be chosen, or has happened. */
export interface Aim extends Wanted {
  /** Whether the targets can be chosen, and whether one of them is. */
  readonly isChoice: boolean;
  readonly isChosen: boolean;
  /** The least size of a tile on the screen with which a finger, or a mouse, hits them. */
  readonly tile: number;
}

/** The size of a tile, and where the cell (0, 0) is in the frame, in its pixels. */
export interface Place {
  readonly tile: number;
  readonly left: number;
  readonly top: number;
}

export interface Placing {
  readonly place: Place;
  /** Where the things are that it brings into sight. */
  readonly boxes: readonly Box[];
}

/** A cell as a target. */
export function targetOf(key: string, { x, y }: Cell): Target {
  return { key, x: x + 0.5, y: y + 0.5, half: 0.5 };
}

export function cellOfTarget({ x, y }: Target): Cell {
  return { x: Math.floor(x), y: Math.floor(y) };
}

/** As much of a target as a finger needs, on tiles of this size. */
export function squareOf({ x, y, half }: Target, tile: number): Box {
  const reach = Math.min(half, FINGER / 2 / tile);
  return { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach };
}

/** A box of the board in pixels of the frame. */
export function onScreen(box: Box, { tile, left, top }: Place): Box {
  return {
    left: left + box.left * tile,
    top: top + box.top * tile,
    right: left + box.right * tile,
    bottom: top + box.bottom * tile,
  };
}

export function cellBox({ x, y }: Cell): Box {
  return { left: x, top: y, right: x + 1, bottom: y + 1 };
}

/** All of these cells, as large as can be. */
export function placeAll(cells: readonly Cell[], room: Room): Placing {
  const boxes = cells.map(cellBox);
  const whole = around(boxes);
  const { width, height } = sizeOf(whole);
  const fitting = (part: Box): number =>
    Math.min(sizeOf(part).width / width, sizeOf(part).height / height, LARGEST_FIT);
  return placeBetween(room, fitting, (part) => centred(whole, part, fitting(part), boxes));
}

/**
 * The best place for a frame on tiles of one size: it shows the most of what is wanted, then of the `tiles`, and leaves no
 * side empty while some of the board is beyond the other one. Of equal places it is the nearest to `from`;
 * and `from` itself, where that shows as much of the targets and of what has happened last.
 */
export function bestPlace(wanted: Wanted, tiles: readonly Cell[], room: Room, from: Place): Place {
  const { tile } = from;
  const still = { tile, left: 0, top: 0 };
  const boxesOf = (some: readonly Cell[]): Box[] => some.map((cell) => onScreen(cellBox(cell), still));
  const targets = wanted.targets.map((target) => onScreen(squareOf(target, tile), still));
  const first = targets.filter((_, index) => wanted.first.includes(wanted.targets[index]?.key ?? ""));
  const due = [first, targets, boxesOf(wanted.latest)];
  const ours = [...due, boxesOf(wanted.own)];
  const board = boxesOf([...tiles, ...wanted.targets.map(cellOfTarget)]);
  const seenOf = (boxes: readonly Box[], { left, top }: Place): readonly Box[] =>
    boxes.filter((box) => isClear(onScreen(box, { tile: 1, left, top }), room));
  const valueOf = (groups: readonly (readonly Box[])[], place: Place): number =>
    groups.reduce((value, group) => value * (group.length + 1) + seenOf(group, place).length, 0);

  const window = largestPart(room);
  const [across, down] = [rangeOf(board, window, ACROSS), rangeOf(board, window, DOWN)];
  const nearest = { tile, left: across.nearest(from.left), top: down.nearest(from.top) };
  let best = filled(nearest, board, window);
  let most = { ours: -1, tiles: 0, away: 0 };
  // In some best place something is at the left end of the room that it is in, and something at the upper end.
  for (const left of [
    nearest.left,
    ...across.all([room.frame.left, ...room.covers.map(({ right }) => right)], ours.flat()),
  ])
    for (const top of [
      nearest.top,
      ...down.all([room.frame.top, ...room.covers.map(({ bottom }) => bottom)], ours.flat()),
    ]) {
      const place = filled({ tile, left, top }, board, window);
      const value = valueOf(ours, place);
      if (value < most.ours) continue;
      const [tilesSeen, away] = [seenOf(board, place).length, awayFrom(place, nearest)];
      const isSame = value === most.ours && tilesSeen === most.tiles;
      if (isSame ? away >= most.away : value === most.ours && tilesSeen < most.tiles) continue;
      [best, most] = [place, { ours: value, tiles: tilesSeen, away }];
    }
  const isGood = valueOf(due, from) === valueOf(due, best) && awayFrom(from, filled(from, board, window)) < 1;
  if (isGood) return from;
  // What is seen has others around it, where there is room.
  const seen = seenOf(due.flat(), best);
  if (seen.length === 0) return best;
  const middle = around(seen);
  for (const share of [1, 0.5]) {
    const left =
      best.left + share * ((window.left + window.right - middle.left - middle.right) / 2 - best.left);
    const top = best.top + share * ((window.top + window.bottom - middle.top - middle.bottom) / 2 - best.top);
    const place = filled({ tile, left: across.within(left), top: down.within(top) }, board, window);
    if (valueOf(ours, place) >= valueOf(ours, best)) return place;
  }
  return best;
}

function awayFrom(one: Place, other: Place): number {
  return Math.hypot(one.left - other.left, one.top - other.top);
}

/** One of the two ways in which a board moves: the sides of a box at the beginning and the end of it. */
interface Axis {
  readonly start: "left" | "top";
  readonly end: "right" | "bottom";
}
const ACROSS: Axis = { start: "left", end: "right" };
const DOWN: Axis = { start: "top", end: "bottom" };

/** So much within an edge things are in spite of rounding, in pixels. */
const INSIDE = 0.001;

/** How far a board may move along an axis, so that the window is full of it, or all of it in the window. */
function rangeOf(board: readonly Box[], window: Box, { start, end }: Axis) {
  const whole = around(board);
  const ends = [window[start] - whole[start], window[end] - whole[end]] as const;
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const isWhole = whole[end] - whole[start] <= window[end] - window[start];
  const within = (at: number): number => Math.max(least, Math.min(at, most));
  return {
    within,
    /** In the middle, where there is room for all of it. */
    nearest: (at: number): number => (isWhole ? (least + most) / 2 : within(at)),
    /** Those with one of the squares at one of the edges. */
    all: (edges: readonly number[], squares: readonly Box[]): Set<number> =>
      new Set([
        ...edges.flatMap((edge) => squares.map((square) => within(edge + INSIDE - square[start]))),
        least,
        most,
      ]),
  };
}

/** Moves a place so that no side of the window is empty while some of the board, beside what is seen, is beyond the other. */
export function filled(place: Place, board: readonly Box[], window: Box): Place {
  let { left, top } = place;
  // What one way brings into sight may leave room on the other one.
  for (let round = 0; round < 3; round++) {
    left += wayToFill(board, window, ACROSS, left, DOWN, top);
    top += wayToFill(board, window, DOWN, top, ACROSS, left);
  }
  return { ...place, left, top };
}

function wayToFill(
  board: readonly Box[],
  window: Box,
  along: Axis,
  at: number,
  aside: Axis,
  atAside: number,
): number {
  let [first, last] = [Infinity, -Infinity];
  for (const cell of board) {
    if (cell[aside.end] + atAside <= window[aside.start] || cell[aside.start] + atAside >= window[aside.end])
      continue;
    first = Math.min(first, cell[along.start] + at);
    last = Math.max(last, cell[along.end] + at);
  }
  const [before, after] = [first - window[along.start], window[along.end] - last];
  if (before > 0 && after < 0) return -Math.min(before, -after);
  return before < 0 && after > 0 ? Math.min(after, -before) : 0;
}

/** The least way of something into the frame, and out from under what covers it. */
export function wayInto(box: Box, room: Room): { readonly across: number; readonly down: number } {
  const { width, height } = sizeOf(box);
  const across = (part: Box): number =>
    Math.max(part.left - box.left, 0) || Math.min(part.right - box.right, 0);
  const down = (part: Box): number =>
    Math.max(part.top - box.top, 0) || Math.min(part.bottom - box.bottom, 0);
  const worth = (part: Box): number =>
    Math.min(sizeOf(part).width / width, sizeOf(part).height / height, 1) /
    (1 + Math.hypot(across(part), down(part)));
  return placeBetween(room, worth, (part) => {
    const way = { across: across(part), down: down(part) };
    return { ...way, boxes: [onScreen(box, { tile: 1, left: way.across, top: way.down })] };
  });
}

/** A box of the board in the middle of a part of the frame. */
function centred(box: Box, part: Box, tile: number, boxes: readonly Box[]): Placing {
  const place = {
    tile,
    left: (part.left + part.right - (box.left + box.right) * tile) / 2,
    top: (part.top + part.bottom - (box.top + box.bottom) * tile) / 2,
  };
  return { place, boxes: boxes.map((one) => onScreen(one, place)) };
}
