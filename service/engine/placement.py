"""R3: placing a tile, and joining its segments to the features beside it."""

from typing import Final

from schemas.actions import PlaceTile
from service.engine.game import Game, Message
from service.engine.segments import IllegalMove
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
"""Far more cells than games use; the cache stays under 2 MB."""


class _PlacementCache(dict[int, tuple[PlaceTile, ...]]):
    """A cache from a cell to its placement in each rotation, because every game lists the same ones."""

    def __missing__(self, cell: int) -> tuple[PlaceTile, ...]:
        if len(self) == MAX_CACHED_CELLS:
            self.clear()
        x, y = unpack_cell(cell)
        placements = self[cell] = (PlaceTile(x, y, 0), PlaceTile(x, y, 1), PlaceTile(x, y, 2), PlaceTile(x, y, 3))
        return placements


_PLACEMENT_CACHE: Final = _PlacementCache()


def legal_placements(index: TileSetIndex, game: Game) -> list[PlaceTile]:
    """Return every legal cell and rotation of the drawn tile (R3.2, R3.3, R3.4), in the order of the frontier."""
    fits = index.fitting_rotations[game.tile]
    moves: list[PlaceTile] = []
    for cell, packed in game.frontier.items():
        if rotations := fits[packed]:
            placements = _PLACEMENT_CACHE[cell]
            for rotation in rotations:
                moves.append(placements[rotation])  # noqa: PERF401 (a nested comprehension is slower here)
    return moves


def has_legal_placement(index: TileSetIndex, game: Game, tile: int) -> bool:
    """Return whether a tile has any legal placement (R3.5)."""
    fits = index.fitting_rotations[tile]
    for packed in game.frontier.values():  # noqa: SIM110 (a generator for `any` takes twice as long)
        if fits[packed]:
            return True
    return False


def check_placement(index: TileSetIndex, game: Game, action: PlaceTile) -> int:
    """Return the cell of a legal placement; raise IllegalMove for any other (R3.2, R3.3, R3.4)."""
    x, y = action.x, action.y
    cell = pack_cell(x, y)
    near = -COORDINATE_LIMIT < x < COORDINATE_LIMIT and -COORDINATE_LIMIT < y < COORDINATE_LIMIT
    packed = game.frontier.get(cell, 0) if near else 0
    if not packed:
        if near and cell in game.board:
            raise IllegalMove("R3.2", "a tile already lies at ({x}, {y})", x=x, y=y)
        raise IllegalMove("R3.2", "({x}, {y}) shares no side with a placed tile", x=x, y=y)
    if action.rotation not in index.fitting_rotations[game.tile][packed]:
        if not 0 <= action.rotation < 4:
            raise IllegalMove("R3.4", "a tile has four rotations, 0 to 3")
        raise _describe_mismatch(index, game, action, packed)
    return cell


def _describe_mismatch(index: TileSetIndex, game: Game, action: PlaceTile, packed: int) -> IllegalMove:
    edge_masks = index.edge_masks[game.tile * 4 + action.rotation]
    for side, name in enumerate(SIDE_NAMES):
        shown = packed >> 2 * side & 3
        code = edge_masks[side] >> 2 * (side ^ 2)
        if shown not in (0, code):
            return IllegalMove(
                "R3.3",
                "at ({x}, {y}) the tile to the {side} shows {shown}, "
                "but the drawn tile, turned {degrees}°, shows {drawn} there",
                x=action.x,
                y=action.y,
                side=Message(name),
                shown=Message(EDGE_NAMES[shown]),
                degrees=90 * action.rotation,
                drawn=Message(EDGE_NAMES[code]),
            )
    raise AssertionError


def place_tile(index: TileSetIndex, game: Game, cell: int, oriented_tile: int) -> None:
    """Place a rotated tile on a cell that it fits, and join the features that it continues."""
    board, frontier, first_segments = game.board, game.frontier, game.first_segments
    market = index.tiles[oriented_tile >> 2].market
    first_segment = _add_segments(index, game, oriented_tile)
    board[cell] = len(first_segments)
    game.cells.append(cell)
    game.oriented_tiles.append(oriented_tile)
    first_segments.append(first_segment)
    frontier.pop(cell, None)
    slots, edge_masks = index.slots_clockwise[oriented_tile], index.edge_masks[oriented_tile]
    for side, step in enumerate(SIDE_OFFSETS):
        beside = cell + step
        order = board.get(beside, -1)
        if order < 0:
            frontier[beside] = frontier.get(beside, 0) | edge_masks[side]
        else:
            facing_slots = index.slots_facing[game.oriented_tiles[order]][side ^ 2]
            _join_features(game, first_segment, slots[side], first_segments[order], facing_slots)
    if market is not None or game.markets:
        _update_markets(game, cell, None if market is None else first_segment + market)


def _add_segments(index: TileSetIndex, game: Game, oriented_tile: int) -> int:
    """Add each segment of a tile as a separate feature; return the number of the first one."""
    tile = index.tiles[oriented_tile >> 2]
    feature_labels, feature_ring, open_slots = game.feature_labels, game.feature_ring, game.open_slots
    symbols, islanders = game.symbols, game.islanders
    first_segment = len(feature_labels)
    labels = range(first_segment, first_segment + len(tile.kinds))
    feature_labels += labels
    feature_ring += labels
    open_slots += tile.open_slots
    symbols += tile.symbols
    islanders += tile.no_islanders
    return first_segment


def _join_features(game: Game, first_segment: int, slots: Slots, other_first_segment: int, facing_slots: Slots) -> None:
    """Join the features that meet along one side; the older label stays."""
    feature_labels, feature_ring, open_slots = game.feature_labels, game.feature_ring, game.open_slots
    symbols, islanders = game.symbols, game.islanders
    for mine, other in zip(slots, facing_slots):  # noqa: B905 (equal by R3.3; strict costs time)
        old, young = feature_labels[other_first_segment + other], feature_labels[first_segment + mine]
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
        while feature_labels[segment] != old:
            feature_labels[segment] = old
            segment = feature_ring[segment]
        feature_ring[old], feature_ring[young] = feature_ring[young], feature_ring[old]


def _update_markets(game: Game, cell: int, market: int | None) -> None:
    """Update the number of empty cells around each market (R5.4), including a new one."""
    board, markets = game.board, game.markets
    for other, segment in markets.items():
        if other - cell in SURROUNDING_OFFSETS:
            game.open_slots[segment] -= 1
    if market is not None:
        markets[cell] = market
        game.open_slots[market] = sum(cell + step not in board for step in SURROUNDING_OFFSETS)
