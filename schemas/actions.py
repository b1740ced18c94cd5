"""What a player may ask for: the actions, as the moves list names them. Source: api.md, "Legal moves"."""

from typing import Literal

import msgspec

from schemas.base import RequestModel, ResponseModel
from schemas.vocabulary import Count, Int32, MoveId, PassPhase, Rotation, ShipId, Wares, WaresRequest


class PlaceTile(msgspec.Struct, frozen=True, tag="place_tile", gc=False):
    """Lay the drawn tile on an empty cell (R3)."""

    x: Int32
    y: Int32
    rotation: Rotation


class PlaceIslander(msgspec.Struct, frozen=True, tag="place_islander", gc=False):
    """Place an islander on a segment of the tile just placed (R4.1)."""

    segment: Count
    """Index in the `segments` of the tile just placed."""


class RetrieveIslander(msgspec.Struct, frozen=True, tag="retrieve_islander", gc=False):
    """Take one of one's own islanders back to the supply (R4.4)."""

    x: Int32
    y: Int32
    segment: Count
    """Index in the `segments` of the tile at (x, y)."""


class TakeShip(msgspec.Struct, frozen=True, tag="take_ship", gc=False):
    """Choose among the ships with the most points (R5.10)."""

    ship: ShipId
    """One of the display."""


class Deliver(msgspec.Struct, frozen=True, tag="deliver", gc=False):
    """Deliver to a ship of the display (R6); `wares` is null only where one payment is possible (R6.5)."""

    ship: ShipId
    """One of the display."""
    wares: Wares | None = None
    """What is paid."""


class Pass(msgspec.Struct, frozen=True, tag="pass", gc=False):
    """Do neither (R4.5), or deliver nothing (R6.1)."""

    phase: PassPhase | None = None
    """Which phase is passed."""


Action = PlaceTile | PlaceIslander | RetrieveIslander | TakeShip | Deliver | Pass

ActionType = Literal["place_tile", "place_islander", "retrieve_islander", "take_ship", "deliver", "pass"]


class ActionRequest(RequestModel):
    """An action in a request: `type`, and the fields of that type alone."""

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
    """With `deliver`; may be left out where one payment is possible."""
    phase: PassPhase | None = None
    """With `pass`, where it may be left out."""


class Move(ResponseModel):
    """A legal move: its short id, a text for people, and the action it stands for."""

    id: MoveId
    """Means the same in every position; send it back as `move`."""
    text: str
    """For people, at most 100 characters."""
    action: Action
    """The same in full."""
