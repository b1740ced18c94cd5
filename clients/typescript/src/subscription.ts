/** A subscription to a game: every version once and in order, across lost connections and restarts. */

import { type Backoff, backoffMs } from "./backoff.js";
import type { ServerClock } from "./clock.js";
import { ProblemError, SouthSeasError, problemOf } from "./errors.js";
import { Replica } from "./replica.js";
import type { ClientMessage, Diff, Game, Problem, ServerMessage } from "./types.js";

/**
 * The state of the connection: `connected` when missed diffs follow, `reconnecting` before the next attempt, `closed`
 * permanently.
 */
export type Status = "connecting" | "connected" | "reconnecting" | "closed";

export interface SubscribeOptions {
  /** A token that can read the game; null for none. Defaults to the client's token. */
  readonly token?: string | null;
  /** A state to resume from, from a response or stored earlier. */
  readonly from?: { readonly game: Game; readonly digest: string };
  /** Called when the game has changed by `diff`; `diff` is null if the game was read whole. */
  readonly onState?: (game: Game, diff: Diff | null) => void;
  readonly onStatus?: (status: Status) => void;
  /** Called when the service rejects the subscription, as for a wrong token. The subscription is then closed. */
  readonly onError?: (error: ProblemError) => void;
  /** Closes the subscription. */
  readonly signal?: AbortSignal;
  /** The WebSocket class, if the platform has none. */
  readonly WebSocket?: typeof globalThis.WebSocket;
}

/**
 * Close codes after which reconnecting would fail again, unless the service announced that it closes; from 4000 on, all
 * but RESUMABLE_CLOSE_CODES.
 */
const FINAL_CLOSE_CODES = new Set([1002, 1003, 1007, 1008, 1009, 1010]);
const RESUMABLE_CLOSE_CODES = new Set([4408, 4429]);

const PROBLEM_CODES: Readonly<Record<number, string>> = { 400: "malformed", 401: "unauthorized", 404: "not_found" };

/** The time in which a message must follow a `ping`. */
const PONG_TIMEOUT_MS = 10_000;

/** A subscription to one game, until `close`. */
export class Subscription {
  readonly #replica = new Replica();
  readonly #WebSocket: typeof globalThis.WebSocket;
  #socket: WebSocket | null = null;
  #status: Status = "connecting";
  #failures = 0;
  /** The wait that the service asked for; null if it did not. */
  #retryAfterMs: number | null = null;
  #connectingSince = 0;
  #isSyncing = false;
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  #pingInterval: ReturnType<typeof setInterval> | undefined;
  #pongTimeout: ReturnType<typeof setTimeout> | undefined;

