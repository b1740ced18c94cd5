/** The course of a game: every step of it, followed as it grows, and how much of it is shown already. */

import { type Diff, type Subscription, type Game, type Status, applyPatch } from "south-seas-client";
import { isCalm } from "../model/motion.ts";
import { service } from "../service.ts";

/** How long a change by somebody else is looked at before the next one is shown. */
const PAUSE_MS = 650;
/** After more changes than these at once they are shown without a pause. */
const MAX_PAUSES = 12;

/** A version of the game with what led to it. */
export interface Step {
  readonly game: Game;
  readonly diff: Diff;
}

/** Who is told what becomes of the course. */
export interface HistoryListener {
  /** The next step is shown. */
  onStep(step: Step): void;
  /** All that is known is shown. */
  onSettled(): void;
  onStatus(status: Status): void;
  /** It cannot be read (any more). */
  onError(error: unknown): void;
}

export class GameHistory {
  /** Every step that is known, from the creation of the game on. */
  steps: readonly Step[] = [];
  /** How many of them are shown. */
  shown = 0;

  private subscription: Subscription | null = null;
  private pauseTimer: ReturnType<typeof setTimeout> | undefined;
  private isOpen = true;

  constructor(
    private readonly id: string,
    private readonly listener: HistoryListener,
  ) {}

  /** The last step that is shown. */
  get last(): Step | null {
    return this.steps[this.shown - 1] ?? null;
  }

  get isSettled(): boolean {
    return this.pauseTimer === undefined && this.shown === this.steps.length;
  }

  /**
   * Reads the whole course, then follows it; `prepare` is called with its first state, and waited for before anything
   * is shown.
   */
  async open(token: string | null, prepare: (game: Game) => Promise<void>): Promise<void> {
    try {
      const steps = await allSteps(this.id, token, prepare);
      const last = steps.at(-1);
      if (last && this.isOpen) this.subscribe(steps, last, () => this.open(token, prepare), token);
    } catch (error) {
      this.listener.onError(error);
    }
  }

  /** Shows a step that was seen earlier, until the course can be read. */
  restore(step: Step): void {
    this.steps = [step];
    this.shown = 1;
  }

  /** Goes on by the changes of an answer at once. */
  apply(diffs: readonly Diff[]): void {
    this.subscription?.applyDiffs(diffs);
  }

  /** Sees at once whether the connection still works. */
  check(): void {
    this.subscription?.check();
  }

  close(): void {
    this.isOpen = false;
    clearTimeout(this.pauseTimer);
    this.subscription?.close();
  }

  private subscribe(
    steps: readonly Step[],
    last: Step,
    reload: () => Promise<void>,
    token: string | null,
  ): void {
    this.steps = steps;
    this.shown = steps.length;
    this.subscription?.close();
    this.subscription = service.subscribe(this.id, {
      token,
      from: { game: last.game, digest: last.diff.digest },
      onState: (game, diff) => (diff ? this.onDiff({ game, diff }) : void reload()),
      onStatus: (status) => this.isOpen && status !== "closed" && this.listener.onStatus(status),
      onError: (error) => this.listener.onError(error),
    });
    this.listener.onSettled();
  }

  private onDiff(step: Step): void {
    this.steps = [...this.steps, step];
    if (this.pauseTimer === undefined) this.showNext();
  }

  /** Shows the next change, with a pause before the one after it, so that it can be seen. */
  private showNext(): void {
    this.pauseTimer = undefined;
    const step = this.steps[this.shown];
    if (!step) return this.listener.onSettled();
    this.shown++;
    const backlog = this.steps.length - this.shown;
    const isSeen = !isCalm() && !document.hidden && backlog <= MAX_PAUSES;
    // The changes of one answer are heard one after the other: whether there is a next one is known a little later.
    if (isSeen) this.pauseTimer = setTimeout(() => this.pause(), 0);
    this.listener.onStep(step);
    if (!isSeen) this.showNext();
  }

  private pause(): void {
    if (this.shown === this.steps.length) return this.showNext();
    this.pauseTimer = setTimeout(() => this.showNext(), PAUSE_MS);
  }
}

/** Every step of a game so far, from its creation on, once all is prepared that `prepare` does meanwhile. */
async function allSteps(
  id: string,
  token: string | null,
  prepare: (game: Game) => Promise<void>,
): Promise<Step[]> {
  const steps: Step[] = [];
  let document: unknown = {};
  let prepared: Promise<void> | undefined;
  for await (const diff of service.log(id, 0, { token })) {
    document = applyPatch(document, diff.patch);
    steps.push({ game: document as Game, diff });
    prepared ??= prepare(document as Game);
    prepared.catch(() => {}); // it is awaited below, unless the rest of the log cannot be read
  }
  await prepared;
  return steps;
}
