/** The move that is being sent. It stays here, with its key and in the storage, until its outcome is known. */

import { type ActionResult, ProblemError, newKey } from "south-seas-client";
import { savePart, storedPart } from "../model/storage.ts";
import { isUnanswered, service } from "../service.ts";

/** A move for one state of the game. */
interface PendingMove {
  /** Its id. */
  readonly move: string;
  readonly seat: number;
  readonly version: number;
  readonly token: string | null;
}

interface KeyedMove extends PendingMove {
  readonly key: string;
}

export class Outbox {
  private pending: KeyedMove | null;
  private isSending = false;

  /** Has the move that was not sent when the page was left. */
  constructor(private readonly game: string) {
    this.pending = storedPart(game, "move") as KeyedMove | null;
  }

  /** Whether there is a move whose outcome is not known yet. */
  get hasPending(): boolean {
    return this.pending !== null;
  }

  /** Whether that move waits for the network. */
  get isWaiting(): boolean {
    return this.pending !== null && !this.isSending;
  }

  put(move: PendingMove): void {
    this.set({ ...move, key: newKey() });
  }

  drop(): void {
    this.set(null);
  }

  private set(pending: KeyedMove | null): void {
    this.pending = pending;
    savePart(this.game, "move", pending);
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
        { move: pending.move, seat: pending.seat },
        {
          token: pending.token,
          ifMatch: { version: pending.version },
          includeLegalMoves: true,
          key: pending.key,
        },
      );
      this.set(null);
      return acted;
    } catch (error) {
      // A conflict after a try without an answer: that one may be at work still.
      if (isUnanswered(error) || (error instanceof ProblemError && error.code === "conflict")) return null;
      this.set(null);
      throw error;
    } finally {
      this.isSending = false;
    }
  }
}
