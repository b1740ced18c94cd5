/** Which part of the board is seen, and how large: fit, zoom and pan. */

import { type Box, type Cell, SIZE } from "../model/cells.ts";
import { isCalm } from "../model/motion.ts";
import {
  type Aim,
  type Place,
  type Target,
  type Wanted,
  bestPlace,
  cellBox,
  cellOfTarget,
  filled,
  onScreen,
  placeAll,
  squareOf,
  wayInto,
} from "./placing.ts";
import { type Room, grown, isClear, largestPart } from "./room.ts";

const SMALLEST = 12;
const LARGEST = 400;
const MARGIN = 12;
/** How far things stay from what lies over the board. */
const GAP = 3;
/** How long after its last movement the board rests. */
const REST_MS = 450;
/** On smaller tiles than this, figures are drawn larger than they are. */
const LEGIBLE = 80;
/** The least size of a tile that somebody asks for. */
const SHOWN = 76;

const NOTHING: Wanted = { first: [], targets: [], latest: [], own: [] };

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
  /** All that the board has: with the free cells beside the tiles, and without. */
  private cells: readonly Cell[] = [];
  private tiles: readonly Cell[] = [];
  private aim: Aim | null = null;
  /** What has been in sight of what is aimed at. */
  private seen: readonly Target[] = [];
  /** Whether the user moved it in order to choose: then it is theirs for as long as the choice. */
  private isMovedToChoose = false;
  /** Whether they have moved it since they were asked to choose. */
  private isMovedSinceAsked = false;
  private isHeld = false;
  /** Whether it was to move while it was held. */
  private isDue = false;
  /** Whether something of what it shows is chosen: then it stays until the next question. */
  private isStill = false;
  private resting: ReturnType<typeof setTimeout> | undefined;
  /** The frame on the screen when it was last looked at. */
  private size = { left: 0, top: 0, width: 0, height: 0 };

  /** `covers` says what lies over the frame, in its pixels; `onRest` hears that the view has moved. */
  constructor(
    private readonly frame: Element,
    private readonly drawn: SVGGElement,
    private readonly covers: () => readonly Box[],
    private readonly onRest: () => void,
  ) {}

  /** Shows these cells, which are all, unless the user looks at something else; on `tiles` of them something lies. */
  fit(cells: readonly Cell[], tiles = cells): void {
    this.cells = cells;
    this.tiles = tiles;
    if (this.isFitted) this.follow();
  }

  /**
   * Goes where the board is to be seen from now: as a whole where its tiles are large enough then, else where the most of
   * what is aimed at is in sight. Only this moves the view without being asked to.
   */
  private follow(): void {
    const room = this.room();
    this.isDue = this.isHeld;
    if (!room || this.cells.length === 0 || this.isHeld) return;
    const { aim, isFitted } = this;
    if (this.isStill) return this.keepChosen();
    const { place } = placeAll(this.cells, room);
    if (isFitted && (!aim || this.isWhole || place.tile >= aim.tile)) this.move(place, true);
    else if (aim) this.goTo(aim, isFitted ? aim.tile : Math.max(aim.tile, this.at.tile));
  }

  /** What is chosen comes out from under what covers its middle, by as little as can be. */
  private keepChosen(): void {
    const room = this.room([], 0, 0);
    const chosen = this.aim?.targets.filter(({ key }) => this.aim?.first.includes(key)) ?? [];
    if (!room) return;
    for (const target of chosen) {
      const middle = onScreen(squareOf({ ...target, half: 0 }, this.at.tile), this.at);
      const { across, down } = wayInto(onScreen(squareOf(target, this.at.tile), this.at), room);
      if (!isClear(middle, room)) this.shift(across, down, true);
    }
  }

  /** Goes to the best place for what is wanted, on tiles of this size, beside what else covers the frame. */
  private goTo(wanted: Wanted, tile: number, covers: readonly Box[] = []): void {
    // What brings it here may have changed the frame, too.
    this.resized();
    const room = this.room(covers, 0, 0);
    if (room) this.move(bestPlace(wanted, this.tiles, room, this.scaled(tile)), true);
  }

  /** Shows the whole board, whatever was looked at. */
  showWhole(): void {
    this.isFitted = true;
    this.isWhole = true;
    this.aim = null;
    this.isStill = false;
    this.follow();
  }

  /** The frame has another size: the same cells again, or the same middle, with a choice in sight if one was. */
  resized(): void {
    const { left, top, width, height } = this.frame.getBoundingClientRect();
    const before = this.size;
    if (width === 0 || height === 0 || (width === before.width && height === before.height)) return;
    this.size = { left, top, width, height };
    // What changes by a tap is its height; a device that is turned is another screen.
    this.isStill &&= width === before.width;
    if (this.isStill) this.shift(before.left - left, before.top - top, false);
    if (this.isFitted) return this.follow();
    const frame = { left: 0, top: 0, right: before.width, bottom: before.height };
    const hadChoice = this.clearIn({ frame, covers: [] }).length > 0;
    this.shift((width - before.width) / 2, (height - before.height) / 2, false);
    if (hadChoice && this.inSight.length === 0) this.follow();
  }

  /** Something may have come to lie over the board: what can be chosen comes out from under it. */
  covered(): void {
    const { aim, inSight, isFitted } = this;
    const isCovered = aim !== null && (inSight.length < aim.targets.length || !this.sees(aim.latest));
    if (isCovered && isFitted) this.follow();
  }

  /**
   * Follows what can be chosen now, or has happened; null where there is nothing. Where the user has moved it since they
   * were asked, it stays as long as they see what to choose; where they have chosen, until they are asked something else.
   */
  aimAt(aim: Aim | null): void {
    if (!this.aim?.isChoice) this.isMovedSinceAsked = false;
    this.isStill = aim?.isChosen === true && this.aim !== null && isAnswered(this.aim, aim);
    this.aim = aim;
    this.seen = [];
    if (this.isStill) return this.follow();
    if (aim?.isChoice) this.isWhole = false;
    else if (this.isMovedToChoose) this.isFitted = true;
    const isTheirs = this.isMovedSinceAsked && this.seesFirst();
    if (this.isFitted || (aim?.isChoice && !isTheirs)) this.follow();
  }

  /** Whether what has to be in sight before others is there, or one of them all. */
  private seesFirst(): boolean {
    const { inSight } = this;
    return (
      inSight.length > 0 && !this.aim?.first.some((key) => inSight.every((target) => target.key !== key))
    );
  }

  /** What is aimed at and can be seen, and touched, without moving the view. */
  get inSight(): readonly Target[] {
    const room = this.room([], 0, 0);
    return room ? this.clearIn(room) : [];
  }

  /** What of the aim is clear in a room. */
  private clearIn(room: Room): readonly Target[] {
    const targets = this.aim?.targets ?? [];
    return targets.filter((target) => isClear(onScreen(squareOf(target, this.at.tile), this.at), room));
  }

  /** Shows what can be chosen and has not been in sight yet; after the last, all again. */
  showOthers(): void {
    if (!this.aim) return;
    const { targets, tile } = this.aim;
    this.seen = [...this.seen, ...this.inSight];
    let unseen = targets.filter((target) => !this.seen.includes(target));
    if (unseen.length === 0) [unseen, this.seen] = [[...targets], []];
    this.goTo({ ...NOTHING, targets: unseen }, Math.max(tile, this.at.tile));
  }

  /** Stays while a tile is dragged over it. */
  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    if (this.isDue) this.follow();
  }

  pan(across: number, down: number): void {
    this.leave();
    this.shift(across, down, false);
  }

  /** Zooms; what is at `at` stays where it is. Where that is left out, no side is empty then, if that can be. */
  zoom(factor: number, at?: Point): void {
    const { left, top } = this.frame.getBoundingClientRect();
    const tile = Math.max(SMALLEST, Math.min(this.at.tile * factor, LARGEST));
    this.leave();
    if (at) return this.move(this.scaled(tile, { x: at.x - left, y: at.y - top }), false);
    const place = this.scaled(tile);
    const room = this.room([], 0, 0);
    const board = this.tiles.map((cell) => onScreen(cellBox(cell), { tile, left: 0, top: 0 }));
    this.move(room ? filled(place, board, largestPart(room)) : place, true);
  }

  /** The place on tiles of another size; what is at a point of the frame, else in its middle, stays there. */
  private scaled(tile: number, at?: Point): Place {
    const { width, height } = this.frame.getBoundingClientRect();
    const { x, y } = at ?? { x: width / 2, y: height / 2 };
    const { tile: before, left, top } = this.at;
    return { tile, left: x - ((x - left) * tile) / before, top: y - ((y - top) * tile) / before };
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
    this.goToAsked(cells, Math.max(SHOWN, this.at.tile), covers);
  }

  /** Goes to where it sees the most of these cells, on tiles of this size at least; stays where it sees all of them so. */
  showMostOf(cells: readonly Cell[], least: number): void {
    if (this.at.tile > least - 0.1 && this.sees(cells)) return;
    this.goToAsked(cells, Math.max(least, Math.min(SHOWN, this.at.tile)));
  }

  /** What can be chosen is still wanted after what somebody asks for. */
  private goToAsked(cells: readonly Cell[], tile: number, covers: readonly Box[] = []): void {
    this.leave();
    const own = this.aim?.targets.map(cellOfTarget) ?? [];
    this.goTo({ ...NOTHING, latest: cells, own }, tile, covers);
  }

  /** Whether all of these cells are clear. */
  private sees(cells: readonly Cell[]): boolean {
    const room = this.room([], 0, 0);
    return room !== null && cells.every((cell) => isClear(onScreen(cellBox(cell), this.at), room));
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

  /** Where a cell is in the frame. */
  boxOf(cell: Cell): Box {
    return onScreen(cellBox(cell), this.at);
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
    this.isMovedSinceAsked = true;
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
    this.drawn.style.setProperty("--figure", String(Math.max(1, Math.min(LEGIBLE / tile, 1.8))));
  }

  private rest(): void {
    this.drawn.style.willChange = "";
    this.onRest();
  }
}

/** Whether the later one is chosen of what could be chosen before, or came while something else was shown. */
function isAnswered(before: Aim, after: Aim): boolean {
  const keysOf = ({ targets }: Aim): string => targets.map(({ key }) => key).join(" ");
  return !before.isChoice || keysOf(before) === keysOf(after);
}

/** Holds the view while there is a board. */
export interface ViewRef {
  current: View | null;
}
