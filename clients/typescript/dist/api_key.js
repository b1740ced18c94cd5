/** The client of an API key: the key's quotas, all games of the key, and one webhook for all of them. */
import { BACKOFF } from "./backoff.js";
import { ServerClock } from "./clock.js";
import { HttpClient, baseUrl } from "./http.js";
/** A client of a host of many players, as a chat bot. To create games with the key, give it to `SouthSeas`. */
export class ApiKeyClient {
    #http;
    #headers;
    constructor(options) {
        this.#headers = { "Api-Key": options.apiKey };
        this.#http = new HttpClient({
            base: baseUrl(options.url),
            token: null,
            language: null,
            fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
            backoff: { ...BACKOFF, ...options.backoff },
            timeoutMs: options.timeoutMs ?? 20_000,
            clock: new ServerClock(),
            onRetry: options.onRetry,
        });
    }
    /** Returns the name and the quotas of the key. */
    key(options) {
        return this.#request("GET", "/v1/keys/me", "games_per_hour", undefined, options);
    }
    /** Returns the games that were created with the key, newest first, private ones too. */
    games(query = {}, options) {
        return this.#request("GET", "/v1/keys/me/games", "games", undefined, options, query);
    }
    /** Registers a webhook for all games. Store the secret of the response: it cannot be read again. */
    registerWebhook(request, options) {
        return this.#request("POST", "/v1/keys/me/webhooks", "secret", request, options);
    }
    /** Returns the webhooks of the key. */
    webhooks(options) {
        return this.#request("GET", "/v1/keys/me/webhooks", "webhooks", undefined, options);
    }
    /** Returns a webhook. */
    webhook(hook, options) {
        return this.#request("GET", `/v1/keys/me/webhooks/${hook}`, "next_attempt_at", undefined, options);
    }
    /** Changes the URL or the events of a webhook. */
    changeWebhook(hook, request, options) {
        return this.#request("PATCH", `/v1/keys/me/webhooks/${hook}`, "next_attempt_at", request, options);
    }
    /** Deletes a webhook. */
    deleteWebhook(hook, options) {
        return this.#request("DELETE", `/v1/keys/me/webhooks/${hook}`, null, undefined, options);
    }
    /** Sends a test message to an active webhook. */
    pingWebhook(hook, options) {
        return this.#request("POST", `/v1/keys/me/webhooks/${hook}/ping`, "next_attempt_at", undefined, options);
    }
    /** Gives a webhook a new signing secret; the current one signs too until the grace period ends. */
    rotateSecret(hook, request = {}, options) {
        return this.#request("POST", `/v1/keys/me/webhooks/${hook}/rotate-secret`, "secret", request, options);
    }
    /** Tries a webhook again now; a disabled one becomes active. */
    retryWebhook(hook, options) {
        return this.#request("POST", `/v1/keys/me/webhooks/${hook}/retry`, "next_attempt_at", undefined, options);
    }
    /** Returns the latest deliveries of a webhook. */
    deliveries(hook, options) {
        return this.#request("GET", `/v1/keys/me/webhooks/${hook}/deliveries`, "attempts", undefined, options);
    }
    #request(method, path, member, body, options, query = {}) {
        return this.#http.request({ method, path, query, body, headers: this.#headers }, member, options);
    }
}
