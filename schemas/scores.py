"""Scores, islander values, features and tiles left."""

from typing import Annotated

from msgspec import Meta

from schemas.actions import FeatureValue
from schemas.base import ResponseModel
from schemas.vocabulary import Language, SegmentKind, Wares


class IfEnded(ResponseModel):
    """A player's score if the game ended now (R7.3)."""

    ships: int
    """Points of ships."""
    wares: int
    """Points of current and pending wares."""
    total: int
    pending: Wares
    """The wares that incomplete features would give (R7.2)."""


class PlayerScores(ResponseModel):
    """A player's current points, and the score if the game ended now (R8.3)."""

    seat: int
    points_now: int
    """Points of the ships."""
    if_ended_now: IfEnded


class IslanderValue(ResponseModel):
    """The value of an islander if its feature were evaluated now (R8.4)."""

    seat: int
    x: int
    y: int
    segment: int
    """Index in the tile's `segments`."""
    kind: SegmentKind
    role: Annotated[str, Meta(examples=["shell_collector", "banana_picker", "fisherman", "merchant"])]
    value: int
    """The wares for its owner; for a merchant, the points of the most valuable ship in the display."""
    unit: Annotated[str, Meta(examples=["shells", "bananas", "fish", "points"])]
    majority: bool
    """Whether its owner has the most islanders there, alone or tied; true for merchants."""


class Scores(ResponseModel):
    """The response of `GET /v1/games/{id}/scores`."""

    version: int
    players: list[PlayerScores]
    islanders: list[IslanderValue]


class BoardSegment(ResponseModel):
    """A segment of a placed tile."""

    x: int
    y: int
    segment: int
    """Index in the tile's `segments`."""


class BoardFeature(FeatureValue):
    """A feature of the board, with its segments, and in words."""

    segments: list[BoardSegment]
    """In the order in which their tiles were placed."""
    text: str
    """What it is worth so far, or was at the end, what it lacks, and who leads there: whole sentences."""


class BoardFeatures(ResponseModel):
    """The response of `GET /v1/games/{id}/features`."""

    version: int
    language: Language
    """The language of the texts."""
    features: list[BoardFeature]


class TileLeft(ResponseModel):
    """The number of tiles of a type left in the bag (R8.1)."""

    tile: str
    text: str
    """The tile's name, made from what it shows; unique in its set."""
    left: int


class TilesLeft(ResponseModel):
    """The response of `GET /v1/games/{id}/tiles`: every type of the tile set."""

    version: int
    language: Language
    """The language of the texts."""
    bag: int
    """The number of all tiles in the bag."""
    tiles: list[TileLeft]
