/** Waits between attempts. */
export const BACKOFF = { maxAttempts: 5, initialWaitMs: 250, maxWaitMs: 30_000 };
/** Somebody who looks at the app has the service back within 2 s in the median, however long it was away. */
export const MAX_VISIBLE_WAIT_MS = 4000;
/** Returns the wait after `failures` earlier failures: exponential, with jitter so that clients do not retry together. */
export function backoffMs(backoff, failures) {
    const longest = globalThis.document?.visibilityState === "hidden" ? backoff.maxWaitMs : MAX_VISIBLE_WAIT_MS;
    const bound = Math.min(backoff.initialWaitMs * 2 ** failures, longest, backoff.maxWaitMs);
    return bound * (0.5 + Math.random() / 2);
}
/** Waits; rejects with the signal's reason if it is aborted. */
export function sleep(ms, signal) {
    return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const abort = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", abort);
            resolve();
        }, ms);
        signal?.addEventListener("abort", abort, { once: true });
    });
}
