/** Generated from schemas/openapi.json and schemas/asyncapi.json by `npm run generate`. */

import type { components } from "./schema.js";

/** A client's message succeeded; version and digest are null unless it changed the game. */
export type Ack = components["schemas"]["Ack"];

/** An action, a move by its id, or a list of actions; exactly one of the three. */
export type Act = components["schemas"]["Act"];

/** Acts, as `POST /v1/games/{id}/actions` does. Legal moves are in the language of the upgrade request. */
export type ActMessage = components["schemas"]["ActMessage"];

/** An action in a request: `type`, and the fields of that type. */
export type ActionRequest = components["schemas"]["ActionRequest"];

/** The response of `POST /v1/games/{id}/actions`, `undo`, `resign` and `return`. */
export type ActionResult = components["schemas"]["ActionResult"];

/** The type of an action. */
export type ActionType = components["schemas"]["ActionType"];

/** Sets a member (RFC 6902, 4.1). */
export type AddOperation = components["schemas"]["AddOperation"];

/** An API key, for its holder. */
export type ApiKey = components["schemas"]["ApiKeyView"];

/** An attempt to deliver a message. */
export type Attempt = components["schemas"]["Attempt"];

/** Adds a token for a game. */
export type Auth = components["schemas"]["Auth"];

/** A feature of the board, with its segments, and in words. */
export type BoardFeature = components["schemas"]["BoardFeature"];

/** The response of `GET /v1/games/{id}/features`. */
export type BoardFeatures = components["schemas"]["BoardFeatures"];

/** A segment of a placed tile. */
export type BoardSegment = components["schemas"]["BoardSegment"];

/** A bot that can fill a seat. */
export type BotInfo = components["schemas"]["BotInfo"];

/** The response of `GET /v1/bots`. */
export type BotList = components["schemas"]["BotList"];

/** A bridge segment: at most two edges (R5.1), fewer if it ends inside the tile. */
export type Bridge = components["schemas"]["Bridge"];

/** A cell of the board: x grows east, y grows south, the start tile is at (0, 0). */
export type Cell = components["schemas"]["Cell"];

/** A cell with at least one move, for the first stage of a menu. */
export type CellChoice = components["schemas"]["CellChoice"];

/** Changes to a webhook; what is null or missing stays. */
export type ChangeKeyWebhook = components["schemas"]["ChangeKeyWebhook"];

/** A message from a client; `type` says which. */
export type ClientMessage = components["schemas"]["ClientMessage"];

/** The service is shutting down: reconnect after `retry_after_ms`, with `since`, whatever the close code is. */
export type Closing = components["schemas"]["Closing"];

/** The colour of a player. */
export type Color = components["schemas"]["Color"];

/** The cost of a ship (R6.3): named wares, wares of any kind, and groups of identical wares. */
export type Cost = components["schemas"]["Cost"];

/** A fish group covered by a boat (R5.7). */
export type CoveredFish = components["schemas"]["CoveredFish"];

/** A new game of 2 to 5 players (R1.1); only `players` is required. */
export type CreateGame = components["schemas"]["CreateGame"];

/** The response of `POST /v1/games`. */
export type Created = components["schemas"]["Created"];

/** The provable shuffle: the commitment from the start, the seed when the game is over. */
export type Deck = components["schemas"]["Deck"];

/** Deliver wares to a ship in the display (R6). */
export type Deliver = components["schemas"]["Deliver"];

/** Recent delivery attempts, newest first. */
export type Deliveries = components["schemas"]["Deliveries"];

/** DIFF. `digest` is the first 32 hex digits of the SHA-256 of the previous digest and the rest of the diff. */
export type Diff = components["schemas"]["Diff"];

/** The response of `GET /v1/games/{id}/diffs`: a page of the log. */
export type Diffs = components["schemas"]["Diffs"];

/** An edge of a tile. */
export type Edge = components["schemas"]["Edge"];

/** The kinds of a tile's four edges, without rotation. */
export type Edges = components["schemas"]["Edges"];

/** The edition of the rules. */
export type Edition = components["schemas"]["Edition"];

/** A client's message failed. */
export type ErrorMessage = components["schemas"]["ErrorMessage"];

/** A feature was evaluated (R5.5, R5.6, R7.2). */
export type FeatureEvaluated = components["schemas"]["FeatureEvaluated"];

/** A feature: who is there, what it is worth so far, and what it lacks until it is complete. */
export type FeatureValue = components["schemas"]["FeatureValue"];

/** A boat covered a fish group for the rest of the game (R5.7). */
export type FishCovered = components["schemas"]["FishCovered"];

/** The owner aborted the game. */
export type GameAborted = components["schemas"]["GameAborted"];

