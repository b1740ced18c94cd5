/** How long to wait between tries. */

export interface Backoff {
  /** How often a request is tried. */
  readonly tries: number;
  /** The longest wait before the second try; doubled for each one after it. */
  readonly firstWaitMs: number;
  /** Bounds every wait; a service that asks for more patience is not asked again. */
  readonly longestWaitMs: number;
}

export const BACKOFF: Backoff = { tries: 5, firstWaitMs: 250, longestWaitMs: 30_000 };

/** A wait after the nth failure (from 0): a random part of a bound that doubles, so that clients do not come in step. */
export function wait(backoff: Backoff, failures: number): number {
  const bound = Math.min(backoff.firstWaitMs * 2 ** failures, backoff.longestWaitMs);
  return bound * (0.5 + Math.random() / 2);
}

/** Wait; rejects with the signal's reason where it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
