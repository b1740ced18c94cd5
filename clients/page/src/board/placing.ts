/** Where the board has to be, and how large, so that what matters on it is in sight. */

import type { Box, Cell } from "../model/cells.ts";
import { FINGER } from "../model/pointer.ts";
import { type Room, around, isWithin, placeBetween, sizeOf } from "./room.ts";

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

/** What can be chosen, or has happened, and how large a tile is on the screen so that a finger, or a mouse, hits it. */
export interface Aim {
  /** Whether it can be chosen. */
  readonly isChoice: boolean;
  readonly targets: readonly Target[];
  /** Those that have to be in sight before others. */
  readonly first: readonly string[];
  /** A tile of this size is large enough. */
  readonly least: number;
  /** The size for a tile that was smaller. */
  readonly size: number;
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
 * As many targets as there is room for, the first ones before others, the nearest to `middle` before farther ones; tiles
 * have the wanted size where one fits, and their least size in any case.
 */
export function placeMost({ targets, first, least, size }: Aim, middle: Cell, room: Room): Placing {
  const worth = (part: Box): number => {
    const { width, height } = sizeOf(part);
    return Math.min(width / size, height / size, 1) * width * height;
  };
  return placeBetween(room, worth, (part) => {
    const { width, height } = sizeOf(part);
    const tile = Math.max(least, Math.min(size, width, height));
    const shown = mostWithin({ width: width / tile, height: height / tile }, targets, first, middle, tile);
    const needed = shown.map((target) => squareOf(target, tile));
    const cells = shown.map(({ x, y }) => cellBox({ x: Math.floor(x), y: Math.floor(y) }));
    const inFull = around([...needed, ...cells]);
    const hasRoom = sizeOf(inFull).width * tile <= width && sizeOf(inFull).height * tile <= height;
    return centred(hasRoom ? inFull : around(needed), part, tile, needed);
  });
}

/** The most targets that are in one window of the board. */
function mostWithin(
  { width, height }: { width: number; height: number },
  targets: readonly Target[],
  first: readonly string[],
  middle: Cell,
  tile: number,
): readonly Target[] {
  const squares = targets.map((target) => squareOf(target, tile));
  let best = targets.filter(({ key }) => key === (first[0] ?? targets[0]?.key));
  let [most, nearest] = [0, Infinity];
  // A window begins at the left of one square and at the top of another one.
  for (const left of new Set(squares.map((square) => square.left)))
    for (const top of new Set(squares.map((square) => square.top))) {
      const window = { left, top, right: left + width, bottom: top + height };
      const within = targets.filter((_, index) => isWithin(squares[index] ?? window, window));
      const value = within.length + targets.length * within.filter(({ key }) => first.includes(key)).length;
      const away = Math.min(...within.map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y)));
      if (value < most || (value === most && away >= nearest)) continue;
      [best, most, nearest] = [within, value, away];
    }
  return best;
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
