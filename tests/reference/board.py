"""The board, with queries that walk all of it (R3, R5.1 to R5.4).

Tiles and ships, read from a tile set's JSON, and their rotation.

The state of a game, in which the order of bag and pile is known and nothing is random.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

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


ISLANDERS = 4
DISPLAY = 4


@dataclass
class Player:
    """A player's supply, wares and ships."""

    supply: int = ISLANDERS
    """Islanders not on the board (R1.4)."""
    wares: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WARES, 0))
    ships: list[str] = field(default_factory=list)


@dataclass
class Turn:
    """The turn being played (R2)."""

    number: int
    seat: int
    tile: str
    phase: str = "place_tile"
    placed: Cell | None = None
    ships_owed: list[int] = field(default_factory=list)
    """Seats that still get a ship for a market, in order (R5.10)."""

    @property
    def decider(self) -> int:
        """The seat that must decide now."""
        return self.ships_owed[0] if self.phase == "take_ship" else self.seat

    @property
    def placed_cell(self) -> Cell:
        """The cell of the placed tile."""
        if self.placed is None:
            raise AssertionError(self)
        return self.placed


@dataclass
class State:
    """A game between two decisions."""

    edition: str
    tiles: dict[str, Tile]
    ships: dict[str, Ship]
    board: Board
    players: list[Player]
    bag: list[str]
    """Tiles in drawing order, the next first."""
    display: list[str]
    pile: list[str]
    """Ships in the order they will be revealed."""
    turn: Turn | None = None
    discarded: list[str] = field(default_factory=list)
    result: Json | None = None
    events: list[Json] = field(default_factory=list)
    """The events since the last decision."""

    @property
    def now(self) -> Turn:
        """The turn of a game that is not finished."""
        if self.turn is None:
            raise AssertionError(self.result)
        return self.turn

    def add_event(self, kind: str, event: Json) -> None:
        """Add an event in the API's format."""
        self.events.append({"type": kind, **event})

    def ship_points(self, seat: int) -> int:
        """Return the points of a player's ships (R7.3)."""
        return sum(self.ships[ship].points for ship in self.players[seat].ships)
