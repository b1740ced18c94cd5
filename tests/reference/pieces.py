"""Tiles and ships, read from a tile set's JSON, and their rotation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

Json = dict[str, Any]
Cell = tuple[int, int]

WARES = ("bananas", "shells", "fish")
WARE_OF = {"island": "bananas", "bridge": "shells", "sea": "fish"}

EDGES = ("n", "e", "s", "w")
STEPS: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""By edge, the way to the cell across it: y grows south."""

OPPOSITE_HALF = {0: 5, 5: 0, 1: 4, 4: 1, 2: 7, 7: 2, 3: 6, 6: 3}
"""The half of the neighbour that touches each half."""


def opposite_edge(edge: int) -> int:
    """Return the neighbour's edge that touches this one."""
    return (edge + 2) % 4


def edge_of_half(half: int) -> int:
    """Return the edge that a half belongs to: 0 and 1 are north's, 2 and 3 east's, and so on."""
    return half // 2


def step(cell: Cell, edge: int) -> Cell:
    """Return the cell across an edge."""
    return cell[0] + STEPS[edge][0], cell[1] + STEPS[edge][1]


@dataclass(frozen=True)
class Segment:
    """A piece of one feature on one tile (R0)."""

    kind: str
    edges: tuple[int, ...] = ()
    """The edges of a bridge or an island: 0 to 3 for n, e, s, w."""
    halves: tuple[int, ...] = ()
    """The halves of a sea: 0 to 7 clockwise from the north-west corner."""
    symbols: int = 0
    """The shells of a bridge or the bananas of an island."""
    groups: tuple[int, ...] = ()
    """The fish groups of a sea, of 1 or 2."""
    boat: bool = False

    @classmethod
    def of(cls, data: Json) -> Segment:
        """Decode one segment of a tile."""
        kind = data["kind"]
        if kind == "market":
            return cls(kind)
        if kind == "sea":
            return cls(kind, halves=tuple(data["halves"]), groups=tuple(data["fish"]), boat=data["boat"])
        edges = tuple(EDGES.index(edge) for edge in data["edges"])
        return cls(kind, edges=edges, symbols=data[WARE_OF[kind]])

    def rotated(self, rotation: int) -> Segment:
        """Return the segment rotated by quarter turns clockwise, which adds r to edges and 2r to halves."""
        return replace(
            self,
            edges=tuple((edge + rotation) % 4 for edge in self.edges),
            halves=tuple((half + 2 * rotation) % 8 for half in self.halves),
        )


@dataclass(frozen=True)
class Tile:
    """A tile as printed, or rotated."""

    id: str
    edges: tuple[str, ...]
    """The kinds of the edges n, e, s, w: sea, bridge or island."""
    segments: tuple[Segment, ...]

    @classmethod
    def of(cls, data: Json) -> Tile:
        """Decode one tile type of a set."""
        return cls(
            data["id"],
            tuple(data["edges"][edge] for edge in EDGES),
            tuple(Segment.of(segment) for segment in data["segments"]),
        )

    def rotated_edges(self, rotation: int) -> tuple[str, ...]:
        """Return the kinds of the edges n, e, s, w after quarter turns clockwise."""
        return tuple(self.edges[(edge - rotation) % 4] for edge in range(4))

    def rotated(self, rotation: int) -> Tile:
        """Return the tile rotated by quarter turns clockwise (R3.4)."""
        return replace(
            self,
            edges=self.rotated_edges(rotation),
            segments=tuple(segment.rotated(rotation) for segment in self.segments),
        )


@dataclass(frozen=True)
class Ship:
    """A ship with its points and the three parts of its cost (R6.3)."""

    id: str
    points: int
    named: dict[str, int]
    choice: int
    """How many wares of the player's choice."""
    same: tuple[int, ...]
    """Sizes of the groups of identical wares."""

    @classmethod
    def of(cls, data: Json) -> Ship:
        """Decode one ship of a set."""
        cost = data["cost"]
        named = {ware: cost[ware] for ware in WARES}
        return cls(data["id"], data["points"], named, cost["any"], tuple(cost["same"]))
