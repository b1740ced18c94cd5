/** The service as an object: a method for each thing that can be asked. */

import { BACKOFF, type Backoff } from "./backoff.js";
import { type SubscribeOptions, Subscription } from "./subscription.js";
import { Http, type Query, type RequestOptions } from "./http.js";
import type {
  Act,
  ActionResult,
  BoardQuery,
  BotList,
  CreateGame,
  Created,
  Deliveries,
  Diff,
  Diffs,
  DiffsQuery,
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
  Scores,
  SeatToken,
  ShipQuery,
  Story,
  StoryQuery,
  TileQuery,
  TileSet,
  TileSets,
  TilesLeft,
  Webhook,
  WebhookCreated,
  Webhooks,
} from "./types.js";

export interface SouthSeasOptions {
  /** Where the service is; in a browser, where the page came from. */
  readonly url?: string | URL;
  /** Said with every request that names no token of its own. */
  readonly token?: string | null;
  /** The secret by which whoever creates games for others, as a chat bot, finds them. */
  readonly creatorKey?: string | null;
  /** The language of texts for people, as in Accept-Language. */
  readonly language?: string | null;
  /** How often, and after what waits, a request is tried again. */
  readonly backoff?: Partial<Backoff>;
  /** How long one try may take. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** Whose legal moves are wanted with the answer. */
export interface LegalMovesOptions extends RequestOptions {
  readonly includeLegalMoves?: boolean;
}

export interface ActOptions extends LegalMovesOptions {
  /** Count for this state of the game only: what follows or read it. */
  readonly ifMatch?: { readonly version: number; readonly digest?: string | null };
  /** Have the whole game in the answer. */
  readonly returnGame?: boolean;
}

/** One service. Every method throws ProblemError for a refusal and UnreachableError where no answer comes. */
export class SouthSeas {
  readonly #http: Http;
  readonly #backoff: Backoff;
  readonly #token: string | null;
  readonly #creator: Readonly<Record<string, string>>;

