/** The service that this page came from. */

import { ProblemError, SouthSeas, UnreachableError } from "south-seas-client";
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

/** Why something did not work, in words; throws on what is a mistake of this page. */
export function reasonOf(error: unknown): string {
  if (
    error instanceof ProblemError &&
    error.code === "rate_limited" &&
    (error.problem.retry_after_s ?? 0) > 60
  )
    return text.game.tooMany(Math.ceil((error.problem.retry_after_s ?? 0) / 60));
  if (error instanceof ProblemError) return text.problems[error.code] ?? error.problem.detail;
  if (error instanceof UnreachableError) return text.game.offline;
  throw error;
}