  /** `url` is that of `/v1/ws`. Use `SouthSeas.subscribe` to create one. */
  constructor(
    private readonly url: string,
    readonly id: string,
    private readonly backoff: Backoff,
    private readonly clock: ServerClock,
    private readonly options: SubscribeOptions,
  ) {
    this.#WebSocket = options.WebSocket ?? globalThis.WebSocket;
    if (this.#WebSocket === undefined) {
      throw new SouthSeasError(
        "This platform has no WebSocket: pass one, or start Node 20 with --experimental-websocket.",
      );
    }
    if (options.from !== undefined) this.#replica.replace(options.from.game, options.from.digest);
    options.signal?.addEventListener("abort", this.close, { once: true });
    globalThis.addEventListener?.("online", this.#onOnline);
    globalThis.addEventListener?.("offline", this.#onOffline);
    globalThis.document?.addEventListener("visibilitychange", this.#onVisibilityChange);
    if (options.signal?.aborted) this.close();
    else this.#connect();
  }

  /** GAME at the last known version; null until the first snapshot. */
  get game(): Game | null {
    return this.#replica.game;
  }

  /** The digest of that version. */
  get digest(): string | null {
    return this.#replica.digest;
  }

  get status(): Status {
    return this.#status;
  }

  /** Applies the diffs of a response at once; the socket delivers those that do not fit. */
  applyDiffs(diffs: readonly Diff[]): void {
    for (const diff of this.#isSyncing ? [] : diffs) {
      if (diff.game === this.id && this.#replica.apply(diff) === "applied") this.#notify(diff);
    }
  }

  /** Ends the subscription. */
  readonly close = (): void => {
    if (this.#status === "closed") return;
    this.options.signal?.removeEventListener("abort", this.close);
    globalThis.removeEventListener?.("online", this.#onOnline);
    globalThis.removeEventListener?.("offline", this.#onOffline);
    globalThis.document?.removeEventListener("visibilitychange", this.#onVisibilityChange);
    this.#disconnect();
    this.#setStatus("closed");
  };

  #connect(): void {
    this.#setStatus(this.#failures === 0 && this.#status === "connecting" ? "connecting" : "reconnecting");
    this.#connectingSince = performance.now();
    const socket = new this.#WebSocket(this.url);
    this.#socket = socket;
    this.#isSyncing = false;
    this.#pongTimeout = setTimeout(() => {
      socket.close(); // a browser opens one socket to a host at a time: this one would block the next
      this.#onDisconnect(0);
    }, PONG_TIMEOUT_MS);
    socket.onopen = () => (socket === this.#socket ? this.#subscribe() : socket.close());
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      if (socket === this.#socket) this.#onMessage(JSON.parse(data) as ServerMessage);
    };
    socket.onerror = () => {}; // a close event follows; npm's `ws` throws an error that nobody listens to
    socket.onclose = ({ code }: CloseEvent) => {
      if (socket === this.#socket) this.#onDisconnect(code);
    };
  }

  #subscribe(): void {
    const { token } = this.options;
    if (token !== null && token !== undefined) this.#send({ type: "auth", id: "auth", game: this.id, token });
    const { game, digest } = this.#replica;
    const since = game === null ? {} : { since: game.version, digest };
    this.#send({ type: "subscribe", id: "subscribe", game: this.id, ...since });
  }

  #onMessage(message: ServerMessage): void {
    clearTimeout(this.#pongTimeout);
    switch (message.type) {
      case "welcome":
        this.clock.observe(message.now, this.#connectingSince, performance.now());
        this.#pingInterval = setInterval(() => this.#ping(), message.ping_interval_ms);
        break;
      case "subscribed":
        this.#setStatus("connected");
        break;
      case "snapshot":
        this.#failures = 0;
        this.#isSyncing = false;
        if (this.#replica.replace(message.game, message.digest)) this.#notify(null);
        break;
      case "diff":
        this.#failures = 0;
        this.#applyOrSync(message);
        break;
      case "error":
        this.#onProblem(message.id, message.problem);
        break;
      case "closing":
        this.#retryAfterMs = message.retry_after_ms;
        break;
      case "pong":
        this.#failures = 0;
        break;
      default: // acknowledgements and unknown messages
    }
  }

  #applyOrSync(diff: Diff): void {
    if (diff.game !== this.id || this.#isSyncing) return;
    const result = this.#replica.apply(diff);
    if (result === "applied") this.#notify(diff);
    if (result === "gap") {
      this.#isSyncing = true;
      this.#send({ type: "sync", id: "sync", game: this.id });
    }
  }

  #onProblem(id: string | null, problem: Problem): void {
    if (problem.status === 429 || problem.status >= 500) {
      this.#retryAfterMs = 1000 * (problem.retry_after_s ?? 0);
      this.#onDisconnect(0);
    } else if (id !== "ping") {
      this.#fail(problem);
    }
  }

  /** Handles a lost connection; `code` is its close code, or 0 if this client closed it. */
  #onDisconnect(code: number): void {
    this.#disconnect();
    const isFinal = FINAL_CLOSE_CODES.has(code) || (code >= 4000 && !RESUMABLE_CLOSE_CODES.has(code));
    if (isFinal && this.#retryAfterMs === null) {
      const name = PROBLEM_CODES[code - 4000] ?? "unknown";
      this.#fail(problemOf(Math.max(400, code - 4000), name, `the connection was closed with ${code}`));
      return;
    }
    const waitMs = Math.min(this.#retryAfterMs ?? 0, this.backoff.maxWaitMs) + backoffMs(this.backoff, this.#failures);
    this.#retryAfterMs = null;
    this.#failures++;
    this.#setStatus("reconnecting");
    this.#reconnectTimer = setTimeout(() => this.#connect(), waitMs);
  }

  #fail(problem: Problem): void {
    this.close();
    this.options.onError?.(new ProblemError(problem));
  }

  /**
   * Closes the socket and clears all timers. A socket that is still connecting closes once it is open, because
   * browsers report an earlier close as an error.
   */
  #disconnect(): void {
    clearTimeout(this.#reconnectTimer);
    clearTimeout(this.#pongTimeout);
    clearInterval(this.#pingInterval);
    const socket = this.#socket;
    this.#socket = null;
    if (socket?.readyState !== 0) socket?.close();
  }

  /** Sends a ping and expects a reply, because browsers do not report a lost network. */
  #ping(): void {
    clearTimeout(this.#pongTimeout);
    this.#send({ type: "ping", id: "ping" });
    this.#pongTimeout = setTimeout(() => this.#onDisconnect(0), PONG_TIMEOUT_MS);
  }

  /** Checks at once whether the connection still works, as after a failed request. */
  check(): void {
    if (this.#socket?.readyState === 1) this.#ping();
  }

  /** Handles a lost network, which an open socket would report late. */
  readonly #onOffline = (): void => {
    if (this.#socket?.readyState === 1) this.#onDisconnect(0);
  };

  /** Handles a restored network: checks an open socket, or reconnects at once, unless it is connecting already. */
  readonly #onOnline = (): void => {
    if (this.#socket?.readyState === 1) {
      this.#ping();
    } else if (this.#status === "reconnecting" && this.#socket?.readyState !== 0) {
      this.#disconnect();
      this.#connect();
    }
  };

  /** Handles a page that becomes visible, because phones suspend timers and sockets. */
  readonly #onVisibilityChange = (): void => {
    if (document.visibilityState === "visible") this.#onOnline();
  };

  #send(message: ClientMessage): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  #notify(diff: Diff | null): void {
    if (this.#replica.game !== null) this.options.onState?.(this.#replica.game, diff);
  }

  #setStatus(status: Status): void {
    if (status === this.#status) return;
    this.#status = status;
    this.options.onStatus?.(status);
  }
}
