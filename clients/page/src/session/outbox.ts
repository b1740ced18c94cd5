/** The move that is being sent. It stays here, with its key and in the storage, until its outcome is known. */

import { type ActionResult, type Move, ProblemError, UnreachableError, newKey } from "south-seas-client";
import { savePart, storedPart } from "../model/storage.ts";
import { isUnanswered, service } from "../service.ts";

/** A move for one state of the game. */
interface PendingMove {
  readonly move: Move;
  readonly seat: number;
  readonly version: number;
  readonly token: string | null;
}

interface KeyedMove extends PendingMove {
  readonly key: string;
}

export class Outbox {
  /** The move whose outcome is not known yet; null where there is none. */
  pending: KeyedMove | null;
  private isSending = false;
  /** Ends the sending of a move that was let go of. */
  private sending = new AbortController();

  /** Has the move that was not sent when the page was left. */
  constructor(private readonly game: string) {
    this.pending = storedPart(game, "move") as KeyedMove | null;
  }

  /** Whether that move waits for the network. */
  get isWaiting(): boolean {
    return this.pending !== null && !this.isSending;
  }

  put(move: PendingMove): void {
    this.set({ ...move, key: newKey() });
  }

  /** Lets go of the move, which is then sent no more. */
  drop(): void {
    this.sending.abort(new UnreachableError(location.origin, null));
    this.isSending = false;
    this.set(null);
  }

  private set(pending: KeyedMove | null): void {
    this.pending = pending;
    savePart(this.game, "move", pending);
  }

  /**
   * Sends the move, for the state of the game that it was made for. Without an answer it is kept. Its key makes a second
   * try harmless: a move that had arrived gets its answer, also when the game has gone on.
   */
  async send(): Promise<ActionResult> {
    const { pending } = this;
    if (pending === null || !navigator.onLine) throw new UnreachableError(location.origin, null);
    const { move, seat, version, token, key } = pending;
    this.sending = new AbortController();
    const { signal } = this.sending;
    const options = { token, ifMatch: { version }, includeLegalMoves: true, key, signal };
    this.isSending = true;
    try {
      const acted = await service.act(this.game, { move: move.id, seat }, options);
      if (!signal.aborted) this.set(null);
      return acted;
    } catch (error) {
      // A conflict after a try without an answer: that one may be at work still.
      const isOpen = isUnanswered(error) || (error instanceof ProblemError && error.code === "conflict");
      if (!isOpen && !signal.aborted) this.set(null);
      throw error;
    } finally {
      if (!signal.aborted) this.isSending = false;
    }
  }
}
