/** Requests, each tried again where that is safe: a POST's idempotency key makes the second try do nothing twice. */

import { type Backoff, sleep, wait } from "./backoff.js";
import { ProblemError, UnreachableError, problemOf } from "./errors.js";
import type { Problem } from "./types.js";

/** What can be said of any request. */
export interface RequestOptions {
  /** A token to use in place of the client's own; null for none. */
  readonly token?: string | null;
  /** Ends the request, and the wait between two tries. */
  readonly signal?: AbortSignal;
  /** The idempotency key of a POST, where it is to outlive this call; kept secret where tokens are handed out. */
  readonly key?: string;
}

/** What stands behind the `?`; null and undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A request to send. */
export interface Asked {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpOptions {
  readonly base: string;
  readonly token: string | null;
  readonly language: string | null;
  readonly fetch: typeof globalThis.fetch;
  readonly backoff: Backoff;
  readonly timeoutMs: number;
}

const BUSY = new Set([429, 502, 503, 504]);

/** One service over HTTP. */
export class Http {
  constructor(private readonly options: HttpOptions) {}

  /** The full address of a path. */
  url(path: string, query: Query = {}): URL {
    const url = new URL(path.replace(/^\//, ""), this.options.base);
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  /** The answer to a request, decoded; throws ProblemError and UnreachableError. */
  async ask<Answer>(asked: Asked, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.send(asked, options);
    if (response.status === 204) return null as Answer;
    try {
      return (await response.json()) as Answer;
    } catch (error) {
      throw new UnreachableError(this.options.base, error); // something answers, but not the service
    }
  }

  /** The response to a request that was not refused; throws ProblemError and UnreachableError. */
  async send(asked: Asked, options: RequestOptions = {}): Promise<Response> {
    const { backoff } = this.options;
    const headers = this.headers(asked, options);
    for (let failures = 0; ; failures++) {
      const answered = await this.once(asked, headers, options.signal);
      if (answered instanceof Response) return answered;
      const waitMs = this.waitAfter(answered, failures);
      if (failures + 1 >= backoff.tries || waitMs === null) throw answered;
      await sleep(waitMs, options.signal);
    }
  }

  private headers(asked: Asked, { token, key }: RequestOptions): Headers {
    const headers = new Headers(asked.headers);
    const bearer = token === undefined ? this.options.token : token;
    if (bearer) headers.set("Authorization", `Bearer ${bearer}`);
    if (this.options.language !== null) headers.set("Accept-Language", this.options.language);
    if (asked.body !== undefined) headers.set("Content-Type", "application/json");
    if (asked.method === "POST") headers.set("Idempotency-Key", key ?? newKey());
    return headers;
  }

  private async once(asked: Asked, headers: Headers, signal?: AbortSignal): Promise<Response | Failure> {
    const url = this.url(asked.path, asked.query);
    const ending = new AbortController();
    // Not AbortSignal.timeout: Node would end a program that waits for nothing else.
    const timer = setTimeout(() => ending.abort(new Error("it took too long")), this.options.timeoutMs);
    try {
      const response = await this.options.fetch(url, {
        method: asked.method,
        headers,
        signal: signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]),
        ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
      });
      if (response.ok) return await read(response);
      return new ProblemError(await problemIn(response));
    } catch (error) {
      signal?.throwIfAborted();
      return new UnreachableError(this.options.base, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** How long to wait before the next try, or null where there should be none. */
  private waitAfter(failure: Failure, failures: number): number | null {
    const { backoff } = this.options;
    const jittered = wait(backoff, failures);
    if (failure instanceof UnreachableError) return jittered;
    // A conflict after a lost answer: the first try may be at work still.
    if (failure.code === "conflict" && failures > 0) return jittered;
    if (!BUSY.has(failure.status)) return null;
    const asked = 1000 * (failure.problem.retry_after_s ?? 0);
    return asked > backoff.longestWaitMs ? null : asked + jittered;
  }
}

type Failure = ProblemError | UnreachableError;

/** A key that nobody can guess: 64 hexadecimal digits. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The whole response: a body that breaks off is a lost answer, and asked for again. */
async function read(response: Response): Promise<Response> {
  const { status, headers } = response;
  return new Response(status === 204 || status === 304 ? null : await response.arrayBuffer(), { status, headers });
}

async function problemIn(response: Response): Promise<Problem> {
  const text = await response.text();
  const problem = response.headers.get("Content-Type")?.startsWith("application/problem+json")
    ? (JSON.parse(text) as Problem)
    : problemOf(response.status, "unknown", `${response.status} ${response.statusText}`);
  return { ...problem, retry_after_s: problem.retry_after_s ?? retryAfter(response.headers) };
}

/** Retry-After in seconds, or when the RateLimit header's window begins anew. */
function retryAfter(headers: Headers): number | null {
  const asked = headers.get("Retry-After");
  if (asked !== null && /^\d+$/.test(asked)) return Number(asked);
  const at = asked === null ? Number.NaN : Date.parse(asked);
  if (!Number.isNaN(at)) return Math.max(0, Math.ceil((at - Date.now()) / 1000));
  const window = /;\s*t=(\d+)/.exec(headers.get("RateLimit") ?? "");
  return window === null ? null : Number(window[1]);
}
