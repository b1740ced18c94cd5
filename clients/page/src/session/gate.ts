/** One intention, one action: what a touch or a key may do depends on what was on the screen when it began. */

/** How long a question is on the screen before somebody can mean to answer it. */
export const SETTLING_MS = 600;

export class Gate {
  private question: string | null = null;
  private askedAt = -Infinity;
  /** When the user began what they do now; a program has no such time. */
  private touchedAt = Infinity;
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

  /** The user began to press something, at a time of `performance.now()`. */
  touch(at: number): void {
    this.touchedAt = at;
  }

  /** Whether the question can be answered without a choice that was made for it. */
  get isOpen(): boolean {
    return performance.now() - this.askedAt >= SETTLING_MS;
  }

  /** Whether the user began what they do now after it opened. */
  get admits(): boolean {
    return this.touchedAt - this.askedAt >= SETTLING_MS;
  }

  close(): void {
    clearTimeout(this.opening);
  }
}
