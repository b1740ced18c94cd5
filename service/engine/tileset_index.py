"""All that follows from a tile set alone, computed once: tables per tile, per rotation, per ship.

Tiles, segments and ships are numbers here: their index in the set. A *turned* tile is `tile * 4 + rotation`. A side is
0 to 3 for n, e, s, w; `side ^ 2` is the side that faces it. A cell is `x + (y << 10)`, so that a neighbour is one
addition away.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple, TypeVar

from schemas.actions import PlaceIslander
from schemas.events import TileDrawn
from schemas.tileset import Bridge, Cost, Island, Market, Sea, Segment, Tile, TileSet
from schemas.vocabulary import EDGES, SegmentKind

BANANAS: Final = 0
SHELLS: Final = 1
FISH: Final = 2
SHIPS: Final = 3
"""Kinds of features, numbered as the wares that they give."""

KINDS: Final[tuple[SegmentKind, ...]] = ("island", "bridge", "sea", "market")
EDGE_CODES = {"sea": 1, "bridge": 2, "island": 3}

CELL_BITS: Final = 10
CELL_REACH: Final = 512
"""Coordinates are within +-CELL_REACH: a tile set has at most 500 tiles, and they lie connected."""

NEIGHBOURS: Final[tuple[int, ...]] = (-(1 << CELL_BITS), 1, 1 << CELL_BITS, -1)
AROUND: Final = frozenset(dx + (dy << CELL_BITS) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)

T = TypeVar("T")

Payment = tuple[int, int, int]
"""Bananas, shells, fish."""


def to_cell(x: int, y: int) -> int:
    """Pack coordinates; both must be within CELL_REACH."""
    return x + (y << CELL_BITS)


def to_xy(cell: int) -> tuple[int, int]:
    """Unpack a cell."""
    y = (cell + CELL_REACH) >> CELL_BITS
    return cell - (y << CELL_BITS), y


class TileTables(NamedTuple):
    """What the engine needs of one tile, whatever its rotation."""

    kinds: tuple[int, ...]
    symbols: tuple[int, ...]
    open_slots: tuple[int, ...]
    fish: tuple[tuple[int, ...], ...]
    boat: int | None
    market: int | None
    nobody: tuple[int, ...]
    """The islanders on each segment before anybody places one."""
    islander_moves: tuple[PlaceIslander, ...]
    """Of each segment."""
    drawn: TileDrawn


class ShipTables(NamedTuple):
    """What the engine needs of one ship."""

    points: int
    total: int
    payments: tuple[Payment, ...]


Slots = tuple[int, ...]
"""The segments along a side: `(sea,)`, `(island,)` or `(sea, bridge, sea)`."""


class Tables:
    """The tables of one tile set.

    `fits[tile][packed]` lists the rotations in which a tile fits a cell whose neighbours show `packed` edges: two bits
    a side, 0 where there is no neighbour (R3.3, R3.4). `clockwise[turned][side]` are a side's slots in clockwise order,
    `facing[turned][side]` the same in the order in which the neighbour across that side meets them.
    `marks[turned][side]` is what the tile writes into the packed edges of the cell across that side.
    """

    def __init__(self, tileset: TileSet) -> None:
        self.tileset = tileset
        self.tile_ids = tuple(tile.id for tile in tileset.tiles)
        self.ship_ids = tuple(ship.id for ship in tileset.ships)
        self.tile_index = {name: index for index, name in enumerate(self.tile_ids)}
        self.ship_index = {name: index for index, name in enumerate(self.ship_ids)}
        self.start = self.tile_index[tileset.start]
        self.tiles = tuple(_tile_tables(tile) for tile in tileset.tiles)
        self.ships = tuple(
            ShipTables(ship.points, _total(ship.cost), tuple(sorted(set(payments(ship.cost)))))
            for ship in tileset.ships
        )
        codes = [_codes(tile) for tile in tileset.tiles]
        slots = [_slots(tile) for tile in tileset.tiles]
        self.fits = tuple(_fits(sides) for sides in codes)
        self.clockwise = tuple(turn(sides, rotation) for sides in slots for rotation in range(4))
        self.facing = tuple(tuple(side[::-1] for side in sides) for sides in self.clockwise)
        self.marks = tuple(
            tuple(code << 2 * (side ^ 2) for side, code in enumerate(turn(sides, rotation)))
            for sides in codes
            for rotation in range(4)
        )


def turn(sides: Sequence[T], rotation: int) -> tuple[T, ...]:
    """The four sides after `rotation` quarter turns clockwise."""
    return tuple(sides[(side - rotation) % 4] for side in range(4))


def payments(cost: Cost) -> Iterator[Payment]:
    """Every payment that a ship takes (R6.3), some of them more than once."""
    groups = len(cost.same)
    for kinds in product(range(3), repeat=groups):
        if len(set(kinds)) < groups:
            continue
        fixed = [cost.bananas, cost.shells, cost.fish]
        for kind, size in zip(kinds, cost.same, strict=True):
            fixed[kind] += size
        for bananas in range(cost.any + 1):
            for shells in range(cost.any - bananas + 1):
                yield fixed[0] + bananas, fixed[1] + shells, fixed[2] + cost.any - bananas - shells


def _total(cost: Cost) -> int:
    return cost.bananas + cost.shells + cost.fish + cost.any + sum(cost.same)


def _codes(tile: Tile) -> tuple[int, ...]:
    return tuple(EDGE_CODES[getattr(tile.edges, edge)] for edge in EDGES)


def _slots(tile: Tile) -> tuple[Slots, ...]:
    """Which segments lie along each side of the unturned tile, in clockwise order."""
    by_edge = {
        edge: index
        for index, segment in enumerate(tile.segments)
        if isinstance(segment, Bridge | Island)
        for edge in segment.edges
    }
    by_half = {
        half: index
        for index, segment in enumerate(tile.segments)
        if isinstance(segment, Sea)
        for half in segment.halves
    }
    sides: list[Slots] = []
    for side, edge in enumerate(EDGES):
        match getattr(tile.edges, edge):
            case "sea":
                sides.append((by_half[2 * side],))
            case "island":
                sides.append((by_edge[edge],))
            case _:
                sides.append((by_half[2 * side], by_edge[edge], by_half[2 * side + 1]))
    return tuple(sides)


def _tile_tables(tile: Tile) -> TileTables:
    along = [segment for side in _slots(tile) for segment in side]
    boats = [index for index, segment in enumerate(tile.segments) if isinstance(segment, Sea) and segment.boat]
    markets = [index for index, segment in enumerate(tile.segments) if isinstance(segment, Market)]
    return TileTables(
        kinds=tuple(_kind(segment) for segment in tile.segments),
        symbols=tuple(_symbols(segment) for segment in tile.segments),
        open_slots=tuple(along.count(index) for index in range(len(tile.segments))),
        fish=tuple(segment.fish if isinstance(segment, Sea) else () for segment in tile.segments),
        boat=boats[0] if boats else None,
        market=markets[0] if markets else None,
        nobody=(0,) * len(tile.segments),
        islander_moves=tuple(PlaceIslander(index) for index in range(len(tile.segments))),
        drawn=TileDrawn(tile=tile.id),
    )


def _kind(segment: Segment) -> int:
    match segment:
        case Island():
            return BANANAS
        case Bridge():
            return SHELLS
        case Sea():
            return FISH
        case Market():
            return SHIPS


def _symbols(segment: Segment) -> int:
    match segment:
        case Island():
            return segment.bananas
        case Bridge():
            return segment.shells
        case Sea():
            return sum(segment.fish)
        case Market():
            return 0


def _fits(codes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """For each packed pattern of neighbour edges the rotations that fit it."""
    rotations: list[list[int]] = [[] for _ in range(256)]
    for rotation in range(4):
        turned = turn(codes, rotation)
        for neighbours in product((False, True), repeat=4):
            packed = sum(
                code << 2 * side for side, (code, there) in enumerate(zip(turned, neighbours, strict=True)) if there
            )
            if packed:
                rotations[packed].append(rotation)
    return tuple(map(tuple, rotations))
