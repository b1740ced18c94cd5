"""A tile set: the tiles, their segments and the ships. Source: api.md, "Tile sets".

The same Structs read a file of the tile sets' directory and write the service's answer, so that an answer is the file
in another order of bytes: unknown members of a file are refused by `south-seas tileset check`.
"""

from typing import Annotated

from msgspec import Meta, Struct

from schemas.base import ResponseModel
from schemas.vocabulary import Count, Edge, EdgeKind, Half, Id, ShipId

Symbols = Annotated[int, Meta(ge=0, le=99)]
FishGroup = Annotated[int, Meta(ge=1, le=2, description="One printed symbol of one or two fish.")]


class Bridge(Struct, frozen=True, kw_only=True, tag="bridge", tag_field="kind", forbid_unknown_fields=True):
    """A bridge segment: at most two edges (R5.1), fewer where it ends inside the tile."""

    edges: tuple[Edge, ...]
    shells: Symbols
    """How many are printed on it."""


class Island(Struct, frozen=True, kw_only=True, tag="island", tag_field="kind", forbid_unknown_fields=True):
    """An island segment; one that reaches no edge is complete when placed (R5.2)."""

    edges: tuple[Edge, ...]
    bananas: Symbols
    """How many are printed on it."""


class Sea(Struct, frozen=True, kw_only=True, tag="sea", tag_field="kind", forbid_unknown_fields=True):
    """A sea segment with its half-edges, its fish groups and whether a boat is printed on it (R5.6)."""

    halves: tuple[Half, ...]
    fish: tuple[FishGroup, ...]
    """Each group's number of fish."""
    boat: bool
    """Whether it evaluates the sea that it is placed in (R5.6)."""


class Market(Struct, frozen=True, kw_only=True, tag="market", tag_field="kind", forbid_unknown_fields=True):
    """A market: always a feature by itself (R0), complete when all 8 cells around it hold tiles (R5.4)."""


Segment = Bridge | Island | Sea | Market


class Edges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each of a tile's four sides shows, unturned."""

    n: EdgeKind
    e: EdgeKind
    s: EdgeKind
    w: EdgeKind


class Tile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A type of tile and how many of it the set holds; a segment is named by its index."""

    id: Id
    count: Annotated[int, Meta(ge=1, le=500)]
    edges: Edges
    segments: tuple[Segment, ...]


class Cost(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a ship asks for (R6.3): named wares, wares of any kind, groups of identical wares (`[3, 1]` is AAA B)."""

    bananas: Annotated[int, Meta(ge=0, le=20)]
    shells: Annotated[int, Meta(ge=0, le=20)]
    fish: Annotated[int, Meta(ge=0, le=20)]
    any: Annotated[int, Meta(ge=0, le=20)]
    """Wares of any kind."""
    same: Annotated[tuple[Annotated[int, Meta(ge=1, le=20)], ...], Meta(max_length=3)]
    """`[3, 1]` is three of one kind and one of another."""


class Ship(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ship token: its points and what it asks for."""

    id: ShipId
    points: Count
    cost: Cost


class TileSet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole tile set; the start tile is one of `tiles` and counts in its `count` (R1.2)."""

    id: Id
    name: Annotated[str, Meta(min_length=1, max_length=100)]
    provenance: Annotated[str, Meta(examples=["reconstruction", "printed"], description="Where the set comes from.")]
    start: Id
    """Id of the start tile."""
    tiles: tuple[Tile, ...]
    ships: tuple[Ship, ...]


class TileSets(ResponseModel):
    """The answer to `GET /v1/tilesets`: every set, whole."""

    tilesets: list[TileSet]