/** An action of a legal move; `type` says which. */
export type GameAction = components["schemas"]["GameAction"];

/** The game was created: the start tile (R1.2), the display (R1.3) and the islanders (R1.4) are set up. */
export type GameCreated = components["schemas"]["GameCreated"];

/** An event of a game; `type` says which. More may be added: ignore unknown ones. */
export type GameEvent = components["schemas"]["GameEvent"];

/** The game is over (R7.1). */
export type GameFinished = components["schemas"]["GameFinished"];

/** Every player missed a turn, so the clock rests: nobody has a deadline until one of them acts. */
export type GamePaused = components["schemas"]["GamePaused"];

/** The end of a game (R7.1) and its winners (R7.4). */
export type Result = components["schemas"]["GameResult"];

/** A player of a paused game acted: deadlines count from now on. */
export type GameResumed = components["schemas"]["GameResumed"];

/** The game started, because all seats are taken; `seat` has the first turn (R1.6). */
export type GameStarted = components["schemas"]["GameStarted"];

/** The status of a game. */
export type GameStatus = components["schemas"]["GameStatus"];

/** GAME without board and discarded tiles, as in the list of games. */
export type GameSummary = components["schemas"]["GameSummary"];

/** GAME, the same for every reader. */
export type Game = components["schemas"]["GameView"];

/** The response of `GET /v1/games`: public games, newest first. */
export type Games = components["schemas"]["Games"];

/** The response of `GET /livez` and `GET /readyz`. */
export type Health = components["schemas"]["Health"];

/** A player's score if the game ended now (R7.3). */
export type IfEnded = components["schemas"]["IfEnded"];

/** An optional part of a response. */
export type Include = components["schemas"]["Include"];

/** An island segment; without edges it is complete when placed (R5.2). */
export type Island = components["schemas"]["Island"];

/** The number of islanders of a seat in a feature. */
export type IslanderCount = components["schemas"]["IslanderCount"];

/** The player placed an islander on the tile just placed (R4.1). */
export type IslanderPlaced = components["schemas"]["IslanderPlaced"];

/** The player retrieved an islander, without an award (R4.4). */
export type IslanderRetrieved = components["schemas"]["IslanderRetrieved"];

/** An islander returned to its owner's supply after an evaluation (R5.9), from a market too (R5.10). */
export type IslanderReturned = components["schemas"]["IslanderReturned"];

/** The value of an islander if its feature were evaluated now (R8.4). */
export type IslanderValue = components["schemas"]["IslanderValue"];

/** A player for the next open seat. */
export type JoinGame = components["schemas"]["JoinGame"];

/** The response of `POST /v1/games/{id}/seats`. */
export type Joined = components["schemas"]["Joined"];

/** An attempt to deliver a message to an API key's webhook; `version` is 0 for a challenge or a ping. */
export type KeyAttempt = components["schemas"]["KeyAttempt"];

/** Recent delivery attempts of all games, newest first. */
export type KeyDeliveries = components["schemas"]["KeyDeliveries"];

/** A webhook for the games that an API key creates after it; its secrets are shown only when they are new. */
export type KeyWebhook = components["schemas"]["KeyWebhook"];

/** A new webhook for the games of an API key, with its secret. */
export type KeyWebhookCreated = components["schemas"]["KeyWebhookCreated"];

/** The webhooks of an API key. */
export type KeyWebhooks = components["schemas"]["KeyWebhooks"];

/** Every legal move now; `seat` and `phase` are null and `moves` is empty if nobody must decide. */
export type LegalMoves = components["schemas"]["LegalMoves"];

/** A stage of a menu of legal moves. */
export type LegalMovesStage = components["schemas"]["LegalMovesStage"];

/** A market: always a feature by itself (R0), complete when all 8 cells around it have tiles (R5.4). */
export type Market = components["schemas"]["Market"];

/** The fewest wares that a player lacks for a ship (R6.3); all are 0 if the player can pay. */
export type MissingWares = components["schemas"]["MissingWares"];

/** A legal move: its id, a text for people, and the action; with `effects=1` also what it is worth. */
export type Move = components["schemas"]["Move"];

/** A player took an action of this turn back, nothing hidden having been revealed since. */
export type MoveUndone = components["schemas"]["MoveUndone"];

/** A game with the caller's seats. */
export type MyGame = components["schemas"]["MyGame"];

/** The response of `GET /v1/seats/me/games`, newest first. */
export type MyGames = components["schemas"]["MyGames"];

/** A seat that belongs to the request's tokens, or to the creator's key. */
export type MySeat = components["schemas"]["MySeat"];

/** The next decision; both fields are null if nobody must decide. */
export type NextDecision = components["schemas"]["NextDecision"];

