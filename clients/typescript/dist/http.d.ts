/** HTTP requests with safe retries: every POST has an idempotency key. */
import { type Backoff, type Retry } from "./backoff.js";
import type { ServerClock } from "./clock.js";
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
    readonly onRetry: ((retry: Retry) => void) | undefined;
}
/** Requests to one service. What another application, a portal or a proxy answers is no response of it. */
export declare class HttpClient {
    private readonly options;
    constructor(options: HttpOptions);
    /** Returns the URL of a path. */
    url(path: string, query?: Query): URL;
    /**
     * Sends a request and returns the decoded response, which has the member `member`; null if it has no content. Throws
     * ProblemError and UnreachableError.
     */
    request<Body>(request: HttpRequest, member: (keyof Body & string) | null, options?: RequestOptions): Promise<Body>;
    /** Sends a request and returns a picture. Throws ProblemError and UnreachableError. */
    picture(request: HttpRequest, options?: RequestOptions): Promise<Blob>;
    /** Sends a request until the service itself responds, or as often as the backoff permits. */
    private send;
    private headers;
    private sendOnce;
    /** Returns the wait before the next attempt, or null if there is none. */
    private retryDelay;
}
/** Returns the URL of the service with a slash at its end. Throws TypeError. */
export declare function baseUrl(url: string | URL | undefined): string;
/** Returns a random key of 64 hexadecimal digits. */
export declare function newKey(): string;
