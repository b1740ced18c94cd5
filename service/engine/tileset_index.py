"""Everything the engine derives from a tile set, computed once: data by tile, by rotation and by ship.

The engine refers to tiles, segments and ships by number: their position in the set. An *oriented tile* is
`tile * 4 + rotation`. A side is 0 to 3 for n, e, s, w; `side ^ 2` is the opposite side. A cell is `x + (y << 10)`, so
that a neighbour is one addition away.
"""

from collections.abc import Iterator, Sequence
from functools import cache
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
"""Kinds of features: the number of the ware that they give, or SHIPS for markets."""

FEATURE_KINDS: Final[tuple[SegmentKind, ...]] = ("island", "bridge", "sea", "market")
EDGE_CODES = {"sea": 1, "bridge": 2, "island": 3}

CELL_BITS: Final = 10
COORDINATE_LIMIT: Final = 512
"""Coordinates are smaller than this in each direction: a set has at most 500 tiles, and they are connected."""

SIDE_OFFSETS: Final[tuple[int, ...]] = (-(1 << CELL_BITS), 1, 1 << CELL_BITS, -1)
SURROUNDING_OFFSETS: Final = frozenset(dx + (dy << CELL_BITS) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)

T = TypeVar("T")

Payment = tuple[int, int, int]
"""Bananas, shells, fish."""


def pack_cell(x: int, y: int) -> int:
    """Pack coordinates; both must be smaller than COORDINATE_LIMIT."""
    return x + (y << CELL_BITS)


def unpack_cell(cell: int) -> tuple[int, int]:
    """Return the coordinates of a cell."""
    y = (cell + COORDINATE_LIMIT) >> CELL_BITS
    return cell - (y << CELL_BITS), y


class TileData(NamedTuple):
    """What the engine knows about a tile, independent of its rotation."""

    kinds: tuple[int, ...]
    symbols: tuple[int, ...]
    open_slots: tuple[int, ...]
    fish: tuple[tuple[int, ...], ...]
    boat: int | None
    market: int | None
    no_islanders: tuple[int, ...]
    """A zero for each segment: the islanders on a new tile."""
    islander_moves: tuple[PlaceIslander, ...]
    """The placement on each segment."""
    drawn_event: TileDrawn


class ShipData(NamedTuple):
    """What the engine knows about a ship."""

    points: int
    total_wares: int
    payments: tuple[Payment, ...]


Slots = tuple[int, ...]
"""The segments along a side: `(sea,)`, `(island,)` or `(sea, bridge, sea)`."""


class TileSetIndex:
    """A tile set with its look-up tables.

    `fitting_rotations[tile][edges]` lists the rotations in which a tile fits a cell whose neighbours show `edges`: two
    bits a side, 0 without a neighbour (R3.3, R3.4). `slots_clockwise[oriented][side]` are a side's slots in clockwise
    order, `slots_facing[oriented][side]` the same in the order of the neighbour across that side.
    `edge_masks[oriented][side]` is what the tile adds to the packed edges of the cell across that side.
    `distinct_rotations[tile]` is the number of quarter turns, 1, 2 or 4, after which a tile looks and plays as before:
    of the rotations that fit a cell, those from that number on are equal to smaller ones.
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
            ShipData(ship.points, sum(payments[0]), payments)
            for ship in tileset.ships
            for payments in (tuple(sorted(set(possible_payments(ship.cost)))),)
        )
        self.distinct_rotations = tuple(_distinct_rotations(tile) for tile in tileset.tiles)
        codes = [tuple(EDGE_CODES[getattr(tile.edges, edge)] for edge in EDGES) for tile in tileset.tiles]
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
    """Return the four sides after `rotation` quarter turns clockwise."""
    return tuple(sides[(side - rotation) % 4] for side in range(4))


def possible_payments(cost: Cost) -> Iterator[Payment]:
    """Yield every payment that a ship accepts (R6.3), some of them more than once."""
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


def _side_slots(tile: Tile) -> tuple[Slots, ...]:
    """Return the segments along each side of the unrotated tile, in clockwise order."""
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
        kinds=tuple(_kind_and_symbols(segment)[0] for segment in tile.segments),
        symbols=tuple(_kind_and_symbols(segment)[1] for segment in tile.segments),
        open_slots=tuple(along.count(index) for index in range(len(tile.segments))),
        fish=tuple(segment.fish if isinstance(segment, Sea) else () for segment in tile.segments),
        boat=boats[0] if boats else None,
        market=markets[0] if markets else None,
        no_islanders=(0,) * len(tile.segments),
        islander_moves=tuple(PlaceIslander(index) for index in range(len(tile.segments))),
        drawn_event=TileDrawn(tile=tile.id),
    )


def _kind_and_symbols(segment: Segment) -> tuple[int, int]:
    """Return the kind of a segment's feature, and the wares that it adds to it."""
    match segment:
        case Island():
            return BANANAS, segment.bananas
        case Bridge():
            return SHELLS, segment.shells
        case Sea():
            return FISH, sum(segment.fish)
        case Market():
            return SHIPS, 0


def _distinct_rotations(tile: Tile) -> int:
    """Return the number of quarter turns after which every segment lies where an equal one lay."""
    shown = [sorted(_printed(segment, rotation) for segment in tile.segments) for rotation in range(4)]
    return next(rotation for rotation in (1, 2, 4) if shown[rotation % 4] == shown[0])


def _printed(segment: Segment, rotation: int) -> tuple[str, list[int], list[int], bool]:
    """Return what a segment shows after some quarter turns: kind, sides or halves, symbols, boat."""
    match segment:
        case Bridge(edges=edges, shells=number) | Island(edges=edges, bananas=number):
            kind = type(segment).__name__
            return kind, sorted((EDGES.index(edge) + rotation) % 4 for edge in edges), [number], False
        case Sea(halves=halves, fish=fish, boat=boat):
            return "Sea", sorted((half + 2 * rotation) % 8 for half in halves), sorted(fish), boat
        case Market():
            return "Market", [], [], False


@cache  # tiles of equal edges share one table; there are 81 kinds
def _rotations_by_edges(codes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the fitting rotations for each packed pattern of neighbouring edges."""
    rotations: list[list[int]] = [[] for _ in range(256)]
    for rotation, masks in product(range(4), product((0, 3), repeat=4)):  # 0 where there is no neighbour
        shown = [code & mask for code, mask in zip(rotate_sides(codes, rotation), masks, strict=True)]
        packed = sum(code << 2 * side for side, code in enumerate(shown))
        if packed:
            rotations[packed].append(rotation)
    return tuple(map(tuple, rotations))
