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

FEATURE_KINDS: Final[tuple[SegmentKind, ...]] = ("island", "bridge", "sea", "market")
EDGE_CODES = {"sea": 1, "bridge": 2, "island": 3}

CELL_BITS: Final = 10
COORDINATE_LIMIT: Final = 512
"""Coordinates are within +-CELL_REACH: a tile set has at most 500 tiles, and they lie connected."""

SIDE_OFFSETS: Final[tuple[int, ...]] = (-(1 << CELL_BITS), 1, 1 << CELL_BITS, -1)
SURROUNDING_OFFSETS: Final = frozenset(dx + (dy << CELL_BITS) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)

T = TypeVar("T")

Payment = tuple[int, int, int]
"""Bananas, shells, fish."""


def pack_cell(x: int, y: int) -> int:
    """Pack coordinates; both must be within CELL_REACH."""
    return x + (y << CELL_BITS)


def unpack_cell(cell: int) -> tuple[int, int]:
    """Unpack a cell."""
    y = (cell + COORDINATE_LIMIT) >> CELL_BITS
    return cell - (y << CELL_BITS), y


class TileData(NamedTuple):
    """What the engine needs of one tile, whatever its rotation."""

    kinds: tuple[int, ...]
    symbols: tuple[int, ...]
    open_slots: tuple[int, ...]
    fish: tuple[tuple[int, ...], ...]
    boat: int | None
    market: int | None
    no_islanders: tuple[int, ...]
    """The islanders on each segment before anybody places one."""
    islander_moves: tuple[PlaceIslander, ...]
    """Of each segment."""
    drawn_event: TileDrawn


class ShipData(NamedTuple):
    """What the engine needs of one ship."""

    points: int
    total_wares: int
    payments: tuple[Payment, ...]


Slots = tuple[int, ...]
"""The segments along a side: `(sea,)`, `(island,)` or `(sea, bridge, sea)`."""


class TileSetIndex:
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
        self.tile_numbers = {name: index for index, name in enumerate(self.tile_ids)}
        self.ship_numbers = {name: index for index, name in enumerate(self.ship_ids)}
        self.start_tile = self.tile_numbers[tileset.start]
        self.tiles = tuple(_tile_data(tile) for tile in tileset.tiles)
        self.ships = tuple(
            ShipData(ship.points, _total_wares(ship.cost), tuple(sorted(set(possible_payments(ship.cost)))))
            for ship in tileset.ships
        )
        codes = [_edge_codes(tile) for tile in tileset.tiles]
        slots = [_side_slots(tile) for tile in tileset.tiles]
        self.fitting_rotations = tuple(_rotations_by_edges(sides) for sides in codes)
        self.slots_clockwise = tuple(rotate_sides(sides, rotation) for sides in slots for rotation in range(4))
        self.slots_facing = tuple(tuple(side[::-1] for side in sides) for sides in self.slots_clockwise)
        self.edge_masks = tuple(
            tuple(code << 2 * (side ^ 2) for side, code in enumerate(rotate_sides(sides, rotation)))
            for sides in codes
            for rotation in range(4)
        )


def rotate_sides(sides: Sequence[T], rotation: int) -> tuple[T, ...]:
    """The four sides after `rotation` quarter turns clockwise."""
    return tuple(sides[(side - rotation) % 4] for side in range(4))


def possible_payments(cost: Cost) -> Iterator[Payment]:
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


def _total_wares(cost: Cost) -> int:
    return cost.bananas + cost.shells + cost.fish + cost.any + sum(cost.same)


def _edge_codes(tile: Tile) -> tuple[int, ...]:
    return tuple(EDGE_CODES[getattr(tile.edges, edge)] for edge in EDGES)


def _side_slots(tile: Tile) -> tuple[Slots, ...]:
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


def _tile_data(tile: Tile) -> TileData:
    along = [segment for side in _side_slots(tile) for segment in side]
    boats = [index for index, segment in enumerate(tile.segments) if isinstance(segment, Sea) and segment.boat]
    markets = [index for index, segment in enumerate(tile.segments) if isinstance(segment, Market)]
    return TileData(
        kinds=tuple(_feature_kind(segment) for segment in tile.segments),
        symbols=tuple(_count_symbols(segment) for segment in tile.segments),
        open_slots=tuple(along.count(index) for index in range(len(tile.segments))),
        fish=tuple(segment.fish if isinstance(segment, Sea) else () for segment in tile.segments),
        boat=boats[0] if boats else None,
        market=markets[0] if markets else None,
        no_islanders=(0,) * len(tile.segments),
        islander_moves=tuple(PlaceIslander(index) for index in range(len(tile.segments))),
        drawn_event=TileDrawn(tile=tile.id),
    )


def _feature_kind(segment: Segment) -> int:
    match segment:
        case Island():
            return BANANAS
        case Bridge():
            return SHELLS
        case Sea():
            return FISH
        case Market():
            return SHIPS


def _count_symbols(segment: Segment) -> int:
    match segment:
        case Island():
            return segment.bananas
        case Bridge():
            return segment.shells
        case Sea():
            return sum(segment.fish)
        case Market():
            return 0


def _rotations_by_edges(codes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """For each packed pattern of neighbour edges the rotations that fit it."""
    rotations: list[list[int]] = [[] for _ in range(256)]
    for rotation in range(4):
        turned = rotate_sides(codes, rotation)
        for neighbours in product((False, True), repeat=4):
            packed = sum(
                code << 2 * side for side, (code, there) in enumerate(zip(turned, neighbours, strict=True)) if there
            )
            if packed:
                rotations[packed].append(rotation)
    return tuple(map(tuple, rotations))
