/** Subscription a game over the WebSocket: every version once and in order, through lost connections and restarts. */

import { type Backoff, wait } from "./backoff.js";
import { ProblemError, SouthSeasError, problemOf } from "./errors.js";
import { Replica } from "./replica.js";
import type { ClientMessage, Diff, Game, Problem, ServerMessage } from "./types.js";

/**
 * How things stand with the connection: `connected` once all that was missed is on its way, `reconnecting` while
 * another try is waited for, `closed` for good.
 */
export type Status = "connecting" | "connected" | "reconnecting" | "closed";

export interface SubscribeOptions {
  /** A token that may read the game; null for none. The client's own where it is left out. */
  readonly token?: string | null;
  /** A state to go on from, from an answer or from what was kept. */
  readonly from?: { readonly game: Game; readonly digest: string };
  /** The game has changed, by `diff`; or it was read whole, and `diff` is null. */
  readonly onState?: (game: Game, diff: Diff | null) => void;
  readonly onStatus?: (status: Status) => void;
  /** The service does not want this reader (any more): no token, no such game. The following is closed by then. */
  readonly onError?: (error: ProblemError) => void;
  /** Closes. */
  readonly signal?: AbortSignal;
  /** The class of the sockets, where the platform has none of its own. */
  readonly WebSocket?: typeof globalThis.WebSocket;
}

/** The WebSocket's close codes after which there is no point in coming back; of 4000 and more, all but `RESUME`. */
const FINAL = new Set([1002, 1003, 1007, 1008, 1009, 1010]);
const RESUME = new Set([4408, 4429]);

const CODES: Readonly<Record<number, string>> = { 400: "malformed", 401: "unauthorized", 404: "not_found" };

/** How long after a `ping` something must have come. */
const ANSWER_MS = 10_000;

/** One game that is followed until `close`. */
export class Subscription {
  readonly #replica = new Replica();
  readonly #WebSocket: typeof globalThis.WebSocket;
  #socket: WebSocket | null = null;
  #status: Status = "connecting";
  #failures = 0;
  /** What `closing` asked for. */
  #patienceMs = 0;
  #isSyncing = false;
  #reconnect: ReturnType<typeof setTimeout> | undefined;
  #pinging: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;

