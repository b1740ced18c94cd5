"""The board, with queries that walk all of it (R3, R5.1 to R5.4)."""

from dataclasses import dataclass, field
from typing import NamedTuple

from tests.reference.pieces import OPPOSITE_HALF, Cell, Segment, Tile, edge_of_half, opposite_edge, step

ROTATIONS = range(4)


class Spot(NamedTuple):
    """A segment of a placed tile."""

    x: int
    y: int
    segment: int

    @property
    def cell(self) -> Cell:
        """The cell its tile lies on."""
        return self.x, self.y


@dataclass(frozen=True)
class Feature:
    """All joined segments of one kind (R0)."""

    kind: str
    spots: frozenset[Spot]

    @property
    def cells(self) -> list[Cell]:
        """Its distinct cells, row by row."""
        return sorted({spot.cell for spot in self.spots}, key=lambda cell: (cell[1], cell[0]))


@dataclass
class Placed:
    """A tile on the board."""

    tile: Tile
    """The tile, rotated as it lies."""
    rotation: int
    order: int
    islanders: dict[int, int] = field(default_factory=dict)
    """Seat by segment; only the tile just placed takes islanders, so there is at most one on each."""
    covered: set[tuple[int, int]] = field(default_factory=set)
    """(segment, group) of the fish under a boat token (R5.7)."""


class Board:
    """Placed tiles by cell, from the start tile on (R1.2)."""

    def __init__(self, start: Tile) -> None:
        """Place the start tile at (0, 0) with rotation 0."""
        self.placed: dict[Cell, Placed] = {(0, 0): Placed(start, rotation=0, order=0)}
        self._features: dict[Spot, Feature] = {}
        """The features that were looked up since the last tile was placed, by each of their segments."""

    def can_place(self, tile: Tile, cell: Cell, rotation: int) -> bool:
        """Return whether the tile fits an empty cell beside a tile (R3.2), with equal shared edges (R3.3)."""
        if cell in self.placed:
            return False
        edges = tile.rotated_edges(rotation)
        shared = [edge for edge in range(4) if step(cell, edge) in self.placed]
        return bool(shared) and all(
            edges[edge] == self.placed[step(cell, edge)].tile.edges[opposite_edge(edge)] for edge in shared
        )

    def placements(self, tile: Tile) -> list[tuple[Cell, int]]:
        """List every cell and rotation where the tile may be placed (R3)."""
        beside = {step(cell, edge) for cell in self.placed for edge in range(4)}
        return [
            (cell, rotation)
            for cell in sorted(beside)
            for rotation in ROTATIONS
            if self.can_place(tile, cell, rotation)
        ]

    def place(self, tile: Tile, cell: Cell, rotation: int) -> None:
        """Place the tile."""
        self.placed[cell] = Placed(tile.rotated(rotation), rotation, order=len(self.placed))
        self._features.clear()

    def segment(self, spot: Spot) -> Segment:
        """Return the segment of a spot, rotated with its tile."""
        return self.placed[spot.cell].tile.segments[spot.segment]

    def spots_of(self, cell: Cell) -> list[Spot]:
        """List the segments of the tile on this cell in their printed order."""
        return [Spot(*cell, index) for index in range(len(self.placed[cell].tile.segments))]

    def neighbours(self, spot: Spot) -> list[Spot | None]:
        """List the neighbours of a segment across its edges or halves; None where no tile is placed."""
        segment = self.segment(spot)
        if segment.kind == "sea":
            return [self._sea_across(spot.cell, half) for half in segment.halves]
        return [self._land_across(spot.cell, edge, segment.kind) for edge in segment.edges]

    def _sea_across(self, cell: Cell, half: int) -> Spot | None:
        other = step(cell, edge_of_half(half))
        if other not in self.placed:
            return None
        (spot,) = (spot for spot in self.spots_of(other) if OPPOSITE_HALF[half] in self.segment(spot).halves)
        return spot

    def _land_across(self, cell: Cell, edge: int, kind: str) -> Spot | None:
        other = step(cell, edge)
        if other not in self.placed:
            return None
        (spot,) = (spot for spot in self.spots_of(other) if opposite_edge(edge) in self.segment(spot).edges)
        if self.segment(spot).kind != kind:
            raise AssertionError(cell, other)
        return spot

    def feature(self, start: Spot) -> Feature:
        """Return the feature of a segment by flood fill; a market has no neighbours (R0)."""
        if start not in self._features:
            spots = {start}
            stack = [start]
            while stack:
                for spot in self.neighbours(stack.pop()):
                    if spot is not None and spot not in spots:
                        spots.add(spot)
                        stack.append(spot)
            self._features |= dict.fromkeys(spots, Feature(self.segment(start).kind, frozenset(spots)))
        return self._features[start]

    def is_complete(self, feature: Feature) -> bool:
        """Return whether no edge of the feature is open (R5.1 to R5.3), or the market is surrounded (R5.4)."""
        if feature.kind == "market":
            ((x, y),) = feature.cells
            return all((x + dx, y + dy) in self.placed for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        return all(None not in self.neighbours(spot) for spot in feature.spots)

    def islanders(self) -> list[tuple[Spot, int]]:
        """List all islanders on the board with their seats."""
        return [
            (Spot(*cell, segment), seat)
            for cell, placed in self.placed.items()
            for segment, seat in placed.islanders.items()
        ]

    def islanders_on(self, feature: Feature) -> list[tuple[Spot, int]]:
        """List the islanders on a feature with their seats, by (seat, y, x, segment)."""
        placed = [(spot, self.placed[spot.cell].islanders.get(spot.segment)) for spot in feature.spots]
        islanders = [(spot, seat) for spot, seat in placed if seat is not None]
        return sorted(islanders, key=lambda one: (one[1], one[0].y, one[0].x, one[0].segment))

    def occupied(self) -> list[Feature]:
        """List every feature with an islander on it, each once."""
        result: list[Feature] = []
        for spot, _ in self.islanders():
            feature = self.feature(spot)
            if feature not in result:
                result.append(feature)
        return result
