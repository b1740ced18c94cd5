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
export class SouthSeasError extends Error {
    name = "SouthSeasError";
}
/** An error response: `code` is for programs, `message` for people. */
export class ProblemError extends SouthSeasError {
    problem;
    name = "ProblemError";
    constructor(problem) {
        super(problem.detail);
        this.problem = problem;
    }
    /** The problem code: `illegal_move`, `version_mismatch`, ... */
    get code() {
        return this.problem.code;
    }
    /** The HTTP status. */
    get status() {
        return this.problem.status;
    }
}
/** The service did not respond, or something else did in its place; `cause` is the error of the last attempt. */
export class UnreachableError extends SouthSeasError {
    url;
    retryAfterS;
    name = "UnreachableError";
    /** `retryAfterS` are the seconds that a proxy asks to wait. */
    constructor(url, cause, retryAfterS = null) {
        super(`${url} is unreachable: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
        this.url = url;
        this.retryAfterS = retryAfterS;
    }
}
/** The service's bot `bot` plays `seat`, whose player missed a deadline; `returnToSeat` takes it back. */
export class SeatReplacedError extends SouthSeasError {
    seat;
    bot;
    name = "SeatReplacedError";
    constructor(seat, bot) {
        super(`the bot ${bot} plays seat ${seat}, which missed a deadline: returnToSeat takes it back`);
        this.seat = seat;
        this.bot = bot;
    }
}
/** The player of `seat` resigned, and the others play on; `subscribe` follows them. */
export class SeatResignedError extends SouthSeasError {
    seat;
    name = "SeatResignedError";
    constructor(seat) {
        super(`the player of seat ${seat} has resigned`);
        this.seat = seat;
    }
}
/** An operation whose path does not exist. */
export class PatchError extends SouthSeasError {
    operation;
    name = "PatchError";
    constructor(operation) {
        super(`cannot ${operation.op} ${operation.path}`);
        this.operation = operation;
    }
}
/** Returns a problem for a close code. */
export function problemOf(status, code, detail) {
    return {
        ...{ type: "about:blank", title: code, status, detail, code },
        ...{ rule: null, path: null, index: null, version: null, digest: null, next_game: null, retry_after_s: null },
    };
}