  /** `url` is that of `/v1/ws`. Use `SouthSeas.subscribe`. */
  constructor(
    private readonly url: string,
    readonly id: string,
    private readonly backoff: Backoff,
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
    globalThis.addEventListener?.("online", this.#online);
    globalThis.addEventListener?.("offline", this.#offline);
    globalThis.document?.addEventListener("visibilitychange", this.#awake);
    if (options.signal?.aborted) this.close();
    else this.#connect();
  }

  /** GAME as far as it is known here; null until the first snapshot. */
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

  /** Go on by the diffs of an action's answer at once. What does not follow is left to the socket. */
  applyDiffs(diffs: readonly Diff[]): void {
    for (const diff of this.#isSyncing ? [] : diffs) {
      if (diff.game === this.id && this.#replica.take(diff) === "applied") this.#tell(diff);
    }
  }

  /** Follow no longer. */
  readonly close = (): void => {
    if (this.#status === "closed") return;
    this.options.signal?.removeEventListener("abort", this.close);
    globalThis.removeEventListener?.("online", this.#online);
    globalThis.removeEventListener?.("offline", this.#offline);
    globalThis.document?.removeEventListener("visibilitychange", this.#awake);
    this.#leave();
    this.#become("closed");
  };

  #connect(): void {
    this.#become(this.#failures === 0 && this.#status === "connecting" ? "connecting" : "reconnecting");
    const socket = new this.#WebSocket(this.url);
    this.#socket = socket;
    this.#isSyncing = false;
    this.#deadline = setTimeout(() => this.#lost(0), ANSWER_MS);
    const current = (listener: () => void) => () => socket === this.#socket && listener();
    socket.onopen = current(() => this.#subscribe());
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      if (socket === this.#socket) this.#heard(JSON.parse(data) as ServerMessage);
    };
    socket.onclose = ({ code }: CloseEvent) => {
      if (socket === this.#socket) this.#lost(code);
    };
  }

  #subscribe(): void {
    const { token } = this.options;
    if (token !== null && token !== undefined) this.#say({ type: "auth", id: "auth", game: this.id, token });
    const { game, digest } = this.#replica;
    const since = game === null ? {} : { since: game.version, digest };
    this.#say({ type: "subscribe", id: "subscribe", game: this.id, ...since });
  }

  #heard(message: ServerMessage): void {
    clearTimeout(this.#deadline);
    switch (message.type) {
      case "welcome":
        this.#pinging = setInterval(() => this.#ping(), message.ping_interval_ms);
        break;
      case "subscribed":
        this.#become("connected");
        break;
      case "snapshot":
        this.#failures = 0;
        this.#isSyncing = false;
        if (this.#replica.replace(message.game, message.digest)) this.#tell(null);
        break;
      case "diff":
        this.#failures = 0;
        this.#go(message);
        break;
      case "error":
        this.#refused(message.id, message.problem);
        break;
      case "closing":
        this.#patienceMs = message.retry_after_ms;
        break;
      case "pong":
        this.#failures = 0;
        break;
      default: // acknowledgements, and messages that are not known here
    }
  }

  #go(diff: Diff): void {
    if (diff.game !== this.id || this.#isSyncing) return;
    const taken = this.#replica.take(diff);
    if (taken === "applied") this.#tell(diff);
    if (taken === "gap") {
      this.#isSyncing = true;
      this.#say({ type: "sync", id: "sync", game: this.id });
    }
  }

  #refused(id: string | null, problem: Problem): void {
    if (problem.status === 429 || problem.status >= 500) {
      this.#patienceMs = 1000 * (problem.retry_after_s ?? 0);
      this.#lost(0);
    } else if (id !== "ping") {
      this.#end(problem);
    }
  }

  /** The connection is lost, with a close code (0: it is given up from here). */
  #lost(code: number): void {
    this.#leave();
    if (FINAL.has(code) || (code >= 4000 && !RESUME.has(code))) {
      const name = CODES[code - 4000] ?? "unknown";
      this.#end(problemOf(Math.max(400, code - 4000), name, `the socket was closed with ${code}`));
      return;
    }
    const waitMs = this.#patienceMs + wait(this.backoff, this.#failures);
    this.#patienceMs = 0;
    this.#failures++;
    this.#become("reconnecting");
    this.#reconnect = setTimeout(() => this.#connect(), waitMs);
  }

  #end(problem: Problem): void {
    this.close();
    this.options.onError?.(new ProblemError(problem));
  }

  /** Drop the socket and all that waits; whatever it still brings is not heard. */
  #leave(): void {
    clearTimeout(this.#reconnect);
    clearTimeout(this.#deadline);
    clearInterval(this.#pinging);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  /** Browsers answer protocol pings unseen, and do not tell of a network that is gone: ask, and expect an answer. */
  #ping(): void {
    clearTimeout(this.#deadline);
    this.#say({ type: "ping", id: "ping" });
    this.#deadline = setTimeout(() => this.#lost(0), ANSWER_MS);
  }

  /** See at once whether the connection still works, as after a request that nobody answered. */
  check(): void {
    if (this.#socket?.readyState === 1) this.#ping();
  }

  /** The network is gone: an open socket would not tell for long. */
  readonly #offline = (): void => {
    if (this.#socket?.readyState === 1) this.#lost(0);
  };

  /** The network is there again: do not wait any longer, and see whether an open socket still works. */
  readonly #online = (): void => {
    if (this.#socket?.readyState === 1) {
      this.#ping();
    } else if (this.#status === "reconnecting") {
      this.#leave();
      this.#connect();
    }
  };

  /** A phone slept, and its timers and sockets with it. */
  readonly #awake = (): void => {
    if (document.visibilityState === "visible") this.#online();
  };

  #say(message: ClientMessage): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  #tell(diff: Diff | null): void {
    if (this.#replica.game !== null) this.options.onState?.(this.#replica.game, diff);
  }

  #become(status: Status): void {
    if (status === this.#status) return;
    this.#status = status;
    this.options.onStatus?.(status);
  }
}
