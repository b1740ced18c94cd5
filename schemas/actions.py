"""Actions: what a player can do, as the list of legal moves has them."""

from typing import Literal

import msgspec

from schemas.base import RequestModel, ResponseModel
from schemas.events import AnyEvent, IslanderCount
from schemas.vocabulary import (
    Cell,
    Count,
    Int32,
    MoveId,
    PassPhase,
    Rotation,
    SegmentKind,
    ShipId,
    Wares,
    WaresRequest,
)


class PlaceTile(msgspec.Struct, frozen=True, tag="place_tile", gc=False):
    """Place the drawn tile on an empty cell (R3)."""

    x: Int32
    y: Int32
    rotation: Rotation


class PlaceIslander(msgspec.Struct, frozen=True, tag="place_islander", gc=False):
    """Place an islander on a segment of the tile just placed (R4.1)."""

    segment: Count
    """Index in the `segments` of the tile just placed."""


class RetrieveIslander(msgspec.Struct, frozen=True, tag="retrieve_islander", gc=False):
    """Retrieve an own islander from the board to the supply (R4.4)."""

    x: Int32
    y: Int32
    segment: Count
    """Index in the `segments` of the tile at (x, y)."""


class TakeShip(msgspec.Struct, frozen=True, tag="take_ship", gc=False):
    """Take one of the ships with the most points for a completed market (R5.10)."""

    ship: ShipId
    """A ship in the display."""


class Deliver(msgspec.Struct, frozen=True, tag="deliver", gc=False):
    """Deliver wares to a ship in the display (R6)."""

    ship: ShipId
    """A ship in the display."""
    wares: Wares | None = None
    """The payment; null means the only possible one (R6.5)."""


class Pass(msgspec.Struct, frozen=True, tag="pass", gc=False):
    """Place and retrieve no islander (R4.5), or deliver nothing (R6.1)."""

    phase: PassPhase | None = None
    """The phase to pass; null means the current one."""


Action = PlaceTile | PlaceIslander | RetrieveIslander | TakeShip | Deliver | Pass

ActionType = Literal["place_tile", "place_islander", "retrieve_islander", "take_ship", "deliver", "pass"]


class ActionRequest(RequestModel):
    """An action in a request: `type`, and the fields of that type."""

    type: ActionType
    x: Int32 | None = None
    """With `place_tile` and `retrieve_islander`."""
    y: Int32 | None = None
    """With `place_tile` and `retrieve_islander`."""
    rotation: Rotation | None = None
    """With `place_tile`."""
    segment: Count | None = None
    """With `place_islander` (of the tile just placed) and `retrieve_islander`."""
    ship: ShipId | None = None
    """With `take_ship` and `deliver`."""
    wares: WaresRequest | None = None
    """With `deliver`; optional if only one payment is possible."""
    phase: PassPhase | None = None
    """With `pass`; optional."""


class FeatureValue(ResponseModel):
    """A feature: who is there, what it is worth so far, and what it lacks until it is complete."""

    kind: SegmentKind
    cells: list[Cell]
    islanders: list[IslanderCount]
    """The islanders of each seat that has any there."""
    wares: Wares
    """The wares that each seat with the most islanders would get if the feature were evaluated now (R5.5)."""
    open: int
    """The number of sides without a tile, or of a market's empty cells around it; 0 means complete (R5.1 to R5.4)."""


class Move(ResponseModel):
    """A legal move: its id, a text for people, and the action; with `effects=1` also what it is worth."""

    id: MoveId
    """Has the same meaning in every position; send it as `move`."""
    text: str
    """A text for people, at most 100 characters."""
    action: Action
    """The complete action."""
    effects: list[AnyEvent] | None
    """The events that it would cause now, without what is hidden: the tile drawn next, and the ship turned up with all
    that depends on it. Null without `effects=1`.
    """
    if_passed: list[AnyEvent] | None
    """What passing the islander phase would cause next, empty for nothing. Null where that phase does not follow."""
    feature: FeatureValue | None
    """With `place_islander` and `retrieve_islander`, before the move; null with others, and without `effects=1`."""
    worth: str | None
    """Effects and feature in words: whole sentences, or nothing. Null without `effects=1`."""