/** Place and retrieve no islander (R4.5), or deliver nothing (R6.1). */
export type Pass = components["schemas"]["Pass"];

/** A phase that can be passed. */
export type PassPhase = components["schemas"]["PassPhase"];

/** An operation of a JSON Patch; `op` says which. */
export type PatchOperation = components["schemas"]["PatchOperation"];

/** Requests a `pong`. */
export type Ping = components["schemas"]["Ping"];

/** Place an islander on a segment of the tile just placed (R4.1). */
export type PlaceIslander = components["schemas"]["PlaceIslander"];

/** Place the drawn tile on an empty cell (R3). */
export type PlaceTile = components["schemas"]["PlaceTile"];

/** An islander on a segment of a tile. */
export type PlacedIslander = components["schemas"]["PlacedIslander"];

/** A tile on the board; `order` is 0 for the start tile, then 1, 2, ... */
export type PlacedTile = components["schemas"]["PlacedTile"];

/** A seat: its player, and their islanders, wares and ships. */
export type Player = components["schemas"]["Player"];

/** A player took an open seat. */
export type PlayerJoined = components["schemas"]["PlayerJoined"];

/** The owner removed the player `name` from a seat before the start. */
export type PlayerLeft = components["schemas"]["PlayerLeft"];

/** A bot replaced an absent player, until they return. */
export type PlayerReplaced = components["schemas"]["PlayerReplaced"];

/** A player resigned: their islanders return, turns skip them, and they cannot win. */
export type PlayerResigned = components["schemas"]["PlayerResigned"];

/** A player took their seat back from a bot. */
export type PlayerReturned = components["schemas"]["PlayerReturned"];

/** A player's current points, and the score if the game ended now (R8.3). */
export type PlayerScores = components["schemas"]["PlayerScores"];

/** The reply to `ping`. */
export type Pong = components["schemas"]["Pong"];

/** An error: `code` is for programs, `detail` for people, in their language. Fields that do not apply are null. */
export type Problem = components["schemas"]["Problem"];

/** A new webhook for the games that are created with an API key from now on; only `url` is required. */
export type RegisterKeyWebhook = components["schemas"]["RegisterKeyWebhook"];

/** A new webhook; only `url` is required. */
export type RegisterWebhook = components["schemas"]["RegisterWebhook"];

/** A new game with the same players; the body may be empty. */
export type Rematch = components["schemas"]["Rematch"];

/** The same players play again, in `game`. */
export type RematchCreated = components["schemas"]["RematchCreated"];

/** The response of `POST /v1/games/{id}/rematch`: all tokens of the game before are valid in this one. */
export type Rematched = components["schemas"]["Rematched"];

/** Removes a member (RFC 6902, 4.2). */
export type RemoveOperation = components["schemas"]["RemoveOperation"];

/** A new token for a seat, without options; the body may be empty. */
export type ReplaceToken = components["schemas"]["ReplaceToken"];

/** Resigns, as `POST /v1/games/{id}/resign` does. */
export type Resign = components["schemas"]["Resign"];

/** Retrieve an own islander from the board to the supply (R4.4). */
export type RetrieveIslander = components["schemas"]["RetrieveIslander"];

/** Takes a seat back from a bot, as `POST /v1/games/{id}/return` does. */
export type ReturnToSeat = components["schemas"]["ReturnToSeat"];

/** A new signing secret; the body may be empty. */
export type RotateSecret = components["schemas"]["RotateSecret"];

/** The new secret of a webhook. */
export type RotatedSecret = components["schemas"]["RotatedSecret"];

/** A final score (R7.3). */
export type Score = components["schemas"]["Score"];

/** The response of `GET /v1/games/{id}/scores`. */
export type Scores = components["schemas"]["Scores"];

/** A sea segment with its half-edges, fish groups and boat. */
export type Sea = components["schemas"]["Sea"];

/** The seat that undoes, resigns or returns. */
export type SeatCommand = components["schemas"]["SeatCommand"];

/** A seat of a new game: a named player, a bot, or an open seat. */
export type SeatRequest = components["schemas"]["SeatRequest"];

/** A token that acts for a seat. */
export type SeatToken = components["schemas"]["SeatToken"];

/** A segment of a tile; `kind` says which. */
export type Segment = components["schemas"]["Segment"];

/** A message from the service; `type` says which. More may be added: ignore unknown ones. */
export type ServerMessage = components["schemas"]["ServerMessage"];

/** The response of `GET /`: which release this is, and links to the API. */
export type ServiceIndex = components["schemas"]["ServiceIndex"];

/** A ship token: its points and its cost. */
export type Ship = components["schemas"]["Ship"];

