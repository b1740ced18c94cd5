/** The client of an API key: the key's quotas, all games of the key, and one webhook for all of them. */
import { type Backoff, type Retry } from "./backoff.js";
import { type RequestOptions } from "./http.js";
import type { ApiKey, ChangeKeyWebhook, Games, GamesQuery, KeyDeliveries, KeyWebhook, KeyWebhookCreated, KeyWebhooks, RegisterKeyWebhook, RotatedSecret, RotateSecret } from "./types.js";
export interface ApiKeyOptions {
    /** The URL of the service. */
    readonly url: string | URL;
    /** The secret that the operator gave to this host. Not for web pages. */
    readonly apiKey: string;
    /** The retries of requests. */
    readonly backoff?: Partial<Backoff>;
    /** The timeout of one attempt, by default 20,000. */
    readonly timeoutMs?: number;
    /** Called when a request failed and is tried again, as after a 429. */
    readonly onRetry?: (retry: Retry) => void;
    /** A replacement of `fetch`. */
    readonly fetch?: typeof globalThis.fetch;
}
/** Options of a request with an API key, which needs no token. */
export type KeyRequestOptions = Omit<RequestOptions, "token">;
/** A client of a host of many players, as a chat bot. To create games with the key, give it to `SouthSeas`. */
export declare class ApiKeyClient {
    #private;
    constructor(options: ApiKeyOptions);
    /** Returns the name and the quotas of the key. */
    key(options?: KeyRequestOptions): Promise<ApiKey>;
    /** Returns the games that were created with the key, newest first, private ones too. */
    games(query?: GamesQuery, options?: KeyRequestOptions): Promise<Games>;
    /** Registers a webhook for all games. Store the secret of the response: it cannot be read again. */
    registerWebhook(request: RegisterKeyWebhook, options?: KeyRequestOptions): Promise<KeyWebhookCreated>;
    /** Returns the webhooks of the key. */
    webhooks(options?: KeyRequestOptions): Promise<KeyWebhooks>;
    /** Returns a webhook. */
    webhook(hook: string, options?: KeyRequestOptions): Promise<KeyWebhook>;
    /** Changes the URL or the events of a webhook. */
    changeWebhook(hook: string, request: ChangeKeyWebhook, options?: KeyRequestOptions): Promise<KeyWebhook>;
    /** Deletes a webhook. */
    deleteWebhook(hook: string, options?: KeyRequestOptions): Promise<null>;
    /** Sends a test message to an active webhook. */
    pingWebhook(hook: string, options?: KeyRequestOptions): Promise<KeyWebhook>;
    /** Gives a webhook a new signing secret; the current one signs too until the grace period ends. */
    rotateSecret(hook: string, request?: RotateSecret, options?: KeyRequestOptions): Promise<RotatedSecret>;
    /** Tries a webhook again now; a disabled one becomes active. */
    retryWebhook(hook: string, options?: KeyRequestOptions): Promise<KeyWebhook>;
    /** Returns the latest deliveries of a webhook. */
    deliveries(hook: string, options?: KeyRequestOptions): Promise<KeyDeliveries>;
}
