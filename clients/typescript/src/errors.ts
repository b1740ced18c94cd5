/**
 * The client's errors.
 *
 *     Error
 *     └── SouthSeasError
 *         ├── ProblemError       an error response; `problem` describes it
 *         ├── UnreachableError   no response of the service after the last attempt
 *         ├── SeatReplacedError  a bot plays the seat that `play` was to play
 *         ├── SeatResignedError  the seat that `play` was to play has resigned
 *         └── PatchError         a patch does not apply to the replica
 */

import type { PatchOperation, Problem } from "./types.js";

export class SouthSeasError extends Error {
  override readonly name: string = "SouthSeasError";
}

/** An error response: `code` is for programs, `message` for people. */
export class ProblemError extends SouthSeasError {
  override readonly name = "ProblemError";

  constructor(readonly problem: Problem) {
    super(problem.detail);
  }

  /** The problem code: `illegal_move`, `version_mismatch`, ... */
  get code(): string {
    return this.problem.code;
  }

  /** The HTTP status. */
  get status(): number {
    return this.problem.status;
  }
}

/** The service did not respond, or something else did in its place; `cause` is the error of the last attempt. */
export class UnreachableError extends SouthSeasError {
  override readonly name = "UnreachableError";

  /** `retryAfterS` are the seconds that a proxy asks to wait. */
  constructor(
    readonly url: string,
    cause: unknown,
    readonly retryAfterS: number | null = null,
  ) {
    super(`${url} is unreachable: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The service's bot `bot` plays `seat`, whose player missed a deadline; `returnToSeat` takes it back. */
export class SeatReplacedError extends SouthSeasError {
  override readonly name = "SeatReplacedError";

  constructor(
    readonly seat: number,
    readonly bot: string,
  ) {
    super(`the bot ${bot} plays seat ${seat}, which missed a deadline: returnToSeat takes it back`);
  }
}

/** The player of `seat` resigned, and the others play on; `subscribe` follows them. */
export class SeatResignedError extends SouthSeasError {
  override readonly name = "SeatResignedError";

  constructor(readonly seat: number) {
    super(`the player of seat ${seat} has resigned`);
  }
}

/** An operation whose path does not exist. */
export class PatchError extends SouthSeasError {
  override readonly name = "PatchError";

  constructor(readonly operation: PatchOperation) {
    super(`cannot ${operation.op} ${operation.path}`);
  }
}

/** Returns a problem for a close code. */
export function problemOf(status: number, code: string, detail: string): Problem {
  return {
    ...{ type: "about:blank", title: code, status, detail, code },
    ...{ rule: null, path: null, index: null, version: null, digest: null, next_game: null, retry_after_s: null },
  };
}
