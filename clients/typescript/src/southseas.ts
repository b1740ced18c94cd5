/** The client: a method for each operation of the API. */

import { BACKOFF, type Backoff, type Retry } from "./backoff.js";
import { ServerClock } from "./clock.js";
import { type SubscribeOptions, Subscription } from "./subscription.js";
import { HttpClient, baseUrl, type Query, type RequestOptions } from "./http.js";
import { type MoveChooser, type PlayOptions, playSeat } from "./play.js";
import { Sockets } from "./websocket.js";
import type {
  Act,
  ActionResult,
  BoardFeatures,
  BoardQuery,
  BotList,
  CreateGame,
  Created,
  Deliveries,
  Diff,
  Diffs,
  DiffsQuery,
  FeaturesQuery,
  SeatCommand,
  Game,
  Games,
  GamesQuery,
  JoinGame,
  Joined,
  LegalMoves,
  LegalMovesQuery,
  MyGames,
  MyGamesQuery,
  RegisterWebhook,
  Rematch,
  Rematched,
  Scores,
  SeatToken,
  ShipQuery,
  Story,
  StoryQuery,
  TileQuery,
  TilesQuery,
  TileSet,
  TileSets,
  TilesLeft,
  Webhook,
  WebhookCreated,
  Webhooks,
} from "./types.js";

export interface SouthSeasOptions {
  /** The URL of the service; in a browser, the page's origin by default. */
  readonly url?: string | URL;
  /** The token of requests without their own. */
  readonly token?: string | null;
  /** The secret with which a creator of games, as a chat bot, lists them. */
  readonly creatorKey?: string | null;
  /** The secret that the operator gives to hosts of many players, to create and join games. Not for web pages. */
  readonly apiKey?: string | null;
  /** The language of texts, as in Accept-Language; a function where it may change. */
  readonly language?: string | null | (() => string | null);
  /** The retries of requests. */
  readonly backoff?: Partial<Backoff>;
  /** The timeout of one attempt, by default 20,000. */
  readonly timeoutMs?: number;
  /** Called when something failed and is tried again, as after a 429. */
  readonly onRetry?: (retry: Retry) => void;
  /** A replacement of `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** The WebSocket class, if the platform has none. */
  readonly WebSocket?: typeof globalThis.WebSocket;
}

/** Options of requests whose response can have legal moves. */
export interface LegalMovesOptions extends RequestOptions {
  /** Whether the response has the legal moves after the request. */
  readonly includeLegalMoves?: boolean;
}

export interface ActOptions extends LegalMovesOptions {
  /** The version, and optionally digest, that the game must have; or `VERSION` or `VERSION-DIGEST`, with or without quotes. */
  readonly ifMatch?: string | { readonly version: number; readonly digest?: string | null };
  /** Whether the response has the whole game. */
  readonly returnGame?: boolean;
}

function entityTag(revision: NonNullable<ActOptions["ifMatch"]>): string {
  if (typeof revision === "string") return `"${revision.replaceAll('"', "")}"`;
  return `"${revision.version}${revision.digest ? `-${revision.digest}` : ""}"`;
}

/** The most diffs that a page of the log may have: nearly every game is one request. */
const MAX_DIFFS = 1000;

/**
 * A client of one service. Methods throw ProblemError for error responses, and UnreachableError without a response of the
 * service.
 */
export class SouthSeas {
  /** The service's clock, set by sockets and by responses to POST. */
  readonly clock: ServerClock;
  readonly #http: HttpClient;
  readonly #sockets: Sockets;
  readonly #token: string | null;
  readonly #creationHeaders: Readonly<Record<string, string>>;
  readonly #apiKeyHeaders: Readonly<Record<string, string>>;

