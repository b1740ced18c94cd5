/** The service that this page came from. */

import { ProblemError, SouthSeas, UnreachableError } from "south-seas-client";
import { capitalized } from "./messages/grammar.ts";
import { text } from "./messages/index.ts";
import { LOBBY } from "./model/route.ts";

export const service = new SouthSeas({ url: location.origin + LOBBY, language: () => text.language });

/** Whether nothing is known of what became of a request: no answer came, or none from the service itself. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ProblemError && error.status >= 502);
}

/** Codes of what does not exist (any more), or not for the token that was sent: the service does not tell them apart. */
const GONE = new Set(["not_found", "unauthorized", "wrong_seat"]);

export function isGone(error: unknown): boolean {
  return error instanceof ProblemError && GONE.has(error.code);
}

function asSentence(detail: string): string {
  return capitalized(detail).replace(/[^.?!]$/, "$&.");
}

/**
 * Why something did not work: the service says it in the reader's language, but knows nothing of links, nor that it
 * could not be reached. Throws on what is a mistake of this page.
 */
export function reasonOf(error: unknown): string {
  if (isGone(error)) return text.game.gone;
  if (error instanceof ProblemError) return asSentence(error.problem.detail);
  if (error instanceof UnreachableError) return text.game.offline;
  throw error;
}
