/** The move that is being sent. It stays here, with its key, until its outcome is known. */

import { type ActionResult, type Move, ProblemError, newKey } from "south-seas-client";
import { isUnanswered, service } from "../service.ts";

/** A move for one state of the game. */
interface PendingMove {
  readonly move: Move;
  readonly seat: number;
  readonly version: number;
  readonly token: string | null;
}

export class Outbox {
  private pending: (PendingMove & { readonly key: string }) | null = null;
  private isSending = false;

  constructor(private readonly game: string) {}

  /** Whether there is a move whose outcome is not known yet. */
  get hasPending(): boolean {
    return this.pending !== null;
  }

  /** Whether that move waits for the network. */
  get isWaiting(): boolean {
    return this.pending !== null && !this.isSending;
  }

  put(move: PendingMove): void {
    this.pending = { ...move, key: newKey() };
  }

  drop(): void {
    this.pending = null;
  }

  /**
   * Sends the move, for the state of the game that it was made for; null where no answer comes, then it is kept. Its
   * key makes a second try harmless: a move that had arrived gets its answer, also when the game has gone on.
   */
  async send(): Promise<ActionResult | null> {
    const { pending } = this;
    if (pending === null || this.isSending || !navigator.onLine) return null;
    this.isSending = true;
    try {
      const acted = await service.act(
        this.game,
        { move: pending.move.id, seat: pending.seat },
        {
          token: pending.token,
          ifMatch: { version: pending.version },
          key: pending.key,
        },
      );
      this.pending = null;
      return acted;
    } catch (error) {
      // A conflict after a try without an answer: that one may be at work still.
      if (isUnanswered(error) || (error instanceof ProblemError && error.code === "conflict")) return null;
      this.pending = null;
      throw error;
    } finally {
      this.isSending = false;
    }
  }
}
