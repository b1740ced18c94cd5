/** HTTP requests with safe retries: every POST has an idempotency key. */
import { MAX_VISIBLE_WAIT_MS, backoffMs, sleep } from "./backoff.js";
import { ProblemError, UnreachableError } from "./errors.js";
/** The media type of the service's errors (RFC 9457), and of those of other applications: `readProblem` tells them apart. */
const PROBLEM_TYPE = "application/problem+json";
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);
/** Requests to one service. What another application, a portal or a proxy answers is no response of it. */
export class HttpClient {
    options;
    constructor(options) {
        this.options = options;
    }
    /** Returns the URL of a path. */
    url(path, query = {}) {
        const url = new URL(path.replace(/^\//, ""), this.options.base);
        for (const [name, value] of Object.entries(query)) {
            if (value !== null && value !== undefined)
                url.searchParams.set(name, String(value));
        }
        return url;
    }
    /**
     * Sends a request and returns the decoded response, which has the member `member`; null if it has no content. Throws
     * ProblemError and UnreachableError.
     */
    request(request, member, options = {}) {
        return this.send(request, (response) => readJson(response, member), options);
    }
    /** Sends a request and returns a picture. Throws ProblemError and UnreachableError. */
    picture(request, options = {}) {
        return this.send(request, readPicture, options);
    }
    /** Sends a request until the service itself responds, or as often as the backoff permits. */
    async send(request, read, options) {
        const headers = this.headers(request, options);
        for (let failures = 0;; failures++) {
            const result = await this.sendOnce(request, headers, read, options.signal);
            if (!(result instanceof ProblemError || result instanceof UnreachableError))
                return result;
            const waitMs = this.retryDelay(result, failures);
            if (failures + 1 >= this.options.backoff.maxAttempts || waitMs === null)
                throw result;
            this.options.onRetry?.({ what: `${request.method} ${request.path}`, reason: result.message, waitMs });
            await sleep(waitMs, options.signal);
        }
    }
    headers(request, { token, key }) {
        const headers = new Headers(request.headers);
        const bearer = token === undefined ? this.options.token : token;
        if (bearer)
            headers.set("Authorization", `Bearer ${bearer}`);
        const { language: setting } = this.options;
        const language = typeof setting === "function" ? setting() : setting;
        if (language !== null)
            headers.set("Accept-Language", language);
        if (request.body !== undefined)
            headers.set("Content-Type", "application/json");
        if (request.method === "POST")
            headers.set("Idempotency-Key", key ?? newKey());
        return headers;
    }
    async sendOnce(request, headers, read, signal) {
        const url = this.url(request.path, request.query);
        const timeout = new AbortController();
        // Not AbortSignal.timeout: its timer does not keep a Node process alive.
        const timer = setTimeout(() => timeout.abort(new Error("the request timed out")), this.options.timeoutMs);
        const sentAt = performance.now();
        let wait = null;
        try {
            const response = await this.options.fetch(url, {
                method: request.method,
                headers,
                redirect: "manual", // the service sends none; a portal would be asked in its place
                signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
                ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
            });
            // No cache stores the response to a POST.
            const date = request.method === "POST" ? response.headers.get("Date") : null;
            if (date !== null)
                this.options.clock.observe(date, sentAt, performance.now());
            const asked = retryAfter(response);
            wait = asked && Math.min(asked, MAX_VISIBLE_WAIT_MS / 1000); // what stands in for the service knows no time
            if (mediaType(response) === PROBLEM_TYPE)
                return new ProblemError(await readProblem(response, asked));
            if (!response.ok)
                throw notTheService(response);
            return await read(response);
        }
        catch (error) {
            signal?.throwIfAborted();
            return new UnreachableError(this.options.base, error, wait);
        }
        finally {
            clearTimeout(timer);
        }
    }
    /** Returns the wait before the next attempt, or null if there is none. */
    retryDelay(failure, failures) {
        const { backoff } = this.options;
        const jittered = backoffMs(backoff, failures);
        const isProblem = failure instanceof ProblemError;
        // A conflict after a lost response: the first attempt may still be running.
        if (isProblem && failure.code === "conflict" && failures > 0)
            return jittered;
        if (isProblem && !RETRYABLE_STATUSES.has(failure.status))
            return null;
        const retryAfterMs = 1000 * ((isProblem ? failure.problem.retry_after_s : failure.retryAfterS) ?? 0);
        if (isProblem && retryAfterMs > backoff.maxWaitMs && backoff.maxAttempts !== Infinity)
            return null;
        return Math.min(retryAfterMs, backoff.maxWaitMs) + jittered;
    }
}
/** Returns the URL of the service with a slash at its end. Throws TypeError. */
export function baseUrl(url) {
    if (url === undefined)
        throw new TypeError('pass { url: "https://..." }, the URL of the service');
    const base = String(url).replace(/\/*$/, "/");
    if (base.endsWith("/v1/"))
        throw new TypeError(`${String(url)}: give the url without /v1, which the client adds`);
    return base;
}
/** Returns a random key of 64 hexadecimal digits. */
export function newKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
function mediaType({ headers }) {
    return headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";
}
function notTheService({ status, statusText }) {
    return new Error(`${status} ${statusText}, which is no answer of the service`);
}
/** Reads the whole body, so that an interrupted one counts as a failed attempt. */
async function readJson(response, member) {
    const body = response.status === 204 ? null : await parse(response);
    const isExpected = member === null ? body === null : typeof body === "object" && body !== null && member in body;
    if (!isExpected)
        throw notTheService(response);
    return body;
}
async function readPicture(response) {
    if (!/^image\/|^text\/plain$/.test(mediaType(response)))
        throw notTheService(response);
    return response.blob();
}
/** Reads a problem of the service, whose type names its code. Throws on another application's. */
async function readProblem(response, wait) {
    const problem = (await parse(response));
    const isOurs = problem?.type === `/problems/${String(problem?.code).replaceAll("_", "-")}`;
    if (!isOurs || typeof problem.status !== "number")
        throw notTheService(response);
    return { ...problem, retry_after_s: problem.retry_after_s ?? wait };
}
async function parse(response) {
    const text = await response.text();
    try {
        return JSON.parse(text);
    }
    catch {
        throw notTheService(response);
    }
}
/** Returns the seconds of Retry-After, or until the reset of RateLimit. */
function retryAfter({ status, headers }) {
    const value = headers.get("Retry-After");
    if (value !== null && /^\d{1,9}$/.test(value))
        return Number(value);
    const at = value === null ? Number.NaN : Date.parse(value);
    if (!Number.isNaN(at))
        return Math.max(0, Math.ceil((at - Date.now()) / 1000));
    const window = status === 429 ? /;\s*t=(\d{1,9})(?!\d)/.exec(headers.get("RateLimit") ?? "") : null;
    return window === null ? null : Number(window[1]);
}
