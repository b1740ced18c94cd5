/** Which part of the board is seen, and how large: fit, zoom and pan. */

import { type Box, type Cell, SIZE } from "../model/cells.ts";
import { isCalm } from "../model/motion.ts";

const SMALLEST = 0.12;
const LARGEST = 4;
/** The largest that a tile is drawn by itself, so that a small board does not fill the screen with one tile. */
const LARGEST_FIT = 1.5;
const MARGIN = 12;
/** What messages over the board cover; where it is low, they lie over its upper edge. */
const MESSAGES = 46;
const LOW = 300;
/** What the buttons at the right cover. */
const BUTTONS = 52;
/** Narrower boards have but one of them, in the corner. */
const NARROW = 500;
/** Below, in the corners of boards that are not wide, are buttons. */
const WIDE = 700;
const CORNER = { height: 60, left: 100, right: 60 };
/** How long after its last movement the board rests. */
const REST_MS = 450;
/** On smaller tiles than this, figures are drawn larger than they are. */
const LEGIBLE = 80;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where something can be chosen, and how large a tile is on the screen so that a finger can. */
export interface Aim {
  readonly cells: readonly Cell[];
  /** Which of them has to be in sight; any, where it is left out. */
  readonly first?: Cell | undefined;
  /** A tile of this size is large enough. */
  readonly least: number;
  /** The size of a smaller one. */
  readonly size: number;
}

/** What is drawn of a free cell is nine tenths of it: a target of 44 pixels. */
export const CELLS = { least: 49, size: 50 };
/** So are the spots on a tile. */
export const SPOTS = { least: 96, size: 150 };
/** And the islanders that may be taken home, which stand on different tiles. */
export const ISLANDERS = { least: 74, size: 76 };

/** The least size of a tile that somebody asks for. */
const SHOWN = 76;

/** The transformation from the board's units to the screen's, kept on the element that is drawn with it. */
export class View {
  /** Whether it follows the board's growth; until the user moves it. */
  isFitted = true;
  private scale = 1;
  private left = 0;
  private top = 0;
  private box: Box | null = null;
  private aim: Aim | null = null;
  /** What has been in sight of what is aimed at. */
  private seen: readonly Cell[] = [];
  /** Whether the user moved it in order to choose: then it is theirs for as long as the choice. */
  private isMovedToChoose = false;
  private isHeld = false;
  private resting: ReturnType<typeof setTimeout> | undefined;
  /** The frame's size when it was last looked at. */
  private size = { width: 0, height: 0 };

  constructor(
    private readonly frame: Element,
    private readonly drawn: SVGGElement,
  ) {}

  /** Shows these cells, unless the user looks at something else; `anew` in any case. */
  fit(box: Box, anew = false): void {
    this.box = box;
    if (anew) {
      this.isFitted = true;
      this.aim = null;
    }
    if (!this.isFitted) return;
    const { width, height } = this.frame.getBoundingClientRect();
    if (width === 0 || height === 0) return;
    const scale = Math.min(
      (width - 2 * MARGIN - besides(width)) / ((box.right - box.left) * SIZE),
      (height - 2 * MARGIN - above(height)) / ((box.bottom - box.top) * SIZE),
      LARGEST_FIT,
    );
    if (this.aim && scale * SIZE < this.aim.least) this.bring(this.aim);
    else this.centre({ x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 }, scale);
  }

  /** The same again. */
  refit(): void {
    if (this.box) this.fit(this.box);
  }

  /** The frame has another size: the same cells again, or the same middle. */
  resized(): void {
    const { width, height } = this.frame.getBoundingClientRect();
    const before = this.size;
    if (width === 0 || height === 0) return;
    this.size = { width, height };
    if (this.isFitted) return this.refit();
    this.left += (width - before.width) / 2;
    this.top += (height - before.height) / 2;
    this.apply(false);
  }

  /** Follows what can be chosen now; null where there is nothing. It stays where that is in sight, and large enough. */
  aimAt(aim: Aim | null): void {
    this.aim = aim;
    this.seen = [];
    if (this.isHeld) return;
    if (aim === null && this.isMovedToChoose) this.isFitted = true;
    if (this.isFitted) this.refit();
    else if (aim) this.bring(aim);
  }

  /** What of it can be chosen without moving the view. */
  get inSight(): readonly Cell[] {
    return this.aim?.cells.filter((cell) => this.isInSight(cell)) ?? [];
  }

  /** Shows what can be chosen and has not been in sight yet; after the last, all again. */
  showOthers(): void {
    if (!this.aim) return;
    const { cells, size } = this.aim;
    this.seen = [...this.seen, ...this.inSight];
    let unseen = cells.filter((cell) => !this.seen.includes(cell));
    if (unseen.length === 0) [unseen, this.seen] = [[...cells], []];
    this.centreOn(unseen, Math.max(size, this.tileSize));
  }

