/** The service that this page came from. */

import { ProblemError, SouthSeas, UnreachableError } from "south-seas-client";
import { text } from "./messages/index.ts";

export const service = new SouthSeas({ language: text.language });

/** Why something did not work, in words; throws on what is a mistake of this page. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.detail || error.problem.title;
  if (error instanceof UnreachableError) return text.table.offline;
  throw error;
}
