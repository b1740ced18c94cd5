"""What happened, in the rules' words and in order. Source: api.md, "Versions and diffs"."""

from typing import Annotated, dataclass_transform

import msgspec
from msgspec import Meta

from schemas.game import Reason, TimeoutPolicy
from schemas.vocabulary import Cell, Color, Id, MoveId, Name, Wares


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """A fact: a client can animate it, a chat bot can say it."""


class GameCreated(Event, tag="game_created"):
    """The game exists: the start tile lies (R1.2), four ships are turned up (R1.3), everybody has islanders (R1.4)."""


class PlayerJoined(Event, tag="player_joined"):
    """Somebody took an open seat."""

    seat: int
    name: Name
    color: Color


class PlayerLeft(Event, tag="player_left"):
    """The owner emptied a joined seat of a game that waits; whoever had it is called `name`."""

    seat: int
    name: Name


class GameStarted(Event, tag="game_started"):
    """No seat is open any more; `seat` has the first turn (R1.6)."""

    seat: int


class TurnStarted(Event, tag="turn_started"):
    """A turn begins; turns are numbered from 1."""

    number: int
    seat: int


class TileDiscarded(Event, tag="tile_discarded"):
    """A tile with no legal placement left the game (R3.5)."""

    tile: str


class TileDrawn(Event, tag="tile_drawn"):
    """The tile to place, open to everybody (R3.1)."""

    tile: str


class TilePlaced(Event, tag="tile_placed"):
    """The drawn tile lies on the board (R3)."""

    seat: int
    tile: str
    x: int
    y: int
    rotation: int


class IslanderPlaced(Event, tag="islander_placed"):
    """An islander left its owner's supply for the tile just placed (R4.1)."""

    seat: int
    x: int
    y: int
    segment: int


class IslanderRetrieved(Event, tag="islander_retrieved"):
    """An islander went home by its owner's choice, for nothing (R4.4)."""

    seat: int
    x: int
    y: int
    segment: int


class IslanderCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many islanders of one seat stood in a feature."""

    seat: int
    count: int


class FeatureEvaluated(Event, tag="feature_evaluated"):
    """A feature was evaluated (R5.5, R5.6, R7.2); `wares` is what each winner gets."""

    kind: Annotated[str, Meta(examples=["bridge", "island", "sea"])]
    cause: Annotated[str, Meta(examples=["completed", "boat", "final"])]
    cells: list[Cell]
    islanders: list[IslanderCount]
    """Of each seat that had any there."""
    winners: list[int]
    """Seats with the most islanders."""
    wares: Wares
    """What each winner gets."""


class FishCovered(Event, tag="fish_covered"):
    """A boat covered a fish group for the rest of the game (R5.7)."""

    x: int
    y: int
    segment: int
    """Index in the tile's `segments`."""
    group: int
    """Index in the segment's `fish`."""
    fish: int
    """How many fish were covered."""


class IslanderReturned(Event, tag="islander_returned"):
    """An islander went home after its feature's evaluation (R5.9), merchants too (R5.10)."""

    seat: int
    x: int
    y: int
    segment: int


class ShipTaken(Event, tag="ship_taken"):
    """A ship left the display, `by` delivery (R6.2) or by market (R5.10, nothing paid)."""

    seat: int
    ship: str
    points: int
    by: Annotated[str, Meta(examples=["delivery", "market"])]
    paid: Wares | None
    """Null where a market brought it."""


class ShipRevealed(Event, tag="ship_revealed"):
    """The display was refilled (R6.4)."""

    ship: str


class TurnTimedOut(Event, tag="turn_timed_out"):
    """A player did not decide in time; what `policy` says follows."""

    seat: int
    policy: TimeoutPolicy


class PlayerReplaced(Event, tag="player_replaced"):
    """A bot stands in for an absent player, until they return."""

    seat: int
    bot: str


class PlayerReturned(Event, tag="player_returned"):
    """A player took the seat back from the bot that stood in."""

    seat: int


class PlayerResigned(Event, tag="player_resigned"):
    """A player gave up: their islanders go home, their turns are passed over, and they cannot win."""

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
    """The owner ended the game before its end."""


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
    | PlayerReplaced
    | PlayerReturned
    | PlayerResigned
    | MoveUndone
    | RematchCreated
    | GameFinished
    | GameAborted
)
