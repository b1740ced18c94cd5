"""GAME: what everybody may see of a game. Source: api.md, "The game"."""

from typing import Annotated

from msgspec import Meta

from schemas.base import Answer
from schemas.vocabulary import Color, Edition, Id, Name, Phase, Status, Wares

Timestamp = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?!\n)$", description="UTC, whole seconds.")]
PlayerKind = Annotated[str, Meta(examples=["human", "bot", "open"])]
Reason = Annotated[str, Meta(examples=["last_tile", "last_ship", "bag_exhausted"])]


class Player(Answer):
    """A seat: who sits there, what they hold; `points` are those of the ships."""

    seat: int
    name: Name | None
    color: Color | None
    kind: PlayerKind
    bot: str | None
    supply: int
    wares: Wares
    ships: list[str]
    points: int


class Placed(Answer):
    """Where the tile of this turn lies."""

    x: int
    y: int


class Turn(Answer):
    """Whose turn it is (`seat`) and who must decide now (`decider`); they differ under R5.10."""

    number: int
    seat: int
    phase: Phase
    decider: int
    tile: str
    placed: Placed | None
    deadline: Timestamp | None


class Standing(Answer):
    """An islander on a segment of a tile."""

    segment: int
    seat: int


class Covered(Answer):
    """A fish group covered by a boat (R5.7)."""

    segment: int
    group: int


class PlacedTile(Answer):
    """A tile on the board; `order` is 0 for the start tile, then 1, 2, ..."""

    tile: str
    rotation: int
    order: int
    islanders: list[Standing]
    covered: list[Covered]


class Deck(Answer):
    """The provable shuffle: the commitment at once, the seed when the game is over."""

    commitment: str
    seed: str | None
    seed_chosen: bool


class Score(Answer):
    """A final score (R7.3)."""

    seat: int
    ships: int
    wares: int
    total: int


class Result(Answer):
    """How it ended (R7.1) and who won (R7.4)."""

    winners: list[int]
    reason: Reason
    scores: list[Score]


class GameSummary(Answer):
    """GAME without its board and its discarded tiles, as the list of games shows it."""

    id: Id
    version: int
    status: Status
    tileset: Id
    edition: Edition
    created_at: Timestamp
    updated_at: Timestamp
    players: list[Player]
    turn: Turn | None
    display: list[str]
    ship_pile: int
    bag: int
    deck: Deck
    result: Result | None


class GameView(Answer):
    """GAME, equal for every reader. `board` is keyed by `x,y`."""

    id: Id
    version: int
    status: Status
    tileset: Id
    edition: Edition
    created_at: Timestamp
    updated_at: Timestamp
    players: list[Player]
    turn: Turn | None
    board: dict[str, PlacedTile]
    display: list[str]
    ship_pile: int
    bag: int
    discarded: list[str]
    deck: Deck
    result: Result | None
