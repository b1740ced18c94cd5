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
export declare class SouthSeasError extends Error {
    readonly name: string;
}
/** An error response: `code` is for programs, `message` for people. */
export declare class ProblemError extends SouthSeasError {
    readonly problem: Problem;
    readonly name = "ProblemError";
    constructor(problem: Problem);
    /** The problem code: `illegal_move`, `version_mismatch`, ... */
    get code(): string;
    /** The HTTP status. */
    get status(): number;
}
/** The service did not respond, or something else did in its place; `cause` is the error of the last attempt. */
export declare class UnreachableError extends SouthSeasError {
    readonly url: string;
    readonly retryAfterS: number | null;
    readonly name = "UnreachableError";
    /** `retryAfterS` are the seconds that a proxy asks to wait. */
    constructor(url: string, cause: unknown, retryAfterS?: number | null);
}
/** The service's bot `bot` plays `seat`, whose player missed a deadline; `returnToSeat` takes it back. */
export declare class SeatReplacedError extends SouthSeasError {
    readonly seat: number;
    readonly bot: string;
    readonly name = "SeatReplacedError";
    constructor(seat: number, bot: string);
}
/** The player of `seat` resigned, and the others play on; `subscribe` follows them. */
export declare class SeatResignedError extends SouthSeasError {
    readonly seat: number;
    readonly name = "SeatResignedError";
    constructor(seat: number);
}
/** An operation whose path does not exist. */
export declare class PatchError extends SouthSeasError {
    readonly operation: PatchOperation;
    readonly name = "PatchError";
    constructor(operation: PatchOperation);
}
/** Returns a problem for a close code. */
export declare function problemOf(status: number, code: string, detail: string): Problem;
