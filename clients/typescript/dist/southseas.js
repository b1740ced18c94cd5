/** The client: a method for each operation of the API. */
import { BACKOFF } from "./backoff.js";
import { ServerClock } from "./clock.js";
import { Subscription } from "./subscription.js";
import { HttpClient, baseUrl } from "./http.js";
import { playSeat } from "./play.js";
import { Sockets } from "./websocket.js";
function entityTag(revision) {
    if (typeof revision === "string")
        return `"${revision.replaceAll('"', "")}"`;
    return `"${revision.version}${revision.digest ? `-${revision.digest}` : ""}"`;
}
/** The most diffs that a page of the log may have: nearly every game is one request. */
const MAX_DIFFS = 1000;
/**
 * A client of one service. Methods throw ProblemError for error responses, and UnreachableError without a response of the
 * service.
 */
export class SouthSeas {
    options;
    /** The service's clock, set by sockets and by responses to POST. */
    clock;
    #http;
    #sockets;
    #token;
    #creationHeaders;
    #apiKeyHeaders;
    /** `sockets` are those of a client to share them with. */
    constructor(options = {}, sockets) {
        this.options = options;
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
    withToken(token) {
        return new SouthSeas({ ...this.options, token }, this.#sockets);
    }
    /** Returns a client that asks for texts in another language and shares the sockets. */
    withLanguage(language) {
        return new SouthSeas({ ...this.options, language }, this.#sockets);
    }
    /** Returns all tile sets. */
    tilesets(options) {
        return this.#get("/v1/tilesets", "tilesets", {}, options);
    }
    /** Returns a tile set. */
    tileset(id, options) {
        return this.#get(`/v1/tilesets/${id}`, "tiles", {}, options);
    }
    /** Creates a game. Store the tokens of the response: they cannot be read again. */
    createGame(request, options) {
        return this.#post("/v1/games", "owner_token", request, options, this.#creationHeaders);
    }
    /** Returns public games, newest first. */
    games(query = {}, options) {
        return this.#get("/v1/games", "games", query, options);
    }
    /** Takes the next open seat; a private game requires its spectator token. */
    joinGame(id, request, options) {
        return this.#post(`/v1/games/${id}/seats`, "legal_moves", request, options, this.#creationHeaders);
    }
    /** Removes a player who joined, before the start, as the owner or that player; the seat is open again. */
    removePlayer(id, seat, options) {
        return this.#http.request({ method: "DELETE", path: `/v1/games/${id}/seats/${seat}` }, "board", options);
    }
    /** Replaces the token of a seat; the old one becomes invalid at once. */
    replaceSeatToken(id, seat, options) {
        return this.#post(`/v1/games/${id}/seats/${seat}/token`, "token", {}, options, this.#creationHeaders);
    }
    /**
     * Creates a game with the same players, as the owner or a player of a game that is over. The same tokens are valid in
     * it. If there is one already, the problem of the ProblemError names it in `next_game`.
     */
    rematch(id, request = {}, options) {
        return this.#post(`/v1/games/${id}/rematch`, "digest", request, options, this.#apiKeyHeaders);
    }
    /** Returns the games of `tokens`; without them, of the client's creator key, or else of its token. */
    myGames(query = {}, tokens = [], options) {
        const token = tokens.join(", ") || this.options.creatorKey || this.#token;
        return this.#get("/v1/seats/me/games", "games", query, { token, ...options });
    }
    /** Returns the bots that can fill a seat. */
    bots(options) {
        return this.#get("/v1/bots", "bots", {}, options);
    }
    /** Returns GAME. */
    game(id, options) {
        return this.#get(`/v1/games/${id}`, "board", {}, options);
    }
    /** Aborts a game, as its owner. */
    abortGame(id, options) {
        return this.#http.request({ method: "DELETE", path: `/v1/games/${id}` }, "board", options);
    }
    /** Returns the legal moves. */
    legalMoves(id, query = {}, options) {
        return this.#get(`/v1/games/${id}/legal-moves`, "moves", query, options);
    }
    /** Plays an `action`, a `move` by its id, or several `actions`, all or none. */
    act(id, act, options) {
        return this.#post(`/v1/games/${id}/actions`, "diffs", act, options);
    }
    /** Undoes the last action of this turn. */
    undo(id, request = {}, options) {
        return this.#post(`/v1/games/${id}/undo`, "diffs", request, options);
    }
    /** Resigns; with the owner's token, `seat` is required. */
    resign(id, request = {}, options) {
        return this.#post(`/v1/games/${id}/resign`, "diffs", request, options);
    }
    /** Returns to a seat that a bot plays; with the owner's token, `seat` is required. */
    returnToSeat(id, request = {}, options) {
        return this.#post(`/v1/games/${id}/return`, "diffs", request, options);
    }
    /** Returns points and islander values. */
    scores(id, options) {
        return this.#get(`/v1/games/${id}/scores`, "islanders", {}, options);
    }
    /** Returns the features of a tile, or of the whole board, and what each is worth. */
    features(id, query = {}, options) {
        return this.#get(`/v1/games/${id}/features`, "features", query, options);
    }
    /** Returns the tiles left in the bag. */
    tiles(id, options) {
        return this.#get(`/v1/games/${id}/tiles`, "bag", {}, options);
    }
    /** Returns what happened, in sentences. */
    story(id, query = {}, options) {
        return this.#get(`/v1/games/${id}/story`, "lines", query, options);
    }
    /** Returns a page of the log. */
    diffs(id, query = {}, options) {
        return this.#get(`/v1/games/${id}/diffs`, "diffs", query, options);
    }
    /** Returns the URL of a picture of the board, for an `<img>`. It works for public games only, without a token. */
    boardUrl(id, form, query = {}) {
        return this.#http.url(`/v1/games/${id}/board.${form}`, query).href;
    }
    /** Returns a picture of the board, also of a private game. */
    board(id, form, query = {}, options) {
        const request = { method: "GET", path: `/v1/games/${id}/board.${form}`, query };
        return this.#http.picture(request, options);
    }
    /** Returns the URL of a picture of a tile. */
    tileUrl(tileset, tile, form, query = {}) {
        return this.#http.url(`/v1/tilesets/${tileset}/tiles/${tile}.${form}`, query).href;
    }
    /** Returns the URL of all tiles of a set, in every rotation, as the symbols of one SVG. */
    tilesUrl(tileset, query = {}) {
        return this.#http.url(`/v1/tilesets/${tileset}/tiles.svg`, query).href;
    }
    /** Returns the URL of a picture of a ship. */
    shipUrl(tileset, ship, form, query = {}) {
        return this.#http.url(`/v1/tilesets/${tileset}/ships/${ship}.${form}`, query).href;
    }
    /** Registers a webhook, as the game's owner. Store the secret of the response: it cannot be read again. */
    registerWebhook(id, request, options) {
        return this.#post(`/v1/games/${id}/webhooks`, "secret", request, options, this.#apiKeyHeaders);
    }
    /** Returns the game's webhooks, as the owner. */
    webhooks(id, options) {
        return this.#get(`/v1/games/${id}/webhooks`, "webhooks", {}, options);
    }
    /** Returns a webhook with its delivery status, as the owner. */
    webhook(id, hook, options) {
        return this.#get(`/v1/games/${id}/webhooks/${hook}`, "next_attempt_at", {}, options);
    }
    /** Returns the latest deliveries of a webhook. */
    deliveries(id, hook, options) {
        return this.#get(`/v1/games/${id}/webhooks/${hook}/deliveries`, "attempts", {}, options);
    }
    /** Retries the waiting message at once, and enables a disabled webhook. */
    retryWebhook(id, hook, options) {
        return this.#post(`/v1/games/${id}/webhooks/${hook}/retry`, "next_attempt_at", undefined, options);
    }
    /** Deletes a webhook. */
    deleteWebhook(id, hook, options) {
        return this.#http.request({ method: "DELETE", path: `/v1/games/${id}/webhooks/${hook}` }, null, options);
    }
    /** Iterates over the log after version `since`, page by page, up to the current version. */
    async *log(id, since = 0, options) {
        for (let at = since;;) {
            const page = await this.diffs(id, { since: at, limit: MAX_DIFFS }, options);
            yield* page.diffs;
            at = page.diffs.at(-1)?.version ?? page.version;
            if (at >= page.version)
                return;
        }
    }
    /** Subscribes to a game: the subscription has a replica that receives every change until it is closed. */
    subscribe(id, options = {}) {
        const log = (since, request) => this.log(id, since, request);
        return new Subscription(id, this.#sockets, { token: this.#token, ...options }, log);
    }
    /**
     * Plays a seat: calls `choose` whenever the seat must decide. Resolves to the final GAME. While the service is away, it
     * waits and goes on when the service is back, as a subscription does: a move whose response was lost is sent again, and
     * played once. Rejects with SeatReplacedError when a bot plays for the seat, unless `returnWhenReplaced`, and with
     * SeatResignedError when the seat has resigned and the others play on.
     */
    play(id, seat, choose, options = {}) {
        // A request of the loop repeats its idempotency key until the service responds, so that it has no second effect.
        const backoff = { ...this.options.backoff, maxAttempts: Infinity };
        return playSeat(new SouthSeas({ ...this.options, backoff }, this.#sockets), id, seat, choose, options);
    }
    /** `member` is what the response must have, to be the service's. */
    #get(path, member, query, options) {
        return this.#http.request({ method: "GET", path, query }, member, options);
    }
    #post(path, member, body, options = {}, extraHeaders = {}) {
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
