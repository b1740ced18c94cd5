/**
 * Everything that goes wrong.
 *
 *     Error
 *     └── SouthSeasError
 *         ├── ProblemError       the service said no; `problem` says why
 *         ├── UnreachableError   it did not answer, however often it was asked
 *         └── PatchError         a patch does not apply: the held game is not what the service has
 */

import type { PatchOperation, Problem } from "./types.js";

export class SouthSeasError extends Error {
  override readonly name: string = "SouthSeasError";
}

/** A refusal: `code` is for programs, `message` for people. */
export class ProblemError extends SouthSeasError {
  override readonly name = "ProblemError";

  constructor(readonly problem: Problem) {
    super(problem.detail);
  }

  /** What is wrong, as the contract names it: `illegal_move`, `version_mismatch`, ... */
  get code(): string {
    return this.problem.code;
  }

  /** The HTTP status that stands for it. */
  get status(): number {
    return this.problem.status;
  }
}

/** No answer came; what the last try met is the `cause`. */
export class UnreachableError extends SouthSeasError {
  override readonly name = "UnreachableError";

  constructor(
    readonly url: string,
    cause: unknown,
  ) {
    super(`${url} does not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** An operation names a place that is not there. */
export class PatchError extends SouthSeasError {
  override readonly name = "PatchError";

  constructor(readonly operation: PatchOperation) {
    super(`cannot ${operation.op} ${operation.path}`);
  }
}

/** A problem where no document came with it: from something between here and the service, or as a close code. */
export function problemOf(status: number, code: string, detail: string): Problem {
  return {
    ...{ type: "about:blank", title: code, status, detail, code },
    ...{ rule: null, path: null, index: null, version: null, digest: null, next_game: null, retry_after_s: null },
  };
}
