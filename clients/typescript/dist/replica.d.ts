/** A replica of a game, which applies every diff in order. */
import type { Diff, Game } from "./types.js";
/** The result of `Replica.apply`: applied, known already, or a gap that needs a snapshot. */
export type ApplyResult = "applied" | "known" | "gap";
/** GAME and its digest; both are null until the first snapshot. */
export declare class Replica {
    game: Game | null;
    digest: string | null;
    /** Replaces the game; returns false if it is the same already. */
    replace(game: Game, digest: string): boolean;
    apply(diff: Diff): ApplyResult;
}
