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
/** A tile of this size on the screen has spots that a finger can tell apart. */
const TAPPABLE = 96;
const CLOSE_UP = 190;
/** Of a smaller tile nothing can be chosen with certainty. */
const SMALLEST_CHOICE = 34;
/** How long after its last movement the board rests. */
const REST_MS = 450;
/** On smaller tiles than this, figures are drawn larger than they are. */
const LEGIBLE = 80;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The transformation from the board's units to the screen's, kept on the element that is drawn with it. */
export class View {
  /** Whether it follows the board's growth; until the user moves it. */
  isFitted = true;
  private scale = 1;
  private left = 0;
  private top = 0;
  private box: Box | null = null;
  private close: Cell | null = null;
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
    if (anew) this.isFitted = true;
    if (!this.isFitted) return;
    const { width, height } = this.frame.getBoundingClientRect();
    if (width === 0 || height === 0) return;
    const across = (box.right - box.left) * SIZE;
    const down = (box.bottom - box.top) * SIZE;
    const scale = Math.min(
      (width - 2 * MARGIN - besides(width)) / across,
      (height - 2 * MARGIN - above(height)) / down,
      LARGEST_FIT,
    );
    if (this.close && scale * SIZE < TAPPABLE) {
      const { x, y } = this.close;
      this.centre({ x: x + 0.5, y: y + 0.5 }, Math.min(CLOSE_UP, width / 2.2, height / 2.2) / SIZE);
    } else {
      this.centre({ x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 }, scale);
    }
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

  /** Brings the nearest of these cells into sight, where none of them is; the user's own view stays otherwise. */
  bring(cells: readonly Cell[]): void {
    const { width, height } = this.frame.getBoundingClientRect();
    if (this.isFitted || cells.length === 0 || width === 0 || height === 0) return;
    if (this.tileSize >= SMALLEST_CHOICE && cells.some((cell) => this.isInSight(cell))) return;
    const away = ({ x, y }: Cell): number =>
      Math.hypot(
        this.left + (x + 0.5) * this.tileSize - width / 2,
        this.top + (y + 0.5) * this.tileSize - height / 2,
      );
    const nearest = cells.reduce((one, other) => (away(other) < away(one) ? other : one));
    const size = Math.max(this.tileSize, TAPPABLE);
    this.centre(
      { x: nearest.x + 0.5, y: nearest.y + 0.5 },
      Math.min(size, Math.min(width, height) * 0.6) / SIZE,
    );
  }

  /** Shows a cell large enough to tap on its parts; null shows the board again. */
  closeUp(cell: Cell | null): void {
    this.close = cell;
    this.refit();
  }

  pan(across: number, down: number): void {
    this.isFitted = false;
    this.left += across;
    this.top += down;
    this.apply(false);
  }

  /** Zooms; what is at `at` (of the frame's middle, where it is left out) stays where it is. */
  zoom(factor: number, at?: Point, smooth = false): void {
    const { left, top, width, height } = this.frame.getBoundingClientRect();
    const fixed = at ? { x: at.x - left, y: at.y - top } : { x: width / 2, y: height / 2 };
    const scale = Math.max(SMALLEST, Math.min(this.scale * factor, LARGEST));
    this.isFitted = false;
    this.left = fixed.x - ((fixed.x - this.left) * scale) / this.scale;
    this.top = fixed.y - ((fixed.y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.apply(smooth);
  }

  /** Brings a cell into the frame where it is outside. */
  reveal(cell: Cell): void {
    const { width, height } = this.frame.getBoundingClientRect();
    const size = SIZE * this.scale;
    const x = this.left + cell.x * size;
    const y = this.top + cell.y * size;
    const across = Math.max(MARGIN - x, 0) || Math.min(width - MARGIN - size - x, 0);
    const down = Math.max(MARGIN - y, 0) || Math.min(height - MARGIN - size - y, 0);
    if (across === 0 && down === 0) return;
    this.pan(across, down);
  }

  /** The cell under a point of the screen. */
  cellAt({ x, y }: Point): Cell {
    const { left, top } = this.frame.getBoundingClientRect();
    const size = SIZE * this.scale;
    return { x: Math.floor((x - left - this.left) / size), y: Math.floor((y - top - this.top) / size) };
  }

  /** How large a tile is on the screen. */
  get tileSize(): number {
    return SIZE * this.scale;
  }

  /** Whether the middle of a cell is in the frame, and under no message. */
  private isInSight({ x, y }: Cell): boolean {
    const { width, height } = this.frame.getBoundingClientRect();
    const across = this.left + (x + 0.5) * this.tileSize;
    const down = this.top + (y + 0.5) * this.tileSize;
    return (
      across > MARGIN && across < width - MARGIN && down > MARGIN + above(height) && down < height - MARGIN
    );
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
