"""What a player may ask for: the actions, as the moves list names them. Source: api.md, "Legal moves"."""

from typing import Literal

import msgspec

from schemas.base import Answer, Request
from schemas.vocabulary import Count, Int32, MoveId, PassPhase, Rotation, ShipId, Wares, WaresAsked


class PlaceTile(msgspec.Struct, frozen=True, tag="place_tile", gc=False):
    """Lay the drawn tile on an empty cell (R3)."""

    x: Int32
    y: Int32
    rotation: Rotation


class PlaceIslander(msgspec.Struct, frozen=True, tag="place_islander", gc=False):
    """Place an islander on a segment of the tile just placed (R4.1)."""

    segment: Count


class RetrieveIslander(msgspec.Struct, frozen=True, tag="retrieve_islander", gc=False):
    """Take one of one's own islanders back to the supply (R4.4)."""

    x: Int32
    y: Int32
    segment: Count


class TakeShip(msgspec.Struct, frozen=True, tag="take_ship", gc=False):
    """Choose among the ships with the most points (R5.10)."""

    ship: ShipId


class Deliver(msgspec.Struct, frozen=True, tag="deliver", gc=False):
    """Deliver to a ship of the display (R6); `wares` is null only where one payment is possible (R6.5)."""

    ship: ShipId
    wares: Wares | None = None


class Pass(msgspec.Struct, frozen=True, tag="pass", gc=False):
    """Do neither (R4.5), or deliver nothing (R6.1)."""

    phase: PassPhase | None = None


Action = PlaceTile | PlaceIslander | RetrieveIslander | TakeShip | Deliver | Pass

ActionType = Literal["place_tile", "place_islander", "retrieve_islander", "take_ship", "deliver", "pass"]


class ActionAsked(Request):
    """An action in a request: `type`, and the fields of that type alone."""

    type: ActionType
    x: Int32 | None = None
    y: Int32 | None = None
    rotation: Rotation | None = None
    segment: Count | None = None
    ship: ShipId | None = None
    wares: WaresAsked | None = None
    phase: PassPhase | None = None


class Move(Answer):
    """A legal move: its short id, a text for people, and the action it stands for."""

    id: MoveId
    text: str
    action: Action
