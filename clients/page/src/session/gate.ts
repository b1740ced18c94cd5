/** One intention, one action: a touch or a key that begins while a question has just appeared waits, and counts once. */

/** How long a question is on the screen before it is answered. */
export const SETTLING_MS = 600;
/** A second touch so soon, and so near, is the second of a double tap. */
export const DOUBLE_MS = 450;
const NEAR_PX = 40;

/** When and where the user began what they do now, for a key at what has the focus; a program has no such time. */
export interface Touch {
  /** As of `performance.now()`. */
  readonly at: number;
  /** The key; "" for a finger or a mouse. */
  readonly key: string;
  readonly x: number;
  readonly y: number;
}

const NO_TOUCH: Touch = { at: Infinity, key: "", x: 0, y: 0 };

export class Gate {
  private question: string | null = null;
  private askedAt = -Infinity;
  /** What the user began last. */
  last = NO_TOUCH;
  /** What led to the last action. */
  private acted: Touch | null = null;
  private opening: ReturnType<typeof setTimeout> | undefined;

  /** `onOpen` is called when the question has been on the screen for long enough. */
  constructor(private readonly onOpen: () => void) {}

  /** A question is on the screen, or what can be answered to it. */
  ask(question: string): void {
    if (question === this.question) return;
    this.question = question;
    this.askedAt = performance.now();
    clearTimeout(this.opening);
    this.opening = setTimeout(this.onOpen, SETTLING_MS);
  }

  /** The user began to press something. */
  touch(touch: Partial<Touch>): void {
    this.last = { ...NO_TOUCH, ...touch };
  }

  /** What was pressed last has done something. */
  act(): void {
    this.acted = this.last;
  }

  /** Whether the question can be answered without a choice that was made for it. */
  get isOpen(): boolean {
    return performance.now() - this.askedAt >= SETTLING_MS;
  }

  /** Whether the user began what they do now after it opened. */
  get admits(): boolean {
    return this.last.at - this.askedAt >= SETTLING_MS;
  }

  /** Whether it can be meant: it began with the question on the screen, and is not the second of a double tap. */
  get isMeant(): boolean {
    const { acted, last, askedAt } = this;
    if (last.at < askedAt) return false;
    if (acted === null || acted.key !== last.key) return true;
    return last.at - acted.at >= DOUBLE_MS || Math.hypot(last.x - acted.x, last.y - acted.y) >= NEAR_PX;
  }

  close(): void {
    clearTimeout(this.opening);
  }
}
