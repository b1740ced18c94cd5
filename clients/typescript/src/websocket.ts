/** WebSockets, each shared by the games of a client, with reconnection. */

import { type Backoff, type Retry, backoffMs } from "./backoff.js";
import type { ServerClock } from "./clock.js";
import { SouthSeasError, problemOf } from "./errors.js";
import type { ClientMessage, Problem, ServerMessage } from "./types.js";

/**
 * Close codes after which reconnecting would fail again, unless the service announced that it closes; from 4000 on, all
 * but RESUMABLE_CLOSE_CODES.
 */
const FINAL_CLOSE_CODES = new Set([1002, 1003, 1007, 1008, 1009, 1010]);
const RESUMABLE_CLOSE_CODES = new Set([4408, 4429]);

const PROBLEM_CODES: Readonly<Record<number, string>> = { 400: "malformed", 401: "unauthorized", 404: "not_found" };

/** The time in which the welcome must follow a connection's start, and a message a `ping`. */
const PONG_TIMEOUT_MS = 10_000;

/** Connections in a row that brought nothing and ended early, after which games are read by HTTP, if that works. */
const MAX_FAILURES = 3;

/** Games that one socket may follow, until the service's `welcome` says how many. */
const DEFAULT_MAX_GAMES = 1000;

/** Subscriptions that await their reply or a rate limit: the service closes a socket that exceeds a limit too often. */
const MAX_PENDING = 20;

type GameMessage = Extract<ServerMessage, { type: "subscribed" | "snapshot" | "diff" }>;

/** A game that is followed on a socket. */
export interface FollowedGame {
  readonly id: string;
  /** The socket that it is followed on. */
  socket: SharedSocket | null;
  /** The subscriptions to it that failed since the last that did not. */
  failures: number;
  /** Returns the messages that subscribe to it, from where it is. */
  subscribe(): ClientMessage[];
  receive(message: GameMessage): void;
  /** The next attempt follows. */
  disconnected(): void;
  /** Reads the changes by HTTP, for want of a socket; resolves to whether that worked. */
  readLog(): Promise<boolean>;
  /** No attempt can succeed. */
  failed(problem: Problem): void;
}

/** The sockets of a client: one, and another where all are full or follow the same game already. */
export class Sockets {
  readonly #open = new Set<SharedSocket>();

  /** `url` is that of `/v1/ws`. */
  constructor(
    readonly url: string,
    readonly backoff: Backoff,
    readonly clock: ServerClock,
    readonly WebSocket: typeof globalThis.WebSocket | undefined,
    readonly onRetry: ((retry: Retry) => void) | undefined,
  ) {}

