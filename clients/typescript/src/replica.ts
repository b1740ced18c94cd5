/** One's own copy of a game, changed by every diff in order. */

import { PatchError } from "./errors.js";
import { applyDiff } from "./patches.js";
import type { Diff, Game } from "./types.js";

/** What `Replica.take` did with a diff: went on by it, knew it already, or cannot go on without a new snapshot. */
export type Taken = "applied" | "known" | "gap";

/** A copy of GAME, as of `version` and `digest`; `game` is null until there is one. */
export class Replica {
  game: Game | null = null;
  digest: string | null = null;

  /** Start anew from the whole game; false where this copy is the same already. */
  replace(game: Game, digest: string): boolean {
    const isNew = digest !== this.digest;
    if (isNew) [this.game, this.digest] = [game, digest];
    return isNew;
  }

  take(diff: Diff): Taken {
    if (this.game === null) return "gap";
    if (diff.version <= this.game.version) return "known";
    if (diff.version > this.game.version + 1) return "gap";
    try {
      this.game = applyDiff(this.game, diff);
    } catch (error) {
      if (error instanceof PatchError) return "gap";
      throw error;
    }
    this.digest = diff.digest;
    return "applied";
  }
}