  /** `sockets` are those of a client to share them with. */
  constructor(
    private readonly options: SouthSeasOptions = {},
    sockets?: Sockets,
  ) {
    const base = baseUrl(typeof options === "object" ? (options.url ?? globalThis.location?.origin) : undefined);
    const backoff = { ...BACKOFF, ...options.backoff };
    this.clock = sockets?.clock ?? new ServerClock();
    this.#token = options.token ?? null;
    this.#apiKeyHeaders = options.apiKey ? { "Api-Key": options.apiKey } : {};
    this.#creationHeaders = {
      ...(options.creatorKey && { "Creator-Key": options.creatorKey }),
      ...this.#apiKeyHeaders,
    };
    this.#http = new HttpClient({
      base,
      token: this.#token,
      language: options.language ?? null,
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
      backoff,
      timeoutMs: options.timeoutMs ?? 20_000,
      clock: this.clock,
      onRetry: options.onRetry,
    });
    const url = this.#http.url("/v1/ws").href.replace(/^http/, "ws");
    this.#sockets = sockets ?? new Sockets(url, backoff, this.clock, options.WebSocket, options.onRetry);
  }

  /** Returns a client with another token that shares the sockets. */
  withToken(token: string | null): SouthSeas {
    return new SouthSeas({ ...this.options, token }, this.#sockets);
  }

  /** Returns a client that asks for texts in another language and shares the sockets. */
  withLanguage(language: string | null | (() => string | null)): SouthSeas {
    return new SouthSeas({ ...this.options, language }, this.#sockets);
  }

  /** Returns all tile sets. */
  tilesets(options?: RequestOptions): Promise<TileSets> {
    return this.#get("/v1/tilesets", "tilesets", {}, options);
  }

  /** Returns a tile set. */
  tileset(id: string, options?: RequestOptions): Promise<TileSet> {
    return this.#get(`/v1/tilesets/${id}`, "tiles", {}, options);
  }

  /** Creates a game. Store the tokens of the response: they cannot be read again. */
  createGame(request: CreateGame, options?: LegalMovesOptions): Promise<Created> {
    return this.#post("/v1/games", "owner_token", request, options, this.#creationHeaders);
  }

  /** Returns public games, newest first. */
  games(query: GamesQuery = {}, options?: RequestOptions): Promise<Games> {
    return this.#get("/v1/games", "games", query, options);
  }

  /** Takes the next open seat; a private game requires its spectator token. */
  joinGame(id: string, request: JoinGame, options?: LegalMovesOptions): Promise<Joined> {
    return this.#post(`/v1/games/${id}/seats`, "legal_moves", request, options, this.#creationHeaders);
  }

  /** Removes a player who joined, before the start, as the owner or that player; the seat is open again. */
  removePlayer(id: string, seat: number, options?: RequestOptions): Promise<Game> {
    return this.#http.request({ method: "DELETE", path: `/v1/games/${id}/seats/${seat}` }, "board", options);
  }

  /** Replaces the token of a seat; the old one becomes invalid at once. */
  replaceSeatToken(id: string, seat: number, options?: RequestOptions): Promise<SeatToken> {
    return this.#post(`/v1/games/${id}/seats/${seat}/token`, "token", {}, options, this.#creationHeaders);
  }

  /**
   * Creates a game with the same players, as the owner or a player of a game that is over. The same tokens are valid in
   * it. If there is one already, the problem of the ProblemError names it in `next_game`.
   */
  rematch(id: string, request: Rematch = {}, options?: RequestOptions): Promise<Rematched> {
    return this.#post(`/v1/games/${id}/rematch`, "digest", request, options, this.#apiKeyHeaders);
  }

  /** Returns the games of `tokens`; without them, of the client's creator key, or else of its token. */
  myGames(query: MyGamesQuery = {}, tokens: readonly string[] = [], options?: RequestOptions): Promise<MyGames> {
    const token = tokens.join(", ") || this.options.creatorKey || this.#token;
    return this.#get("/v1/seats/me/games", "games", query, { token, ...options });
  }

  /** Returns the bots that can fill a seat. */
  bots(options?: RequestOptions): Promise<BotList> {
    return this.#get("/v1/bots", "bots", {}, options);
  }

  /** Returns GAME. */
  game(id: string, options?: RequestOptions): Promise<Game> {
    return this.#get(`/v1/games/${id}`, "board", {}, options);
  }

  /** Aborts a game, as its owner. */
  abortGame(id: string, options?: RequestOptions): Promise<Game> {
    return this.#http.request({ method: "DELETE", path: `/v1/games/${id}` }, "board", options);
  }

  /** Returns the legal moves. */
  legalMoves(id: string, query: LegalMovesQuery = {}, options?: RequestOptions): Promise<LegalMoves> {
    return this.#get(`/v1/games/${id}/legal-moves`, "moves", query, options);
  }

  /** Plays an `action`, a `move` by its id, or several `actions`, all or none. */
  act(id: string, act: Act, options?: ActOptions): Promise<ActionResult> {
    return this.#post(`/v1/games/${id}/actions`, "diffs", act, options);
  }

  /** Undoes the last action of this turn. */
  undo(id: string, request: SeatCommand = {}, options?: ActOptions): Promise<ActionResult> {
    return this.#post(`/v1/games/${id}/undo`, "diffs", request, options);
  }

  /** Resigns; with the owner's token, `seat` is required. */
  resign(id: string, request: SeatCommand = {}, options?: ActOptions): Promise<ActionResult> {
    return this.#post(`/v1/games/${id}/resign`, "diffs", request, options);
  }

  /** Returns to a seat that a bot plays; with the owner's token, `seat` is required. */
  returnToSeat(id: string, request: SeatCommand = {}, options?: ActOptions): Promise<ActionResult> {
    return this.#post(`/v1/games/${id}/return`, "diffs", request, options);
  }

  /** Returns points and islander values. */
  scores(id: string, options?: RequestOptions): Promise<Scores> {
    return this.#get(`/v1/games/${id}/scores`, "islanders", {}, options);
  }

  /** Returns the features of a tile, or of the whole board, and what each is worth. */
  features(id: string, query: FeaturesQuery = {}, options?: RequestOptions): Promise<BoardFeatures> {
    return this.#get(`/v1/games/${id}/features`, "features", query, options);
  }

  /** Returns the tiles left in the bag. */
  tiles(id: string, options?: RequestOptions): Promise<TilesLeft> {
    return this.#get(`/v1/games/${id}/tiles`, "bag", {}, options);
  }

  /** Returns what happened, in sentences. */
  story(id: string, query: StoryQuery = {}, options?: RequestOptions): Promise<Story> {
    return this.#get(`/v1/games/${id}/story`, "lines", query, options);
  }

  /** Returns a page of the log. */
  diffs(id: string, query: DiffsQuery = {}, options?: RequestOptions): Promise<Diffs> {
    return this.#get(`/v1/games/${id}/diffs`, "diffs", query, options);
  }

  /** Returns the URL of a picture of the board, for an `<img>`. It works for public games only, without a token. */
  boardUrl(id: string, form: "svg" | "png" | "txt", query: BoardQuery = {}): string {
    return this.#http.url(`/v1/games/${id}/board.${form}`, query).href;
  }

  /** Returns a picture of the board, also of a private game. */
  board(id: string, form: "svg" | "png" | "txt", query: BoardQuery = {}, options?: RequestOptions): Promise<Blob> {
    const request = { method: "GET", path: `/v1/games/${id}/board.${form}`, query } as const;
    return this.#http.picture(request, options);
  }

  /** Returns the URL of a picture of a tile. */
  tileUrl(tileset: string, tile: string, form: "svg" | "png", query: TileQuery = {}): string {
    return this.#http.url(`/v1/tilesets/${tileset}/tiles/${tile}.${form}`, query).href;
  }

  /** Returns the URL of all tiles of a set, in every rotation, as the symbols of one SVG. */
  tilesUrl(tileset: string, query: TilesQuery = {}): string {
    return this.#http.url(`/v1/tilesets/${tileset}/tiles.svg`, query).href;
  }

  /** Returns the URL of a picture of a ship. */
  shipUrl(tileset: string, ship: string, form: "svg" | "png", query: ShipQuery = {}): string {
    return this.#http.url(`/v1/tilesets/${tileset}/ships/${ship}.${form}`, query).href;
  }

  /** Registers a webhook, as the game's owner. Store the secret of the response: it cannot be read again. */
  registerWebhook(id: string, request: RegisterWebhook, options?: RequestOptions): Promise<WebhookCreated> {
    return this.#post(`/v1/games/${id}/webhooks`, "secret", request, options, this.#apiKeyHeaders);
  }

  /** Returns the game's webhooks, as the owner. */
  webhooks(id: string, options?: RequestOptions): Promise<Webhooks> {
    return this.#get(`/v1/games/${id}/webhooks`, "webhooks", {}, options);
  }

  /** Returns a webhook with its delivery status, as the owner. */
  webhook(id: string, hook: string, options?: RequestOptions): Promise<Webhook> {
    return this.#get(`/v1/games/${id}/webhooks/${hook}`, "next_attempt_at", {}, options);
  }

  /** Returns the latest deliveries of a webhook. */
  deliveries(id: string, hook: string, options?: RequestOptions): Promise<Deliveries> {
    return this.#get(`/v1/games/${id}/webhooks/${hook}/deliveries`, "attempts", {}, options);
  }

  /** Retries the waiting message at once, and enables a disabled webhook. */
  retryWebhook(id: string, hook: string, options?: RequestOptions): Promise<Webhook> {
    return this.#post(`/v1/games/${id}/webhooks/${hook}/retry`, "next_attempt_at", undefined, options);
  }

  /** Deletes a webhook. */
  deleteWebhook(id: string, hook: string, options?: RequestOptions): Promise<null> {
    return this.#http.request({ method: "DELETE", path: `/v1/games/${id}/webhooks/${hook}` }, null, options);
  }

  /** Iterates over the log after version `since`, page by page, up to the current version. */
  async *log(id: string, since = 0, options?: RequestOptions): AsyncGenerator<Diff, void, void> {
    for (let at = since; ;) {
      const page = await this.diffs(id, { since: at, limit: MAX_DIFFS }, options);
      yield* page.diffs;
      at = page.diffs.at(-1)?.version ?? page.version;
      if (at >= page.version) return;
    }
  }

  /** Subscribes to a game: the subscription has a replica that receives every change until it is closed. */
  subscribe(id: string, options: SubscribeOptions = {}): Subscription {
    const log = (since: number, request: RequestOptions) => this.log(id, since, request);
    return new Subscription(id, this.#sockets, { token: this.#token, ...options }, log);
  }

  /**
   * Plays a seat: calls `choose` whenever the seat must decide. Resolves to the final GAME. While the service is away, it
   * waits and goes on when the service is back, as a subscription does: a move whose response was lost is sent again, and
   * played once. Rejects with SeatReplacedError when a bot plays for the seat, unless `returnWhenReplaced`, and with
   * SeatResignedError when the seat has resigned and the others play on.
   */
  play(id: string, seat: number, choose: MoveChooser, options: PlayOptions = {}): Promise<Game> {
    // A request of the loop repeats its idempotency key until the service responds, so that it has no second effect.
    const backoff = { ...this.options.backoff, maxAttempts: Infinity };
    return playSeat(new SouthSeas({ ...this.options, backoff }, this.#sockets), id, seat, choose, options);
  }

  /** `member` is what the response must have, to be the service's. */
  #get<Body>(path: string, member: keyof Body & string, query: Query, options?: RequestOptions): Promise<Body> {
    return this.#http.request({ method: "GET", path, query }, member, options);
  }

  #post<Body>(
    path: string,
    member: keyof Body & string,
    body: unknown,
    options: ActOptions = {},
    extraHeaders: Readonly<Record<string, string>> = {},
  ): Promise<Body> {
    const { ifMatch, includeLegalMoves, returnGame } = options;
    const headers = {
      ...extraHeaders,
      ...(ifMatch && { "If-Match": entityTag(ifMatch) }),
      ...(returnGame && { Prefer: "return=representation" }),
    };
    const query = includeLegalMoves ? { include: "legal_moves" } : {};
    return this.#http.request({ method: "POST", path, query, body, headers }, member, options);
  }
}
