"""R3: placing the tile, and joining its segments to the features beside it."""

from typing import Final

from schemas.actions import PlaceTile
from service.engine.errors import IllegalMove
from service.engine.game import Game
from service.engine.tileset_index import (
    COORDINATE_LIMIT,
    SIDE_OFFSETS,
    SURROUNDING_OFFSETS,
    Slots,
    TileSetIndex,
    pack_cell,
    unpack_cell,
)

SIDE_NAMES = ("north", "east", "south", "west")
EDGE_NAMES = ("nothing", "sea", "a bridge", "an island")

MAX_CACHED_CELLS: Final = 4096
"""Cells whose placements are kept, far more than games come to; under 2 MB."""


class _PlacementCache(dict[int, tuple[PlaceTile, ...]]):
    """Cell -> its placement in each rotation, made once: every game lists the same ones again and again."""

    def __missing__(self, cell: int) -> tuple[PlaceTile, ...]:
        if len(self) == MAX_CACHED_CELLS:
            self.clear()
        x, y = unpack_cell(cell)
        found = self[cell] = tuple([PlaceTile(x, y, rotation) for rotation in range(4)])
        return found


_PLACEMENT_CACHE: Final = _PlacementCache()


def legal_placements(index: TileSetIndex, game: Game) -> list[PlaceTile]:
    """Every cell and rotation for the drawn tile (R3.2, R3.3, R3.4), in the order in which the cells came up."""
    fits = index.fitting_rotations[game.tile]
    moves: list[PlaceTile] = []
    for cell, packed in game.frontier.items():
        if rotations := fits[packed]:
            placements = _PLACEMENT_CACHE[cell]
            for rotation in rotations:
                moves.append(placements[rotation])  # noqa: PERF401 (a nested comprehension is slower here)
    return moves


def has_legal_placement(index: TileSetIndex, game: Game, tile: int) -> bool:
    """Whether a tile has any legal placement (R3.5)."""
    fits = index.fitting_rotations[tile]
    for packed in game.frontier.values():  # noqa: SIM110 (a generator for `any` takes twice as long)
        if fits[packed]:
            return True
    return False


def check_placement(index: TileSetIndex, game: Game, action: PlaceTile) -> int:
    """The cell of a legal placement; raises IllegalMove for any other (R3.2, R3.3)."""
    x, y = action.x, action.y
    cell = pack_cell(x, y)
    near = -COORDINATE_LIMIT < x < COORDINATE_LIMIT and -COORDINATE_LIMIT < y < COORDINATE_LIMIT
    packed = game.frontier.get(cell, 0) if near else 0
    if not packed:
        if near and cell in game.board:
            raise IllegalMove("R3.2", f"a tile already lies at ({x}, {y})")
        raise IllegalMove("R3.2", f"({x}, {y}) shares no side with a placed tile")
    if action.rotation not in index.fitting_rotations[game.tile][packed]:
        if not 0 <= action.rotation < 4:
            raise IllegalMove("R3.4", "a tile has four rotations, 0 to 3")
        raise IllegalMove("R3.3", _describe_mismatch(index, game, action, packed))
    return cell


def _describe_mismatch(index: TileSetIndex, game: Game, action: PlaceTile, packed: int) -> str:
    marks = index.edge_masks[game.tile * 4 + action.rotation]
    for side, name in enumerate(SIDE_NAMES):
        shown = packed >> 2 * side & 3
        code = marks[side] >> 2 * (side ^ 2)
        if shown not in (0, code):
            tile = index.tile_ids[game.tile]
            return (
                f"at ({action.x}, {action.y}) the tile to the {name} shows {EDGE_NAMES[shown]}, "
                f"but {tile} turned {90 * action.rotation}° shows {EDGE_NAMES[code]} there"
            )
    raise AssertionError


def place_tile(index: TileSetIndex, game: Game, cell: int, turned: int) -> None:
    """Put a turned tile on a free cell whose neighbours it fits, and join what it continues."""
    board, frontier, bases, market = game.board, game.frontier, game.first_segments, index.tiles[turned >> 2].market
    base = _add_segments(index, game, turned)
    board[cell] = len(bases)
    game.cells.append(cell)
    game.oriented_tiles.append(turned)
    bases.append(base)
    frontier.pop(cell, None)
    clockwise, marks = index.slots_clockwise[turned], index.edge_masks[turned]
    for side, step in enumerate(SIDE_OFFSETS):
        beside = cell + step
        order = board.get(beside, -1)
        if order < 0:
            frontier[beside] = frontier.get(beside, 0) | marks[side]
        else:
            facing = index.slots_facing[game.oriented_tiles[order]][side ^ 2]
            _join_features(game, base, clockwise[side], bases[order], facing)
    if market is not None or game.markets:
        _update_markets(game, cell, None if market is None else base + market)


def _add_segments(index: TileSetIndex, game: Game, turned: int) -> int:
    """Make each segment of a tile a feature of its own; gives the first one's number."""
    tile = index.tiles[turned >> 2]
    feature, ring, open_slots = game.feature_labels, game.feature_ring, game.open_slots
    symbols, islanders = game.symbols, game.islanders
    base = len(feature)
    labels = range(base, base + len(tile.kinds))
    feature += labels
    ring += labels
    open_slots += tile.open_slots
    symbols += tile.symbols
    islanders += tile.no_islanders
    return base


def _join_features(game: Game, base: int, slots: Slots, theirs: int, facing: Slots) -> None:
    """Close a side, and make one feature of each two that meet there; the older label stays."""
    feature, ring, open_slots = game.feature_labels, game.feature_ring, game.open_slots
    symbols, islanders = game.symbols, game.islanders
    for mine, other in zip(slots, facing):  # noqa: B905 (equal by R3.3; strict costs time)
        old, young = feature[theirs + other], feature[base + mine]
        if old == young:
            open_slots[old] -= 2
            continue
        if young < old:
            old, young = young, old
        open_slots[old] += open_slots[young] - 2
        symbols[old] += symbols[young]
        islanders[old] += islanders[young]
        open_slots[young] = symbols[young] = islanders[young] = 0
        segment = young
        while feature[segment] != old:
            feature[segment] = old
            segment = ring[segment]
        ring[old], ring[young] = ring[young], ring[old]


def _update_markets(game: Game, cell: int, market: int | None) -> None:
    """Keep the empty cells around each market (R5.4), the new one's too."""
    board, markets = game.board, game.markets
    for other, segment in markets.items():
        if other - cell in SURROUNDING_OFFSETS:
            game.open_slots[segment] -= 1
    if market is not None:
        markets[cell] = market
        game.open_slots[market] = sum(cell + step not in board for step in SURROUNDING_OFFSETS)
