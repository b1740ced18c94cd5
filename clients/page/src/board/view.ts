/** Which part of the board is seen, and how large: fit, zoom and pan. */

import { type Box, type Cell, SIZE, keyOf } from "../model/cells.ts";
import { isCalm } from "../model/motion.ts";
import {
  type Aim,
  type Place,
  type Target,
  cellBox,
  onScreen,
  placeAll,
  placeMost,
  squareOf,
  targetOf,
  wayInto,
} from "./placing.ts";
import { type Room, grown, isClear } from "./room.ts";

const SMALLEST = 12;
const LARGEST = 400;
const MARGIN = 12;
/** How far things stay from what lies over the board. */
const GAP = 3;
/** How long after its last movement the board rests. */
const REST_MS = 450;
/** On smaller tiles than this, figures are drawn larger than they are. */
const LEGIBLE = 80;
/** On tiles that are so many times as large as they need to be, too little of the board is seen. */
const FAR_LARGER = 2;
/** The least size of a tile that somebody asks for. */
const SHOWN = 76;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The transformation from the board's units to the screen's, kept on the element that is drawn with it. */
export class View {
  /** Whether it follows the board's growth; until the user moves it. */
  isFitted = true;
  /** Whether somebody asked for the whole board, and has not been asked to choose since. */
  private isWhole = false;
  private at: Place = { tile: SIZE, left: 0, top: 0 };
  /** All that the board has. */
  private cells: readonly Cell[] = [];
  private aim: Aim | null = null;
  /** What has been in sight of what is aimed at. */
  private seen: readonly Target[] = [];
  /** Whether the user moved it in order to choose: then it is theirs for as long as the choice. */
  private isMovedToChoose = false;
  private isHeld = false;
  private resting: ReturnType<typeof setTimeout> | undefined;
  /** The frame's size when it was last looked at. */
  private size = { width: 0, height: 0 };

  /** `covers` says what lies over the frame, in its pixels; `onRest` hears that the view has moved. */
  constructor(
    private readonly frame: Element,
    private readonly drawn: SVGGElement,
    private readonly covers: () => readonly Box[],
    private readonly onRest: () => void,
  ) {}

  /** Shows these cells, which are all, unless the user looks at something else. */
  fit(cells: readonly Cell[]): void {
    this.cells = cells;
    const room = this.room();
    if (!this.isFitted || !room || cells.length === 0) return;
    const { place } = placeAll(cells, room);
    if (this.aim && !this.isWhole && place.tile < this.aim.least) this.bring(this.aim);
    else this.move(place, true);
  }

  /** The same again. */
  private refit(): void {
    this.fit(this.cells);
  }

  /** Shows the whole board, whatever was looked at. */
  showWhole(): void {
    this.isFitted = true;
    this.isWhole = true;
    this.aim = null;
    this.refit();
  }

  /** The frame has another size: the same cells again, or the same middle, with a choice in sight if one was. */
  resized(): void {
    const { width, height } = this.frame.getBoundingClientRect();
    const before = this.size;
    if (width === 0 || height === 0 || (width === before.width && height === before.height)) return;
    this.size = { width, height };
    if (this.isFitted) return this.refit();
    const frame = { left: 0, top: 0, right: before.width, bottom: before.height };
    const hadChoice = this.clearIn({ frame, covers: [] }).length > 0;
    this.shift((width - before.width) / 2, (height - before.height) / 2, false);
    if (this.aim && hadChoice && this.inSight.length === 0) this.bring(this.aim);
  }

  /** Something may have come to lie over the board: what can be chosen comes out from under it. */
  covered(): void {
    const isCovered = this.aim !== null && this.inSight.length < this.aim.targets.length;
    if (isCovered && !this.isHeld) this.refit();
  }

  /**
   * Follows what can be chosen now, or has happened; null where there is nothing. It stays where that is in sight, and
   * large enough.
   */
  aimAt(aim: Aim | null): void {
    this.aim = aim;
    this.seen = [];
    if (this.isHeld) return;
    if (aim?.isChoice) this.isWhole = false;
    else if (this.isMovedToChoose) this.isFitted = true;
    if (this.isFitted) this.refit();
    else if (aim?.isChoice) this.bring(aim);
  }

  /** What is aimed at and can be seen, and touched, without moving the view. */
  get inSight(): readonly Target[] {
    const room = this.room([], 0, 0);
    return room ? this.clearIn(room) : [];
  }

  /** What of the aim is clear in a room. */
  private clearIn(room: Room, targets = this.aim?.targets ?? []): readonly Target[] {
    const { tile } = this.at;
    return targets.filter((target) => isClear(onScreen(squareOf(target, tile), this.at), room));
  }

  /** Shows what can be chosen and has not been in sight yet; after the last, all again. */
  showOthers(): void {
    if (!this.aim) return;
    const { targets } = this.aim;
    this.seen = [...this.seen, ...this.inSight];
    let unseen = targets.filter((target) => !this.seen.includes(target));
    if (unseen.length === 0) [unseen, this.seen] = [[...targets], []];
    const size = Math.max(this.aim.size, this.at.tile);
    this.showMost({ ...this.aim, targets: unseen, first: [], size });
  }

