"""GAME: what everybody may see of a game. Source: api.md, "The game"."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel
from schemas.vocabulary import Color, Edition, Id, Name, Phase, Status, Wares

Timestamp = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?!\n)$", description="UTC, whole seconds.")]
PlayerKind = Annotated[str, Meta(examples=["human", "bot", "open"])]
Reason = Annotated[str, Meta(examples=["last_tile", "last_ship", "bag_exhausted", "resigned"])]
TimeoutPolicy = Annotated[
    str, Meta(examples=["pass", "bot", "resign"], description="What happens at a decision's deadline.")
]


class Player(ResponseModel):
    """A seat: who sits there, what they hold; `points` are those of the ships."""

    seat: int
    name: Name | None
    """Null while the seat is open."""
    color: Color | None
    """Null while the seat is open."""
    kind: PlayerKind
    bot: str | None
    """Which bot plays; null where none does. A bot may stand in for a player of kind `human`, until they return."""
    resigned: bool
    """Whether the player gave up: the seat is passed over and cannot win."""
    supply: int
    """Islanders at home."""
    wares: Wares
    ships: list[str]
    """Ids of the ships won, in the order of winning."""
    points: int
    """Of the ships."""


class Placed(ResponseModel):
    """Where the tile of this turn lies."""

    x: int
    y: int


class Turn(ResponseModel):
    """Whose turn it is (`seat`) and who must decide now (`decider`); they differ under R5.10."""

    number: int
    """Counts turns from 1; a discarded tile does not change it."""
    seat: int
    """Whose turn it is."""
    phase: Phase
    decider: int
    """The seat that must decide now."""
    tile: str
    """The drawn tile, to the end of the turn."""
    placed: Placed | None
    """Where it lies; null until it does."""
    deadline: Timestamp | None
    """When the decider's time is up; null for never."""
    undoable: int
    """How many of the last actions the decider may take back: those of this turn since anything hidden was revealed."""


class Standing(ResponseModel):
    """An islander on a segment of a tile."""

    segment: int
    """Index in the tile's `segments`."""
    seat: int


class Covered(ResponseModel):
    """A fish group covered by a boat (R5.7)."""

    segment: int
    """Index in the tile's `segments`."""
    group: int
    """Index in the segment's `fish`."""


class PlacedTile(ResponseModel):
    """A tile on the board; `order` is 0 for the start tile, then 1, 2, ..."""

    tile: str
    """Id of its type."""
    rotation: int
    """Quarter turns clockwise, 0 to 3."""
    order: int
    """0 for the start tile, then 1, 2, ..."""
    islanders: list[Standing]
    covered: list[Covered]


class Deck(ResponseModel):
    """The provable shuffle: the commitment at once, the seed when the game is over."""

    commitment: str
    """SHA-256 hex of `GAME_ID:SEED:SET`, SET being that of the tile set's answer in RFC 8785 form."""
    seed: str | None
    """Null until the game has ended."""
    seed_chosen: bool
    """Whether somebody chose the seed, and so knows the order."""


class Score(ResponseModel):
    """A final score (R7.3)."""

    seat: int
    ships: int
    """Points of ships."""
    wares: int
    """Points of wares: one for each three."""
    total: int


class Result(ResponseModel):
    """How it ended (R7.1) and who won (R7.4)."""

    winners: list[int]
    """Seats; more than one where they are tied."""
    reason: Reason
    scores: list[Score]


class GameSummary(ResponseModel):
    """GAME without its board and its discarded tiles, as the list of games shows it."""

    id: Id
    version: int
    """The number of changes, creation being 1."""
    status: Status
    tileset: Id
    """Id of the tile set."""
    edition: Edition
    created_at: Timestamp
    updated_at: Timestamp
    """The time of the last change."""
    players: list[Player]
    """By seat."""
    turn: Turn | None
    """Null unless the game is active."""
    display: list[str]
    """Ids of the face-up ships."""
    ship_pile: int
    """How many ships are face down."""
    bag: int
    """How many tiles are in the bag."""
    deck: Deck
    result: Result | None
    """Null unless the game is finished."""
    turn_timeout_s: int | None
    """Seconds that a player has to decide; null for any time."""
    on_timeout: TimeoutPolicy | None
    """What happens then; null where there is no time-out."""
    previous_game: Id | None
    """The game that this one is a rematch of."""
    next_game: Id | None
    """The rematch of this game."""


class GameView(GameSummary):
    """GAME, equal for every reader."""

    board: dict[str, PlacedTile]
    """Every tile that lies, keyed by `x,y`."""
    discarded: list[str]
    """Tiles that left the game because they fitted nowhere (R3.5)."""
