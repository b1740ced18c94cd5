"""GAME: the public state of a game."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel
from schemas.vocabulary import Cell, Color, Edition, Id, Name, Phase, Status, Wares

Timestamp = Annotated[
    str,
    Meta(
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?!\n)$",
        description="UTC, whole seconds.",
        extra_json_schema={"format": "date-time"},
    ),
]
PlayerKind = Annotated[str, Meta(examples=["human", "bot", "open"])]
Reason = Annotated[str, Meta(examples=["last_tile", "last_ship", "bag_exhausted", "resigned"])]
TimeoutPolicy = Annotated[
    str, Meta(examples=["pass", "bot", "resign"], description="What happens when a player misses a deadline.")
]


class Player(ResponseModel):
    """A seat: its player, and their islanders, wares and ships."""

    seat: int
    name: Name | None
    """Null while the seat is open."""
    color: Color | None
    """Null while the seat is open."""
    kind: PlayerKind
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


class Turn(ResponseModel):
    """The turn. `seat` and `decider` differ when a completed market awards a ship to another player (R5.10)."""

    number: int
    """Turns are numbered from 1; a discarded tile does not change the number."""
    seat: int
    """Whose turn it is."""
    phase: Phase
    decider: int
    """The seat that must decide now."""
    tile: str
    """The drawn tile, until the turn ends."""
    placed: Cell | None
    """The cell of that tile; null until it is placed."""
    deadline: Timestamp | None
    """The deadline of the decision; null without one."""
    paused: bool
    """Whether the clock rests, since every player missed a turn. It runs again when one of them acts."""
    undoable: int
    """How many actions the decider can undo: those of this turn since hidden information was last revealed."""


class PlacedIslander(ResponseModel):
    """An islander on a segment of a tile."""

    segment: int
    """Index in the tile's `segments`."""
    seat: int


class CoveredFish(ResponseModel):
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
    islanders: list[PlacedIslander]
    covered: list[CoveredFish]


class Deck(ResponseModel):
    """The provable shuffle: the commitment from the start, the seed when the game is over."""

    commitment: str
    """The hex SHA-256 of `GAME_ID:SEED:SET`; SET is the hex SHA-256 of the tile set in RFC 8785 form."""
    seed: str | None
    """Null until the game is over."""
    seed_chosen: bool
    """Whether the creator chose the seed, and so knows the order."""


class Score(ResponseModel):
    """A final score (R7.3)."""

    seat: int
    ships: int
    """Points of ships."""
    wares: int
    """Points of wares: one for every three."""
    total: int


class GameResult(ResponseModel):
    """The end of a game (R7.1) and its winners (R7.4)."""

    winners: list[int]
    """The winning seats; several if they are tied."""
    reason: Reason
    scores: list[Score]


class GameSummary(ResponseModel):
    """GAME without board and discarded tiles, as in the list of games."""

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
    on_timeout: TimeoutPolicy | None
    """What happens when a player misses a deadline; null without `turn_timeout_s`."""
    previous_game: Id | None
    """The game that this one is a rematch of."""
    next_game: Id | None
    """The rematch of this game."""


class GameView(GameSummary):
    """GAME, the same for every reader."""

    board: dict[str, PlacedTile]
    """The placed tiles, keyed by `x,y`."""
    discarded: list[str]
    """Ids of tiles removed because they had no legal placement (R3.5)."""
