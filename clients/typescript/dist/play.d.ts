/** The loop that plays a seat. */
import type { SouthSeas } from "./southseas.js";
import type { SubscribeOptions } from "./subscription.js";
import type { Game, Move } from "./types.js";
/** Selects one of the legal moves in a game. */
export type MoveChooser = (moves: readonly Move[], game: Game) => Move | Promise<Move>;
export interface PlayOptions extends SubscribeOptions {
    /** Takes the seat back when a bot plays for it, because a deadline was missed. */
    readonly returnWhenReplaced?: boolean;
}
/**
 * Plays a seat until the game is over. Rejects if the subscription is rejected, or aborted by `options.signal`, and with
 * SeatReplacedError and SeatResignedError.
 */
export declare function playSeat(client: SouthSeas, id: string, seat: number, choose: MoveChooser, options: PlayOptions): Promise<Game>;
