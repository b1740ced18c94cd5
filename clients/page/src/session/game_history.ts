/** The course of a game: every step of it, followed as it grows. */

import { type Diff, type Subscription, type Game, type Status, applyPatch } from "south-seas-client";
import { service } from "../service.ts";

/** Of changes that come together each is seen so long after the one before, and none longer after it came than the limit. */
const STAGGER_MS = 450;
const MAX_DELAY_MS = 2700;

/** A version of the game with what led to it. */
export interface Step {
  readonly game: Game;
  readonly diff: Diff;
  /** How long after it came the board lets it be seen; the game itself, and what may be done, waits for nothing. */
  readonly delayMs: number;
}

/** Who is told what becomes of the course. */
export interface HistoryListener {
  /** There is a next step. */
  onStep(step: Step): void;
  /** All of them are known, or one more. */
  onSettled(): void;
  onStatus(status: Status): void;
  /** It cannot be read (any more). */
  onError(error: unknown): void;
}

export class GameHistory {
  /** Every step that is known, from the creation of the game on. */
  steps: readonly Step[] = [];

  private subscription: Subscription | null = null;
  private isOpen = true;
  /** When the last step is seen, as a time of `performance.now()`. */
  private seenAt = 0;

  constructor(
    private readonly id: string,
    private readonly listener: HistoryListener,
  ) {}

  get last(): Step | null {
    return this.steps.at(-1) ?? null;
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
  }

  /** Goes on by the changes of an answer: what was done here is seen at once. */
  apply(diffs: readonly Diff[]): void {
    this.seenAt = 0;
    this.subscription?.applyDiffs(diffs);
  }

  /** Reads what has happened since, and goes on by it. */
  async catchUp(token: string | null): Promise<void> {
    for await (const diff of service.log(this.id, this.last?.game.version, { token }))
      this.subscription?.applyDiffs([diff]);
  }

  /** Sees at once whether the connection still works. */
  check(): void {
    this.subscription?.check();
  }

  close(): void {
    this.isOpen = false;
    this.subscription?.close();
  }

  private subscribe(
    steps: readonly Step[],
    last: Step,
    reload: () => Promise<void>,
    token: string | null,
  ): void {
    this.steps = steps;
    this.subscription?.close();
    this.subscription = service.subscribe(this.id, {
      token,
      from: { game: last.game, digest: last.diff.digest },
      onState: (game, diff) => (diff ? this.onDiff(game, diff) : void reload()),
      onStatus: (status) => this.isOpen && status !== "closed" && this.listener.onStatus(status),
      onError: (error) => this.listener.onError(error),
    });
    this.listener.onSettled();
  }

  private onDiff(game: Game, diff: Diff): void {
    const now = performance.now();
    this.seenAt = Math.max(now, Math.min(this.seenAt + STAGGER_MS, now + MAX_DELAY_MS));
    const step = { game, diff, delayMs: this.seenAt - now };
    this.steps = [...this.steps, step];
    this.listener.onStep(step);
    this.listener.onSettled();
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
    steps.push({ game: document as Game, diff, delayMs: 0 });
    prepared ??= prepare(document as Game);
    prepared.catch(() => {}); // it is awaited below, unless the rest of the log cannot be read
  }
  await prepared;
  return steps;
}
