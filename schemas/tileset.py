"""A tile set: the tiles, their segments and the ships.

The same Structs decode tile set files and encode the API's responses. `south-seas tileset check` rejects unknown
members of a file.
"""

from typing import Annotated

from msgspec import Meta, Struct

from schemas.base import ResponseModel
from schemas.vocabulary import Count, Edge, EdgeKind, Half, Id, ShipId

MAX_TYPES = 500
"""Types of tiles, and ships, of a set."""

Symbols = Annotated[int, Meta(ge=0, le=99)]
FishGroup = Annotated[int, Meta(ge=1, le=2, description="One printed symbol of one or two fish.")]
SegmentEdges = Annotated[tuple[Edge, ...], Meta(max_length=4)]


class Bridge(Struct, frozen=True, kw_only=True, tag="bridge", tag_field="kind", forbid_unknown_fields=True):
    """A bridge segment: at most two edges (R5.1), fewer if it ends inside the tile."""

    edges: SegmentEdges
    shells: Symbols
    """The number of symbols printed on it."""


class Island(Struct, frozen=True, kw_only=True, tag="island", tag_field="kind", forbid_unknown_fields=True):
    """An island segment; without edges it is complete when placed (R5.2)."""

    edges: SegmentEdges
    bananas: Symbols
    """The number of symbols printed on it."""


class Sea(Struct, frozen=True, kw_only=True, tag="sea", tag_field="kind", forbid_unknown_fields=True):
    """A sea segment with its half-edges, fish groups and boat."""

    halves: Annotated[tuple[Half, ...], Meta(max_length=8)]
    fish: Annotated[tuple[FishGroup, ...], Meta(max_length=20)]
    """The number of fish of each group."""
    boat: bool
    """Whether a boat is printed on it, which evaluates the sea when placed (R5.6)."""


class Market(Struct, frozen=True, kw_only=True, tag="market", tag_field="kind", forbid_unknown_fields=True):
    """A market: always a feature by itself (R0), complete when all 8 cells around it have tiles (R5.4)."""


Segment = Bridge | Island | Sea | Market


class Edges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The kinds of a tile's four edges, without rotation."""

    n: EdgeKind
    e: EdgeKind
    s: EdgeKind
    w: EdgeKind


class Tile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A type of tile and its number in the set. Segments are referred to by index."""

    id: Id
    count: Annotated[int, Meta(ge=1, le=500)]
    edges: Edges
    segments: Annotated[tuple[Segment, ...], Meta(max_length=24)]


class Cost(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cost of a ship (R6.3): named wares, wares of any kind, and groups of identical wares."""

    bananas: Annotated[int, Meta(ge=0, le=20)]
    shells: Annotated[int, Meta(ge=0, le=20)]
    fish: Annotated[int, Meta(ge=0, le=20)]
    any: Annotated[int, Meta(ge=0, le=20)]
    """Wares of any kind."""
    same: Annotated[tuple[Annotated[int, Meta(ge=1, le=20)], ...], Meta(max_length=3)]
    """Groups of identical wares: `[3, 1]` is three of one kind and one of another."""


class Ship(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ship token: its points and its cost."""

    id: ShipId
    points: Count
    cost: Cost


class TileSet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tile set; `count` of the start tile includes the one placed at the start (R1.2)."""

    id: Id
    name: Annotated[str, Meta(min_length=1, max_length=100)]
    provenance: Annotated[
        str, Meta(max_length=1000, examples=["reconstruction", "printed"], description="Where the set comes from.")
    ]
    start: Id
    """Id of the start tile."""
    tiles: Annotated[tuple[Tile, ...], Meta(max_length=MAX_TYPES)]
    ships: Annotated[tuple[Ship, ...], Meta(max_length=MAX_TYPES)]


class TileSets(ResponseModel):
    """The response of `GET /v1/tilesets`: every tile set."""

    tilesets: list[TileSet]
