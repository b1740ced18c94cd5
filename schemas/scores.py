"""Asking without moving: scores and tiles left. Source: api.md, "Asking without moving"."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel
from schemas.vocabulary import SegmentKind, Wares


class IfEnded(ResponseModel):
    """A score if the game ended now; `wares` are the points of wares held and pending (R7.3)."""

    ships: int
    """Points of ships."""
    wares: int
    """Points of wares held and pending."""
    total: int
    pending: Wares
    """What the unfinished features would bring (R7.2)."""


class PlayerScores(ResponseModel):
    """A player's points now (ships only) and if the game ended now (R8.3)."""

    seat: int
    points_now: int
    """Of the ships alone."""
    if_ended_now: IfEnded


class IslanderValue(ResponseModel):
    """What an islander would bring its owner if its feature were evaluated now (R8.4)."""

    seat: int
    x: int
    y: int
    segment: int
    """Index in the tile's `segments`."""
    kind: SegmentKind
    role: Annotated[str, Meta(examples=["shell_collector", "banana_picker", "fisherman", "merchant"])]
    value: int
    """What the feature would bring; of a merchant the points of the best ship in the display."""
    unit: Annotated[str, Meta(examples=["shells", "bananas", "fish", "points"])]
    majority: bool
    """Whether its owner has the most islanders there, or ties; true for merchants."""


class Scores(ResponseModel):
    """The answer to `GET /v1/games/{id}/scores`."""

    version: int
    players: list[PlayerScores]
    islanders: list[IslanderValue]


class TileLeft(ResponseModel):
    """How many tiles of a type are still in the bag (R8.1)."""

    tile: str
    left: int


class TilesLeft(ResponseModel):
    """The answer to `GET /v1/games/{id}/tiles`: every type of the set."""

    version: int
    bag: int
    """All of them."""
    tiles: list[TileLeft]
