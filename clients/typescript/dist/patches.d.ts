/** JSON Patch (RFC 6902) as diffs use it: `add` and `remove` of members, never of array items. */
import type { Diff, Game, PatchOperation } from "./types.js";
/** Returns the game after a diff. It shares unchanged parts with the game before, which is not modified. */
export declare function applyDiff(game: Partial<Game>, diff: Diff): Game;
/** Returns a document after a patch. Throws PatchError. */
export declare function applyPatch(document: unknown, operations: readonly PatchOperation[]): unknown;
