/** The move that is being sent: kept, with its key, until it is known what became of it. */

import { type Acted, type Move, ProblemError, newKey } from "south-seas-client";
import { isUnanswered, service } from "../service.ts";

/** A move for one state of the game. */
interface Outgoing {
  readonly move: Move;
  readonly seat: number;
  readonly version: number;
  readonly token: string | null;
}

export class Outbox {
  private held: (Outgoing & { readonly key: string }) | null = null;
  private isSending = false;

  constructor(private readonly game: string) {}

  /** Whether there is a move of which nobody knows yet what became of it. */
  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Whether that move waits for the network. */
  get isWaiting(): boolean {
    return this.held !== null && !this.isSending;
  }

  put(outgoing: Outgoing): void {
    this.held = { ...outgoing, key: newKey() };
  }

  drop(): void {
    this.held = null;
  }

  /**
   * Sends the move, for the state of the game that it was made for; null where no answer comes, then it is kept. Its
   * key makes a second try harmless: a move that had arrived gets its answer, also when the game has gone on.
   */
  async send(): Promise<Acted | null> {
    const { held } = this;
    if (held === null || this.isSending || !navigator.onLine) return null;
    this.isSending = true;
    try {
      const acted = await service.act(
        this.game,
        { move: held.move.id, seat: held.seat },
        { token: held.token, ifMatch: { version: held.version }, includeLegalMoves: true, key: held.key },
      );
      this.held = null;
      return acted;
    } catch (error) {
      // A conflict after a try without an answer: that one may be at work still.
      if (isUnanswered(error) || (error instanceof ProblemError && error.code === "conflict")) return null;
      this.held = null;
      throw error;
    } finally {
      this.isSending = false;
    }
  }
}
