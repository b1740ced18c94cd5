"""R3: placing the tile, and joining its segments to the features beside it."""

from typing import Final

from schemas.actions import PlaceTile
from service.engine.errors import IllegalMove
from service.engine.game import Game
from service.engine.tileset_index import AROUND, CELL_REACH, NEIGHBOURS, Slots, Tables, to_cell, to_xy

SIDES = ("north", "east", "south", "west")
SHOWN = ("nothing", "sea", "a bridge", "an island")

REMEMBERED: Final = 4096
"""Cells whose placements are kept, far more than games come to; under 2 MB."""


class _Placements(dict[int, tuple[PlaceTile, ...]]):
    """Cell -> its placement in each rotation, made once: every game lists the same ones again and again."""

    def __missing__(self, cell: int) -> tuple[PlaceTile, ...]:
        if len(self) == REMEMBERED:
            self.clear()
        x, y = to_xy(cell)
        found = self[cell] = tuple([PlaceTile(x, y, rotation) for rotation in range(4)])
        return found


_PLACEMENTS: Final = _Placements()


def legal_placements(tables: Tables, game: Game) -> list[PlaceTile]:
    """Every cell and rotation for the drawn tile (R3.2, R3.3, R3.4), in the order in which the cells came up."""
    fits = tables.fits[game.tile]
    moves: list[PlaceTile] = []
    for cell, packed in game.frontier.items():
        if rotations := fits[packed]:
            placements = _PLACEMENTS[cell]
            for rotation in rotations:
                moves.append(placements[rotation])  # noqa: PERF401 (a nested comprehension is slower here)
    return moves


def fits_somewhere(tables: Tables, game: Game, tile: int) -> bool:
    """Whether a tile has any legal placement (R3.5)."""
    fits = tables.fits[tile]
    for packed in game.frontier.values():  # noqa: SIM110 (a generator for `any` takes twice as long)
        if fits[packed]:
            return True
    return False


def check_placement(tables: Tables, game: Game, action: PlaceTile) -> int:
    """The cell of a legal placement; raises IllegalMove for any other (R3.2, R3.3)."""
    x, y = action.x, action.y
    cell = to_cell(x, y)
    near = -CELL_REACH < x < CELL_REACH and -CELL_REACH < y < CELL_REACH
    packed = game.frontier.get(cell, 0) if near else 0
    if not packed:
        if near and cell in game.board:
            raise IllegalMove("R3.2", f"a tile already lies at ({x}, {y})")
        raise IllegalMove("R3.2", f"({x}, {y}) shares no side with a placed tile")
    if action.rotation not in tables.fits[game.tile][packed]:
        if not 0 <= action.rotation < 4:
            raise IllegalMove("R3.4", "a tile has four rotations, 0 to 3")
        raise IllegalMove("R3.3", _mismatch(tables, game, action, packed))
    return cell


def _mismatch(tables: Tables, game: Game, action: PlaceTile, packed: int) -> str:
    marks = tables.marks[game.tile * 4 + action.rotation]
    for side, name in enumerate(SIDES):
        shown = packed >> 2 * side & 3
        code = marks[side] >> 2 * (side ^ 2)
        if shown not in (0, code):
            tile = tables.tile_ids[game.tile]
            return (
                f"at ({action.x}, {action.y}) the tile to the {name} shows {SHOWN[shown]}, "
                f"but {tile} turned {90 * action.rotation}° shows {SHOWN[code]} there"
            )
    raise AssertionError


def lay(tables: Tables, game: Game, cell: int, turned: int) -> None:
    """Put a turned tile on a free cell whose neighbours it fits, and join what it continues."""
    board, frontier, bases, market = game.board, game.frontier, game.bases, tables.tiles[turned >> 2].market
    base = _add_segments(tables, game, turned)
    board[cell] = len(bases)
    game.cells.append(cell)
    game.turned.append(turned)
    bases.append(base)
    frontier.pop(cell, None)
    clockwise, marks = tables.clockwise[turned], tables.marks[turned]
    for side, step in enumerate(NEIGHBOURS):
        beside = cell + step
        order = board.get(beside, -1)
        if order < 0:
            frontier[beside] = frontier.get(beside, 0) | marks[side]
        else:
            facing = tables.facing[game.turned[order]][side ^ 2]
            _join_side(game, base, clockwise[side], bases[order], facing)
    if market is not None or game.markets:
        _count_around(game, cell, None if market is None else base + market)


def _add_segments(tables: Tables, game: Game, turned: int) -> int:
    """Make each segment of a tile a feature of its own; gives the first one's number."""
    tile = tables.tiles[turned >> 2]
    feature, ring, open_slots = game.feature, game.ring, game.open_slots
    symbols, islanders = game.symbols, game.islanders
    base = len(feature)
    labels = range(base, base + len(tile.kinds))
    feature += labels
    ring += labels
    open_slots += tile.open_slots
    symbols += tile.symbols
    islanders += tile.nobody
    return base


def _join_side(game: Game, base: int, slots: Slots, theirs: int, facing: Slots) -> None:
    """Close a side, and make one feature of each two that meet there; the older label stays."""
    feature, ring, open_slots = game.feature, game.ring, game.open_slots
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


def _count_around(game: Game, cell: int, market: int | None) -> None:
    """Keep the empty cells around each market (R5.4), the new one's too."""
    board, markets = game.board, game.markets
    for other, segment in markets.items():
        if other - cell in AROUND:
            game.open_slots[segment] -= 1
    if market is not None:
        markets[cell] = market
        game.open_slots[market] = sum(cell + step not in board for step in AROUND)
