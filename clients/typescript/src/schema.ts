/** Generated from schemas/openapi.json and schemas/asyncapi.json by `npm run generate`. */

export interface paths {
    readonly "/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the index, or open the web page
         * @description Return the entry points of the API, or the web page to a client that prefers `text/html` or shows cards of links.
         *
         *     The latter accepts anything, as programs do.
         */
        readonly get: operations["readIndex"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/asyncapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the AsyncAPI document
         * @description Return the AsyncAPI 3.0 document of the WebSocket messages.
         */
        readonly get: operations["readAsyncApi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/livez": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Check liveness
         * @description Return 200 as long as the process can respond, even if its store is unavailable.
         */
        readonly get: operations["checkLiveness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the OpenAPI document
         * @description Return the OpenAPI 3.1 document of the HTTP API.
         */
        readonly get: operations["readOpenApi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/readyz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Check readiness
         * @description Return `draining` while the instance shuts down, `instance_unavailable` while a task of its own keeps failing.
         *
         *     Redis does not count: without it for all, no instance could do more, and whatever does not need it is served. With `store=1` it does, so that a load balancer prefers instances that reach it, as long as there are any.
         */
        readonly get: operations["checkReadiness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/bots": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the bots
         * @description List the bots that can fill a seat of a new game: the built-in ones and the installed plugins.
         */
        readonly get: operations["listBots"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List public games
         * @description List public games, newest first, without `board` and `discarded`; `next_cursor` is null on the last page.
         */
        readonly get: operations["listGames"];
        readonly put?: never;
        /**
         * Create a game
         * @description Create a game of 2 to 5 seats: named players, bots, and open seats for others to join.
         *
         *     Only `players` is required. The game starts when no seat is open. The tokens are returned only here. The owner token acts for every seat filled at creation and manages the game, a seat token acts for its seat, and the spectator token reads. With an `Idempotency-Key`, a retry returns the same game and the same tokens. With an `Api-Key`, the game counts against the key's quotas, and `GET /v1/keys/me/games` lists it.
         */
        readonly post: operations["createGame"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a game
         * @description Return the public state of a game. It never contains the order of the bag or of the ship pile.
         */
        readonly get: operations["readGame"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Abort a game
         * @description Abort a game that is not finished, with the owner token.
         *
         *     The request can be repeated; for a finished game the problem is `not_active`. An aborted game stays readable.
         */
        readonly delete: operations["abortGame"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/actions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Act
         * @description Perform one action, one legal move by its id, or a list of actions, all or none.
         *
         *     The response contains what bots answer at once; later answers of theirs are further versions. Checks run in this order: shape, token, completed idempotency key, `not_active`, `If-Match`, seat, rule. Without `If-Match` the action is applied to whatever version is current. In a list, no action may follow one that reveals hidden information. `version` and `ETag` are those of the last diff. If a bot plays for the seat, the problem is `replaced`: return to the seat first. An action after the deadline is accepted until the time-out has been applied.
         */
        readonly post: operations["act"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/board.png": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the board as PNG
         * @description Return a picture of the board, with public information only.
         *
         *     With `v` the picture of that version never changes. It may be the game's version or an earlier one; earlier versions have no legal moves to number. A version that the game has not reached is `not_found`. The words of `board.txt`, and the `aria-label` of `board.svg`, are in the language of `Accept-Language`.
         */
        readonly get: operations["readBoardPng"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/board.svg": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the board as SVG
         * @description Return a picture of the board, with public information only.
         *
         *     With `v` the picture of that version never changes. It may be the game's version or an earlier one; earlier versions have no legal moves to number. A version that the game has not reached is `not_found`. The words of `board.txt`, and the `aria-label` of `board.svg`, are in the language of `Accept-Language`.
         */
        readonly get: operations["readBoardSvg"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/board.txt": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the board as text
         * @description Return a picture of the board, with public information only.
         *
         *     With `v` the picture of that version never changes. It may be the game's version or an earlier one; earlier versions have no legal moves to number. A version that the game has not reached is `not_found`. The words of `board.txt`, and the `aria-label` of `board.svg`, are in the language of `Accept-Language`.
         */
        readonly get: operations["readBoardText"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/diffs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read or follow the log
         * @description Return the diffs after version `since`, with the game's current version and digest.
         *
         *     Poll until the last diff has that version. If `Accept` prefers `text/event-stream`, the response is an event stream that does not end: the `data` of each event is a DIFF, or a `snapshot` if the client's state is unknown, and its `id` is `VERSION-DIGEST`. `Last-Event-ID` resumes the stream. Events have no `event` field; a comment is sent every 15 seconds.
         */
        readonly get: operations["readDiffs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/features": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the features
         * @description Return the features of a tile, or of the board: who is there, what each is worth so far and what it lacks (R8.4).
         *
         *     The texts are in the language of `Accept-Language`.
         */
        readonly get: operations["readFeatures"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/legal-moves": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the legal moves
         * @description Return every move that is legal now; any other move is rejected.
         *
         *     If nobody has to decide, `seat` and `phase` are null and `moves` is empty. For a menu of 25 rows, request `limit=25`. If the moves do not fit, `next_cursor` is not null; then request `stage=cell`: `cells` has every cell with moves, and `moves` those without a cell, such as passing or delivering. Then request `x` and `y` of the chosen cell. With `limit` and `cursor`, a page has that many cells and moves together. Or search with `q`. With `effects=1` each move has the events that it would cause, and `ships` says what each ship costs and what the player lacks; the list then takes up to ten times as long to make, which the limit of the client's time counts. The texts are in the language of `Accept-Language`.
         */
        readonly get: operations["readLegalMoves"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/rematch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create a rematch
         * @description Create a game with the same players and the next first seat, after a game that is over.
         *
         *     The owner and every player may. The new game has `previous_game`; the old one gets `next_game`, as a new version with the event `rematch_created`. All tokens of the game before are valid in the rematch too: the owner token, the spectator token, and the latest token of each seat. Open seats are open again, and players who resigned or were replaced by a bot play again. A game has one rematch: a second request is `conflict`, with its id in `next_game`. With an `Idempotency-Key`, a retry returns the same game. The rematch is a game of the request's `Api-Key`, else of the one of the game before.
         */
        readonly post: operations["createRematch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/resign": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resign
         * @description Resign from the game permanently, at any time, with the event `player_resigned`.
         *
         *     The player's islanders return to the supply. Wares and ships still count, but the player cannot win. The turn passes to the next player; a tile that was drawn and not placed returns to the top of the bag. When one player is left, the game ends with the reason `resigned`, and that player wins. With the owner token, `seat` is required. Headers, query and response are those of `POST /v1/games/{id}/actions`.
         */
        readonly post: operations["resign"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/return": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Take a seat back from a bot
         * @description Take a seat back from the bot that replaced the player after a time-out, with the event `player_returned`.
         *
         *     A player who is not on turn so resumes a paused game, with the event `game_resumed`. With the owner token, `seat` is required. Headers, query and response are those of `POST /v1/games/{id}/actions`.
         */
        readonly post: operations["returnToSeat"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/scores": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the scores
         * @description Return each player's points now and if the game ended now (R8.3), and each islander's value (R8.4).
         */
        readonly get: operations["readScores"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/seats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Take the next open seat
         * @description Take the next open seat; the game starts when the last one is taken.
         *
         *     Joining a private game requires its spectator token. A colour that another player has is a `conflict`; without a colour, the player gets the first free one. With an `Idempotency-Key`, a retry returns the same seat and token. With an `Api-Key`, the request counts against the key's quotas in place of the address's limit on joining.
         */
        readonly post: operations["joinGame"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/seats/{seat}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a player
         * @description Remove a player who joined, with the owner token or the seat's own, while the game waits.
         *
         *     The event is `player_left`. The seat is open again; its token is revoked, and the webhooks that it registered end. The owner can repeat the request: an open seat stays open. A player's token is unknown afterwards. `If-Match` makes sure that no other player has taken the seat since. For a game that has started, or a seat that was filled at creation, the problem is `conflict`; for a finished or aborted game it is `not_active`.
         */
        readonly delete: operations["removePlayer"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/seats/{seat}/token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace a seat's token
         * @description Replace a seat's token, for example after others have seen it; the old one is revoked at once.
         *
         *     Sockets and event streams that use the old token are closed, and the webhooks that it registered end. The request requires the seat token, or the owner token if the seat was filled at creation. The game does not change: there is no new version and no event. With an `Idempotency-Key`, a retry with the revoked token returns the same new token.
         */
        readonly post: operations["replaceSeatToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/story": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the log in sentences
         * @description Return the diffs after version `since` as sentences, one line per version; `now` says what the game waits for.
         *
         *     To continue, pass the last line's version as `since`. The sentences are plain text and contain the names that the players chose: escape what your chat would read as markup. Lines of the same turn have the same `turn`.
         */
        readonly get: operations["readStory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/tiles": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the tiles left
         * @description Return the number of tiles of each type in the bag (R8.1), not counting the drawn tile.
         *
         *     The tiles' names are in the language of `Accept-Language`.
         */
        readonly get: operations["readTiles"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/undo": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Take a move back
         * @description Undo the last action of the deciding seat, as a new version with the event `move_undone`.
         *
         *     Each request undoes one action; `turn.undoable` is the number left. With `If-Match` or an `Idempotency-Key`, a repeated request undoes no second one. Only a seat's own actions of this turn can be undone, and only until hidden information (a tile, a ship) is revealed or another seat acts. The deadline does not change. Headers, query and response are those of `POST /v1/games/{id}/actions`.
         */
        readonly post: operations["undo"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the webhooks
         * @description List the webhooks, without their secrets; with a seat token, only those that it has registered.
         */
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        /**
         * Register a webhook
         * @description Register a URL that receives later changes as POST requests, signed as Standard Webhooks define.
         *
         *     Those of a game: its owner may, and every player with the seat's token, for at most 2 webhooks: they end when the token is replaced, or the player leaves. Or those of an API key: of all games that are created with it from now on.
         *
         *     The service first sends a challenge, signed in the same way; the server must respond with 2xx and `{"challenge": ...}`, repeating it. Until then the webhook is `pending` and messages wait. A challenge is sent up to 5 times within 15 minutes; `game` is null in that of an API key.
         *
         *     Messages of one game are delivered at least once and in the order of the versions, those of different games in any order; retries have the same `webhook-id`. Without a 2xx response before the time-out, delivery is retried for about a day, then the webhook is disabled; a 410 response disables it at once. Redirects are not followed, and only public addresses are allowed. The secret is returned only here. With an `Api-Key`, the request counts against the key's quotas.
         */
        readonly post: operations["registerWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/webhooks/{hook}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a webhook
         * @description Return one webhook with its status and, in a game, its delivery progress.
         */
        readonly get: operations["readWebhook"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a webhook
         * @description Delete a webhook and its delivery log; deliveries in progress may still arrive.
         */
        readonly delete: operations["deleteWebhook"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/webhooks/{hook}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a webhook's deliveries
         * @description List the latest 100 delivery attempts with their responses.
         */
        readonly get: operations["listDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/games/{id}/webhooks/{hook}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Retry a webhook now
         * @description Try a webhook again now, for example when its server works again, and enable a disabled one.
         *
         *     One that never passed its challenge becomes `pending` and receives a new one. A game's webhook receives all that waits for it, in order. An API key's webhook receives what waits of a game with that game's next change; before that, `GET /v1/games/{id}/diffs` has it.
         */
        readonly post: operations["retryWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys/me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the API key
         * @description Return the name and the quotas of the API key in the header `Api-Key`, and when its secrets expire.
         */
        readonly get: operations["readApiKey"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys/me/games": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the API key's games
         * @description List the games that were created with the API key, newest first, private ones too.
         *
         *     The games come without `board` and `discarded`; `next_cursor` is null on the last page. The tokens are not listed: they are stored only as hashes.
         */
        readonly get: operations["listApiKeyGames"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys/me/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the webhooks
         * @description List the webhooks, without their secrets; with a seat token, only those that it has registered.
         */
        readonly get: operations["listKeyWebhooks"];
        readonly put?: never;
        /**
         * Register a webhook
         * @description Register a URL that receives later changes as POST requests, signed as Standard Webhooks define.
         *
         *     Those of a game: its owner may, and every player with the seat's token, for at most 2 webhooks: they end when the token is replaced, or the player leaves. Or those of an API key: of all games that are created with it from now on.
         *
         *     The service first sends a challenge, signed in the same way; the server must respond with 2xx and `{"challenge": ...}`, repeating it. Until then the webhook is `pending` and messages wait. A challenge is sent up to 5 times within 15 minutes; `game` is null in that of an API key.
         *
         *     Messages of one game are delivered at least once and in the order of the versions, those of different games in any order; retries have the same `webhook-id`. Without a 2xx response before the time-out, delivery is retried for about a day, then the webhook is disabled; a 410 response disables it at once. Redirects are not followed, and only public addresses are allowed. The secret is returned only here. With an `Api-Key`, the request counts against the key's quotas.
         */
        readonly post: operations["registerKeyWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys/me/webhooks/{hook}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a webhook
         * @description Return one webhook with its status and, in a game, its delivery progress.
         */
        readonly get: operations["readKeyWebhook"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a webhook
         * @description Delete a webhook and its delivery log; deliveries in progress may still arrive.
         */
        readonly delete: operations["deleteKeyWebhook"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a webhook
         * @description Change the URL or the events of a webhook; what is not given stays.
         *
         *     The server of another URL must answer a challenge first: the webhook is `pending`, and messages wait meanwhile.
         */
        readonly patch: operations["changeKeyWebhook"];
        readonly trace?: never;
    };
    readonly "/v1/keys/me/webhooks/{hook}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a webhook's deliveries
         * @description List the latest 100 delivery attempts with their responses.
         */
        readonly get: operations["listKeyDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys/me/webhooks/{hook}/ping": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a test message
         * @description Send a message of the type `ping` to an active webhook, signed as all others, once.
         *
         *     The outcome is in the list of deliveries within seconds; a failure has no consequence. A webhook that is pending or disabled is sent nothing: the problem is `conflict`.
         */
        readonly post: operations["pingKeyWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys/me/webhooks/{hook}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Retry a webhook now
         * @description Try a webhook again now, for example when its server works again, and enable a disabled one.
         *
         *     One that never passed its challenge becomes `pending` and receives a new one. A game's webhook receives all that waits for it, in order. An API key's webhook receives what waits of a game with that game's next change; before that, `GET /v1/games/{id}/diffs` has it.
         */
        readonly post: operations["retryKeyWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/keys/me/webhooks/{hook}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rotate a signing secret
         * @description Give a webhook a new signing secret, random or your own.
         *
         *     Until the grace period ends, every message has a signature of each secret in `webhook-signature`, separated by a space. So the receiver can change over at any time. A second rotation ends the oldest secret at once; a retry with the same `Idempotency-Key` is none, and returns the same secret.
         */
        readonly post: operations["rotateKeyWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/seats/me/games": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List my games
         * @description List the games of the given tokens, newest first; `waiting` says whether a game waits for one of their seats.
         *
         *     `Authorization` accepts up to 100 tokens, as `Bearer TOKEN, TOKEN`: seat tokens, or owner tokens, which stand for the seats filled at creation. A client that creates games for others, such as a chat bot, sends the `Creator-Key` of those games instead. It returns all games and seats that were created with the key, or only those of `external_user`. Unknown secrets match no game; if all of them are unknown, the problem is `unauthorized`. Those of a game that has expired may be known for some minutes more.
         */
        readonly get: operations["listMyGames"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tilesets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the tile sets
         * @description List the tile sets that games can be played with: their tiles, with segments, and their ships.
         */
        readonly get: operations["listTileSets"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tilesets/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a tile set
         * @description Return one tile set. The response for an id never changes, so it can be cached forever.
         *
         *     `SET` in a game's commitment is the SHA-256 of this response in RFC 8785 form.
         */
        readonly get: operations["readTileSet"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tilesets/{id}/ships/{ship}.png": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a ship as PNG
         * @description Return a picture of a ship: its points and its cost.
         *
         *     A question mark is a ware of any kind; wares with the same letter must be of the same kind (R6.3). The SVG's `aria-label` says points and cost in the language of `Accept-Language`.
         */
        readonly get: operations["readShipPng"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tilesets/{id}/ships/{ship}.svg": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a ship as SVG
         * @description Return a picture of a ship: its points and its cost.
         *
         *     A question mark is a ware of any kind; wares with the same letter must be of the same kind (R6.3). The SVG's `aria-label` says points and cost in the language of `Accept-Language`.
         */
        readonly get: operations["readShipSvg"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tilesets/{id}/tiles.svg": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read all tiles as one SVG
         * @description Return all tiles of a set, in every rotation, as the symbols `tile-ID-ROTATION` of one SVG.
         *
         *     Each symbol is 100 units wide and has the groups that the picture of its tile has.
         */
        readonly get: operations["readTilesSvg"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tilesets/{id}/tiles/{tile}.png": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a tile as PNG
         * @description Return a picture of a tile.
         *
         *     In the SVG, 100 units wide, each segment is a group with `data-segment`, `data-kind`, and `data-x` and `data-y` for the centre of an islander on it. Each group of fish is a group with `data-group`. Its `aria-label` is the tile's name in the language of `Accept-Language`.
         */
        readonly get: operations["readTilePng"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tilesets/{id}/tiles/{tile}.svg": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a tile as SVG
         * @description Return a picture of a tile.
         *
         *     In the SVG, 100 units wide, each segment is a group with `data-segment`, `data-kind`, and `data-x` and `data-y` for the centre of an islander on it. Each group of fish is a group with `data-group`. Its `aria-label` is the tile's name in the language of `Accept-Language`.
         */
        readonly get: operations["readTileSvg"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly gameChanged: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A game has changed
         * @description Sent to a webhook's URL at least once and in the order of the versions, signed as Standard Webhooks define. Retries have the same `webhook-id`.
         */
        readonly post: operations["gameChanged"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly webhookChallenged: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Confirm a webhook
         * @description Sent to a webhook's URL before any message, and signed in the same way. The webhook is `pending` until a response repeats the challenge. Each attempt has its own challenge and `webhook-id`.
         */
        readonly post: operations["webhookChallenged"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly webhookPinged: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Test a webhook
         * @description Sent once to a webhook's URL when its owner asks for it, and signed as all messages.
         */
        readonly post: operations["webhookPinged"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A client's message succeeded; version and digest are null unless it changed the game. */
        readonly Ack: {
            /** @description The first 32 hex digits of a SHA-256. */
            readonly digest: string | null;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string | null;
            readonly id: string | null;
            readonly legal_moves: components["schemas"]["LegalMoves"] | null;
            /** @constant */
            readonly type: "ack";
            /** Format: int32 */
            readonly version: number | null;
        };
        /** @description An action, a move by its id, or a list of actions; exactly one of the three. */
        readonly Act: {
            /** @description A complete action. */
            readonly action?: components["schemas"]["ActionRequest"] | null;
            /** @description Several actions, applied all or none. Only the last one may reveal hidden information. */
            readonly actions?: readonly components["schemas"]["ActionRequest"][] | null;
            /** @description The id of a legal move. */
            readonly move?: string | null;
            /**
             * Format: int32
             * @description The seat that acts. Null means the token's seat; for the owner's token, the seat that must decide.
             */
            readonly seat?: number | null;
        };
        /** @description An action in a request: `type`, and the fields of that type. */
        readonly ActionRequest: {
            /** @description With `pass`; optional. */
            readonly phase?: components["schemas"]["PassPhase"] | null;
            /**
             * Format: int32
             * @description With `place_tile`.
             */
            readonly rotation?: number | null;
            /**
             * Format: int32
             * @description With `place_islander` (of the tile just placed) and `retrieve_islander`.
             */
            readonly segment?: number | null;
            /** @description With `take_ship` and `deliver`. */
            readonly ship?: string | null;
            readonly type: components["schemas"]["ActionType"];
            /** @description With `deliver`; optional if only one payment is possible. */
            readonly wares?: components["schemas"]["WaresRequest"] | null;
            /**
             * Format: int32
             * @description With `place_tile` and `retrieve_islander`.
             */
            readonly x?: number | null;
            /**
             * Format: int32
             * @description With `place_tile` and `retrieve_islander`.
             */
            readonly y?: number | null;
        };
        /** @description The response of `POST /v1/games/{id}/actions`, `undo`, `resign` and `return`. */
        readonly ActionResult: {
            /** @description The diffs of the requested actions, and of bots' actions after them. */
            readonly diffs: readonly components["schemas"]["Diff"][];
            /** @description The digest of that version. */
            readonly digest: string;
            /** @description Null without `Prefer: return=representation`. */
            readonly game: components["schemas"]["GameView"] | null;
            /** @description Null without `include=legal_moves`. */
            readonly legal_moves: components["schemas"]["LegalMoves"] | null;
            readonly next: components["schemas"]["NextDecision"];
            /**
             * Format: int32
             * @description The game's version after the request.
             */
            readonly version: number;
        };
        /**
         * @description The type of an action.
         * @enum {string}
         */
        readonly ActionType: "place_tile" | "place_islander" | "retrieve_islander" | "take_ship" | "deliver" | "pass";
        /** @description Acts, as `POST /v1/games/{id}/actions` does. Legal moves are in the language of the upgrade request. */
        readonly ActMessage: {
            readonly action?: components["schemas"]["ActionRequest"] | null;
            /** @description A list has 1 to 16 actions. */
            readonly actions?: readonly components["schemas"]["ActionRequest"][] | null;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            readonly if_match?: string | number | null;
            readonly include?: components["schemas"]["Include"] | null;
            /** @description An idempotency key. */
            readonly key?: string | null;
            /** @description An id that `legal-moves` lists. */
            readonly move?: string | null;
            /**
             * Format: int32
             * @description A seat, 0 to 4 in clockwise order.
             */
            readonly seat?: number | null;
            /** @constant */
            readonly type: "act";
        };
        /** @description Sets a member (RFC 6902, 4.1). */
        readonly AddOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly op: "add";
            /** @description A JSON Pointer; never to an array element. */
            readonly path: string;
            readonly value: unknown;
        };
        /** @description An API key, for its holder. */
        readonly ApiKeyView: {
            /**
             * Format: int32
             * @description Turns of bots in requests that carry the key; one of a heavy bot counts as ten.
             * @example 1000
             */
            readonly bot_turns_per_hour: number;
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly created_at: string;
            /**
             * Format: int32
             * @description New games and rematches.
             * @example 1000
             */
            readonly games_per_hour: number;
            /** @description The name that the operator gave it. */
            readonly name: string;
            /**
             * Format: date-time
             * @description When the secret before it expires, or expired; null if there was none.
             */
            readonly previous_secret_expires_at: string | null;
            /**
             * Format: int32
             * @description Requests that carry the key.
             * @example 1000
             */
            readonly requests_per_minute: number;
            /**
             * Format: date-time
             * @description When the current secret was made.
             */
            readonly rotated_at: string;
        };
        /** @description An attempt to deliver a message. */
        readonly Attempt: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly at: string;
            /**
             * Format: int32
             * @description From 1.
             */
            readonly attempt: number;
            readonly delivered: boolean;
            /**
             * @description Why it failed; null if it succeeded.
             * @example status
             * @example redirect
             * @example timeout
             * @example dns
             * @example connect
             * @example tls
             * @example broken
             * @example wrong_answer
             */
            readonly error: string | null;
            /**
             * @description The header `webhook-id`, the same for all retries.
             * @example k7m2x9qd4t1w.17.w4k8x1m7q2zc
             */
            readonly id: string;
            /**
             * Format: int32
             * @description 0 if the host name did not resolve to a public server.
             */
            readonly latency_ms: number;
            /**
             * Format: int32
             * @description The HTTP status of the response; null without one.
             */
            readonly status: number | null;
            /**
             * @example turn_started
             * @example game_finished
             * @example decision
             * @example diff
             * @example challenge
             * @example ping
             */
            readonly type: string;
            /**
             * Format: int32
             * @description The version of the change; for a challenge, `delivered_version`.
             */
            readonly version: number;
        };
        /** @description Adds a token for a game. */
        readonly Auth: {
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            readonly token: string;
            /** @constant */
            readonly type: "auth";
        };
        /** @description A feature of the board, with its segments, and in words. */
        readonly BoardFeature: {
            readonly cells: readonly components["schemas"]["Cell"][];
            /** @description The islanders of each seat that has any there. */
            readonly islanders: readonly components["schemas"]["IslanderCount"][];
            /**
             * @example bridge
             * @example island
             * @example market
             * @example sea
             */
            readonly kind: string;
            /**
             * Format: int32
             * @description The number of sides without a tile, or of a market's empty cells around it; 0 means complete (R5.1 to R5.4).
             */
            readonly open: number;
            /** @description In the order in which their tiles were placed. */
            readonly segments: readonly components["schemas"]["BoardSegment"][];
            /** @description What it is worth so far, or was at the end, what it lacks, and who leads there: whole sentences. */
            readonly text: string;
            /** @description The wares that each seat with the most islanders would get if the feature were evaluated now (R5.5). */
            readonly wares: components["schemas"]["Wares"];
        };
        /** @description The response of `GET /v1/games/{id}/features`. */
        readonly BoardFeatures: {
            readonly features: readonly components["schemas"]["BoardFeature"][];
            /**
             * @description The language of the texts.
             * @example en
             * @example fr
             * @example de
             */
            readonly language: string;
            /** Format: int32 */
            readonly version: number;
        };
        /** @description A segment of a placed tile. */
        readonly BoardSegment: {
            /**
             * Format: int32
             * @description Index in the tile's `segments`.
             */
            readonly segment: number;
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description A bot that can fill a seat. */
        readonly BotInfo: {
            /** @description A description for people. */
            readonly description: string;
            /** @description Whether its decisions take long: its moves may come in later versions. */
            readonly heavy: boolean;
            /**
             * @description The value of `bot` in a seat.
             * @example random
             * @example greedy
             * @example expert
             */
            readonly name: string;
            /** @description A bot of the same version repeats its decisions. */
            readonly version: string;
        };
        /** @description The response of `GET /v1/bots`. */
        readonly BotList: {
            /** @description Sorted by name. */
            readonly bots: readonly components["schemas"]["BotInfo"][];
        };
        /** @description A bridge segment: at most two edges (R5.1), fewer if it ends inside the tile. */
        readonly Bridge: {
            readonly edges: readonly components["schemas"]["Edge"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "bridge";
            /**
             * Format: int32
             * @description The number of symbols printed on it.
             */
            readonly shells: number;
        };
        /** @description A cell of the board: x grows east, y grows south, the start tile is at (0, 0). */
        readonly Cell: {
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description A cell with at least one move, for the first stage of a menu. */
        readonly CellChoice: {
            /** @description The cell and its number of moves, for people. */
            readonly text: string;
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description Changes to a webhook; what is null or missing stays. */
        readonly ChangeKeyWebhook: {
            /** @description Other event types, the most important first, or `decision`; an empty list for every change. */
            readonly events?: readonly components["schemas"]["WebhookEventType"][] | null;
            /**
             * Format: uri
             * @description Another URL, whose server must answer a challenge first.
             * @example https://bot.example/south-seas
             */
            readonly url?: string | null;
        };
        /** @description A message from a client; `type` says which. */
        readonly ClientMessage: {
            readonly type: string;
        } & (components["schemas"]["Auth"] | components["schemas"]["Subscribe"] | components["schemas"]["Unsubscribe"] | components["schemas"]["Sync"] | components["schemas"]["ActMessage"] | components["schemas"]["Undo"] | components["schemas"]["Resign"] | components["schemas"]["ReturnToSeat"] | components["schemas"]["Ping"]);
        /** @description The service is shutting down: reconnect after `retry_after_ms`, with `since`, whatever the close code is. */
        readonly Closing: {
            /** Format: int32 */
            readonly retry_after_ms: number;
            /** @constant */
            readonly type: "closing";
        };
        /**
         * @description The colour of a player.
         * @enum {string}
         */
        readonly Color: "red" | "blue" | "green" | "yellow" | "black";
        /** @description The cost of a ship (R6.3): named wares, wares of any kind, and groups of identical wares. */
        readonly Cost: {
            /**
             * Format: int32
             * @description Wares of any kind.
             */
            readonly any: number;
            /** Format: int32 */
            readonly bananas: number;
            /** Format: int32 */
            readonly fish: number;
            /** @description Groups of identical wares: `[3, 1]` is three of one kind and one of another. */
            readonly same: readonly number[];
            /** Format: int32 */
            readonly shells: number;
        };
        /** @description A fish group covered by a boat (R5.7). */
        readonly CoveredFish: {
            /**
             * Format: int32
             * @description Index in the segment's `fish`.
             */
            readonly group: number;
            /**
             * Format: int32
             * @description Index in the tile's `segments`.
             */
            readonly segment: number;
        };
        /** @description The response of `POST /v1/games`. */
        readonly Created: {
            /** @description The digest of the game's version. */
            readonly digest: string;
            readonly game: components["schemas"]["GameView"];
            /** @description Null without `include=legal_moves`. */
            readonly legal_moves: components["schemas"]["LegalMoves"] | null;
            /** @description Acts for every seat filled at creation, and manages the game. */
            readonly owner_token: string;
            /** @description A token for each seat of a person; none for bots and open seats. */
            readonly seats: readonly components["schemas"]["SeatToken"][];
            /** @description Reads and joins a private game. */
            readonly spectator_token: string;
        };
        /** @description A new game of 2 to 5 players (R1.1); only `players` is required. */
        readonly CreateGame: {
            /** @description Null means `international`. */
            readonly edition?: components["schemas"]["Edition"] | null;
            /**
             * Format: int32
             * @description Null means a random one.
             */
            readonly first_seat?: number | null;
            /** @description `pass` takes the smallest legal action, `bot` lets a bot take over, `resign` resigns. Null means `pass`. */
            readonly on_timeout?: components["schemas"]["TimeoutPolicy"] | null;
            /** @description A game has 2 to 5 players. */
            readonly players: readonly components["schemas"]["SeatRequest"][];
            /** @description The seed of the shuffle; whoever chooses it knows the order of tiles and ships. Null means a random one. */
            readonly seed?: string | null;
            /** @description Null means `lagoon`. */
            readonly tileset?: string | null;
            /**
             * Format: int32
             * @description Seconds that a player has to decide; null for any time.
             */
            readonly turn_timeout_s?: number | null;
            /** @description Null means `public`. */
            readonly visibility?: components["schemas"]["Visibility"] | null;
        };
        /** @description The provable shuffle: the commitment from the start, the seed when the game is over. */
        readonly Deck: {
            /** @description The hex SHA-256 of `GAME_ID:SEED:SET`; SET is the hex SHA-256 of the tile set in RFC 8785 form. */
            readonly commitment: string;
            /** @description Null until the game is over. */
            readonly seed: string | null;
            /** @description Whether the creator chose the seed, and so knows the order. */
            readonly seed_chosen: boolean;
        };
        /** @description Deliver wares to a ship in the display (R6). */
        readonly Deliver: {
            /** @description A ship in the display. */
            readonly ship: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "deliver";
            /** @description The payment; null means the only possible one (R6.5). */
            readonly wares: components["schemas"]["Wares"] | null;
        };
        /** @description Recent delivery attempts, newest first. */
        readonly Deliveries: {
            readonly attempts: readonly components["schemas"]["Attempt"][];
            readonly webhook: components["schemas"]["Webhook"];
        };
        /** @description DIFF. `digest` is the first 32 hex digits of the SHA-256 of the previous digest and the rest of the diff. */
        readonly Diff: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly at: string;
            /**
             * @description Null if nobody acted.
             * @example seat
             * @example owner
             * @example bot
             * @example clock
             */
            readonly by: string | null;
            /** @description The first 32 hex digits of a SHA-256. */
            readonly digest: string;
            /** @description The events in order. */
            readonly events: readonly components["schemas"]["GameEvent"][];
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description The move's id; null without a move. */
            readonly move: string | null;
            /** @description The JSON Patch (RFC 6902) from the previous GAME to this one; that of version 1 applies to `{}`. */
            readonly patch: readonly components["schemas"]["PatchOperation"][];
            /**
             * Format: int32
             * @description The seat that acted; null if none did.
             */
            readonly seat: number | null;
            /** @constant */
            readonly type: "diff";
            /**
             * Format: int32
             * @description The game's version after the change.
             */
            readonly version: number;
        };
        /** @description The response of `GET /v1/games/{id}/diffs`: a page of the log. */
        readonly Diffs: {
            /** @description Oldest first. */
            readonly diffs: readonly components["schemas"]["Diff"][];
            /** @description The digest of that version. */
            readonly digest: string;
            /**
             * Format: int32
             * @description The game's current version.
             */
            readonly version: number;
        };
        /**
         * @description An edge of a tile.
         * @enum {string}
         */
        readonly Edge: "n" | "e" | "s" | "w";
        /** @description The kinds of a tile's four edges, without rotation. */
        readonly Edges: {
            /**
             * @example bridge
             * @example island
             * @example sea
             */
            readonly e: string;
            /**
             * @example bridge
             * @example island
             * @example sea
             */
            readonly n: string;
            /**
             * @example bridge
             * @example island
             * @example sea
             */
            readonly s: string;
            /**
             * @example bridge
             * @example island
             * @example sea
             */
            readonly w: string;
        };
        /**
         * @description The edition of the rules.
         * @enum {string}
         */
        readonly Edition: "international" | "german";
        /** @description A client's message failed. */
        readonly ErrorMessage: {
            readonly game: string | null;
            readonly id: string | null;
            readonly problem: components["schemas"]["Problem"];
            /** @constant */
            readonly type: "error";
        };
        /** @description A feature was evaluated (R5.5, R5.6, R7.2). */
        readonly FeatureEvaluated: {
            /**
             * @example completed
             * @example boat
             * @example final
             */
            readonly cause: string;
            readonly cells: readonly components["schemas"]["Cell"][];
            /** @description The islanders of each seat that had any there. */
            readonly islanders: readonly components["schemas"]["IslanderCount"][];
            /**
             * @example bridge
             * @example island
             * @example sea
             */
            readonly kind: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "feature_evaluated";
            /** @description The wares that each winner gets. */
            readonly wares: components["schemas"]["Wares"];
            /** @description Seats with the most islanders. */
            readonly winners: readonly number[];
        };
        /** @description A feature: who is there, what it is worth so far, and what it lacks until it is complete. */
        readonly FeatureValue: {
            readonly cells: readonly components["schemas"]["Cell"][];
            /** @description The islanders of each seat that has any there. */
            readonly islanders: readonly components["schemas"]["IslanderCount"][];
            /**
             * @example bridge
             * @example island
             * @example market
             * @example sea
             */
            readonly kind: string;
            /**
             * Format: int32
             * @description The number of sides without a tile, or of a market's empty cells around it; 0 means complete (R5.1 to R5.4).
             */
            readonly open: number;
            /** @description The wares that each seat with the most islanders would get if the feature were evaluated now (R5.5). */
            readonly wares: components["schemas"]["Wares"];
        };
        /** @description A boat covered a fish group for the rest of the game (R5.7). */
        readonly FishCovered: {
            /**
             * Format: int32
             * @description The number of fish in the group.
             */
            readonly fish: number;
            /**
             * Format: int32
             * @description Index in the segment's `fish`.
             */
            readonly group: number;
            /**
             * Format: int32
             * @description Index in the tile's `segments`.
             */
            readonly segment: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "fish_covered";
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description The owner aborted the game. */
        readonly GameAborted: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "game_aborted";
        };
        /** @description An action of a legal move; `type` says which. */
        readonly GameAction: {
            readonly type: string;
        } & (components["schemas"]["PlaceTile"] | components["schemas"]["PlaceIslander"] | components["schemas"]["RetrieveIslander"] | components["schemas"]["TakeShip"] | components["schemas"]["Deliver"] | components["schemas"]["Pass"]);
        /** @description The game was created: the start tile (R1.2), the display (R1.3) and the islanders (R1.4) are set up. */
        readonly GameCreated: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "game_created";
        };
        /** @description An event of a game; `type` says which. More may be added: ignore unknown ones. */
        readonly GameEvent: {
            readonly type: string;
        } & (components["schemas"]["GameCreated"] | components["schemas"]["PlayerJoined"] | components["schemas"]["PlayerLeft"] | components["schemas"]["GameStarted"] | components["schemas"]["TurnStarted"] | components["schemas"]["TileDiscarded"] | components["schemas"]["TileDrawn"] | components["schemas"]["TilePlaced"] | components["schemas"]["IslanderPlaced"] | components["schemas"]["IslanderRetrieved"] | components["schemas"]["FeatureEvaluated"] | components["schemas"]["FishCovered"] | components["schemas"]["IslanderReturned"] | components["schemas"]["ShipTaken"] | components["schemas"]["ShipRevealed"] | components["schemas"]["TurnTimedOut"] | components["schemas"]["GamePaused"] | components["schemas"]["GameResumed"] | components["schemas"]["PlayerReplaced"] | components["schemas"]["PlayerReturned"] | components["schemas"]["PlayerResigned"] | components["schemas"]["MoveUndone"] | components["schemas"]["RematchCreated"] | components["schemas"]["GameFinished"] | components["schemas"]["GameAborted"]);
        /** @description The game is over (R7.1). */
        readonly GameFinished: {
            /**
             * @example last_tile
             * @example last_ship
             * @example bag_exhausted
             * @example resigned
             */
            readonly reason: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "game_finished";
            readonly winners: readonly number[];
        };
        /** @description Every player missed a turn, so the clock rests: nobody has a deadline until one of them acts. */
        readonly GamePaused: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "game_paused";
        };
        /** @description The end of a game (R7.1) and its winners (R7.4). */
        readonly GameResult: {
            /**
             * @example last_tile
             * @example last_ship
             * @example bag_exhausted
             * @example resigned
             */
            readonly reason: string;
            readonly scores: readonly components["schemas"]["Score"][];
            /** @description The winning seats; several if they are tied. */
            readonly winners: readonly number[];
        };
        /** @description A player of a paused game acted: deadlines count from now on. */
        readonly GameResumed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "game_resumed";
        };
        /** @description The response of `GET /v1/games`: public games, newest first. */
        readonly Games: {
            readonly games: readonly components["schemas"]["GameSummary"][];
            /** @description The cursor of the next page; null on the last one. */
            readonly next_cursor: string | null;
        };
        /** @description The game started, because all seats are taken; `seat` has the first turn (R1.6). */
        readonly GameStarted: {
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "game_started";
        };
        /**
         * @description The status of a game.
         * @enum {string}
         */
        readonly GameStatus: "waiting" | "active" | "finished" | "aborted";
        /** @description GAME without board and discarded tiles, as in the list of games. */
        readonly GameSummary: {
            /**
             * Format: int32
             * @description The number of tiles in the bag.
             */
            readonly bag: number;
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly created_at: string;
            readonly deck: components["schemas"]["Deck"];
            /** @description Ids of the face-up ships. */
            readonly display: readonly string[];
            /**
             * @example german
             * @example international
             */
            readonly edition: string;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly id: string;
            /** @description The rematch of this game. */
            readonly next_game: string | null;
            /**
             * @description What happens when a player misses a deadline; null without `turn_timeout_s`.
             * @example pass
             * @example bot
             * @example resign
             */
            readonly on_timeout: string | null;
            /** @description The players by seat. */
            readonly players: readonly components["schemas"]["Player"][];
            /** @description The game that this one is a rematch of. */
            readonly previous_game: string | null;
            /** @description Null unless the game is finished. */
            readonly result: components["schemas"]["GameResult"] | null;
            /**
             * Format: int32
             * @description The number of face-down ships.
             */
            readonly ship_pile: number;
            /**
             * @example aborted
             * @example active
             * @example finished
             * @example waiting
             */
            readonly status: string;
            /** @description Id of the tile set. */
            readonly tileset: string;
            /** @description Null unless the game is active. */
            readonly turn: components["schemas"]["Turn"] | null;
            /**
             * Format: int32
             * @description Seconds a player has for a decision; null means no limit.
             */
            readonly turn_timeout_s: number | null;
            /**
             * Format: date-time
             * @description The time of the last change.
             */
            readonly updated_at: string;
            /**
             * Format: int32
             * @description The number of changes, creation being 1.
             */
            readonly version: number;
        };
        /** @description GAME, the same for every reader. */
        readonly GameView: {
            /**
             * Format: int32
             * @description The number of tiles in the bag.
             */
            readonly bag: number;
            /** @description The placed tiles, keyed by `x,y`. */
            readonly board: {
                readonly [key: string]: components["schemas"]["PlacedTile"];
            };
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly created_at: string;
            readonly deck: components["schemas"]["Deck"];
            /** @description Ids of tiles removed because they had no legal placement (R3.5). */
            readonly discarded: readonly string[];
            /** @description Ids of the face-up ships. */
            readonly display: readonly string[];
            /**
             * @example german
             * @example international
             */
            readonly edition: string;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly id: string;
            /** @description The rematch of this game. */
            readonly next_game: string | null;
            /**
             * @description What happens when a player misses a deadline; null without `turn_timeout_s`.
             * @example pass
             * @example bot
             * @example resign
             */
            readonly on_timeout: string | null;
            /** @description The players by seat. */
            readonly players: readonly components["schemas"]["Player"][];
            /** @description The game that this one is a rematch of. */
            readonly previous_game: string | null;
            /** @description Null unless the game is finished. */
            readonly result: components["schemas"]["GameResult"] | null;
            /**
             * Format: int32
             * @description The number of face-down ships.
             */
            readonly ship_pile: number;
            /**
             * @example aborted
             * @example active
             * @example finished
             * @example waiting
             */
            readonly status: string;
            /** @description Id of the tile set. */
            readonly tileset: string;
            /** @description Null unless the game is active. */
            readonly turn: components["schemas"]["Turn"] | null;
            /**
             * Format: int32
             * @description Seconds a player has for a decision; null means no limit.
             */
            readonly turn_timeout_s: number | null;
            /**
             * Format: date-time
             * @description The time of the last change.
             */
            readonly updated_at: string;
            /**
             * Format: int32
             * @description The number of changes, creation being 1.
             */
            readonly version: number;
        };
        /** @description The response of `GET /livez` and `GET /readyz`. */
        readonly Health: {
            /** @example ok */
            readonly status: string;
        };
        /** @description A player's score if the game ended now (R7.3). */
        readonly IfEnded: {
            /** @description The wares that incomplete features would give (R7.2). */
            readonly pending: components["schemas"]["Wares"];
            /**
             * Format: int32
             * @description Points of ships.
             */
            readonly ships: number;
            /** Format: int32 */
            readonly total: number;
            /**
             * Format: int32
             * @description Points of current and pending wares.
             */
            readonly wares: number;
        };
        /**
         * @description An optional part of a response.
         * @enum {string}
         */
        readonly Include: "legal_moves";
        /** @description An island segment; without edges it is complete when placed (R5.2). */
        readonly Island: {
            /**
             * Format: int32
             * @description The number of symbols printed on it.
             */
            readonly bananas: number;
            readonly edges: readonly components["schemas"]["Edge"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "island";
        };
        /** @description The number of islanders of a seat in a feature. */
        readonly IslanderCount: {
            /** Format: int32 */
            readonly count: number;
            /** Format: int32 */
            readonly seat: number;
        };
        /** @description The player placed an islander on the tile just placed (R4.1). */
        readonly IslanderPlaced: {
            /** Format: int32 */
            readonly seat: number;
            /** Format: int32 */
            readonly segment: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "islander_placed";
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description The player retrieved an islander, without an award (R4.4). */
        readonly IslanderRetrieved: {
            /** Format: int32 */
            readonly seat: number;
            /** Format: int32 */
            readonly segment: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "islander_retrieved";
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description An islander returned to its owner's supply after an evaluation (R5.9), from a market too (R5.10). */
        readonly IslanderReturned: {
            /** Format: int32 */
            readonly seat: number;
            /** Format: int32 */
            readonly segment: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "islander_returned";
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description The value of an islander if its feature were evaluated now (R8.4). */
        readonly IslanderValue: {
            /**
             * @example bridge
             * @example island
             * @example market
             * @example sea
             */
            readonly kind: string;
            /** @description Whether its owner has the most islanders there, alone or tied; true for merchants. */
            readonly majority: boolean;
            /**
             * @example shell_collector
             * @example banana_picker
             * @example fisherman
             * @example merchant
             */
            readonly role: string;
            /** Format: int32 */
            readonly seat: number;
            /**
             * Format: int32
             * @description Index in the tile's `segments`.
             */
            readonly segment: number;
            /**
             * @example shells
             * @example bananas
             * @example fish
             * @example points
             */
            readonly unit: string;
            /**
             * Format: int32
             * @description The wares for its owner; for a merchant, the points of the most valuable ship in the display.
             */
            readonly value: number;
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description The response of `POST /v1/games/{id}/seats`. */
        readonly Joined: {
            /** @description The digest of the game's version. */
            readonly digest: string;
            readonly game: components["schemas"]["GameView"];
            /** @description Null without `include=legal_moves`. */
            readonly legal_moves: components["schemas"]["LegalMoves"] | null;
            /** Format: int32 */
            readonly seat: number;
            /** @description Acts for the seat. */
            readonly token: string;
        };
        /** @description A player for the next open seat. */
        readonly JoinGame: {
            /** @description Null means the first free one. */
            readonly color?: components["schemas"]["Color"] | null;
            /** @description The person, for `GET /v1/seats/me/games`. Requires the header `Creator-Key`. */
            readonly external_user?: string | null;
            /** @description 1 to 32 characters, trimmed and NFC, at least one visible, no control or format characters but the joiners that letters and emoji need. */
            readonly name: string;
        };
        /** @description An attempt to deliver a message to an API key's webhook; `version` is 0 for a challenge or a ping. */
        readonly KeyAttempt: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly at: string;
            /**
             * Format: int32
             * @description From 1.
             */
            readonly attempt: number;
            readonly delivered: boolean;
            /**
             * @description Why it failed; null if it succeeded.
             * @example status
             * @example redirect
             * @example timeout
             * @example dns
             * @example connect
             * @example tls
             * @example broken
             * @example wrong_answer
             */
            readonly error: string | null;
            /** @description Null for a challenge or a ping. */
            readonly game: string | null;
            /**
             * @description The header `webhook-id`, the same for all retries.
             * @example k7m2x9qd4t1w.17.w4k8x1m7q2zc
             */
            readonly id: string;
            /**
             * Format: int32
             * @description 0 if the host name did not resolve to a public server.
             */
            readonly latency_ms: number;
            /**
             * Format: int32
             * @description The HTTP status of the response; null without one.
             */
            readonly status: number | null;
            /**
             * @example turn_started
             * @example game_finished
             * @example decision
             * @example diff
             * @example challenge
             * @example ping
             */
            readonly type: string;
            /**
             * Format: int32
             * @description The version of the change; for a challenge, `delivered_version`.
             */
            readonly version: number;
        };
        /** @description Recent delivery attempts of all games, newest first. */
        readonly KeyDeliveries: {
            readonly attempts: readonly components["schemas"]["KeyAttempt"][];
            readonly webhook: components["schemas"]["KeyWebhook"];
        };
        /** @description A webhook for the games that an API key creates after it; its secrets are shown only when they are new. */
        readonly KeyWebhook: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly created_at: string;
            /**
             * @description `gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null.
             * @example gone
             * @example failing
             * @example unproven
             */
            readonly disabled_reason: string | null;
            /** @description Null for every change. */
            readonly events: readonly string[] | null;
            /**
             * Format: int32
             * @description The failed attempts of the challenge or, in a game, of the next message.
             */
            readonly failures: number;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly id: string;
            /**
             * Format: date-time
             * @description The time of the next retry; null without failures.
             */
            readonly next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too; null if there is none.
             */
            readonly previous_secret_expires_at: string | null;
            /**
             * @description `pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried.
             * @example pending
             * @example active
             * @example disabled
             */
            readonly status: string;
            /**
             * Format: uri
             * @example https://bot.example/south-seas
             */
            readonly url: string;
        };
        /** @description A new webhook for the games of an API key, with its secret. */
        readonly KeyWebhookCreated: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly created_at: string;
            /**
             * @description `gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null.
             * @example gone
             * @example failing
             * @example unproven
             */
            readonly disabled_reason: string | null;
            /** @description Null for every change. */
            readonly events: readonly string[] | null;
            /**
             * Format: int32
             * @description The failed attempts of the challenge or, in a game, of the next message.
             */
            readonly failures: number;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly id: string;
            /**
             * Format: date-time
             * @description The time of the next retry; null without failures.
             */
            readonly next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too; null if there is none.
             */
            readonly previous_secret_expires_at: string | null;
            /**
             * @description Shown only in this response.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            readonly secret: string;
            /**
             * @description `pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried.
             * @example pending
             * @example active
             * @example disabled
             */
            readonly status: string;
            /**
             * Format: uri
             * @example https://bot.example/south-seas
             */
            readonly url: string;
        };
        /** @description The webhooks of an API key. */
        readonly KeyWebhooks: {
            readonly webhooks: readonly components["schemas"]["KeyWebhook"][];
        };
        /** @description Every legal move now; `seat` and `phase` are null and `moves` is empty if nobody must decide. */
        readonly LegalMoves: {
            /** @description Null without `stage=cell`; with it, `moves` has only the moves without a cell. */
            readonly cells: readonly components["schemas"]["CellChoice"][] | null;
            /** @description The first 32 hex digits of a SHA-256. */
            readonly digest: string;
            /**
             * @description The language of the texts.
             * @example en
             * @example fr
             * @example de
             */
            readonly language: string;
            readonly moves: readonly components["schemas"]["Move"][];
            /** @description The cursor of the next page; null on the last one, and without `limit`. */
            readonly next_cursor: string | null;
            /**
             * @description Null if nobody must decide.
             * @example deliver
             * @example islander
             * @example place_tile
             * @example take_ship
             */
            readonly phase: string | null;
            /**
             * @description Ids of those moves that look and play like another one, because the tile is symmetric.
             *
             *     A menu leaves them out; so do `cells`, and `moves` with `x` or `y`.
             */
            readonly repeated: readonly string[];
            /**
             * Format: int32
             * @description The seat that must decide; null if nobody must.
             */
            readonly seat: number | null;
            /** @description The ships in the display; null without `effects=1`, and if nobody must decide. */
            readonly ships: readonly components["schemas"]["ShipOffer"][] | null;
            /** Format: int32 */
            readonly version: number;
        };
        /**
         * @description A stage of a menu of legal moves.
         * @enum {string}
         */
        readonly LegalMovesStage: "cell";
        /** @description A market: always a feature by itself (R0), complete when all 8 cells around it have tiles (R5.4). */
        readonly Market: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "market";
        };
        /** @description The fewest wares that a player lacks for a ship (R6.3); all are 0 if the player can pay. */
        readonly MissingWares: {
            /** Format: int32 */
            readonly bananas: number;
            /** Format: int32 */
            readonly fish: number;
            /**
             * Format: int32
             * @description Further wares, of a kind that the player may choose within the cost.
             */
            readonly other: number;
            /** Format: int32 */
            readonly shells: number;
        };
        /** @description A legal move: its id, a text for people, and the action; with `effects=1` also what it is worth. */
        readonly Move: {
            /** @description The complete action. */
            readonly action: components["schemas"]["GameAction"];
            /** @description The events that it would cause now, without what is hidden: the tile drawn next, and the ship turned up with all that depends on it. Null without `effects=1`. */
            readonly effects: readonly components["schemas"]["GameEvent"][] | null;
            /** @description With `place_islander` and `retrieve_islander`, before the move; null with others, and without `effects=1`. */
            readonly feature: components["schemas"]["FeatureValue"] | null;
            /** @description Has the same meaning in every position; send it as `move`. */
            readonly id: string;
            /** @description What passing the islander phase would cause next, empty for nothing. Null where that phase does not follow. */
            readonly if_passed: readonly components["schemas"]["GameEvent"][] | null;
            /** @description A text for people, at most 100 characters. */
            readonly text: string;
            /** @description Effects and feature in words: whole sentences, or nothing. Null without `effects=1`. */
            readonly worth: string | null;
        };
        /** @description A player took an action of this turn back, nothing hidden having been revealed since. */
        readonly MoveUndone: {
            /** @description The action that did not happen. */
            readonly move: string;
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "move_undone";
        };
        /** @description A game with the caller's seats. */
        readonly MyGame: {
            /** @description The digest of the game's version. */
            readonly digest: string;
            readonly game: components["schemas"]["GameSummary"];
            /** @description The caller's seats; a creator's game may have none. */
            readonly seats: readonly components["schemas"]["MySeat"][];
            /** @description Whether one of these seats must decide. */
            readonly waiting: boolean;
        };
        /** @description The response of `GET /v1/seats/me/games`, newest first. */
        readonly MyGames: {
            /** @description May be fewer than `limit`, even none, when filters exclude most games; continue while there is a cursor. */
            readonly games: readonly components["schemas"]["MyGame"][];
            /** @description The cursor of the next page; null on the last one. */
            readonly next_cursor: string | null;
        };
        /** @description A seat that belongs to the request's tokens, or to the creator's key. */
        readonly MySeat: {
            /** @description The person, for requests with a creator's key; null for tokens, and for seats without one. */
            readonly external_user: string | null;
            /** Format: int32 */
            readonly seat: number;
            /** @description Whether this seat must decide. */
            readonly waiting: boolean;
        };
        /** @description The next decision; both fields are null if nobody must decide. */
        readonly NextDecision: {
            /**
             * @description Null if nobody must decide.
             * @example deliver
             * @example islander
             * @example place_tile
             * @example take_ship
             */
            readonly phase: string | null;
            /**
             * Format: int32
             * @description Null if nobody must decide.
             */
            readonly seat: number | null;
        };
        /** @description Place and retrieve no islander (R4.5), or deliver nothing (R6.1). */
        readonly Pass: {
            /**
             * @description The phase to pass; null means the current one.
             * @example deliver
             * @example islander
             */
            readonly phase: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "pass";
        };
        /**
         * @description A phase that can be passed.
         * @enum {string}
         */
        readonly PassPhase: "islander" | "deliver";
        /** @description An operation of a JSON Patch; `op` says which. */
        readonly PatchOperation: {
            readonly op: string;
        } & (components["schemas"]["AddOperation"] | components["schemas"]["RemoveOperation"]);
        /** @description Requests a `pong`. */
        readonly Ping: {
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            /** @constant */
            readonly type: "ping";
        };
        /** @description An islander on a segment of a tile. */
        readonly PlacedIslander: {
            /** Format: int32 */
            readonly seat: number;
            /**
             * Format: int32
             * @description Index in the tile's `segments`.
             */
            readonly segment: number;
        };
        /** @description A tile on the board; `order` is 0 for the start tile, then 1, 2, ... */
        readonly PlacedTile: {
            readonly covered: readonly components["schemas"]["CoveredFish"][];
            readonly islanders: readonly components["schemas"]["PlacedIslander"][];
            /**
             * Format: int32
             * @description 0 for the start tile, then 1, 2, ...
             */
            readonly order: number;
            /**
             * Format: int32
             * @description Quarter turns clockwise, 0 to 3.
             */
            readonly rotation: number;
            /** @description Id of its type. */
            readonly tile: string;
        };
        /** @description Place an islander on a segment of the tile just placed (R4.1). */
        readonly PlaceIslander: {
            /**
             * Format: int32
             * @description Index in the `segments` of the tile just placed.
             */
            readonly segment: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "place_islander";
        };
        /** @description Place the drawn tile on an empty cell (R3). */
        readonly PlaceTile: {
            /**
             * Format: int32
             * @description Quarter turns clockwise.
             */
            readonly rotation: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "place_tile";
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description A seat: its player, and their islanders, wares and ships. */
        readonly Player: {
            /** @description The bot that plays; null without one. A bot may replace a player of kind `human` until they return. */
            readonly bot: string | null;
            /**
             * @description Null while the seat is open.
             * @example black
             * @example blue
             * @example green
             * @example red
             * @example yellow
             */
            readonly color: string | null;
            /**
             * @example human
             * @example bot
             * @example open
             */
            readonly kind: string;
            /** @description Null while the seat is open. */
            readonly name: string | null;
            /**
             * Format: int32
             * @description Points of the ships.
             */
            readonly points: number;
            /** @description Whether the player resigned: turns skip the seat, and it cannot win. */
            readonly resigned: boolean;
            /** Format: int32 */
            readonly seat: number;
            /** @description Ids of the ships won, in the order of winning. */
            readonly ships: readonly string[];
            /**
             * Format: int32
             * @description Islanders not on the board.
             */
            readonly supply: number;
            readonly wares: components["schemas"]["Wares"];
        };
        /** @description A player took an open seat. */
        readonly PlayerJoined: {
            /**
             * @example black
             * @example blue
             * @example green
             * @example red
             * @example yellow
             */
            readonly color: string;
            /** @description 1 to 32 characters, trimmed and NFC, at least one visible, no control or format characters but the joiners that letters and emoji need. */
            readonly name: string;
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "player_joined";
        };
        /** @description The owner removed the player `name` from a seat before the start. */
        readonly PlayerLeft: {
            /** @description 1 to 32 characters, trimmed and NFC, at least one visible, no control or format characters but the joiners that letters and emoji need. */
            readonly name: string;
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "player_left";
        };
        /** @description A bot replaced an absent player, until they return. */
        readonly PlayerReplaced: {
            readonly bot: string;
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "player_replaced";
        };
        /** @description A player resigned: their islanders return, turns skip them, and they cannot win. */
        readonly PlayerResigned: {
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "player_resigned";
        };
        /** @description A player took their seat back from a bot. */
        readonly PlayerReturned: {
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "player_returned";
        };
        /** @description A player's current points, and the score if the game ended now (R8.3). */
        readonly PlayerScores: {
            readonly if_ended_now: components["schemas"]["IfEnded"];
            /**
             * Format: int32
             * @description Points of the ships.
             */
            readonly points_now: number;
            /** Format: int32 */
            readonly seat: number;
        };
        /** @description The reply to `ping`. */
        readonly Pong: {
            readonly id: string | null;
            /** @constant */
            readonly type: "pong";
        };
        /** @description An error: `code` is for programs, `detail` for people, in their language. Fields that do not apply are null. */
        readonly Problem: {
            /** @example illegal_move */
            readonly code: string;
            readonly detail: string;
            /** @description The first 32 hex digits of a SHA-256. */
            readonly digest: string | null;
            /**
             * Format: int32
             * @description The index of the invalid action in `actions`, from 0.
             */
            readonly index: number | null;
            /** @description The existing rematch. */
            readonly next_game: string | null;
            /** @description The invalid field, as `$.players[0].name`. */
            readonly path: string | null;
            /**
             * Format: int32
             * @description The value of the header Retry-After.
             */
            readonly retry_after_s: number | null;
            /**
             * @description The id of the rule that forbids the action: /docs/rules#R3.3.
             * @example R3.3
             */
            readonly rule: string | null;
            /** Format: int32 */
            readonly status: number;
            readonly title: string;
            /**
             * Format: uri-reference
             * @example /problems/illegal-move
             */
            readonly type: string;
            /**
             * Format: int32
             * @description The game's current version.
             */
            readonly version: number | null;
        };
        /** @description A new webhook for the games that are created with an API key from now on; only `url` is required. */
        readonly RegisterKeyWebhook: {
            /** @description Event types, the most important first, or `decision`; null for every change. */
            readonly events?: readonly components["schemas"]["WebhookEventType"][] | null;
            /**
             * @description The signing secret; null for a random one.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            readonly secret?: string | null;
            /**
             * Format: uri
             * @description The https URL of a server on the public internet.
             * @example https://bot.example/south-seas
             */
            readonly url: string;
        };
        /** @description A new webhook; only `url` is required. */
        readonly RegisterWebhook: {
            /** @description Event types, the most important first, or `decision`; null for every change. */
            readonly events?: readonly components["schemas"]["WebhookEventType"][] | null;
            /** @description The seats whose events and decisions are sent; null for all. */
            readonly seats?: readonly number[] | null;
            /**
             * @description The signing secret; null for a random one.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            readonly secret?: string | null;
            /**
             * Format: uri
             * @description The https URL of a server on the public internet.
             * @example https://bot.example/south-seas
             */
            readonly url: string;
        };
        /** @description A new game with the same players; the body may be empty. */
        readonly Rematch: {
            /** @description The seed of the shuffle; whoever chooses it knows the order of tiles and ships. Null means a random one. */
            readonly seed?: string | null;
        };
        /** @description The same players play again, in `game`. */
        readonly RematchCreated: {
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "rematch_created";
        };
        /** @description The response of `POST /v1/games/{id}/rematch`: all tokens of the game before are valid in this one. */
        readonly Rematched: {
            /** @description The digest of the game's version. */
            readonly digest: string;
            readonly game: components["schemas"]["GameView"];
        };
        /** @description Removes a member (RFC 6902, 4.2). */
        readonly RemoveOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly op: "remove";
            /** @description A JSON Pointer; never to an array element. */
            readonly path: string;
        };
        /** @description A new token for a seat, without options; the body may be empty. */
        readonly ReplaceToken: Record<string, never>;
        /** @description Resigns, as `POST /v1/games/{id}/resign` does. */
        readonly Resign: {
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            readonly if_match?: string | number | null;
            readonly include?: components["schemas"]["Include"] | null;
            /** @description An idempotency key. */
            readonly key?: string | null;
            /**
             * Format: int32
             * @description A seat, 0 to 4 in clockwise order.
             */
            readonly seat?: number | null;
            /** @constant */
            readonly type: "resign";
        };
        /** @description Retrieve an own islander from the board to the supply (R4.4). */
        readonly RetrieveIslander: {
            /**
             * Format: int32
             * @description Index in the `segments` of the tile at (x, y).
             */
            readonly segment: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "retrieve_islander";
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description Takes a seat back from a bot, as `POST /v1/games/{id}/return` does. */
        readonly ReturnToSeat: {
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            readonly if_match?: string | number | null;
            readonly include?: components["schemas"]["Include"] | null;
            /** @description An idempotency key. */
            readonly key?: string | null;
            /**
             * Format: int32
             * @description A seat, 0 to 4 in clockwise order.
             */
            readonly seat?: number | null;
            /** @constant */
            readonly type: "return";
        };
        /** @description The new secret of a webhook. */
        readonly RotatedSecret: {
            /**
             * Format: date-time
             * @description Until when the previous secret signs too; null if it does not.
             */
            readonly previous_secret_expires_at: string | null;
            /**
             * @description Shown only in this response.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            readonly secret: string;
        };
        /** @description A new signing secret; the body may be empty. */
        readonly RotateSecret: {
            /**
             * Format: int32
             * @description Seconds for which the current secret signs too; null for a day.
             */
            readonly grace_s?: number | null;
            /**
             * @description Null for a random one.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            readonly secret?: string | null;
        };
        /** @description A final score (R7.3). */
        readonly Score: {
            /** Format: int32 */
            readonly seat: number;
            /**
             * Format: int32
             * @description Points of ships.
             */
            readonly ships: number;
            /** Format: int32 */
            readonly total: number;
            /**
             * Format: int32
             * @description Points of wares: one for every three.
             */
            readonly wares: number;
        };
        /** @description The response of `GET /v1/games/{id}/scores`. */
        readonly Scores: {
            readonly islanders: readonly components["schemas"]["IslanderValue"][];
            readonly players: readonly components["schemas"]["PlayerScores"][];
            /** Format: int32 */
            readonly version: number;
        };
        /** @description A sea segment with its half-edges, fish groups and boat. */
        readonly Sea: {
            /** @description Whether a boat is printed on it, which evaluates the sea when placed (R5.6). */
            readonly boat: boolean;
            /** @description The number of fish of each group. */
            readonly fish: readonly number[];
            readonly halves: readonly number[];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "sea";
        };
        /** @description The seat that undoes, resigns or returns. */
        readonly SeatCommand: {
            /**
             * Format: int32
             * @description Null means the token's seat. With the owner's token, null undoes for the decider; `resign`, `return` need it.
             */
            readonly seat?: number | null;
        };
        /** @description A seat of a new game: a named player, a bot, or an open seat. */
        readonly SeatRequest: {
            /**
             * @description The bot that fills the seat.
             * @example random
             * @example greedy
             * @example expert
             */
            readonly bot?: string | null;
            /** @description Null means the first free one. */
            readonly color?: components["schemas"]["Color"] | null;
            /** @description The person, for `GET /v1/seats/me/games`. Requires the header `Creator-Key`; GAME does not show it. */
            readonly external_user?: string | null;
            /** @description The name of a person or a bot; null names a bot after its kind. */
            readonly name?: string | null;
            /** @description True leaves the seat open for a player to join. */
            readonly open?: boolean | null;
        };
        /** @description A token that acts for a seat. */
        readonly SeatToken: {
            /** Format: int32 */
            readonly seat: number;
            /** @description A bearer token. Keep it secret. */
            readonly token: string;
        };
        /** @description A segment of a tile; `kind` says which. */
        readonly Segment: {
            readonly kind: string;
        } & (components["schemas"]["Bridge"] | components["schemas"]["Island"] | components["schemas"]["Sea"] | components["schemas"]["Market"]);
        /** @description A message from the service; `type` says which. More may be added: ignore unknown ones. */
        readonly ServerMessage: {
            readonly type: string;
        } & (components["schemas"]["Welcome"] | components["schemas"]["Subscribed"] | components["schemas"]["Snapshot"] | components["schemas"]["Diff"] | components["schemas"]["Ack"] | components["schemas"]["ErrorMessage"] | components["schemas"]["Pong"] | components["schemas"]["Closing"]);
        /** @description The response of `GET /`: which release this is, and links to the API. */
        readonly ServiceIndex: {
            readonly asyncapi: string;
            /**
             * @description Client libraries of this release, to install.
             * @example /clients/
             */
            readonly clients: string;
            /**
             * @description The documentation, with search.
             * @example /docs/
             */
            readonly docs: string;
            readonly games: string;
            readonly name: string;
            readonly openapi: string;
            /** @description The commit that it was built from, or `unknown`. */
            readonly revision: string;
            readonly tilesets: string;
            /** @example 1.0.0 */
            readonly version: string;
            readonly websocket: string;
        };
        /** @description A ship token: its points and its cost. */
        readonly Ship: {
            readonly cost: components["schemas"]["Cost"];
            /** @description A ship's id: 1 to 8 of a-z, 0-9 and -. */
            readonly id: string;
            /** Format: int32 */
            readonly points: number;
        };
        /** @description A ship in the display: what it costs, and what the seat that must decide lacks. */
        readonly ShipOffer: {
            readonly cost: components["schemas"]["Cost"];
            readonly missing: components["schemas"]["MissingWares"];
            /** Format: int32 */
            readonly points: number;
            /** @description A ship's id: 1 to 8 of a-z, 0-9 and -. */
            readonly ship: string;
            /** @description The same in a sentence. */
            readonly text: string;
        };
        /** @description A ship from the pile refilled the display (R6.4). */
        readonly ShipRevealed: {
            readonly ship: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "ship_revealed";
        };
        /** @description A player took a ship from the display, `by` a delivery (R6.2) or a market (R5.10). */
        readonly ShipTaken: {
            /**
             * @example delivery
             * @example market
             */
            readonly by: string;
            /** @description The payment; null for a market. */
            readonly paid: components["schemas"]["Wares"] | null;
            /** Format: int32 */
            readonly points: number;
            /** Format: int32 */
            readonly seat: number;
            readonly ship: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "ship_taken";
        };
        /** @description The whole GAME and its digest. */
        readonly Snapshot: {
            /** @description The first 32 hex digits of a SHA-256. */
            readonly digest: string;
            readonly game: components["schemas"]["GameView"];
            /** @constant */
            readonly type: "snapshot";
        };
        /** @description The response of `GET /v1/games/{id}/story`: a page of the log as sentences, and the current status. */
        readonly Story: {
            /** @description The digest of that version. */
            readonly digest: string;
            /**
             * @description The language of texts. More may be added.
             * @example en
             * @example fr
             * @example de
             */
            readonly language: string;
            /** @description Oldest first. */
            readonly lines: readonly components["schemas"]["StoryLine"][];
            /** @description Whose turn it is and its deadline, or how the game ended. */
            readonly now: string;
            /**
             * Format: int32
             * @description The game's current version.
             */
            readonly version: number;
        };
        /** @description The events of one version, as plain text. */
        readonly StoryLine: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly at: string;
            /**
             * Format: int32
             * @description The seat that acted; null if none did.
             */
            readonly seat: number | null;
            /** @description One or more sentences with players' names unescaped; escape the text for markup. */
            readonly text: string;
            /**
             * Format: int32
             * @description The turn's number, to group lines into paragraphs; null before the first turn.
             */
            readonly turn: number | null;
            /** Format: int32 */
            readonly version: number;
        };
        /** @description Subscribes to a game's diffs; `since` and `digest` name the state that the client has, if any. */
        readonly Subscribe: {
            /** @description The first 32 hex digits of a SHA-256. */
            readonly digest?: string | null;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            /** Format: int32 */
            readonly since?: number | null;
            /** @constant */
            readonly type: "subscribe";
        };
        /** @description A subscription started at `version`: missed diffs follow (`recovered`), or a snapshot. */
        readonly Subscribed: {
            /** @description The first 32 hex digits of a SHA-256. */
            readonly digest: string;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            readonly id: string | null;
            readonly recovered: boolean;
            /** @constant */
            readonly type: "subscribed";
            /** Format: int32 */
            readonly version: number;
        };
        /** @description Requests a snapshot, after a gap or a patch that does not apply. */
        readonly Sync: {
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            /** @constant */
            readonly type: "sync";
        };
        /** @description Take one of the ships with the most points for a completed market (R5.10). */
        readonly TakeShip: {
            /** @description A ship in the display. */
            readonly ship: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "take_ship";
        };
        /**
         * @description The colours of a picture.
         * @enum {string}
         */
        readonly Theme: "light" | "dark";
        /** @description A type of tile and its number in the set. Segments are referred to by index. */
        readonly Tile: {
            /** Format: int32 */
            readonly count: number;
            readonly edges: components["schemas"]["Edges"];
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly id: string;
            readonly segments: readonly components["schemas"]["Segment"][];
        };
        /** @description A drawn tile without a legal placement was removed from the game (R3.5). */
        readonly TileDiscarded: {
            readonly tile: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "tile_discarded";
        };
        /** @description The player drew a tile, which everybody sees (R3.1). */
        readonly TileDrawn: {
            readonly tile: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "tile_drawn";
        };
        /** @description The number of tiles of a type left in the bag (R8.1). */
        readonly TileLeft: {
            /** Format: int32 */
            readonly left: number;
            /** @description The tile's name, made from what it shows; unique in its set. */
            readonly text: string;
            readonly tile: string;
        };
        /** @description The player placed the drawn tile (R3). */
        readonly TilePlaced: {
            /** Format: int32 */
            readonly rotation: number;
            /** Format: int32 */
            readonly seat: number;
            readonly tile: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "tile_placed";
            /** Format: int32 */
            readonly x: number;
            /** Format: int32 */
            readonly y: number;
        };
        /** @description A tile set; `count` of the start tile includes the one placed at the start (R1.2). */
        readonly TileSet: {
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly id: string;
            readonly name: string;
            /**
             * @description Where the set comes from.
             * @example reconstruction
             * @example printed
             */
            readonly provenance: string;
            readonly ships: readonly components["schemas"]["Ship"][];
            /** @description Id of the start tile. */
            readonly start: string;
            readonly tiles: readonly components["schemas"]["Tile"][];
        };
        /** @description The response of `GET /v1/tilesets`: every tile set. */
        readonly TileSets: {
            readonly tilesets: readonly components["schemas"]["TileSet"][];
        };
        /** @description The response of `GET /v1/games/{id}/tiles`: every type of the tile set. */
        readonly TilesLeft: {
            /**
             * Format: int32
             * @description The number of all tiles in the bag.
             */
            readonly bag: number;
            /**
             * @description The language of the texts.
             * @example en
             * @example fr
             * @example de
             */
            readonly language: string;
            readonly tiles: readonly components["schemas"]["TileLeft"][];
            /** Format: int32 */
            readonly version: number;
        };
        /**
         * @description What happens when a player misses a deadline.
         * @enum {string}
         */
        readonly TimeoutPolicy: "pass" | "bot" | "resign";
        /** @description The turn. `seat` and `decider` differ when a completed market awards a ship to another player (R5.10). */
        readonly Turn: {
            /**
             * Format: date-time
             * @description The deadline of the decision; null without one.
             */
            readonly deadline: string | null;
            /**
             * Format: int32
             * @description The seat that must decide now.
             */
            readonly decider: number;
            /**
             * Format: int32
             * @description Turns are numbered from 1; a discarded tile does not change the number.
             */
            readonly number: number;
            /** @description Whether the clock rests, since every player missed a turn. It runs again when one of them acts. */
            readonly paused: boolean;
            /**
             * @example deliver
             * @example islander
             * @example place_tile
             * @example take_ship
             */
            readonly phase: string;
            /** @description The cell of that tile; null until it is placed. */
            readonly placed: components["schemas"]["Cell"] | null;
            /**
             * Format: int32
             * @description Whose turn it is.
             */
            readonly seat: number;
            /** @description The drawn tile, until the turn ends. */
            readonly tile: string;
            /**
             * Format: int32
             * @description How many actions the decider can undo: those of this turn since hidden information was last revealed.
             */
            readonly undoable: number;
        };
        /** @description A turn started, with a tile that can be placed; turns are numbered from 1. */
        readonly TurnStarted: {
            /** Format: int32 */
            readonly number: number;
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "turn_started";
        };
        /** @description A player missed a deadline; `policy` says what follows. */
        readonly TurnTimedOut: {
            /**
             * @description What happens when a player misses a deadline.
             * @example pass
             * @example bot
             * @example resign
             */
            readonly policy: string;
            /** Format: int32 */
            readonly seat: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "turn_timed_out";
        };
        /** @description Undoes an action, as `POST /v1/games/{id}/undo` does. */
        readonly Undo: {
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            readonly if_match?: string | number | null;
            readonly include?: components["schemas"]["Include"] | null;
            /** @description An idempotency key. */
            readonly key?: string | null;
            /**
             * Format: int32
             * @description A seat, 0 to 4 in clockwise order.
             */
            readonly seat?: number | null;
            /** @constant */
            readonly type: "undo";
        };
        /** @description Ends a subscription. */
        readonly Unsubscribe: {
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description Chosen by the client, echoed in the reply. */
            readonly id?: string | null;
            /** @constant */
            readonly type: "unsubscribe";
        };
        /**
         * @description Who can see a game.
         * @enum {string}
         */
        readonly Visibility: "public" | "private";
        /** @description Numbers of wares in a response. */
        readonly Wares: {
            /** Format: int32 */
            readonly bananas: number;
            /** Format: int32 */
            readonly fish: number;
            /** Format: int32 */
            readonly shells: number;
        };
        /** @description Numbers of wares in a request; an omitted kind is 0. */
        readonly WaresRequest: {
            /** Format: int32 */
            readonly bananas?: number | null;
            /** Format: int32 */
            readonly fish?: number | null;
            /** Format: int32 */
            readonly shells?: number | null;
        };
        /** @description A webhook of a game; the service shows its secret only at creation. */
        readonly Webhook: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly created_at: string;
            /**
             * Format: int32
             * @description Every change up to this version was delivered or filtered out.
             */
            readonly delivered_version: number;
            /**
             * @description `gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null.
             * @example gone
             * @example failing
             * @example unproven
             */
            readonly disabled_reason: string | null;
            /** @description Null for every change. */
            readonly events: readonly string[] | null;
            /**
             * Format: int32
             * @description The failed attempts of the challenge or, in a game, of the next message.
             */
            readonly failures: number;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly id: string;
            /**
             * Format: date-time
             * @description The time of the next retry; null without failures.
             */
            readonly next_attempt_at: string | null;
            /**
             * Format: int32
             * @description The seat whose token registered it; null for the owner's.
             */
            readonly registered_by: number | null;
            /** @description Null for all. */
            readonly seats: readonly number[] | null;
            /**
             * @description `pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried.
             * @example pending
             * @example active
             * @example disabled
             */
            readonly status: string;
            /**
             * Format: uri
             * @example https://bot.example/south-seas
             */
            readonly url: string;
        };
        /** @description The first request to a webhook's URL, which asks its server to confirm the webhook. */
        readonly WebhookChallenge: {
            /**
             * @description The server must return this value; it differs for each attempt.
             * @example q0xIVUWK1cnpzjcsmm7h9s0Vd1i2k3TNfDTdJcGxOYs
             */
            readonly challenge: string;
            /** @description Null for the webhook of an API key. */
            readonly game: string | null;
            /**
             * Format: date-time
             * @description The time of this attempt.
             */
            readonly timestamp: string;
            /** @constant */
            readonly type: "challenge";
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly webhook: string;
        };
        /** @description The response body that confirms a webhook; it may contain nothing else. */
        readonly WebhookChallengeAnswer: {
            /** @example q0xIVUWK1cnpzjcsmm7h9s0Vd1i2k3TNfDTdJcGxOYs */
            readonly challenge: string;
        };
        /** @description A new webhook, with its secret. */
        readonly WebhookCreated: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly created_at: string;
            /**
             * Format: int32
             * @description Every change up to this version was delivered or filtered out.
             */
            readonly delivered_version: number;
            /**
             * @description `gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null.
             * @example gone
             * @example failing
             * @example unproven
             */
            readonly disabled_reason: string | null;
            /** @description Null for every change. */
            readonly events: readonly string[] | null;
            /**
             * Format: int32
             * @description The failed attempts of the challenge or, in a game, of the next message.
             */
            readonly failures: number;
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly id: string;
            /**
             * Format: date-time
             * @description The time of the next retry; null without failures.
             */
            readonly next_attempt_at: string | null;
            /**
             * Format: int32
             * @description The seat whose token registered it; null for the owner's.
             */
            readonly registered_by: number | null;
            /** @description Null for all. */
            readonly seats: readonly number[] | null;
            /**
             * @description Shown only in this response.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            readonly secret: string;
            /**
             * @description `pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried.
             * @example pending
             * @example active
             * @example disabled
             */
            readonly status: string;
            /**
             * Format: uri
             * @example https://bot.example/south-seas
             */
            readonly url: string;
        };
        /** @description A change of a game, with the events that the webhook subscribed to. */
        readonly WebhookData: {
            /**
             * @description Who decided; null if nobody acted.
             * @example seat
             * @example owner
             * @example bot
             * @example clock
             */
            readonly by: string | null;
            /** @description The digest of that version. */
            readonly digest: string;
            /** @description The subscribed events; may be empty if only `decision` is subscribed. */
            readonly events: readonly components["schemas"]["GameEvent"][];
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly game: string;
            /** @description The move's id; null if nobody acted. */
            readonly move: string | null;
            /** @description The next decision after the change. */
            readonly next: components["schemas"]["NextDecision"];
            /**
             * Format: int32
             * @description The seat that acted; null if none did.
             */
            readonly seat: number | null;
            /**
             * Format: int32
             * @description The version of the change; each version is in at most one message.
             */
            readonly version: number;
        };
        /**
         * @description An event type that a webhook can subscribe to.
         * @enum {string}
         */
        readonly WebhookEventType: "game_created" | "player_joined" | "player_left" | "game_started" | "turn_started" | "tile_discarded" | "tile_drawn" | "tile_placed" | "islander_placed" | "islander_retrieved" | "feature_evaluated" | "fish_covered" | "islander_returned" | "ship_taken" | "ship_revealed" | "turn_timed_out" | "game_paused" | "game_resumed" | "player_replaced" | "player_returned" | "player_resigned" | "move_undone" | "rematch_created" | "game_finished" | "game_aborted" | "decision";
        /** @description The body of a request to a webhook's URL (Standard Webhooks). */
        readonly WebhookMessage: {
            readonly data: components["schemas"]["WebhookData"];
            /**
             * Format: date-time
             * @description The time of the change.
             */
            readonly timestamp: string;
            /**
             * @description The first of the webhook's `events` that happened; `diff` without a filter.
             * @example turn_started
             * @example game_finished
             * @example decision
             * @example diff
             * @example challenge
             * @example ping
             */
            readonly type: string;
        };
        /** @description A message that tests a webhook; nothing has happened. */
        readonly WebhookPing: {
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly timestamp: string;
            /** @constant */
            readonly type: "ping";
            /** @description An id: 1 to 32 of a-z, 0-9 and -. */
            readonly webhook: string;
        };
        /** @description The webhooks of a game. */
        readonly Webhooks: {
            readonly webhooks: readonly components["schemas"]["Webhook"][];
        };
        /** @description The first message of every connection. */
        readonly Welcome: {
            /** Format: int32 */
            readonly max_message_bytes: number;
            /**
             * Format: int32
             * @description The games that one socket may watch.
             */
            readonly max_subscriptions: number;
            /**
             * Format: date-time
             * @description UTC, whole seconds.
             */
            readonly now: string;
            /** Format: int32 */
            readonly ping_interval_ms: number;
            /** @constant */
            readonly type: "welcome";
        };
    };
    responses: never;
    parameters: {
        /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
        readonly "Accept-Language": string;
        /** @description A random secret of a client that creates games for others, such as a chat bot. Create it once, for example with `openssl rand -hex 16`; keys that repeat themselves, or consist of words, numbers and dates, are rejected. `GET /v1/seats/me/games` lists the games and seats that were created with it. */
        readonly "Creator-Key": string;
        /**
         * @description A webhook's id.
         * @example w4k8x1m7q2zc
         */
        readonly hook: string;
        /**
         * @description An id. An invalid id is treated as an unknown one.
         * @example k7m2x9qd4t1w
         */
        readonly id: string;
        /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
        readonly "Idempotency-Key": string;
        /** @description A key of your choice for this request and its retries. The tokens are derived from it, so it must be a secret of 32 or more random characters of printable ASCII, for example from `openssl rand -hex 16`. Keys that repeat themselves, or consist of words, numbers and dates, are rejected. The key is never stored. */
        readonly "Idempotency-Key-secret": string;
        /** @description The versions that the game must have for the request to be applied: a list of `"VERSION-DIGEST"` or `"VERSION"`, for example `"17"`, or `*` for any. Suffixes of a tag and a preceding `W/` are ignored. */
        readonly "If-Match": string;
        /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
        readonly "If-None-Match": string;
        /** @description `VERSION-DIGEST` of the last event received: the event stream continues after it. */
        readonly "Last-Event-ID": string;
        /** @description `return=representation` adds the whole GAME to the response (RFC 7240). */
        readonly Prefer: string;
        /**
         * @description A seat's number.
         * @example 1
         */
        readonly seat: number;
        /**
         * @description A ship's id.
         * @example s16
         */
        readonly ship: string;
        /**
         * @description The id of a tile type.
         * @example junction-4
         */
        readonly tile: string;
    };
    requestBodies: never;
    headers: {
        /** @description Empty if the body had another `Content-Encoding` than `identity`: none is accepted (RFC 9110, 15.5.16). */
        readonly "Accept-Encoding": string;
        /**
         * @description The methods that the path supports.
         * @example GET, HEAD, OPTIONS
         */
        readonly Allow: string;
        /**
         * @description The response may be cached forever.
         * @example public, max-age=31536000, immutable
         */
        readonly "Cache-Control": string;
        /**
         * @description The language of the texts, if the response contains any.
         * @example fr
         */
        readonly "Content-Language": string;
        /**
         * @description The entity tag of the response; `"VERSION-DIGEST"` for a game.
         * @example "17-0f3a5c1e9b7d2846a0c4e8f1b3d59627"
         */
        readonly ETag: string;
        /**
         * @description `true` if an earlier request with the same `Idempotency-Key` was applied, and this one was not.
         * @example true
         */
        readonly "Idempotent-Replayed": "true";
        /**
         * @description The next page, if there is one (RFC 8288).
         * @example </v1/games?limit=50&cursor=50>; rel="next"
         */
        readonly Link: string;
        /**
         * @description The path of the new resource.
         * @example /v1/games/k7m2x9qd4t1w
         */
        readonly Location: string;
        /**
         * @description `return=representation` if the request preferred it.
         * @example return=representation
         */
        readonly "Preference-Applied": string;
        /**
         * @description The rate limit, its remaining quota, and the seconds until the quota is full again, or with 429 until some of it is available (draft-ietf-httpapi-ratelimit-headers-11).
         * @example "requests";r=0;t=1
         */
        readonly RateLimit: string;
        /**
         * @description The rate limit's quota, and the seconds in which it refills.
         * @example "requests";q=2500;w=10
         */
        readonly "RateLimit-Policy": string;
        /**
         * @description Seconds to wait before the next attempt.
         * @example 1
         */
        readonly "Retry-After": string;
        /**
         * @description The authentication scheme.
         * @example Bearer realm="south-seas", error="invalid_token"
         */
        readonly "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly readIndex: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The entry points of the API. */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ServiceIndex"];
                    readonly "text/html": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readAsyncApi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The AsyncAPI 3.0 document. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly checkLiveness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The instance is alive. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readOpenApi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The OpenAPI 3.1 document. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly checkReadiness: {
        readonly parameters: {
            readonly query?: {
                /** @description Whether an instance that has not reached the store for seconds is not ready. */
                readonly store?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The instance is ready for requests. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. `draining`: The instance is shutting down. `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listBots: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All bots, by name. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BotList"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listGames: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. */
                readonly cursor?: string;
                /** @description The maximum number of games per page. */
                readonly limit?: number;
                /** @description Only games with this status. */
                readonly status?: components["schemas"]["GameStatus"];
            };
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Public games, newest first. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Games"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createGame: {
        readonly parameters: {
            readonly query?: {
                /** @description Adds the next legal moves to the response. */
                readonly include?: components["schemas"]["Include"];
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description A random secret of a client that creates games for others, such as a chat bot. Create it once, for example with `openssl rand -hex 16`; keys that repeat themselves, or consist of words, numbers and dates, are rejected. `GET /v1/seats/me/games` lists the games and seats that were created with it. */
                readonly "Creator-Key"?: components["parameters"]["Creator-Key"];
                /** @description A key of your choice for this request and its retries. The tokens are derived from it, so it must be a secret of 32 or more random characters of printable ASCII, for example from `openssl rand -hex 16`. Keys that repeat themselves, or consist of words, numbers and dates, are rejected. The key is never stored. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key-secret"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateGame"];
            };
        };
        readonly responses: {
            /** @description The new game and its tokens. */
            readonly 201: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Created"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. `unknown_tileset`: There is no such tile set. `unknown_bot`: There is no such bot. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readGame: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description GAME, the same for every reader. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GameView"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly abortGame: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions that the game must have for the request to be applied: a list of `"VERSION-DIGEST"` or `"VERSION"`, for example `"17"`, or `*` for any. Suffixes of a tag and a preceding `W/` are ignored. */
                readonly "If-Match"?: components["parameters"]["If-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The aborted game. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GameView"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_owner`: Only the game's owner may do this. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_active`: The game is not being played. `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `version_mismatch`: The game is at another version. */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly act: {
        readonly parameters: {
            readonly query?: {
                /** @description Adds the next legal moves to the response. */
                readonly include?: components["schemas"]["Include"];
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The versions that the game must have for the request to be applied: a list of `"VERSION-DIGEST"` or `"VERSION"`, for example `"17"`, or `*` for any. Suffixes of a tag and a preceding `W/` are ignored. */
                readonly "If-Match"?: components["parameters"]["If-Match"];
                /** @description `return=representation` adds the whole GAME to the response (RFC 7240). */
                readonly Prefer?: components["parameters"]["Prefer"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Act"];
            };
        };
        readonly responses: {
            /** @description The diffs of the action, and the next decision. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly "Preference-Applied": components["headers"]["Preference-Applied"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ActionResult"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_seat`: The token does not act for this seat. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_active`: The game is not being played. `not_your_turn`: Another seat must decide now. `replaced`: A bot plays for this seat. `resigned`: This seat has resigned. `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `version_mismatch`: The game is at another version. */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `illegal_move`: The rules forbid this action now. `list_too_long`: An action follows one that reveals hidden information. `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readBoardPng: {
        readonly parameters: {
            readonly query?: {
                /** @description Whether to number the legal moves in the order of their list, from 1. */
                readonly candidates?: boolean;
                /** @description Whether to show the coordinates at the edges. */
                readonly coordinates?: boolean;
                /** @description Whether to outline the last tile placed. */
                readonly last?: boolean;
                /** @description `fit` for all tiles, or `x0,y0,x1,y1`: the cells at two corners. From the north-western corner on, at most 60 columns and rows are used. */
                readonly region?: string;
                /** @description Whether to show the drawn tile, the display and the players beside the board. */
                readonly side?: boolean;
                /** @description The colours, for a light or a dark page. */
                readonly theme?: components["schemas"]["Theme"];
                /** @description The game's version; the picture of a version never changes. */
                readonly v?: number;
                /** @description The width in pixels; at most 4096 is used. */
                readonly width?: number;
            };
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/png": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readBoardSvg: {
        readonly parameters: {
            readonly query?: {
                /** @description Whether to number the legal moves in the order of their list, from 1. */
                readonly candidates?: boolean;
                /** @description Whether to show the coordinates at the edges. */
                readonly coordinates?: boolean;
                /** @description Whether to outline the last tile placed. */
                readonly last?: boolean;
                /** @description `fit` for all tiles, or `x0,y0,x1,y1`: the cells at two corners. From the north-western corner on, at most 60 columns and rows are used. */
                readonly region?: string;
                /** @description Whether to show the drawn tile, the display and the players beside the board. */
                readonly side?: boolean;
                /** @description The colours, for a light or a dark page. */
                readonly theme?: components["schemas"]["Theme"];
                /** @description The game's version; the picture of a version never changes. */
                readonly v?: number;
                /** @description The width in pixels; at most 4096 is used. */
                readonly width?: number;
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/svg+xml": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readBoardText: {
        readonly parameters: {
            readonly query?: {
                /** @description Whether to number the legal moves in the order of their list, from 1. */
                readonly candidates?: boolean;
                /** @description Whether to show the coordinates at the edges. */
                readonly coordinates?: boolean;
                /** @description Whether to outline the last tile placed. */
                readonly last?: boolean;
                /** @description `fit` for all tiles, or `x0,y0,x1,y1`: the cells at two corners. From the north-western corner on, at most 60 columns and rows are used. */
                readonly region?: string;
                /** @description Whether to show the drawn tile, the display and the players beside the board. */
                readonly side?: boolean;
                /** @description The colours, for a light or a dark page. */
                readonly theme?: components["schemas"]["Theme"];
                /** @description The game's version; the picture of a version never changes. */
                readonly v?: number;
                /** @description The width in columns: tiles are 11 by 5 characters if they fit, else 5 by 3. */
                readonly width?: number;
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readDiffs: {
        readonly parameters: {
            readonly query?: {
                /** @description The maximum number of diffs per response. */
                readonly limit?: number;
                /** @description Only versions after this one. */
                readonly since?: number;
            };
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description `VERSION-DIGEST` of the last event received: the event stream continues after it. */
                readonly "Last-Event-ID"?: components["parameters"]["Last-Event-ID"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A part of the log, oldest first. */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Diffs"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `origin_refused`: This origin may not subscribe to games. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readFeatures: {
        readonly parameters: {
            readonly query?: {
                /** @description Only features on tiles at this x. */
                readonly x?: number;
                /** @description Only features on tiles at this y. */
                readonly y?: number;
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The features, and what each is worth. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BoardFeatures"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readLegalMoves: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. */
                readonly cursor?: string;
                /** @description Whether each move says what it would cause, and what its feature and the ships lack. */
                readonly effects?: boolean;
                /** @description The maximum number of rows per page. */
                readonly limit?: number;
                /** @description Only moves whose text contains this; case is ignored. */
                readonly q?: string;
                /** @description `cell` returns the cells that have moves, and the moves without one. */
                readonly stage?: components["schemas"]["LegalMovesStage"];
                /** @description Only moves at this x. */
                readonly x?: number;
                /** @description Only moves at this y. */
                readonly y?: number;
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The legal moves. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LegalMoves"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly createRematch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["Rematch"];
            };
        };
        readonly responses: {
            /** @description The rematch. */
            readonly 201: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Rematched"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_owner`: Only the game's owner may do this. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_over`: The game is not over yet. `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly resign: {
        readonly parameters: {
            readonly query?: {
                /** @description Adds the next legal moves to the response. */
                readonly include?: components["schemas"]["Include"];
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The versions that the game must have for the request to be applied: a list of `"VERSION-DIGEST"` or `"VERSION"`, for example `"17"`, or `*` for any. Suffixes of a tag and a preceding `W/` are ignored. */
                readonly "If-Match"?: components["parameters"]["If-Match"];
                /** @description `return=representation` adds the whole GAME to the response (RFC 7240). */
                readonly Prefer?: components["parameters"]["Prefer"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["SeatCommand"];
            };
        };
        readonly responses: {
            /** @description The diffs of the resignation. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly "Preference-Applied": components["headers"]["Preference-Applied"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ActionResult"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_seat`: The token does not act for this seat. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_active`: The game is not being played. `resigned`: This seat has resigned. `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `version_mismatch`: The game is at another version. */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly returnToSeat: {
        readonly parameters: {
            readonly query?: {
                /** @description Adds the next legal moves to the response. */
                readonly include?: components["schemas"]["Include"];
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The versions that the game must have for the request to be applied: a list of `"VERSION-DIGEST"` or `"VERSION"`, for example `"17"`, or `*` for any. Suffixes of a tag and a preceding `W/` are ignored. */
                readonly "If-Match"?: components["parameters"]["If-Match"];
                /** @description `return=representation` adds the whole GAME to the response (RFC 7240). */
                readonly Prefer?: components["parameters"]["Prefer"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["SeatCommand"];
            };
        };
        readonly responses: {
            /** @description The diffs of the action, and the next decision. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly "Preference-Applied": components["headers"]["Preference-Applied"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ActionResult"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_seat`: The token does not act for this seat. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_active`: The game is not being played. `not_replaced`: No bot plays for this seat. `resigned`: This seat has resigned. `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `version_mismatch`: The game is at another version. */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readScores: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The points now, and if the game ended now. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Scores"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly joinGame: {
        readonly parameters: {
            readonly query?: {
                /** @description Adds the next legal moves to the response. */
                readonly include?: components["schemas"]["Include"];
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description A random secret of a client that creates games for others, such as a chat bot. Create it once, for example with `openssl rand -hex 16`; keys that repeat themselves, or consist of words, numbers and dates, are rejected. `GET /v1/seats/me/games` lists the games and seats that were created with it. */
                readonly "Creator-Key"?: components["parameters"]["Creator-Key"];
                /** @description A key of your choice for this request and its retries. The tokens are derived from it, so it must be a secret of 32 or more random characters of printable ASCII, for example from `openssl rand -hex 16`. Keys that repeat themselves, or consist of words, numbers and dates, are rejected. The key is never stored. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key-secret"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["JoinGame"];
            };
        };
        readonly responses: {
            /** @description The seat and its token. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Joined"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `no_open_seat`: No seat is open. `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly removePlayer: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions that the game must have for the request to be applied: a list of `"VERSION-DIGEST"` or `"VERSION"`, for example `"17"`, or `*` for any. Suffixes of a tag and a preceding `W/` are ignored. */
                readonly "If-Match"?: components["parameters"]["If-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
                /**
                 * @description A seat's number.
                 * @example 1
                 */
                readonly seat: components["parameters"]["seat"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The game, with the seat open. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GameView"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_seat`: The token does not act for this seat. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_active`: The game is not being played. `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `version_mismatch`: The game is at another version. */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly replaceSeatToken: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A random secret of a client that creates games for others, such as a chat bot. Create it once, for example with `openssl rand -hex 16`; keys that repeat themselves, or consist of words, numbers and dates, are rejected. `GET /v1/seats/me/games` lists the games and seats that were created with it. */
                readonly "Creator-Key"?: components["parameters"]["Creator-Key"];
                /** @description A key of your choice for this request and its retries. The tokens are derived from it, so it must be a secret of 32 or more random characters of printable ASCII, for example from `openssl rand -hex 16`. Keys that repeat themselves, or consist of words, numbers and dates, are rejected. The key is never stored. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key-secret"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
                /**
                 * @description A seat's number.
                 * @example 1
                 */
                readonly seat: components["parameters"]["seat"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["ReplaceToken"];
            };
        };
        readonly responses: {
            /** @description The seat and its new token. */
            readonly 200: {
                headers: {
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SeatToken"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_seat`: The token does not act for this seat. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readStory: {
        readonly parameters: {
            readonly query?: {
                /** @description The maximum number of diffs per response. */
                readonly limit?: number;
                /** @description Only versions after this one. */
                readonly since?: number;
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A part of the log, in sentences. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Story"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readTiles: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The number of tiles in the bag, by type. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TilesLeft"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly undo: {
        readonly parameters: {
            readonly query?: {
                /** @description Adds the next legal moves to the response. */
                readonly include?: components["schemas"]["Include"];
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The versions that the game must have for the request to be applied: a list of `"VERSION-DIGEST"` or `"VERSION"`, for example `"17"`, or `*` for any. Suffixes of a tag and a preceding `W/` are ignored. */
                readonly "If-Match"?: components["parameters"]["If-Match"];
                /** @description `return=representation` adds the whole GAME to the response (RFC 7240). */
                readonly Prefer?: components["parameters"]["Prefer"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["SeatCommand"];
            };
        };
        readonly responses: {
            /** @description The diff that undoes the action. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly "Preference-Applied": components["headers"]["Preference-Applied"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ActionResult"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_seat`: The token does not act for this seat. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_active`: The game is not being played. `not_your_turn`: Another seat must decide now. `replaced`: A bot plays for this seat. `resigned`: This seat has resigned. `nothing_to_undo`: There is nothing to undo. `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `version_mismatch`: The game is at another version. */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhooks, oldest first. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhooks"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_owner`: Only the game's owner may do this. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly registerWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RegisterWebhook"];
            };
        };
        readonly responses: {
            /** @description The webhook and its secret. */
            readonly 201: {
                headers: {
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookCreated"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_owner`: Only the game's owner may do this. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `limit_reached`: The limit is reached. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. `url_refused`: Webhooks may not use this URL. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_owner`: Only the game's owner may do this. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly deleteWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook is deleted. */
            readonly 204: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_owner`: Only the game's owner may do this. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listDeliveries: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The latest delivery attempts, newest first. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_owner`: Only the game's owner may do this. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly retryWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook, its failures reset. */
            readonly 200: {
                headers: {
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_owner`: Only the game's owner may do this. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key, without its secrets. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiKeyView"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listApiKeyGames: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. */
                readonly cursor?: string;
                /** @description The maximum number of games per page. */
                readonly limit?: number;
                /** @description Only games with this status. */
                readonly status?: components["schemas"]["GameStatus"];
            };
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The games, newest first. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Games"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listKeyWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhooks, oldest first. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyWebhooks"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly registerKeyWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RegisterKeyWebhook"];
            };
        };
        readonly responses: {
            /** @description The webhook and its secret. */
            readonly 201: {
                headers: {
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyWebhookCreated"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `limit_reached`: The limit is reached. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. `url_refused`: Webhooks may not use this URL. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readKeyWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyWebhook"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly deleteKeyWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook is deleted. */
            readonly 204: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly changeKeyWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChangeKeyWebhook"];
            };
        };
        readonly responses: {
            /** @description The changed webhook. */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyWebhook"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `url_refused`: Webhooks may not use this URL. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listKeyDeliveries: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The latest delivery attempts, newest first. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyDeliveries"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly pingKeyWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook; the ping is sent at once. */
            readonly 202: {
                headers: {
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyWebhook"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly retryKeyWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A key of your choice for this request and its retries: printable ASCII, unique per path and token. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook, its failures reset. */
            readonly 200: {
                headers: {
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyWebhook"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly rotateKeyWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A key of your choice for this request and its retries. The tokens are derived from it, so it must be a secret of 32 or more random characters of printable ASCII, for example from `openssl rand -hex 16`. Keys that repeat themselves, or consist of words, numbers and dates, are rejected. The key is never stored. */
                readonly "Idempotency-Key"?: components["parameters"]["Idempotency-Key-secret"];
            };
            readonly path: {
                /**
                 * @description A webhook's id.
                 * @example w4k8x1m7q2zc
                 */
                readonly hook: components["parameters"]["hook"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["RotateSecret"];
            };
        };
        readonly responses: {
            /** @description The new secret. */
            readonly 200: {
                headers: {
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict`: The request conflicts with the state of the game. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: The request is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            readonly 415: {
                headers: {
                    readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `key_reused`: This idempotency key was already used. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_implemented`: The service does not know this transfer coding. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listMyGames: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. */
                readonly cursor?: string;
                /** @description Only seats with this external user id. */
                readonly external_user?: string;
                /** @description The maximum number of games per page. */
                readonly limit?: number;
                /** @description Only games with this status. */
                readonly status?: components["schemas"]["GameStatus"];
                /** @description Whether the game waits for one of these seats. */
                readonly waiting?: boolean;
            };
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The games, newest first. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MyGames"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Link: components["headers"]["Link"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized`: The token is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `store_unavailable`: The game store is unavailable. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly listTileSets: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All tile sets, complete. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TileSets"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readTileSet: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tile set. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TileSet"];
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readShipPng: {
        readonly parameters: {
            readonly query?: {
                /** @description The colours, for a light or a dark page. */
                readonly theme?: components["schemas"]["Theme"];
                /** @description The width in pixels; at most 4096 is used. */
                readonly width?: number;
            };
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
                /**
                 * @description A ship's id.
                 * @example s16
                 */
                readonly ship: components["parameters"]["ship"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/png": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readShipSvg: {
        readonly parameters: {
            readonly query?: {
                /** @description The colours, for a light or a dark page. */
                readonly theme?: components["schemas"]["Theme"];
                /** @description The width in pixels; at most 4096 is used. */
                readonly width?: number;
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
                /**
                 * @description A ship's id.
                 * @example s16
                 */
                readonly ship: components["parameters"]["ship"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/svg+xml": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readTilesSvg: {
        readonly parameters: {
            readonly query?: {
                /** @description The digest of the service's drawings, which its page names. A picture with the current one never changes. */
                readonly drawing?: string;
                /** @description The colours, for a light or a dark page. */
                readonly theme?: components["schemas"]["Theme"];
            };
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/svg+xml": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readTilePng: {
        readonly parameters: {
            readonly query?: {
                /** @description Quarter turns clockwise. */
                readonly rotation?: number;
                /** @description The colours, for a light or a dark page. */
                readonly theme?: components["schemas"]["Theme"];
                /** @description The width in pixels; at most 4096 is used. */
                readonly width?: number;
            };
            readonly header?: {
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
                /**
                 * @description The id of a tile type.
                 * @example junction-4
                 */
                readonly tile: components["parameters"]["tile"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/png": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly readTileSvg: {
        readonly parameters: {
            readonly query?: {
                /** @description Quarter turns clockwise. */
                readonly rotation?: number;
                /** @description The colours, for a light or a dark page. */
                readonly theme?: components["schemas"]["Theme"];
                /** @description The width in pixels; at most 4096 is used. */
                readonly width?: number;
            };
            readonly header?: {
                /** @description The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English. */
                readonly "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The `ETag` of the client's copy; the response is 304 if the copy is current. */
                readonly "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            readonly path: {
                /**
                 * @description An id. An invalid id is treated as an unknown one.
                 * @example k7m2x9qd4t1w
                 */
                readonly id: components["parameters"]["id"];
                /**
                 * @description The id of a tile type.
                 * @example junction-4
                 */
                readonly tile: components["parameters"]["tile"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly "Content-Language": components["headers"]["Content-Language"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/svg+xml": string;
                };
            };
            /** @description The client's copy is current. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request is malformed. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such resource. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            readonly 405: {
                headers: {
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `uri_too_long`: The target of the request is too long. */
            readonly 414: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            readonly 429: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Internal server error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `instance_unavailable`: The instance cannot serve this now. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly gameChanged: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The message's id, the same for every attempt, for example `k7m2x9qd4t1w.18.w4k8x1m7q2zc`. */
                readonly "webhook-id": string;
                /** @description `v1,` and the HMAC-SHA256, in base64, of id, timestamp and body joined by full stops. */
                readonly "webhook-signature": string;
                /** @description The time of this attempt in Unix seconds. */
                readonly "webhook-timestamp": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookMessage"];
            };
        };
        readonly responses: {
            /** @description The message was received. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server wants no more messages: the webhook is disabled. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivery is retried for about a day; redirects are not followed. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly webhookChallenged: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The message's id, the same for every attempt, for example `k7m2x9qd4t1w.18.w4k8x1m7q2zc`. */
                readonly "webhook-id": string;
                /** @description `v1,` and the HMAC-SHA256, in base64, of id, timestamp and body joined by full stops. */
                readonly "webhook-signature": string;
                /** @description The time of this attempt in Unix seconds. */
                readonly "webhook-timestamp": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookChallenge"];
            };
        };
        readonly responses: {
            /** @description The server confirms the webhook. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookChallengeAnswer"];
                };
            };
            /** @description The server refuses the webhook: it is disabled. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The challenge is retried 4 times within 15 minutes. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly webhookPinged: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The message's id, the same for every attempt, for example `k7m2x9qd4t1w.18.w4k8x1m7q2zc`. */
                readonly "webhook-id": string;
                /** @description `v1,` and the HMAC-SHA256, in base64, of id, timestamp and body joined by full stops. */
                readonly "webhook-signature": string;
                /** @description The time of this attempt in Unix seconds. */
                readonly "webhook-timestamp": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookPing"];
            };
        };
        readonly responses: {
            /** @description The list of deliveries shows the response; it has no consequence. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
