/** HTTP requests with safe retries: every POST has an idempotency key. */

import { type Backoff, backoffMs, sleep } from "./backoff.js";
import type { ServerClock } from "./clock.js";
import { ProblemError, UnreachableError, problemOf } from "./errors.js";
import type { Problem } from "./types.js";

/** Options of any request. */
export interface RequestOptions {
  /** Replaces the client's token; null sends none. */
  readonly token?: string | null;
  /** Aborts the request, and the wait between attempts. */
  readonly signal?: AbortSignal;
  /** The idempotency key of a POST, to repeat it in a later call; keep it secret if the response has tokens. */
  readonly key?: string;
}

/** Query parameters; null and undefined are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A request to send. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpOptions {
  readonly base: string;
  readonly token: string | null;
  readonly language: string | null | (() => string | null);
  readonly fetch: typeof globalThis.fetch;
  readonly backoff: Backoff;
  readonly timeoutMs: number;
  readonly clock: ServerClock;
}

const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

/** Requests to one service. */
export class HttpClient {
  constructor(private readonly options: HttpOptions) {}

  /** Returns the URL of a path. */
  url(path: string, query: Query = {}): URL {
    const url = new URL(path.replace(/^\//, ""), this.options.base);
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  /** Sends a request and returns the decoded response. Throws ProblemError and UnreachableError. */
  async request<Body>(request: HttpRequest, options: RequestOptions = {}): Promise<Body> {
    const response = await this.send(request, options);
    if (response.status === 204) return null as Body;
    try {
      return (await response.json()) as Body;
    } catch (error) {
      throw new UnreachableError(this.options.base, error); // the response is not the service's
    }
  }

  /** Sends a request and returns its response. Throws ProblemError and UnreachableError. */
  async send(request: HttpRequest, options: RequestOptions = {}): Promise<Response> {
    const { backoff } = this.options;
    const headers = this.headers(request, options);
    for (let failures = 0; ; failures++) {
      const result = await this.sendOnce(request, headers, options.signal);
      if (result instanceof Response) return result;
      const waitMs = this.retryDelay(result, failures);
      if (failures + 1 >= backoff.maxAttempts || waitMs === null) throw result;
      await sleep(waitMs, options.signal);
    }
  }

  private headers(request: HttpRequest, { token, key }: RequestOptions): Headers {
    const headers = new Headers(request.headers);
    const bearer = token === undefined ? this.options.token : token;
    if (bearer) headers.set("Authorization", `Bearer ${bearer}`);
    const { language: setting } = this.options;
    const language = typeof setting === "function" ? setting() : setting;
    if (language !== null) headers.set("Accept-Language", language);
    if (request.body !== undefined) headers.set("Content-Type", "application/json");
    if (request.method === "POST") headers.set("Idempotency-Key", key ?? newKey());
    return headers;
  }

  private async sendOnce(request: HttpRequest, headers: Headers, signal?: AbortSignal): Promise<Response | Failure> {
    const url = this.url(request.path, request.query);
    const timeout = new AbortController();
    // Not AbortSignal.timeout: its timer does not keep a Node process alive.
    const timer = setTimeout(() => timeout.abort(new Error("the request timed out")), this.options.timeoutMs);
    const sentAt = performance.now();
    try {
      const response = await this.options.fetch(url, {
        method: request.method,
        headers,
        signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      // No cache stores the response to a POST.
      const date = request.method === "POST" ? response.headers.get("Date") : null;
      if (date !== null) this.options.clock.observe(date, sentAt, performance.now());
      if (response.ok) return await buffered(response);
      return new ProblemError(await readProblem(response));
    } catch (error) {
      signal?.throwIfAborted();
      return new UnreachableError(this.options.base, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns the wait before the next attempt, or null if there is none. */
  private retryDelay(failure: Failure, failures: number): number | null {
    const { backoff } = this.options;
    const jittered = backoffMs(backoff, failures);
    if (failure instanceof UnreachableError) return jittered;
    // A conflict after a lost response: the first attempt may still be running.
    if (failure.code === "conflict" && failures > 0) return jittered;
    if (!RETRYABLE_STATUSES.has(failure.status)) return null;
    const retryAfterMs = 1000 * (failure.problem.retry_after_s ?? 0);
    if (retryAfterMs > backoff.maxWaitMs && backoff.maxAttempts !== Infinity) return null;
    return Math.min(retryAfterMs, backoff.maxWaitMs) + jittered;
  }
}

type Failure = ProblemError | UnreachableError;

/** Returns a random key of 64 hexadecimal digits. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads the whole body, so that an interrupted one counts as a failed attempt. */
async function buffered(response: Response): Promise<Response> {
  const { status, headers } = response;
  return new Response(status === 204 || status === 304 ? null : await response.arrayBuffer(), { status, headers });
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text();
  const problem = response.headers.get("Content-Type")?.startsWith("application/problem+json")
    ? (JSON.parse(text) as Problem)
    : problemOf(response.status, "unknown", `${response.status} ${response.statusText}`);
  return { ...problem, retry_after_s: problem.retry_after_s ?? retryAfter(response.headers) };
}

/** Returns the seconds of Retry-After, or until the reset of RateLimit. */
function retryAfter(headers: Headers): number | null {
  const value = headers.get("Retry-After");
  if (value !== null && /^\d+$/.test(value)) return Number(value);
  const at = value === null ? Number.NaN : Date.parse(value);
  if (!Number.isNaN(at)) return Math.max(0, Math.ceil((at - Date.now()) / 1000));
  const window = /;\s*t=(\d+)/.exec(headers.get("RateLimit") ?? "");
  return window === null ? null : Number(window[1]);
}
