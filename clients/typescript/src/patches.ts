/** JSON Patch (RFC 6902) as diffs use it: `add` and `remove` of members, never of array items. */

import { PatchError } from "./errors.js";
import type { Diff, Game, PatchOperation } from "./types.js";

type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the game after a diff. It shares unchanged parts with the game before, which is not modified. */
export function applyDiff(game: Partial<Game>, diff: Diff): Game {
  return applyPatch(game, diff.patch) as Game;
}

/** Returns a document after a patch. Throws PatchError. */
export function applyPatch(document: unknown, operations: readonly PatchOperation[]): unknown {
  return operations.reduce((changed, operation) => changedAt(changed, pointer(operation), operation), document);
}

function pointer({ path }: PatchOperation): string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function changedAt(place: unknown, way: readonly string[], operation: PatchOperation): unknown {
  const [name, ...rest] = way;
  if (name === undefined) throw new PatchError(operation);
  if (Array.isArray(place)) {
    const index = /^\d+$/.test(name) ? Number(name) : place.length;
    if (rest.length === 0 || index >= place.length) throw new PatchError(operation);
    return place.map((item: unknown, at) => (at === index ? changedAt(item, rest, operation) : item));
  }
  if (!isObject(place)) throw new PatchError(operation);
  if (rest.length > 0) {
    if (!Object.hasOwn(place, name)) throw new PatchError(operation);
    return { ...place, [name]: changedAt(place[name], rest, operation) };
  }
  if (operation.op === "add") return { ...place, [name]: operation.value };
  if (operation.op !== "remove" || !Object.hasOwn(place, name)) throw new PatchError(operation);
  const { [name]: _, ...others } = place;
  return others;
}

function isObject(place: unknown): place is JsonObject {
  return typeof place === "object" && place !== null && !Array.isArray(place);
}