  /** Stays while a tile is dragged over it. */
  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    this.aimAt(this.aim);
  }

  /**
   * Brings what is aimed at into sight, as much of it as there is room for. Where some of it is there already, and large
   * enough, the view moves only to show all; but not on tiles so large that the last choice needed them, and this does
   * not.
   */
  private bring(aim: Aim): void {
    const { inSight } = this;
    const { targets, first } = aim;
    // The size that the view was given may differ in the last digit.
    const isTooLarge = this.isFitted && this.at.tile > FAR_LARGER * aim.size;
    const isLarge = this.at.tile > aim.least - 0.1 && !isTooLarge;
    if (targets.length === 0 || (isLarge && inSight.length === targets.length)) return;
    const isEnough = inSight.length > 0 && first.every((key) => inSight.some((target) => target.key === key));
    const size = this.isFitted ? aim.size : Math.max(aim.size, this.at.tile);
    this.showMost({ ...aim, size }, isLarge && isEnough ? targets.length : 1);
  }

  /** Shows as much as there is room for, if that is so much at least. */
  private showMost(aim: Aim, atLeast = 1, covers: readonly Box[] = []): void {
    const room = this.room(covers);
    if (!room) return;
    const { width, height } = this.frame.getBoundingClientRect();
    const { tile, left, top } = this.at;
    const middle = { x: (width / 2 - left) / tile, y: (height / 2 - top) / tile };
    const { place, boxes } = placeMost(aim, middle, room);
    if (boxes.length >= atLeast) this.move(place, true);
  }

  pan(across: number, down: number): void {
    this.leave();
    this.shift(across, down, false);
  }

  /** Zooms; what is at `at` (of the frame's middle, where it is left out) stays where it is. */
  zoom(factor: number, at?: Point, smooth = false): void {
    const { left, top, width, height } = this.frame.getBoundingClientRect();
    const fixed = at ? { x: at.x - left, y: at.y - top } : { x: width / 2, y: height / 2 };
    const before = this.at;
    const tile = Math.max(SMALLEST, Math.min(before.tile * factor, LARGEST));
    this.leave();
    this.move(
      {
        tile,
        left: fixed.x - ((fixed.x - before.left) * tile) / before.tile,
        top: fixed.y - ((fixed.y - before.top) * tile) / before.tile,
      },
      smooth,
    );
  }

  /** Brings a cell into sight where it is outside, or under something. */
  reveal(cell: Cell): void {
    const { across, down } = this.wayTo(cell, []);
    if (across !== 0 || down !== 0) this.pan(across, down);
  }

  /** The same where more covers the frame, for a while. */
  uncover(cell: Cell, covers: readonly Box[]): void {
    const { across, down } = this.wayTo(cell, covers);
    this.shift(across, down, true);
  }

  private wayTo(cell: Cell, covers: readonly Box[]): { readonly across: number; readonly down: number } {
    const room = this.room(covers);
    return room ? wayInto(onScreen(cellBox(cell), this.at), room) : { across: 0, down: 0 };
  }

  /** Goes to cells that somebody asks for, as near as before or so near that they are well seen, beside what covers more. */
  show(cells: readonly Cell[], covers: readonly Box[]): void {
    this.leave();
    const targets = cells.map((cell) => targetOf(keyOf(cell), cell));
    const size = Math.max(SHOWN, this.at.tile);
    this.showMost({ isChoice: false, targets, first: [], least: 0, size }, 1, covers);
  }

  /** Goes to where it sees the most of these cells, on tiles of this size at least; stays where it sees all of them so. */
  showMostOf(cells: readonly Cell[], least: number): void {
    const targets = cells.map((cell) => targetOf(keyOf(cell), cell));
    const room = this.room([], 0, 0);
    const isLarge = this.at.tile > least - 0.1;
    if (!room || (isLarge && this.clearIn(room, targets).length === targets.length)) return;
    this.leave();
    const size = Math.max(least, Math.min(SHOWN, this.at.tile));
    this.showMost({ isChoice: false, targets, first: [], least, size });
  }

  /** The point of the board under a point of the screen. */
  boardPoint({ x, y }: Point): Point {
    const { left, top } = this.frame.getBoundingClientRect();
    const scale = this.at.tile / SIZE;
    return { x: (x - left - this.at.left) / scale, y: (y - top - this.at.top) / scale };
  }

  /** The cell under a point of the screen. */
  cellAt(point: Point): Cell {
    const { x, y } = this.boardPoint(point);
    return { x: Math.floor(x / SIZE), y: Math.floor(y / SIZE) };
  }

  /** How large a tile is on the screen. */
  get tileSize(): number {
    return this.at.tile;
  }

  /** The frame within a margin, and what lies over it, with what else does so; null while it is not shown. */
  private room(more: readonly Box[] = [], margin = MARGIN, gap = GAP): Room | null {
    const { width, height } = this.frame.getBoundingClientRect();
    if (width === 0 || height === 0) return null;
    const frame = grown({ left: 0, top: 0, right: width, bottom: height }, -margin);
    return { frame, covers: [...this.covers(), ...more].map((cover) => grown(cover, gap)) };
  }

  /** The user has moved it. */
  private leave(): void {
    this.isMovedToChoose = this.isFitted ? this.aim?.isChoice === true : this.isMovedToChoose;
    this.isFitted = false;
  }

  private shift(across: number, down: number, smooth: boolean): void {
    const { tile, left, top } = this.at;
    this.move({ tile, left: left + across, top: top + down }, smooth);
  }

  private move(place: Place, smooth: boolean): void {
    this.at = place;
    const { tile, left, top } = place;
    // A layer of its own moves fast, but is drawn anew, and sharp, only once it is none any more.
    this.drawn.style.willChange = "transform";
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST_MS);
    this.drawn.style.transition = smooth && !isCalm() ? "transform 350ms ease" : "none";
    this.drawn.style.transform = `translate(${left}px, ${top}px) scale(${tile / SIZE})`;
    this.drawn.style.setProperty("--tile", String(tile));
    this.drawn.style.setProperty("--figure", String(Math.max(1, Math.min(LEGIBLE / tile, 1.8))));
  }

  private rest(): void {
    this.drawn.style.willChange = "";
    this.onRest();
  }
}

/** Holds the view while there is a board. */
export interface ViewRef {
  current: View | null;
}