/** A ship in the display: what it costs, and what the seat that must decide lacks. */
export type ShipOffer = components["schemas"]["ShipOffer"];

/** A ship from the pile refilled the display (R6.4). */
export type ShipRevealed = components["schemas"]["ShipRevealed"];

/** A player took a ship from the display, `by` a delivery (R6.2) or a market (R5.10). */
export type ShipTaken = components["schemas"]["ShipTaken"];

/** The whole GAME and its digest. */
export type Snapshot = components["schemas"]["Snapshot"];

/** The response of `GET /v1/games/{id}/story`: a page of the log as sentences, and the current status. */
export type Story = components["schemas"]["Story"];

/** The events of one version, as plain text. */
export type StoryLine = components["schemas"]["StoryLine"];

/** Subscribes to a game's diffs; `since` and `digest` name the state that the client has, if any. */
export type Subscribe = components["schemas"]["Subscribe"];

/** A subscription started at `version`: missed diffs follow (`recovered`), or a snapshot. */
export type Subscribed = components["schemas"]["Subscribed"];

/** Requests a snapshot, after a gap or a patch that does not apply. */
export type Sync = components["schemas"]["Sync"];

/** Take one of the ships with the most points for a completed market (R5.10). */
export type TakeShip = components["schemas"]["TakeShip"];

/** The colours of a picture. */
export type Theme = components["schemas"]["Theme"];

/** A type of tile and its number in the set. Segments are referred to by index. */
export type Tile = components["schemas"]["Tile"];

/** A drawn tile without a legal placement was removed from the game (R3.5). */
export type TileDiscarded = components["schemas"]["TileDiscarded"];

/** The player drew a tile, which everybody sees (R3.1). */
export type TileDrawn = components["schemas"]["TileDrawn"];

/** The number of tiles of a type left in the bag (R8.1). */
export type TileLeft = components["schemas"]["TileLeft"];

/** The player placed the drawn tile (R3). */
export type TilePlaced = components["schemas"]["TilePlaced"];

/** A tile set; `count` of the start tile includes the one placed at the start (R1.2). */
export type TileSet = components["schemas"]["TileSet"];

/** The response of `GET /v1/tilesets`: every tile set. */
export type TileSets = components["schemas"]["TileSets"];

/** The response of `GET /v1/games/{id}/tiles`: every type of the tile set. */
export type TilesLeft = components["schemas"]["TilesLeft"];

/** What happens when a player misses a deadline. */
export type TimeoutPolicy = components["schemas"]["TimeoutPolicy"];

/** The turn. `seat` and `decider` differ when a completed market awards a ship to another player (R5.10). */
export type Turn = components["schemas"]["Turn"];

/** A turn started, with a tile that can be placed; turns are numbered from 1. */
export type TurnStarted = components["schemas"]["TurnStarted"];

/** A player missed a deadline; `policy` says what follows. */
export type TurnTimedOut = components["schemas"]["TurnTimedOut"];

/** Undoes an action, as `POST /v1/games/{id}/undo` does. */
export type Undo = components["schemas"]["Undo"];

/** Ends a subscription. */
export type Unsubscribe = components["schemas"]["Unsubscribe"];

/** Who can see a game. */
export type Visibility = components["schemas"]["Visibility"];

/** Numbers of wares in a response. */
export type Wares = components["schemas"]["Wares"];

/** Numbers of wares in a request; an omitted kind is 0. */
export type WaresRequest = components["schemas"]["WaresRequest"];

/** A webhook of a game; the service shows its secret only at creation. */
export type Webhook = components["schemas"]["Webhook"];

/** The first request to a webhook's URL, which asks its server to confirm the webhook. */
export type WebhookChallenge = components["schemas"]["WebhookChallenge"];

/** The response body that confirms a webhook; it may contain nothing else. */
export type WebhookChallengeAnswer = components["schemas"]["WebhookChallengeAnswer"];

/** A new webhook, with its secret. */
export type WebhookCreated = components["schemas"]["WebhookCreated"];

/** A change of a game, with the events that the webhook subscribed to. */
export type WebhookData = components["schemas"]["WebhookData"];

/** An event type that a webhook can subscribe to. */
export type WebhookEventType = components["schemas"]["WebhookEventType"];

/** The body of a request to a webhook's URL (Standard Webhooks). */
export type WebhookMessage = components["schemas"]["WebhookMessage"];

/** A message that tests a webhook; nothing has happened. */
export type WebhookPing = components["schemas"]["WebhookPing"];

/** The webhooks of a game. */
export type Webhooks = components["schemas"]["Webhooks"];

/** The first message of every connection. */
export type Welcome = components["schemas"]["Welcome"];