  /** Follows a game on a socket that has room for it. */
  add(game: FollowedGame): void {
    let socket = [...this.#open].find((one) => one.hasRoom(game.id));
    if (socket === undefined) this.#open.add((socket = new SharedSocket(this)));
    socket.add(game);
  }

  /** Forgets a socket that is closed. */
  remove(socket: SharedSocket): void {
    this.#open.delete(socket);
  }
}

/** One WebSocket, connected while games are followed on it. After a loss all its games wait for one connection. */
export class SharedSocket {
  readonly #WebSocket: typeof globalThis.WebSocket;
  readonly #games = new Map<string, FollowedGame>();
  #maxGames = DEFAULT_MAX_GAMES;
  #socket: WebSocket | null = null;
  #isWelcomed = false;
  /** The games that have to subscribe yet, and those that have and await the reply. */
  readonly #unsubscribed = new Set<FollowedGame>();
  readonly #pending = new Set<FollowedGame>();
  /** The id of the messages with which each game subscribed last, and which an error to them repeats. */
  readonly #subscribeIds = new Map<FollowedGame, string>();
  #subscribeCount = 0;
  /** The waits of games whose subscription failed for a while. */
  readonly #waits = new Map<FollowedGame, ReturnType<typeof setTimeout>>();
  /** The connections in a row that brought neither a diff nor a snapshot, and did not last until a `pong`. */
  #failures = 0;
  #isReadingLogs = false;
  /** The wait that the service asked for; null if it did not. */
  #retryAfterMs: number | null = null;
  #connectingSince = 0;
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  #pingInterval: ReturnType<typeof setInterval> | undefined;
  #pongTimeout: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly sockets: Sockets) {
    const WebSocket = sockets.WebSocket ?? globalThis.WebSocket;
    if (WebSocket === undefined) {
      throw new SouthSeasError(
        "This platform has no WebSocket: pass one, or start Node 20 with --experimental-websocket.",
      );
    }
    this.#WebSocket = WebSocket;
    globalThis.addEventListener?.("online", this.#onOnline);
    globalThis.addEventListener?.("offline", this.#onOffline);
    globalThis.document?.addEventListener("visibilitychange", this.#onVisibilityChange);
    this.#connect();
  }

  hasRoom(id: string): boolean {
    return !this.#games.has(id) && this.#games.size < this.#maxGames;
  }

  /** Follows a game. */
  add(game: FollowedGame): void {
    game.socket = this;
    this.#games.set(game.id, game);
    this.#subscribe(game);
  }

  /** Follows a game no more; the socket is closed after the last one. */
  remove(game: FollowedGame): void {
    if (this.#games.get(game.id) !== game) return;
    this.#games.delete(game.id);
    clearTimeout(this.#waits.get(game));
    for (const games of [this.#unsubscribed, this.#pending, this.#waits, this.#subscribeIds]) games.delete(game);
    if (this.#games.size === 0) this.#close();
    else if (this.#isWelcomed) this.send({ type: "unsubscribe", game: game.id });
  }

  send(message: ClientMessage): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  /** Checks at once whether the connection still works. */
  check(): void {
    if (this.#isWelcomed) this.#ping();
  }

  #connect(): void {
    this.#connectingSince = performance.now();
    const socket = new this.#WebSocket(this.sockets.url);
    this.#socket = socket;
    this.#pongTimeout = setTimeout(() => {
      socket.close(); // a browser opens one socket to a host at a time: this one would block the next
      this.#onDisconnect(0);
    }, PONG_TIMEOUT_MS);
    socket.onopen = () => {
      if (socket !== this.#socket) socket.close();
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (socket === this.#socket) this.#onData(data);
    };
    socket.onerror = () => {}; // a close event follows; npm's `ws` throws an error that nobody listens to
    socket.onclose = ({ code }: CloseEvent) => {
      if (socket === this.#socket) this.#onDisconnect(code);
    };
  }

  #subscribe(game: FollowedGame): void {
    this.#unsubscribed.add(game);
    if (this.#isWelcomed) this.#subscribeNext();
  }

  /** Subscribes to the next games, as long as few replies are awaited. */
  #subscribeNext(): void {
    for (const game of this.#unsubscribed) {
      if (this.#pending.size >= MAX_PENDING) return;
      this.#unsubscribed.delete(game);
      this.#pending.add(game);
      const id = String(++this.#subscribeCount);
      this.#subscribeIds.set(game, id);
      for (const message of game.subscribe()) this.send({ ...message, id });
    }
  }

  /** Every connection of the service begins with `welcome`: one that does not is another application's. */
  #onData(data: unknown): void {
    let message: ServerMessage;
    try {
      message = JSON.parse(data as string) as ServerMessage;
    } catch {
      return this.#onDisconnect(0);
    }
    if (this.#isWelcomed) this.#onMessage(message);
    else if (message?.type === "welcome") this.#onWelcome(message);
    else this.#onDisconnect(0);
  }

  #onWelcome(welcome: Extract<ServerMessage, { type: "welcome" }>): void {
    clearTimeout(this.#pongTimeout);
    this.#isWelcomed = true;
    this.#retryAfterMs = null;
    this.sockets.clock.observe(welcome.now, this.#connectingSince, performance.now());
    this.#pingInterval = setInterval(() => this.#ping(), welcome.ping_interval_ms);
    this.#maxGames = welcome.max_subscriptions ?? this.#maxGames;
    for (const game of [...this.#games.values()].slice(this.#maxGames)) {
      this.#games.delete(game.id);
      this.#unsubscribed.delete(game);
      this.sockets.add(game);
    }
    this.#subscribeNext();
  }

  #onMessage(message: ServerMessage): void {
    clearTimeout(this.#pongTimeout);
    switch (message.type) {
      case "subscribed":
        this.#deliver(message.game, message);
        break;
      case "snapshot":
        this.#failures = 0;
        this.#deliver(message.game.id, message);
        break;
      case "diff":
        this.#failures = 0;
        this.#deliver(message.game, message);
        break;
      case "error":
        this.#onProblem(message.game, message.id, message.problem);
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

  #deliver(id: string, message: GameMessage): void {
    const game = this.#games.get(id);
    if (game === undefined || this.#unsubscribed.has(game) || this.#waits.has(game)) return;
    if (message.type === "subscribed") {
      this.#pending.delete(game);
      this.#subscribeNext();
    } else if (this.#pending.has(game)) {
      return; // of a subscription before this one
    } else {
      game.failures = 0;
    }
    game.receive(message);
  }

  /** Handles an error that concerns one game: others are followed on. */
  #onProblem(gameId: string | null, id: string | null, problem: Problem): void {
    const game = this.#games.get(gameId ?? "");
    if (game === undefined || this.#waits.has(game)) return; // after a failed `auth`, `subscribe` fails for want of it
    if (id !== null && id !== this.#subscribeIds.get(game)) return; // it failed before the game subscribed again
    if (problem.status !== 429 && problem.status < 500) {
      this.remove(game);
      game.failed(problem);
    } else {
      const { backoff, onRetry } = this.sockets;
      const retryAfterMs = Math.min(1000 * (problem.retry_after_s ?? 0), backoff.maxWaitMs);
      const waitMs = retryAfterMs + backoffMs(backoff, game.failures++);
      const subscribe = (): void => {
        this.#waits.delete(game);
        this.#pending.delete(game);
        this.#subscribe(game);
      };
      if (problem.status !== 429) this.#pending.delete(game);
      this.#waits.set(game, setTimeout(subscribe, waitMs));
      onRetry?.({ what: `game ${game.id}`, reason: problem.detail, waitMs });
      game.disconnected();
    }
    this.#subscribeNext();
  }

  /** Handles a lost connection; `code` is its close code, or 0 if this client closed it. */
  #onDisconnect(code: number): void {
    const isFinal = FINAL_CLOSE_CODES.has(code) || (code >= 4000 && !RESUMABLE_CLOSE_CODES.has(code));
    const games = [...this.#games.values()];
    const cause = code === 0 ? "the service did not answer" : `the connection was closed with ${code}`;
    if (isFinal && this.#isWelcomed && this.#retryAfterMs === null) {
      const name = PROBLEM_CODES[code - 4000] ?? "unknown";
      const problem = problemOf(Math.max(400, code - 4000), name, cause);
      this.#close();
      for (const game of games) game.failed(problem);
      return;
    }
    this.#disconnect();
    const isRefused = this.#failures + 1 >= MAX_FAILURES;
    const reason = isRefused ? `${cause}; games are read by HTTP meanwhile` : cause;
    const { backoff, onRetry, url } = this.sockets;
    const waitMs = Math.min(this.#retryAfterMs ?? 0, backoff.maxWaitMs) + backoffMs(backoff, this.#failures);
    this.#retryAfterMs = null;
    this.#failures++;
    this.#reconnectTimer = setTimeout(() => this.#connect(), waitMs);
    onRetry?.({ what: url, reason, waitMs });
    for (const game of games) game.disconnected();
    if (isRefused && !this.#isReadingLogs) void this.#readLogs();
  }

  /** Reads the changes of all games by HTTP, one game after the other, unless the service is away or a socket connects. */
  async #readLogs(): Promise<void> {
    this.#isReadingLogs = true;
    for (const game of this.#games.values()) {
      if (this.#failures === 0 || !(await game.readLog())) break;
    }
    this.#isReadingLogs = false;
  }

  /**
   * Closes the socket and clears all timers. A socket that is still connecting closes once it is open, because
   * browsers report an earlier close as an error.
   */
  #disconnect(): void {
    clearTimeout(this.#reconnectTimer);
    clearTimeout(this.#pongTimeout);
    clearInterval(this.#pingInterval);
    for (const wait of this.#waits.values()) clearTimeout(wait);
    this.#waits.clear();
    this.#pending.clear();
    for (const game of this.#games.values()) this.#unsubscribed.add(game);
    this.#isWelcomed = false;
    const socket = this.#socket;
    this.#socket = null;
    if (socket?.readyState !== 0) socket?.close();
  }

  #close(): void {
    this.#games.clear();
    this.#disconnect();
    this.sockets.remove(this);
    globalThis.removeEventListener?.("online", this.#onOnline);
    globalThis.removeEventListener?.("offline", this.#onOffline);
    globalThis.document?.removeEventListener("visibilitychange", this.#onVisibilityChange);
  }

  /** Sends a ping and expects a reply, because browsers do not report a lost network. */
  #ping(): void {
    clearTimeout(this.#pongTimeout);
    this.send({ type: "ping" });
    this.#pongTimeout = setTimeout(() => this.#onDisconnect(0), PONG_TIMEOUT_MS);
  }

  /** Handles a lost network, which an open socket would report late. */
  readonly #onOffline = (): void => {
    if (this.#socket?.readyState === 1) this.#onDisconnect(0);
  };

  /** Handles a restored network: checks an open socket, or reconnects at once, unless it is connecting already. */
  readonly #onOnline = (): void => {
    if (this.#isWelcomed) {
      this.#ping();
    } else if (this.#socket === null) {
      clearTimeout(this.#reconnectTimer);
      this.#connect();
    }
  };

  /** Handles a page that becomes visible, because phones suspend timers and sockets. */
  readonly #onVisibilityChange = (): void => {
    if (document.visibilityState === "visible") this.#onOnline();
  };
}
