/** Waits between attempts. */
export interface Backoff {
    /** The attempts for a request, 5 by default; Infinity for any number. */
    readonly maxAttempts: number;
    /** The longest wait before the second attempt, by default 250; it doubles for each further one, in front up to 4 s. */
    readonly initialWaitMs: number;
    /**
     * The upper bound, by default 30,000, of a wait of a hidden page, and of the wait that a response asks for (`Retry-After`),
     * which is added to it. A request whose response asks for more fails, unless it has any number of attempts; a subscription reconnects
     * after this time.
     */
    readonly maxWaitMs: number;
}
/** A request, a connection or a subscription that failed, and is tried again. */
export interface Retry {
    /** What is tried again, as `POST /v1/games`, `wss://games.example/v1/ws` or `game k7m2x9qd4t1w`. */
    readonly what: string;
    /** Why it failed: the problem's `detail` if there is one. */
    readonly reason: string;
    /** The wait before the next attempt. */
    readonly waitMs: number;
}
export declare const BACKOFF: Backoff;
/** Somebody who looks at the app has the service back within 2 s in the median, however long it was away. */
export declare const MAX_VISIBLE_WAIT_MS = 4000;
/** Returns the wait after `failures` earlier failures: exponential, with jitter so that clients do not retry together. */
export declare function backoffMs(backoff: Backoff, failures: number): number;
/** Waits; rejects with the signal's reason if it is aborted. */
export declare function sleep(ms: number, signal?: AbortSignal): Promise<void>;
