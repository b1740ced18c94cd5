/** The service that this page came from. */

import { ProblemError, SouthSeas, UnreachableError } from "south-seas-client";
import { text } from "./messages/index.ts";

export const service = new SouthSeas({ language: () => text.language });

/** Whether nothing is known of what became of a request: no answer came, or none from the service itself. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ProblemError && error.status >= 502);
}

/** Why something did not work, in words; throws on what is a mistake of this page. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return text.problems[error.code] ?? error.problem.detail;
  if (error instanceof UnreachableError) return text.game.offline;
  throw error;
}
