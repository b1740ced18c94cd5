"""Asking without moving: scores and tiles left. Source: api.md, "Asking without moving"."""

from schemas.base import Answer
from schemas.vocabulary import SegmentKind, Wares


class IfEnded(Answer):
    """A score if the game ended now; `wares` are the points of wares held and pending (R7.3)."""

    ships: int
    wares: int
    total: int
    pending: Wares


class PlayerScores(Answer):
    """A player's points now (ships only) and if the game ended now (R8.3)."""

    seat: int
    points_now: int
    if_ended_now: IfEnded


class IslanderValue(Answer):
    """What an islander would bring its owner if its feature were evaluated now (R8.4)."""

    seat: int
    x: int
    y: int
    segment: int
    kind: SegmentKind
    role: str
    value: int
    unit: str
    majority: bool


class Scores(Answer):
    """The answer to `GET /v1/games/{id}/scores`."""

    version: int
    players: list[PlayerScores]
    islanders: list[IslanderValue]


class TileLeft(Answer):
    """How many tiles of a type are still in the bag (R8.1)."""

    tile: str
    left: int


class TilesLeft(Answer):
    """The answer to `GET /v1/games/{id}/tiles`: every type of the set."""

    version: int
    bag: int
    tiles: list[TileLeft]
