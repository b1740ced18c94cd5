"""The API's models. Generated from schemas/openapi.json and asyncapi.json by scripts/generate.py.

An enumeration in a response is a `str`, because newer services may send further values.
"""

from __future__ import annotations

from typing import Any, Literal, dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Model(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The base of all models."""


class Act(Model):
    """An action, a move by its id, or a list of actions; exactly one of the three."""

    action: ActionRequest | None = None
    """A complete action."""
    move: str | None = None
    """The id of a legal move."""
    actions: list[ActionRequest] | None = None
    """Several actions, applied all or none. Only the last one may reveal hidden information."""
    seat: int | None = None
    """The seat that acts. Null means the token's seat; for the owner's token, the seat that must decide."""


class ActionRequest(Model):
    """An action in a request: `type`, and the fields of that type."""

    type: ActionType
    x: int | None = None
    """With `place_tile` and `retrieve_islander`."""
    y: int | None = None
    """With `place_tile` and `retrieve_islander`."""
    rotation: int | None = None
    """With `place_tile`."""
    segment: int | None = None
    """With `place_islander` (of the tile just placed) and `retrieve_islander`."""
    ship: str | None = None
    """With `take_ship` and `deliver`."""
    wares: WaresRequest | None = None
    """With `deliver`; optional if only one payment is possible."""
    phase: PassPhase | None = None
    """With `pass`; optional."""


class ActionResult(Model):
    """The response of `POST /v1/games/{id}/actions`, `undo`, `resign` and `return`."""

    version: int
    """The game's version after the request."""
    digest: str
    """The digest of that version."""
    diffs: list[Diff]
    """The diffs of the requested actions, and of bots' actions after them."""
    game: GameView | None
    """Null without `Prefer: return=representation`."""
    next: NextDecision
    legal_moves: LegalMoves | None
    """Null without `include=legal_moves`."""


class AddOperation(Model, tag="add", tag_field="op"):
    """Sets a member (RFC 6902, 4.1)."""

    path: str
    """A JSON Pointer; never to an array element."""
    value: Any


class ApiKeyView(Model):
    """An API key, for its holder."""

    name: str
    """The name that the operator gave it."""
    created_at: str
    """UTC, whole seconds."""
    games_per_hour: int
    """New games and rematches."""
    requests_per_minute: int
    """Requests that carry the key."""
    bot_turns_per_hour: int
    """Turns of bots in requests that carry the key; one of a heavy bot counts as ten."""
    rotated_at: str
    """When the current secret was made."""
    previous_secret_expires_at: str | None
    """When the secret before it expires, or expired; null if there was none."""


class Attempt(Model):
    """An attempt to deliver a message."""

    id: str
    """The header `webhook-id`, the same for all retries."""
    version: int
    """The version of the change; for a challenge, `delivered_version`."""
    type: str
    attempt: int
    """From 1."""
    at: str
    """UTC, whole seconds."""
    delivered: bool
    status: int | None
    """The HTTP status of the response; null without one."""
    error: str | None
    """Why it failed; null if it succeeded."""
    latency_ms: int
    """0 if the host name did not resolve to a public server."""


class BoardFeature(Model):
    """A feature of the board, with its segments, and in words."""

    kind: str
    cells: list[Cell]
    islanders: list[IslanderCount]
    """The islanders of each seat that has any there."""
    wares: Wares
    """The wares that each seat with the most islanders would get if the feature were evaluated now (R5.5)."""
    open: int
    """The number of sides without a tile, or of a market's empty cells around it; 0 means complete (R5.1 to R5.4)."""
    segments: list[BoardSegment]
    """In the order in which their tiles were placed."""
    text: str
    """What it is worth so far, or was at the end, what it lacks, and who leads there: whole sentences."""


class BoardFeatures(Model):
    """The response of `GET /v1/games/{id}/features`."""

    version: int
    language: str
    """The language of the texts."""
    features: list[BoardFeature]


class BoardSegment(Model):
    """A segment of a placed tile."""

    x: int
    y: int
    segment: int
    """Index in the tile's `segments`."""


class BotInfo(Model):
    """A bot that can fill a seat."""

    name: str
    """The value of `bot` in a seat."""
    version: str
    """A bot of the same version repeats its decisions."""
    description: str
    """A description for people."""
    heavy: bool
    """Whether its decisions take long: its moves may come in later versions."""


class BotList(Model):
    """The response of `GET /v1/bots`."""

    bots: list[BotInfo]
    """Sorted by name."""


class Bridge(Model, tag="bridge", tag_field="kind"):
    """A bridge segment: at most two edges (R5.1), fewer if it ends inside the tile."""

    edges: list[Edge]
    shells: int
    """The number of symbols printed on it."""


class Cell(Model):
    """A cell of the board: x grows east, y grows south, the start tile is at (0, 0)."""

    x: int
    y: int


class CellChoice(Model):
    """A cell with at least one move, for the first stage of a menu."""

    x: int
    y: int
    text: str
    """The cell and its number of moves, for people."""


class ChangeKeyWebhook(Model):
    """Changes to a webhook; what is null or missing stays."""

    url: str | None = None
    """Another URL, whose server must answer a challenge first."""
    events: list[WebhookEventType] | None = None
    """Other event types, the most important first, or `decision`; an empty list for every change."""


class Cost(Model):
    """The cost of a ship (R6.3): named wares, wares of any kind, and groups of identical wares."""

    bananas: int
    shells: int
    fish: int
    any: int
    """Wares of any kind."""
    same: list[int]
    """Groups of identical wares: `[3, 1]` is three of one kind and one of another."""


class CoveredFish(Model):
    """A fish group covered by a boat (R5.7)."""

    segment: int
    """Index in the tile's `segments`."""
    group: int
    """Index in the segment's `fish`."""


class CreateGame(Model):
    """A new game of 2 to 5 players (R1.1); only `players` is required."""

    players: list[SeatRequest]
    """A game has 2 to 5 players."""
    edition: Edition | None = None
    """Null means `international`."""
    first_seat: int | None = None
    """Null means a random one."""
    tileset: str | None = None
    """Null means `lagoon`."""
    seed: str | None = None
    """The seed of the shuffle; whoever chooses it knows the order of tiles and ships. Null means a random one."""
    visibility: Visibility | None = None
    """Null means `public`."""
    turn_timeout_s: int | None = None
    """Seconds that a player has to decide; null for any time."""
    on_timeout: TimeoutPolicy | None = None
    """`pass` takes the smallest legal action, `bot` lets a bot take over, `resign` resigns. Null means `pass`."""


class Created(Model):
    """The response of `POST /v1/games`."""

    game: GameView
    digest: str
    """The digest of the game's version."""
    owner_token: str
    """Acts for every seat filled at creation, and manages the game."""
    spectator_token: str
    """Reads and joins a private game."""
    seats: list[SeatToken]
    """A token for each seat of a person; none for bots and open seats."""
    legal_moves: LegalMoves | None
    """Null without `include=legal_moves`."""


class Deck(Model):
    """The provable shuffle: the commitment from the start, the seed when the game is over."""

    commitment: str
    """The hex SHA-256 of `GAME_ID:SEED:SET`; SET is the hex SHA-256 of the tile set in RFC 8785 form."""
    seed: str | None
    """Null until the game is over."""
    seed_chosen: bool
    """Whether the creator chose the seed, and so knows the order."""


class Deliver(Model, tag="deliver"):
    """Deliver wares to a ship in the display (R6)."""

    ship: str
    """A ship in the display."""
    wares: Wares | None
    """The payment; null means the only possible one (R6.5)."""


class Deliveries(Model):
    """Recent delivery attempts, newest first."""

    webhook: Webhook
    attempts: list[Attempt]


class Diff(Model, tag="diff"):
    """DIFF. `digest` is the first 32 hex digits of the SHA-256 of the previous digest and the rest of the diff."""

    game: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    version: int
    """The game's version after the change."""
    at: str
    """UTC, whole seconds."""
    seat: int | None
    """The seat that acted; null if none did."""
    move: str | None
    """The move's id; null without a move."""
    by: str | None
    """Null if nobody acted."""
    events: list[GameEvent]
    """The events in order."""
    patch: list[PatchOperation]
    """The JSON Patch (RFC 6902) from the previous GAME to this one; that of version 1 applies to `{}`."""
    digest: str
    """The first 32 hex digits of a SHA-256."""


class Diffs(Model):
    """The response of `GET /v1/games/{id}/diffs`: a page of the log."""

    version: int
    """The game's current version."""
    digest: str
    """The digest of that version."""
    diffs: list[Diff]
    """Oldest first."""


class Edges(Model):
    """The kinds of a tile's four edges, without rotation."""

    n: str
    e: str
    s: str
    w: str


class FeatureEvaluated(Model, tag="feature_evaluated"):
    """A feature was evaluated (R5.5, R5.6, R7.2)."""

    kind: str
    cause: str
    cells: list[Cell]
    islanders: list[IslanderCount]
    """The islanders of each seat that had any there."""
    winners: list[int]
    """Seats with the most islanders."""
    wares: Wares
    """The wares that each winner gets."""


class FeatureValue(Model):
    """A feature: who is there, what it is worth so far, and what it lacks until it is complete."""

    kind: str
    cells: list[Cell]
    islanders: list[IslanderCount]
    """The islanders of each seat that has any there."""
    wares: Wares
    """The wares that each seat with the most islanders would get if the feature were evaluated now (R5.5)."""
    open: int
    """The number of sides without a tile, or of a market's empty cells around it; 0 means complete (R5.1 to R5.4)."""


class FishCovered(Model, tag="fish_covered"):
    """A boat covered a fish group for the rest of the game (R5.7)."""

    x: int
    y: int
    segment: int
    """Index in the tile's `segments`."""
    group: int
    """Index in the segment's `fish`."""
    fish: int
    """The number of fish in the group."""


class GameAborted(Model, tag="game_aborted"):
    """The owner aborted the game."""


class GameCreated(Model, tag="game_created"):
    """The game was created: the start tile (R1.2), the display (R1.3) and the islanders (R1.4) are set up."""


class GameFinished(Model, tag="game_finished"):
    """The game is over (R7.1)."""

    reason: str
    winners: list[int]


class GamePaused(Model, tag="game_paused"):
    """Every player missed a turn, so the clock rests: nobody has a deadline until one of them acts."""


class GameResult(Model):
    """The end of a game (R7.1) and its winners (R7.4)."""

    winners: list[int]
    """The winning seats; several if they are tied."""
    reason: str
    scores: list[Score]


class GameResumed(Model, tag="game_resumed"):
    """A player of a paused game acted: deadlines count from now on."""


class GameStarted(Model, tag="game_started"):
    """The game started, because all seats are taken; `seat` has the first turn (R1.6)."""

    seat: int


class GameSummary(Model):
    """GAME without board and discarded tiles, as in the list of games."""

    id: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    version: int
    """The number of changes, creation being 1."""
    status: str
    tileset: str
    """Id of the tile set."""
    edition: str
    created_at: str
    """UTC, whole seconds."""
    updated_at: str
    """The time of the last change."""
    players: list[Player]
    """The players by seat."""
    turn: Turn | None
    """Null unless the game is active."""
    display: list[str]
    """Ids of the face-up ships."""
    ship_pile: int
    """The number of face-down ships."""
    bag: int
    """The number of tiles in the bag."""
    deck: Deck
    result: GameResult | None
    """Null unless the game is finished."""
    turn_timeout_s: int | None
    """Seconds a player has for a decision; null means no limit."""
    on_timeout: str | None
    """What happens when a player misses a deadline; null without `turn_timeout_s`."""
    previous_game: str | None
    """The game that this one is a rematch of."""
    next_game: str | None
    """The rematch of this game."""


class GameView(Model):
    """GAME, the same for every reader."""

    id: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    version: int
    """The number of changes, creation being 1."""
    status: str
    tileset: str
    """Id of the tile set."""
    edition: str
    created_at: str
    """UTC, whole seconds."""
    updated_at: str
    """The time of the last change."""
    players: list[Player]
    """The players by seat."""
    turn: Turn | None
    """Null unless the game is active."""
    display: list[str]
    """Ids of the face-up ships."""
    ship_pile: int
    """The number of face-down ships."""
    bag: int
    """The number of tiles in the bag."""
    deck: Deck
    result: GameResult | None
    """Null unless the game is finished."""
    turn_timeout_s: int | None
    """Seconds a player has for a decision; null means no limit."""
    on_timeout: str | None
    """What happens when a player misses a deadline; null without `turn_timeout_s`."""
    previous_game: str | None
    """The game that this one is a rematch of."""
    next_game: str | None
    """The rematch of this game."""
    board: dict[str, PlacedTile]
    """The placed tiles, keyed by `x,y`."""
    discarded: list[str]
    """Ids of tiles removed because they had no legal placement (R3.5)."""


class Games(Model):
    """The response of `GET /v1/games`: public games, newest first."""

    games: list[GameSummary]
    next_cursor: str | None
    """The cursor of the next page; null on the last one."""


class Health(Model):
    """The response of `GET /livez` and `GET /readyz`."""

    status: str


class IfEnded(Model):
    """A player's score if the game ended now (R7.3)."""

    ships: int
    """Points of ships."""
    wares: int
    """Points of current and pending wares."""
    total: int
    pending: Wares
    """The wares that incomplete features would give (R7.2)."""


class Island(Model, tag="island", tag_field="kind"):
    """An island segment; without edges it is complete when placed (R5.2)."""

    edges: list[Edge]
    bananas: int
    """The number of symbols printed on it."""


class IslanderCount(Model):
    """The number of islanders of a seat in a feature."""

    seat: int
    count: int


class IslanderPlaced(Model, tag="islander_placed"):
    """The player placed an islander on the tile just placed (R4.1)."""

    seat: int
    x: int
    y: int
    segment: int


class IslanderRetrieved(Model, tag="islander_retrieved"):
    """The player retrieved an islander, without an award (R4.4)."""

    seat: int
    x: int
    y: int
    segment: int


class IslanderReturned(Model, tag="islander_returned"):
    """An islander returned to its owner's supply after an evaluation (R5.9), from a market too (R5.10)."""

    seat: int
    x: int
    y: int
    segment: int


class IslanderValue(Model):
    """The value of an islander if its feature were evaluated now (R8.4)."""

    seat: int
    x: int
    y: int
    segment: int
    """Index in the tile's `segments`."""
    kind: str
    role: str
    value: int
    """The wares for its owner; for a merchant, the points of the most valuable ship in the display."""
    unit: str
    majority: bool
    """Whether its owner has the most islanders there, alone or tied; true for merchants."""


class JoinGame(Model):
    """A player for the next open seat."""

    name: str
    """1 to 32 characters, trimmed and NFC, at least one visible, no control or format characters but the joiners
    that letters and emoji need.
    """
    color: Color | None = None
    """Null means the first free one."""
    external_user: str | None = None
    """The person, for `GET /v1/seats/me/games`. Requires the header `Creator-Key`."""


class Joined(Model):
    """The response of `POST /v1/games/{id}/seats`."""

    seat: int
    token: str
    """Acts for the seat."""
    game: GameView
    digest: str
    """The digest of the game's version."""
    legal_moves: LegalMoves | None
    """Null without `include=legal_moves`."""


class KeyAttempt(Model):
    """An attempt to deliver a message to an API key's webhook; `version` is 0 for a challenge or a ping."""

    id: str
    """The header `webhook-id`, the same for all retries."""
    version: int
    """The version of the change; for a challenge, `delivered_version`."""
    type: str
    attempt: int
    """From 1."""
    at: str
    """UTC, whole seconds."""
    delivered: bool
    status: int | None
    """The HTTP status of the response; null without one."""
    error: str | None
    """Why it failed; null if it succeeded."""
    latency_ms: int
    """0 if the host name did not resolve to a public server."""
    game: str | None
    """Null for a challenge or a ping."""


class KeyDeliveries(Model):
    """Recent delivery attempts of all games, newest first."""

    webhook: KeyWebhook
    attempts: list[KeyAttempt]


class KeyWebhook(Model):
    """A webhook for the games that an API key creates after it; its secrets are shown only when they are new."""

    id: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    url: str
    events: list[str] | None
    """Null for every change."""
    created_at: str
    """UTC, whole seconds."""
    status: str
    """`pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried."""
    disabled_reason: str | None
    """`gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null."""
    failures: int
    """The failed attempts of the challenge or, in a game, of the next message."""
    next_attempt_at: str | None
    """The time of the next retry; null without failures."""
    previous_secret_expires_at: str | None
    """Until when the secret before the last rotation signs too; null if there is none."""


class KeyWebhookCreated(Model):
    """A new webhook for the games of an API key, with its secret."""

    id: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    url: str
    events: list[str] | None
    """Null for every change."""
    created_at: str
    """UTC, whole seconds."""
    status: str
    """`pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried."""
    disabled_reason: str | None
    """`gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null."""
    failures: int
    """The failed attempts of the challenge or, in a game, of the next message."""
    next_attempt_at: str | None
    """The time of the next retry; null without failures."""
    previous_secret_expires_at: str | None
    """Until when the secret before the last rotation signs too; null if there is none."""
    secret: str
    """Shown only in this response."""


class KeyWebhooks(Model):
    """The webhooks of an API key."""

    webhooks: list[KeyWebhook]


class LegalMoves(Model):
    """Every legal move now; `seat` and `phase` are null and `moves` is empty if nobody must decide."""

    version: int
    digest: str
    """The first 32 hex digits of a SHA-256."""
    language: str
    """The language of the texts."""
    seat: int | None
    """The seat that must decide; null if nobody must."""
    phase: str | None
    """Null if nobody must decide."""
    moves: list[Move]
    repeated: list[str]
    """Ids of those moves that look and play like another one, because the tile is symmetric.  A menu leaves them
    out; so do `cells`, and `moves` with `x` or `y`.
    """
    cells: list[CellChoice] | None
    """Null without `stage=cell`; with it, `moves` has only the moves without a cell."""
    ships: list[ShipOffer] | None
    """The ships in the display; null without `effects=1`, and if nobody must decide."""
    next_cursor: str | None
    """The cursor of the next page; null on the last one, and without `limit`."""


class Market(Model, tag="market", tag_field="kind"):
    """A market: always a feature by itself (R0), complete when all 8 cells around it have tiles (R5.4)."""


class MissingWares(Model):
    """The fewest wares that a player lacks for a ship (R6.3); all are 0 if the player can pay."""

    bananas: int
    shells: int
    fish: int
    other: int
    """Further wares, of a kind that the player may choose within the cost."""


class Move(Model):
    """A legal move: its id, a text for people, and the action; with `effects=1` also what it is worth."""

    id: str
    """Has the same meaning in every position; send it as `move`."""
    text: str
    """A text for people, at most 100 characters."""
    action: GameAction
    """The complete action."""
    effects: list[GameEvent] | None
    """The events that it would cause now, without what is hidden: the tile drawn next, and the ship turned up with
    all that depends on it. Null without `effects=1`.
    """
    if_passed: list[GameEvent] | None
    """What passing the islander phase would cause next, empty for nothing. Null where that phase does not follow."""
    feature: FeatureValue | None
    """With `place_islander` and `retrieve_islander`, before the move; null with others, and without `effects=1`."""
    worth: str | None
    """Effects and feature in words: whole sentences, or nothing. Null without `effects=1`."""


class MoveUndone(Model, tag="move_undone"):
    """A player took an action of this turn back, nothing hidden having been revealed since."""

    seat: int
    move: str
    """The action that did not happen."""


class MyGame(Model):
    """A game with the caller's seats."""

    game: GameSummary
    digest: str
    """The digest of the game's version."""
    seats: list[MySeat]
    """The caller's seats; a creator's game may have none."""
    waiting: bool
    """Whether one of these seats must decide."""


class MyGames(Model):
    """The response of `GET /v1/seats/me/games`, newest first."""

    games: list[MyGame]
    """May be fewer than `limit`, even none, when filters exclude most games; continue while there is a cursor."""
    next_cursor: str | None
    """The cursor of the next page; null on the last one."""


class MySeat(Model):
    """A seat that belongs to the request's tokens, or to the creator's key."""

    seat: int
    external_user: str | None
    """The person, for requests with a creator's key; null for tokens, and for seats without one."""
    waiting: bool
    """Whether this seat must decide."""


class NextDecision(Model):
    """The next decision; both fields are null if nobody must decide."""

    seat: int | None
    """Null if nobody must decide."""
    phase: str | None
    """Null if nobody must decide."""


class Pass(Model, tag="pass"):
    """Place and retrieve no islander (R4.5), or deliver nothing (R6.1)."""

    phase: str | None
    """The phase to pass; null means the current one."""


class PlaceIslander(Model, tag="place_islander"):
    """Place an islander on a segment of the tile just placed (R4.1)."""

    segment: int
    """Index in the `segments` of the tile just placed."""


class PlaceTile(Model, tag="place_tile"):
    """Place the drawn tile on an empty cell (R3)."""

    x: int
    y: int
    rotation: int
    """Quarter turns clockwise."""


class PlacedIslander(Model):
    """An islander on a segment of a tile."""

    segment: int
    """Index in the tile's `segments`."""
    seat: int


class PlacedTile(Model):
    """A tile on the board; `order` is 0 for the start tile, then 1, 2, ..."""

    tile: str
    """Id of its type."""
    rotation: int
    """Quarter turns clockwise, 0 to 3."""
    order: int
    """0 for the start tile, then 1, 2, ..."""
    islanders: list[PlacedIslander]
    covered: list[CoveredFish]


class Player(Model):
    """A seat: its player, and their islanders, wares and ships."""

    seat: int
    name: str | None
    """Null while the seat is open."""
    color: str | None
    """Null while the seat is open."""
    kind: str
    bot: str | None
    """The bot that plays; null without one. A bot may replace a player of kind `human` until they return."""
    resigned: bool
    """Whether the player resigned: turns skip the seat, and it cannot win."""
    supply: int
    """Islanders not on the board."""
    wares: Wares
    ships: list[str]
    """Ids of the ships won, in the order of winning."""
    points: int
    """Points of the ships."""


class PlayerJoined(Model, tag="player_joined"):
    """A player took an open seat."""

    seat: int
    name: str
    """1 to 32 characters, trimmed and NFC, at least one visible, no control or format characters but the joiners
    that letters and emoji need.
    """
    color: str


class PlayerLeft(Model, tag="player_left"):
    """The owner removed the player `name` from a seat before the start."""

    seat: int
    name: str
    """1 to 32 characters, trimmed and NFC, at least one visible, no control or format characters but the joiners
    that letters and emoji need.
    """


class PlayerReplaced(Model, tag="player_replaced"):
    """A bot replaced an absent player, until they return."""

    seat: int
    bot: str


class PlayerResigned(Model, tag="player_resigned"):
    """A player resigned: their islanders return, turns skip them, and they cannot win."""

    seat: int


class PlayerReturned(Model, tag="player_returned"):
    """A player took their seat back from a bot."""

    seat: int


class PlayerScores(Model):
    """A player's current points, and the score if the game ended now (R8.3)."""

    seat: int
    points_now: int
    """Points of the ships."""
    if_ended_now: IfEnded


class Problem(Model):
    """An error: `code` is for programs, `detail` for people, in their language. Fields that do not apply are null."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    rule: str | None
    """The id of the rule that forbids the action: /docs/rules#R3.3."""
    path: str | None
    """The invalid field, as `$.players[0].name`."""
    index: int | None
    """The index of the invalid action in `actions`, from 0."""
    version: int | None
    """The game's current version."""
    digest: str | None
    """The first 32 hex digits of a SHA-256."""
    next_game: str | None
    """The existing rematch."""
    retry_after_s: int | None
    """The value of the header Retry-After."""


class RegisterKeyWebhook(Model):
    """A new webhook for the games that are created with an API key from now on; only `url` is required."""

    url: str
    """The https URL of a server on the public internet."""
    events: list[WebhookEventType] | None = None
    """Event types, the most important first, or `decision`; null for every change."""
    secret: str | None = None
    """The signing secret; null for a random one."""


class RegisterWebhook(Model):
    """A new webhook; only `url` is required."""

    url: str
    """The https URL of a server on the public internet."""
    events: list[WebhookEventType] | None = None
    """Event types, the most important first, or `decision`; null for every change."""
    secret: str | None = None
    """The signing secret; null for a random one."""
    seats: list[int] | None = None
    """The seats whose events and decisions are sent; null for all."""


class Rematch(Model):
    """A new game with the same players; the body may be empty."""

    seed: str | None = None
    """The seed of the shuffle; whoever chooses it knows the order of tiles and ships. Null means a random one."""


class RematchCreated(Model, tag="rematch_created"):
    """The same players play again, in `game`."""

    game: str
    """An id: 1 to 32 of a-z, 0-9 and -."""


class Rematched(Model):
    """The response of `POST /v1/games/{id}/rematch`: all tokens of the game before are valid in this one."""

    game: GameView
    digest: str
    """The digest of the game's version."""


class RemoveOperation(Model, tag="remove", tag_field="op"):
    """Removes a member (RFC 6902, 4.2)."""

    path: str
    """A JSON Pointer; never to an array element."""


class ReplaceToken(Model):
    """A new token for a seat, without options; the body may be empty."""


class RetrieveIslander(Model, tag="retrieve_islander"):
    """Retrieve an own islander from the board to the supply (R4.4)."""

    x: int
    y: int
    segment: int
    """Index in the `segments` of the tile at (x, y)."""


class RotateSecret(Model):
    """A new signing secret; the body may be empty."""

    secret: str | None = None
    """Null for a random one."""
    grace_s: int | None = None
    """Seconds for which the current secret signs too; null for a day."""


class RotatedSecret(Model):
    """The new secret of a webhook."""

    secret: str
    """Shown only in this response."""
    previous_secret_expires_at: str | None
    """Until when the previous secret signs too; null if it does not."""


class Score(Model):
    """A final score (R7.3)."""

    seat: int
    ships: int
    """Points of ships."""
    wares: int
    """Points of wares: one for every three."""
    total: int


class Scores(Model):
    """The response of `GET /v1/games/{id}/scores`."""

    version: int
    players: list[PlayerScores]
    islanders: list[IslanderValue]


class Sea(Model, tag="sea", tag_field="kind"):
    """A sea segment with its half-edges, fish groups and boat."""

    halves: list[int]
    fish: list[int]
    """The number of fish of each group."""
    boat: bool
    """Whether a boat is printed on it, which evaluates the sea when placed (R5.6)."""


class SeatCommand(Model):
    """The seat that undoes, resigns or returns."""

    seat: int | None = None
    """Null means the token's seat. With the owner's token, null undoes for the decider; `resign`, `return` need it."""


class SeatRequest(Model):
    """A seat of a new game: a named player, a bot, or an open seat."""

    name: str | None = None
    """The name of a person or a bot; null names a bot after its kind."""
    color: Color | None = None
    """Null means the first free one."""
    bot: str | None = None
    """The bot that fills the seat."""
    open: bool | None = None
    """True leaves the seat open for a player to join."""
    external_user: str | None = None
    """The person, for `GET /v1/seats/me/games`. Requires the header `Creator-Key`; GAME does not show it."""


class SeatToken(Model):
    """A token that acts for a seat."""

    seat: int
    token: str
    """A bearer token. Keep it secret."""


class ServiceIndex(Model):
    """The response of `GET /`: which release this is, and links to the API."""

    name: str
    version: str
    revision: str
    """The commit that it was built from, or `unknown`."""
    openapi: str
    asyncapi: str
    games: str
    tilesets: str
    websocket: str
    docs: str
    """The documentation, with search."""
    clients: str
    """Client libraries of this release, to install."""


class Ship(Model):
    """A ship token: its points and its cost."""

    id: str
    """A ship's id: 1 to 8 of a-z, 0-9 and -."""
    points: int
    cost: Cost


class ShipOffer(Model):
    """A ship in the display: what it costs, and what the seat that must decide lacks."""

    ship: str
    """A ship's id: 1 to 8 of a-z, 0-9 and -."""
    points: int
    cost: Cost
    missing: MissingWares
    text: str
    """The same in a sentence."""


class ShipRevealed(Model, tag="ship_revealed"):
    """A ship from the pile refilled the display (R6.4)."""

    ship: str


class ShipTaken(Model, tag="ship_taken"):
    """A player took a ship from the display, `by` a delivery (R6.2) or a market (R5.10)."""

    seat: int
    ship: str
    points: int
    by: str
    paid: Wares | None
    """The payment; null for a market."""


class Snapshot(Model, tag="snapshot"):
    """The whole GAME and its digest."""

    digest: str
    """The first 32 hex digits of a SHA-256."""
    game: GameView


class Story(Model):
    """The response of `GET /v1/games/{id}/story`: a page of the log as sentences, and the current status."""

    version: int
    """The game's current version."""
    digest: str
    """The digest of that version."""
    language: str
    """The language of texts. More may be added."""
    lines: list[StoryLine]
    """Oldest first."""
    now: str
    """Whose turn it is and its deadline, or how the game ended."""


class StoryLine(Model):
    """The events of one version, as plain text."""

    version: int
    at: str
    """UTC, whole seconds."""
    turn: int | None
    """The turn's number, to group lines into paragraphs; null before the first turn."""
    seat: int | None
    """The seat that acted; null if none did."""
    text: str
    """One or more sentences with players' names unescaped; escape the text for markup."""


class TakeShip(Model, tag="take_ship"):
    """Take one of the ships with the most points for a completed market (R5.10)."""

    ship: str
    """A ship in the display."""


class Tile(Model):
    """A type of tile and its number in the set. Segments are referred to by index."""

    id: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    count: int
    edges: Edges
    segments: list[Segment]


class TileDiscarded(Model, tag="tile_discarded"):
    """A drawn tile without a legal placement was removed from the game (R3.5)."""

    tile: str


class TileDrawn(Model, tag="tile_drawn"):
    """The player drew a tile, which everybody sees (R3.1)."""

    tile: str


class TileLeft(Model):
    """The number of tiles of a type left in the bag (R8.1)."""

    tile: str
    text: str
    """The tile's name, made from what it shows; unique in its set."""
    left: int


class TilePlaced(Model, tag="tile_placed"):
    """The player placed the drawn tile (R3)."""

    seat: int
    tile: str
    x: int
    y: int
    rotation: int


class TileSet(Model):
    """A tile set; `count` of the start tile includes the one placed at the start (R1.2)."""

    id: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    name: str
    provenance: str
    """Where the set comes from."""
    start: str
    """Id of the start tile."""
    tiles: list[Tile]
    ships: list[Ship]


class TileSets(Model):
    """The response of `GET /v1/tilesets`: every tile set."""

    tilesets: list[TileSet]


class TilesLeft(Model):
    """The response of `GET /v1/games/{id}/tiles`: every type of the tile set."""

    version: int
    language: str
    """The language of the texts."""
    bag: int
    """The number of all tiles in the bag."""
    tiles: list[TileLeft]


class Turn(Model):
    """The turn. `seat` and `decider` differ when a completed market awards a ship to another player (R5.10)."""

    number: int
    """Turns are numbered from 1; a discarded tile does not change the number."""
    seat: int
    """Whose turn it is."""
    phase: str
    decider: int
    """The seat that must decide now."""
    tile: str
    """The drawn tile, until the turn ends."""
    placed: Cell | None
    """The cell of that tile; null until it is placed."""
    deadline: str | None
    """The deadline of the decision; null without one."""
    paused: bool
    """Whether the clock rests, since every player missed a turn. It runs again when one of them acts."""
    undoable: int
    """How many actions the decider can undo: those of this turn since hidden information was last revealed."""


class TurnStarted(Model, tag="turn_started"):
    """A turn started, with a tile that can be placed; turns are numbered from 1."""

    number: int
    seat: int


class TurnTimedOut(Model, tag="turn_timed_out"):
    """A player missed a deadline; `policy` says what follows."""

    seat: int
    policy: str
    """What happens when a player misses a deadline."""


class Wares(Model):
    """Numbers of wares in a response."""

    bananas: int
    shells: int
    fish: int


class WaresRequest(Model):
    """Numbers of wares in a request; an omitted kind is 0."""

    bananas: int | None = None
    shells: int | None = None
    fish: int | None = None


class Webhook(Model):
    """A webhook of a game; the service shows its secret only at creation."""

    id: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    url: str
    events: list[str] | None
    """Null for every change."""
    created_at: str
    """UTC, whole seconds."""
    status: str
    """`pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried."""
    disabled_reason: str | None
    """`gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null."""
    failures: int
    """The failed attempts of the challenge or, in a game, of the next message."""
    next_attempt_at: str | None
    """The time of the next retry; null without failures."""
    seats: list[int] | None
    """Null for all."""
    registered_by: int | None
    """The seat whose token registered it; null for the owner's."""
    delivered_version: int
    """Every change up to this version was delivered or filtered out."""


class WebhookChallenge(Model, tag="challenge"):
    """The first request to a webhook's URL, which asks its server to confirm the webhook."""

    timestamp: str
    """The time of this attempt."""
    challenge: str
    """The server must return this value; it differs for each attempt."""
    game: str | None
    """Null for the webhook of an API key."""
    webhook: str
    """An id: 1 to 32 of a-z, 0-9 and -."""


class WebhookChallengeAnswer(Model):
    """The response body that confirms a webhook; it may contain nothing else."""

    challenge: str


class WebhookCreated(Model):
    """A new webhook, with its secret."""

    id: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    url: str
    events: list[str] | None
    """Null for every change."""
    created_at: str
    """UTC, whole seconds."""
    status: str
    """`pending` until the server answers the challenge; a `disabled` webhook gets no messages until it is retried."""
    disabled_reason: str | None
    """`gone` after a 410, `failing` if nothing is accepted any more, `unproven` after the last challenge; else null."""
    failures: int
    """The failed attempts of the challenge or, in a game, of the next message."""
    next_attempt_at: str | None
    """The time of the next retry; null without failures."""
    seats: list[int] | None
    """Null for all."""
    registered_by: int | None
    """The seat whose token registered it; null for the owner's."""
    delivered_version: int
    """Every change up to this version was delivered or filtered out."""
    secret: str
    """Shown only in this response."""


class WebhookData(Model):
    """A change of a game, with the events that the webhook subscribed to."""

    game: str
    """An id: 1 to 32 of a-z, 0-9 and -."""
    version: int
    """The version of the change; each version is in at most one message."""
    digest: str
    """The digest of that version."""
    seat: int | None
    """The seat that acted; null if none did."""
    move: str | None
    """The move's id; null if nobody acted."""
    by: str | None
    """Who decided; null if nobody acted."""
    events: list[GameEvent]
    """The subscribed events; may be empty if only `decision` is subscribed."""
    next: NextDecision
    """The next decision after the change."""


class WebhookMessage(Model):
    """The body of a request to a webhook's URL (Standard Webhooks)."""

    type: str
    """The first of the webhook's `events` that happened; `diff` without a filter."""
    timestamp: str
    """The time of the change."""
    data: WebhookData


class WebhookPing(Model, tag="ping"):
    """A message that tests a webhook; nothing has happened."""

    timestamp: str
    """UTC, whole seconds."""
    webhook: str
    """An id: 1 to 32 of a-z, 0-9 and -."""


class Webhooks(Model):
    """The webhooks of a game."""

    webhooks: list[Webhook]


ActionType = Literal["place_tile", "place_islander", "retrieve_islander", "take_ship", "deliver", "pass"]

Color = Literal["red", "blue", "green", "yellow", "black"]

Edge = Literal["n", "e", "s", "w"]

Edition = Literal["international", "german"]

GameAction = PlaceTile | PlaceIslander | RetrieveIslander | TakeShip | Deliver | Pass

GameEvent = (
    GameCreated
    | PlayerJoined
    | PlayerLeft
    | GameStarted
    | TurnStarted
    | TileDiscarded
    | TileDrawn
    | TilePlaced
    | IslanderPlaced
    | IslanderRetrieved
    | FeatureEvaluated
    | FishCovered
    | IslanderReturned
    | ShipTaken
    | ShipRevealed
    | TurnTimedOut
    | GamePaused
    | GameResumed
    | PlayerReplaced
    | PlayerReturned
    | PlayerResigned
    | MoveUndone
    | RematchCreated
    | GameFinished
    | GameAborted
)

GameStatus = Literal["waiting", "active", "finished", "aborted"]

Include = Literal["legal_moves"]

LegalMovesStage = Literal["cell"]

PassPhase = Literal["islander", "deliver"]

PatchOperation = AddOperation | RemoveOperation

Segment = Bridge | Island | Sea | Market

Theme = Literal["light", "dark"]

TimeoutPolicy = Literal["pass", "bot", "resign"]

Visibility = Literal["public", "private"]

WebhookEventType = Literal[
    "game_created",
    "player_joined",
    "player_left",
    "game_started",
    "turn_started",
    "tile_discarded",
    "tile_drawn",
    "tile_placed",
    "islander_placed",
    "islander_retrieved",
    "feature_evaluated",
    "fish_covered",
    "islander_returned",
    "ship_taken",
    "ship_revealed",
    "turn_timed_out",
    "game_paused",
    "game_resumed",
    "player_replaced",
    "player_returned",
    "player_resigned",
    "move_undone",
    "rematch_created",
    "game_finished",
    "game_aborted",
    "decision",
]
