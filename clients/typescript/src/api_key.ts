/** The client of an API key: the key's quotas, all games of the key, and one webhook for all of them. */

import { BACKOFF, type Backoff, type Retry } from "./backoff.js";
import { ServerClock } from "./clock.js";
import { HttpClient, baseUrl, type HttpRequest, type Query, type RequestOptions } from "./http.js";
import type {
  ApiKey,
  ChangeKeyWebhook,
  Games,
  GamesQuery,
  KeyDeliveries,
  KeyWebhook,
  KeyWebhookCreated,
  KeyWebhooks,
  RegisterKeyWebhook,
  RotatedSecret,
  RotateSecret,
} from "./types.js";

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
export class ApiKeyClient {
  readonly #http: HttpClient;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: ApiKeyOptions) {
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
  key(options?: KeyRequestOptions): Promise<ApiKey> {
    return this.#request("GET", "/v1/keys/me", "games_per_hour", undefined, options);
  }

  /** Returns the games that were created with the key, newest first, private ones too. */
  games(query: GamesQuery = {}, options?: KeyRequestOptions): Promise<Games> {
    return this.#request("GET", "/v1/keys/me/games", "games", undefined, options, query);
  }

  /** Registers a webhook for all games. Store the secret of the response: it cannot be read again. */
  registerWebhook(request: RegisterKeyWebhook, options?: KeyRequestOptions): Promise<KeyWebhookCreated> {
    return this.#request("POST", "/v1/keys/me/webhooks", "secret", request, options);
  }

  /** Returns the webhooks of the key. */
  webhooks(options?: KeyRequestOptions): Promise<KeyWebhooks> {
    return this.#request("GET", "/v1/keys/me/webhooks", "webhooks", undefined, options);
  }

  /** Returns a webhook. */
  webhook(hook: string, options?: KeyRequestOptions): Promise<KeyWebhook> {
    return this.#request("GET", `/v1/keys/me/webhooks/${hook}`, "next_attempt_at", undefined, options);
  }

  /** Changes the URL or the events of a webhook. */
  changeWebhook(hook: string, request: ChangeKeyWebhook, options?: KeyRequestOptions): Promise<KeyWebhook> {
    return this.#request("PATCH", `/v1/keys/me/webhooks/${hook}`, "next_attempt_at", request, options);
  }

  /** Deletes a webhook. */
  deleteWebhook(hook: string, options?: KeyRequestOptions): Promise<null> {
    return this.#request("DELETE", `/v1/keys/me/webhooks/${hook}`, null, undefined, options);
  }

  /** Sends a test message to an active webhook. */
  pingWebhook(hook: string, options?: KeyRequestOptions): Promise<KeyWebhook> {
    return this.#request("POST", `/v1/keys/me/webhooks/${hook}/ping`, "next_attempt_at", undefined, options);
  }

  /** Gives a webhook a new signing secret; the current one signs too until the grace period ends. */
  rotateSecret(hook: string, request: RotateSecret = {}, options?: KeyRequestOptions): Promise<RotatedSecret> {
    return this.#request("POST", `/v1/keys/me/webhooks/${hook}/rotate-secret`, "secret", request, options);
  }

  /** Tries a webhook again now; a disabled one becomes active. */
  retryWebhook(hook: string, options?: KeyRequestOptions): Promise<KeyWebhook> {
    return this.#request("POST", `/v1/keys/me/webhooks/${hook}/retry`, "next_attempt_at", undefined, options);
  }

  /** Returns the latest deliveries of a webhook. */
  deliveries(hook: string, options?: KeyRequestOptions): Promise<KeyDeliveries> {
    return this.#request("GET", `/v1/keys/me/webhooks/${hook}/deliveries`, "attempts", undefined, options);
  }

  #request<Body>(
    method: HttpRequest["method"],
    path: string,
    member: (keyof Body & string) | null,
    body: unknown,
    options?: KeyRequestOptions,
    query: Query = {},
  ): Promise<Body> {
    return this.#http.request({ method, path, query, body, headers: this.#headers }, member, options);
  }
}