  constructor(private readonly options: SouthSeasOptions = {}) {
    const base = String(options.url ?? globalThis.location.origin);
    this.#backoff = { ...BACKOFF, ...options.backoff };
    this.#token = options.token ?? null;
    this.#creator = options.creatorKey ? { "Creator-Key": options.creatorKey } : {};
    this.#http = new Http({
      base: base.endsWith("/") ? base : `${base}/`,
      token: this.#token,
      language: options.language ?? null,
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
      backoff: this.#backoff,
      timeoutMs: options.timeoutMs ?? 20_000,
    });
  }

  /** The same client for another token. */
  withToken(token: string | null): SouthSeas {
    return new SouthSeas({ ...this.options, token });
  }

  tilesets(options?: RequestOptions): Promise<TileSets> {
    return this.#get("/v1/tilesets", {}, options);
  }

  tileset(id: string, options?: RequestOptions): Promise<TileSet> {
    return this.#get(`/v1/tilesets/${id}`, {}, options);
  }

  /** A new game. Keep the tokens: nobody can read them again. */
  createGame(asked: CreateGame, options?: LegalMovesOptions): Promise<Created> {
    return this.#post("/v1/games", asked, options, this.#creator);
  }

  /** Public games, newest first. */
  games(query: GamesQuery = {}, options?: RequestOptions): Promise<Games> {
    return this.#get("/v1/games", query, options);
  }

  /** Take the next open seat; of a private game, with its spectator token. */
  joinGame(id: string, asked: JoinGame, options?: LegalMovesOptions): Promise<Joined> {
    return this.#post(`/v1/games/${id}/seats`, asked, options, this.#creator);
  }

  /** Send whoever joined there away, as the owner of a game that waits; the seat is open again. */
  removePlayer(id: string, seat: number, options?: RequestOptions): Promise<Game> {
    return this.#http.ask({ method: "DELETE", path: `/v1/games/${id}/seats/${seat}` }, options);
  }

  /** A new token for a seat; the old one ends at once. */
  replaceSeatToken(id: string, seat: number, options?: RequestOptions): Promise<SeatToken> {
    return this.#post(`/v1/games/${id}/seats/${seat}/token`, {}, options);
  }

  /** The same players again, for the owner of a game that is over. */
  rematch(id: string, asked: Rematch = {}, options?: LegalMovesOptions): Promise<Created> {
    return this.#post(`/v1/games/${id}/rematch`, asked, options);
  }

  /** The games of these tokens, else those that came with the client's creator's key, else those of its token. */
  myGames(query: MyGamesQuery = {}, tokens: readonly string[] = [], options?: RequestOptions): Promise<MyGames> {
    const token = tokens.join(", ") || this.options.creatorKey || this.#token;
    return this.#get("/v1/seats/me/games", query, { token, ...options });
  }

  /** Every bot that can fill a seat. */
  bots(options?: RequestOptions): Promise<BotList> {
    return this.#get("/v1/bots", {}, options);
  }

  game(id: string, options?: RequestOptions): Promise<Game> {
    return this.#get(`/v1/games/${id}`, {}, options);
  }

  /** End a game, as its owner. */
  abortGame(id: string, options?: RequestOptions): Promise<Game> {
    return this.#http.ask({ method: "DELETE", path: `/v1/games/${id}` }, options);
  }

  /** Everything that may be done now. */
  legalMoves(id: string, query: LegalMovesQuery = {}, options?: RequestOptions): Promise<LegalMoves> {
    return this.#get(`/v1/games/${id}/legal-moves`, query, options);
  }

  /** Do an `action`, a `move` by its id, or several `actions`, all or none. */
  act(id: string, act: Act, options?: ActOptions): Promise<ActionResult> {
    return this.#post(`/v1/games/${id}/actions`, act, options);
  }

  /** Take the last action of this turn back. */
  undo(id: string, asked: SeatCommand = {}, options?: ActOptions): Promise<ActionResult> {
    return this.#post(`/v1/games/${id}/undo`, asked, options);
  }

  resign(id: string, asked: SeatCommand = {}, options?: ActOptions): Promise<ActionResult> {
    return this.#post(`/v1/games/${id}/resign`, asked, options);
  }

  /** Take a seat back from the bot that stands in. */
  returnToSeat(id: string, asked: SeatCommand = {}, options?: ActOptions): Promise<ActionResult> {
    return this.#post(`/v1/games/${id}/return`, asked, options);
  }

  scores(id: string, options?: RequestOptions): Promise<Scores> {
    return this.#get(`/v1/games/${id}/scores`, {}, options);
  }

  /** The tiles left in the bag. */
  tiles(id: string, options?: RequestOptions): Promise<TilesLeft> {
    return this.#get(`/v1/games/${id}/tiles`, {}, options);
  }

  /** What happened, in sentences. */
  story(id: string, query: StoryQuery = {}, options?: RequestOptions): Promise<Story> {
    return this.#get(`/v1/games/${id}/story`, query, options);
  }

  /** A page of the log. */
  diffs(id: string, query: DiffsQuery = {}, options?: RequestOptions): Promise<Diffs> {
    return this.#get(`/v1/games/${id}/diffs`, query, options);
  }

  /** Where a picture of the board is, for an `<img>`; only of a public game, as no token is in it. */
  boardUrl(id: string, form: "svg" | "png" | "txt", query: BoardQuery = {}): string {
    return this.#http.url(`/v1/games/${id}/board.${form}`, query).href;
  }

  /** A picture of the board, also of a private game. */
  async board(
    id: string,
    form: "svg" | "png" | "txt",
    query: BoardQuery = {},
    options?: RequestOptions,
  ): Promise<Blob> {
    const asked = { method: "GET", path: `/v1/games/${id}/board.${form}`, query } as const;
    return (await this.#http.send(asked, options)).blob();
  }

  /** Where a picture of a tile is. */
  tileUrl(tileset: string, tile: string, form: "svg" | "png", query: TileQuery = {}): string {
    return this.#http.url(`/v1/tilesets/${tileset}/tiles/${tile}.${form}`, query).href;
  }

  /** Where a picture of a ship is. */
  shipUrl(tileset: string, ship: string, form: "svg" | "png", query: ShipQuery = {}): string {
    return this.#http.url(`/v1/tilesets/${tileset}/ships/${ship}.${form}`, query).href;
  }

  /** Have another server told what happens, as the game's owner; the secret is told here only. */
  registerWebhook(id: string, asked: RegisterWebhook, options?: RequestOptions): Promise<WebhookCreated> {
    return this.#post(`/v1/games/${id}/webhooks`, asked, options);
  }

  webhooks(id: string, options?: RequestOptions): Promise<Webhooks> {
    return this.#get(`/v1/games/${id}/webhooks`, {}, options);
  }

  webhook(id: string, hook: string, options?: RequestOptions): Promise<Webhook> {
    return this.#get(`/v1/games/${id}/webhooks/${hook}`, {}, options);
  }

  /** What was sent to a webhook of late. */
  deliveries(id: string, hook: string, options?: RequestOptions): Promise<Deliveries> {
    return this.#get(`/v1/games/${id}/webhooks/${hook}/deliveries`, {}, options);
  }

  /** Try the message that waits at once; a webhook that was disabled is active again. */
  retryWebhook(id: string, hook: string, options?: RequestOptions): Promise<Webhook> {
    return this.#post(`/v1/games/${id}/webhooks/${hook}/retry`, undefined, options);
  }

  deleteWebhook(id: string, hook: string, options?: RequestOptions): Promise<null> {
    return this.#http.ask({ method: "DELETE", path: `/v1/games/${id}/webhooks/${hook}` }, options);
  }

  /** The log after version `since`, page by page, up to what is there now. */
  async *log(id: string, since = 0, options?: RequestOptions): AsyncGenerator<Diff, void, void> {
    for (let at = since; ;) {
      const page = await this.diffs(id, { since: at }, options);
      yield* page.diffs;
      at = page.diffs.at(-1)?.version ?? page.version;
      if (at >= page.version) return;
    }
  }

  /** Hold a copy of a game that follows every change until it is closed. */
  subscribe(id: string, options: SubscribeOptions = {}): Subscription {
    const url = this.#http.url("/v1/ws");
    url.protocol = url.protocol.replace("http", "ws");
    return new Subscription(url.href, id, this.#backoff, { token: this.#token, ...options });
  }

  #get<Answer>(path: string, query: Query, options?: RequestOptions): Promise<Answer> {
    return this.#http.ask({ method: "GET", path, query }, options);
  }

  #post<Answer>(
    path: string,
    body: unknown,
    options: ActOptions = {},
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const { ifMatch, includeLegalMoves, returnGame } = options;
    const headers = {
      ...more,
      ...(ifMatch && { "If-Match": `"${ifMatch.version}${ifMatch.digest ? `-${ifMatch.digest}` : ""}"` }),
      ...(returnGame && { Prefer: "return=representation" }),
    };
    const query = includeLegalMoves ? { include: "legal_moves" } : {};
    return this.#http.ask({ method: "POST", path, query, body, headers }, options);
  }
}
