/** The client: a method for each operation of the API. */
import { type Backoff, type Retry } from "./backoff.js";
import { ServerClock } from "./clock.js";
import { type SubscribeOptions, Subscription } from "./subscription.js";
import { type RequestOptions } from "./http.js";
import { type MoveChooser, type PlayOptions } from "./play.js";
import { Sockets } from "./websocket.js";
import type { Act, ActionResult, BoardFeatures, BoardQuery, BotList, CreateGame, Created, Deliveries, Diff, Diffs, DiffsQuery, FeaturesQuery, SeatCommand, Game, Games, GamesQuery, JoinGame, Joined, LegalMoves, LegalMovesQuery, MyGames, MyGamesQuery, RegisterWebhook, Rematch, Rematched, Scores, SeatToken, ShipQuery, Story, StoryQuery, TileQuery, TilesQuery, TileSet, TileSets, TilesLeft, Webhook, WebhookCreated, Webhooks } from "./types.js";
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
    readonly ifMatch?: string | {
        readonly version: number;
        readonly digest?: string | null;
    };
    /** Whether the response has the whole game. */
    readonly returnGame?: boolean;
}
/**
 * A client of one service. Methods throw ProblemError for error responses, and UnreachableError without a response of the
 * service.
 */
export declare class SouthSeas {
    #private;
    private readonly options;
    /** The service's clock, set by sockets and by responses to POST. */
    readonly clock: ServerClock;
    /** `sockets` are those of a client to share them with. */
    constructor(options?: SouthSeasOptions, sockets?: Sockets);
    /** Returns a client with another token that shares the sockets. */
    withToken(token: string | null): SouthSeas;
    /** Returns a client that asks for texts in another language and shares the sockets. */
    withLanguage(language: string | null | (() => string | null)): SouthSeas;
    /** Returns all tile sets. */
    tilesets(options?: RequestOptions): Promise<TileSets>;
    /** Returns a tile set. */
    tileset(id: string, options?: RequestOptions): Promise<TileSet>;
    /** Creates a game. Store the tokens of the response: they cannot be read again. */
    createGame(request: CreateGame, options?: LegalMovesOptions): Promise<Created>;
    /** Returns public games, newest first. */
    games(query?: GamesQuery, options?: RequestOptions): Promise<Games>;
    /** Takes the next open seat; a private game requires its spectator token. */
    joinGame(id: string, request: JoinGame, options?: LegalMovesOptions): Promise<Joined>;
    /** Removes a player who joined, before the start, as the owner or that player; the seat is open again. */
    removePlayer(id: string, seat: number, options?: RequestOptions): Promise<Game>;
    /** Replaces the token of a seat; the old one becomes invalid at once. */
    replaceSeatToken(id: string, seat: number, options?: RequestOptions): Promise<SeatToken>;
    /**
     * Creates a game with the same players, as the owner or a player of a game that is over. The same tokens are valid in
     * it. If there is one already, the problem of the ProblemError names it in `next_game`.
     */
    rematch(id: string, request?: Rematch, options?: RequestOptions): Promise<Rematched>;
    /** Returns the games of `tokens`; without them, of the client's creator key, or else of its token. */
    myGames(query?: MyGamesQuery, tokens?: readonly string[], options?: RequestOptions): Promise<MyGames>;
    /** Returns the bots that can fill a seat. */
    bots(options?: RequestOptions): Promise<BotList>;
    /** Returns GAME. */
    game(id: string, options?: RequestOptions): Promise<Game>;
    /** Aborts a game, as its owner. */
    abortGame(id: string, options?: RequestOptions): Promise<Game>;
    /** Returns the legal moves. */
    legalMoves(id: string, query?: LegalMovesQuery, options?: RequestOptions): Promise<LegalMoves>;
    /** Plays an `action`, a `move` by its id, or several `actions`, all or none. */
    act(id: string, act: Act, options?: ActOptions): Promise<ActionResult>;
    /** Undoes the last action of this turn. */
    undo(id: string, request?: SeatCommand, options?: ActOptions): Promise<ActionResult>;
    /** Resigns; with the owner's token, `seat` is required. */
    resign(id: string, request?: SeatCommand, options?: ActOptions): Promise<ActionResult>;
    /** Returns to a seat that a bot plays; with the owner's token, `seat` is required. */
    returnToSeat(id: string, request?: SeatCommand, options?: ActOptions): Promise<ActionResult>;
    /** Returns points and islander values. */
    scores(id: string, options?: RequestOptions): Promise<Scores>;
    /** Returns the features of a tile, or of the whole board, and what each is worth. */
    features(id: string, query?: FeaturesQuery, options?: RequestOptions): Promise<BoardFeatures>;
    /** Returns the tiles left in the bag. */
    tiles(id: string, options?: RequestOptions): Promise<TilesLeft>;
    /** Returns what happened, in sentences. */
    story(id: string, query?: StoryQuery, options?: RequestOptions): Promise<Story>;
    /** Returns a page of the log. */
    diffs(id: string, query?: DiffsQuery, options?: RequestOptions): Promise<Diffs>;
    /** Returns the URL of a picture of the board, for an `<img>`. It works for public games only, without a token. */
    boardUrl(id: string, form: "svg" | "png" | "txt", query?: BoardQuery): string;
    /** Returns a picture of the board, also of a private game. */
    board(id: string, form: "svg" | "png" | "txt", query?: BoardQuery, options?: RequestOptions): Promise<Blob>;
    /** Returns the URL of a picture of a tile. */
    tileUrl(tileset: string, tile: string, form: "svg" | "png", query?: TileQuery): string;
    /** Returns the URL of all tiles of a set, in every rotation, as the symbols of one SVG. */
    tilesUrl(tileset: string, query?: TilesQuery): string;
    /** Returns the URL of a picture of a ship. */
    shipUrl(tileset: string, ship: string, form: "svg" | "png", query?: ShipQuery): string;
    /** Registers a webhook, as the game's owner. Store the secret of the response: it cannot be read again. */
    registerWebhook(id: string, request: RegisterWebhook, options?: RequestOptions): Promise<WebhookCreated>;
    /** Returns the game's webhooks, as the owner. */
    webhooks(id: string, options?: RequestOptions): Promise<Webhooks>;
    /** Returns a webhook with its delivery status, as the owner. */
    webhook(id: string, hook: string, options?: RequestOptions): Promise<Webhook>;
    /** Returns the latest deliveries of a webhook. */
    deliveries(id: string, hook: string, options?: RequestOptions): Promise<Deliveries>;
    /** Retries the waiting message at once, and enables a disabled webhook. */
    retryWebhook(id: string, hook: string, options?: RequestOptions): Promise<Webhook>;
    /** Deletes a webhook. */
    deleteWebhook(id: string, hook: string, options?: RequestOptions): Promise<null>;
    /** Iterates over the log after version `since`, page by page, up to the current version. */
    log(id: string, since?: number, options?: RequestOptions): AsyncGenerator<Diff, void, void>;
    /** Subscribes to a game: the subscription has a replica that receives every change until it is closed. */
    subscribe(id: string, options?: SubscribeOptions): Subscription;
    /**
     * Plays a seat: calls `choose` whenever the seat must decide. Resolves to the final GAME. While the service is away, it
     * waits and goes on when the service is back, as a subscription does: a move whose response was lost is sent again, and
     * played once. Rejects with SeatReplacedError when a bot plays for the seat, unless `returnWhenReplaced`, and with
     * SeatResignedError when the seat has resigned and the others play on.
     */
    play(id: string, seat: number, choose: MoveChooser, options?: PlayOptions): Promise<Game>;
}
