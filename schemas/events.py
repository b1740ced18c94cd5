"""Events: what happened in a game."""

from typing import Annotated, dataclass_transform

import msgspec
from msgspec import Meta

from schemas.game import Reason, TimeoutPolicy
from schemas.vocabulary import Cell, Color, Id, MoveId, Name, Wares


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """A fact about a game, for clients to animate or describe."""


class GameCreated(Event, tag="game_created"):
    """The game was created: the start tile (R1.2), the display (R1.3) and the islanders (R1.4) are set up."""


class PlayerJoined(Event, tag="player_joined"):
    """A player took an open seat."""

    seat: int
    name: Name
    color: Color


class PlayerLeft(Event, tag="player_left"):
    """The owner removed the player `name` from a seat before the start."""

    seat: int
    name: Name


class GameStarted(Event, tag="game_started"):
    """The game started, because all seats are taken; `seat` has the first turn (R1.6)."""

    seat: int


class TurnStarted(Event, tag="turn_started"):
    """A turn started, with a tile that can be placed; turns are numbered from 1."""

    number: int
    seat: int


class TileDiscarded(Event, tag="tile_discarded"):
    """A drawn tile without a legal placement was removed from the game (R3.5)."""

    tile: str


class TileDrawn(Event, tag="tile_drawn"):
    """The player drew a tile, which everybody sees (R3.1)."""

    tile: str


class TilePlaced(Event, tag="tile_placed"):
    """The player placed the drawn tile (R3)."""

    seat: int
    tile: str
    x: int
    y: int
    rotation: int


class IslanderPlaced(Event, tag="islander_placed"):
    """The player placed an islander on the tile just placed (R4.1)."""

    seat: int
    x: int
    y: int
    segment: int


class IslanderRetrieved(Event, tag="islander_retrieved"):
    """The player retrieved an islander, without an award (R4.4)."""

    seat: int
    x: int
    y: int
    segment: int


class IslanderCount(msgspec.Struct, frozen=True, kw_only=True):
    """The number of islanders of a seat in a feature."""

    seat: int
    count: int


class FeatureEvaluated(Event, tag="feature_evaluated"):
    """A feature was evaluated (R5.5, R5.6, R7.2)."""

    kind: Annotated[str, Meta(examples=["bridge", "island", "sea"])]
    cause: Annotated[str, Meta(examples=["completed", "boat", "final"])]
    cells: list[Cell]
    islanders: list[IslanderCount]
    """The islanders of each seat that had any there."""
    winners: list[int]
    """Seats with the most islanders."""
    wares: Wares
    """The wares that each winner gets."""


class FishCovered(Event, tag="fish_covered"):
    """A boat covered a fish group for the rest of the game (R5.7)."""

    x: int
    y: int
    segment: int
    """Index in the tile's `segments`."""
    group: int
    """Index in the segment's `fish`."""
    fish: int
    """The number of fish in the group."""


class IslanderReturned(Event, tag="islander_returned"):
    """An islander returned to its owner's supply after an evaluation (R5.9), from a market too (R5.10)."""

    seat: int
    x: int
    y: int
    segment: int


class ShipTaken(Event, tag="ship_taken"):
    """A player took a ship from the display, `by` a delivery (R6.2) or a market (R5.10)."""

    seat: int
    ship: str
    points: int
    by: Annotated[str, Meta(examples=["delivery", "market"])]
    paid: Wares | None
    """The payment; null for a market."""


class ShipRevealed(Event, tag="ship_revealed"):
    """A ship from the pile refilled the display (R6.4)."""

    ship: str


class TurnTimedOut(Event, tag="turn_timed_out"):
    """A player missed a deadline; `policy` says what follows."""

    seat: int
    policy: TimeoutPolicy


class GamePaused(Event, tag="game_paused"):
    """Every player missed a turn, so the clock rests: nobody has a deadline until one of them acts."""


class GameResumed(Event, tag="game_resumed"):
    """A player of a paused game acted: deadlines count from now on."""


class PlayerReplaced(Event, tag="player_replaced"):
    """A bot replaced an absent player, until they return."""

    seat: int
    bot: str


class PlayerReturned(Event, tag="player_returned"):
    """A player took their seat back from a bot."""

    seat: int


class PlayerResigned(Event, tag="player_resigned"):
    """A player resigned: their islanders return, turns skip them, and they cannot win."""

    seat: int


class MoveUndone(Event, tag="move_undone"):
    """A player took an action of this turn back, nothing hidden having been revealed since."""

    seat: int
    move: MoveId
    """The action that did not happen."""


class RematchCreated(Event, tag="rematch_created"):
    """The same players play again, in `game`."""

    game: Id


class GameFinished(Event, tag="game_finished"):
    """The game is over (R7.1)."""

    reason: Reason
    winners: list[int]


class GameAborted(Event, tag="game_aborted"):
    """The owner aborted the game."""


AnyEvent = (
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