  /** Stays while a tile is dragged over it. */
  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    this.aimAt(this.aim);
  }

  /** Brings what is aimed at into sight, as much of it as there is room for, unless some of it is there already. */
  private bring({ cells, first, least, size }: Aim): void {
    if (cells.length === 0) return;
    const needed = first ? [first] : cells;
    if (this.tileSize >= least && needed.some((cell) => this.isInSight(cell))) return;
    this.centreOn(cells, this.isFitted ? size : Math.max(size, this.tileSize), first);
  }

  /** Shows as many of these cells as there is room for, one of them in any case; of equal choices the nearest. */
  private centreOn(cells: readonly Cell[], size: number, first?: Cell): void {
    const { width, height } = this.frame.getBoundingClientRect();
    if (width === 0 || height === 0) return;
    const room = {
      x: (width - 2 * MARGIN - besides(width)) / size,
      y: (height - MARGIN - above(height)) / size,
    };
    const middle = this.cellAt({ x: width / 2, y: height / 2 });
    let best: readonly Cell[] = [];
    let nearest = Infinity;
    // A window begins at the column of one cell and at the row of another one.
    for (const { x: left } of cells)
      for (const { y: top } of cells) {
        const within = cells.filter(
          ({ x, y }) => x >= left && x + 1 <= left + room.x && y >= top && y + 1 <= top + room.y,
        );
        if (first && !within.includes(first)) continue;
        const away = Math.min(...within.map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y)));
        if (within.length < best.length || (within.length === best.length && away >= nearest)) continue;
        [best, nearest] = [within, away];
      }
    const [only = { x: 0, y: 0 }] = cells;
    const shown = best.length > 0 ? best : [first ?? only];
    const [across, down] = [shown.map(({ x }) => x), shown.map(({ y }) => y)];
    this.centre(
      {
        x: (Math.min(...across) + Math.max(...across) + 1) / 2,
        y: (Math.min(...down) + Math.max(...down) + 1) / 2,
      },
      Math.min(size, 0.8 * width, 0.8 * height) / SIZE,
    );
  }

  pan(across: number, down: number): void {
    this.leave();
    this.left += across;
    this.top += down;
    this.apply(false);
  }

  /** Zooms; what is at `at` (of the frame's middle, where it is left out) stays where it is. */
  zoom(factor: number, at?: Point, smooth = false): void {
    const { left, top, width, height } = this.frame.getBoundingClientRect();
    const fixed = at ? { x: at.x - left, y: at.y - top } : { x: width / 2, y: height / 2 };
    const scale = Math.max(SMALLEST, Math.min(this.scale * factor, LARGEST));
    this.leave();
    this.left = fixed.x - ((fixed.x - this.left) * scale) / this.scale;
    this.top = fixed.y - ((fixed.y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.apply(smooth);
  }

  /** Brings a cell into the frame where it is outside. */
  reveal(cell: Cell): void {
    const { x, y } = this.outside(cell, 0);
    if (x !== 0 || y !== 0) this.pan(x, y);
  }

  /** The same where something covers the upper part of the frame, so many pixels of it, for a while. */
  uncover(cell: Cell, covered: number): void {
    const { x, y } = this.outside(cell, covered);
    this.left += x;
    this.top += y;
    this.apply(true);
  }

  /** How far the view is from a cell that is to be in the frame. */
  private outside(cell: Cell, covered: number): Point {
    const { width, height } = this.frame.getBoundingClientRect();
    const size = SIZE * this.scale;
    const x = this.left + cell.x * size;
    const y = this.top + cell.y * size;
    return {
      x: Math.max(MARGIN - x, 0) || Math.min(width - MARGIN - size - x, 0),
      y: Math.max(MARGIN + covered - y, 0) || Math.min(height - MARGIN - size - y, 0),
    };
  }

  /** Goes to cells that somebody asks for, as near as before or so near that they are well seen. */
  show(cells: readonly Cell[]): void {
    this.leave();
    this.centreOn(cells, Math.max(SHOWN, this.tileSize));
  }

  /** The point of the board under a point of the screen. */
  boardPoint({ x, y }: Point): Point {
    const { left, top } = this.frame.getBoundingClientRect();
    return { x: (x - left - this.left) / this.scale, y: (y - top - this.top) / this.scale };
  }

  /** The cell under a point of the screen. */
  cellAt(point: Point): Cell {
    const { x, y } = this.boardPoint(point);
    return { x: Math.floor(x / SIZE), y: Math.floor(y / SIZE) };
  }

  /** How large a tile is on the screen. */
  get tileSize(): number {
    return SIZE * this.scale;
  }

  /** Whether the middle of a cell is in the frame, and under no message or button. */
  private isInSight({ x, y }: Cell): boolean {
    const { width, height } = this.frame.getBoundingClientRect();
    const across = this.left + (x + 0.5) * this.tileSize;
    const down = this.top + (y + 0.5) * this.tileSize;
    const isCovered =
      width < WIDE &&
      down > height - CORNER.height &&
      (across < CORNER.left || across > width - CORNER.right);
    return (
      !isCovered &&
      across > MARGIN &&
      across < width - MARGIN &&
      down > MARGIN + MESSAGES &&
      down < height - MARGIN
    );
  }

  /** The user has moved it. */
  private leave(): void {
    this.isMovedToChoose = this.isFitted ? this.aim !== null : this.isMovedToChoose;
    this.isFitted = false;
  }

  private centre(place: Point, scale: number): void {
    const { width, height } = this.frame.getBoundingClientRect();
    this.scale = scale;
    this.left = (width - besides(width)) / 2 - place.x * SIZE * scale;
    this.top = (height + above(height)) / 2 - place.y * SIZE * scale;
    this.apply(true);
  }

  private apply(smooth: boolean): void {
    // A layer of its own moves fast, but is drawn anew, and sharp, only once it is none any more.
    this.drawn.style.willChange = "transform";
    clearTimeout(this.resting);
    this.resting = setTimeout(() => (this.drawn.style.willChange = ""), REST_MS);
    this.drawn.style.transition = smooth && !isCalm() ? "transform 350ms ease" : "none";
    this.drawn.style.transform = `translate(${this.left}px, ${this.top}px) scale(${this.scale})`;
    this.drawn.style.setProperty("--figure", String(Math.max(1, Math.min(LEGIBLE / this.tileSize, 1.8))));
  }
}

function above(height: number): number {
  return height < LOW ? 0 : MESSAGES;
}

function besides(width: number): number {
  return width < NARROW ? 0 : BUTTONS;
}

/** Holds the view while there is a board. */
export interface ViewRef {
  current: View | null;
}
