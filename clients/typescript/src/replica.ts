/** A replica of a game, which applies every diff in order. */

import { PatchError } from "./errors.js";
import { applyDiff } from "./patches.js";
import type { Diff, Game } from "./types.js";

/** The result of `Replica.apply`: applied, known already, or a gap that needs a snapshot. */
export type ApplyResult = "applied" | "known" | "gap";

/** GAME and its digest; both are null until the first snapshot. */
export class Replica {
  game: Game | null = null;
  digest: string | null = null;

  /** Replaces the game; returns false if it is the same already. */
  replace(game: Game, digest: string): boolean {
    const isNew = digest !== this.digest;
    if (isNew) [this.game, this.digest] = [game, digest];
    return isNew;
  }

  apply(diff: Diff): ApplyResult {
    const version = this.game?.version ?? 0; // creation adds all to nothing
    if (diff.version <= version) return "known";
    if (diff.version > version + 1) return "gap";
    try {
      this.game = applyDiff(this.game ?? {}, diff);
    } catch (error) {
      if (error instanceof PatchError) return "gap";
      throw error;
    }
    this.digest = diff.digest;
    return "applied";
  }
}
