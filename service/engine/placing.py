"""R3: placing the tile, and joining its segments to the features beside it."""

from schemas.actions import PlaceTile
from service.engine.errors import IllegalMove
from service.engine.game import Game
from service.engine.tables import AROUND, CELL_BITS, CELL_REACH, NEIGHBOURS, Tables, to_cell

SIDES = ("north", "east", "south", "west")
SHOWN = ("nothing", "sea", "a bridge", "an island")


def legal_placements(tables: Tables, game: Game) -> list[PlaceTile]:
    """Every cell and rotation for the drawn tile (R3.2, R3.3, R3.4), in the order in which the cells came up."""
    fits = tables.fits[game.tile]
    moves = []
    for cell, packed in game.frontier.items():
        if rotations := fits[packed]:
            y = (cell + CELL_REACH) >> CELL_BITS
            x = cell - (y << CELL_BITS)
            for rotation in rotations:
                moves.append(PlaceTile(x, y, rotation))  # noqa: PERF401 (a nested comprehension is slower here)
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
    cell = to_cell(x, y) if -CELL_REACH < x < CELL_REACH and -CELL_REACH < y < CELL_REACH else None
    packed = None if cell is None else game.frontier.get(cell)
    if cell is None or packed is None:
        if cell in game.board:
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
    tile = tables.tiles[turned >> 2]
    board, frontier, feature = game.board, game.frontier, game.feature
    order, base = len(game.cells), len(feature)
    labels = range(base, base + len(tile.kinds))
    feature += labels
    game.ring += labels
    game.open_slots += tile.open_slots
    game.symbols += tile.symbols
    game.islanders += [0] * len(tile.kinds)
    board[cell] = order
    game.cells.append(cell)
    game.turned.append(turned)
    game.bases.append(base)
    frontier.pop(cell, None)
    clockwise, marks = tables.clockwise[turned], tables.marks[turned]
    for side, step in enumerate(NEIGHBOURS):
        beside = cell + step
        neighbour = board.get(beside)
        if neighbour is None:
            frontier[beside] = frontier.get(beside, 0) | marks[side]
        else:
            theirs = game.bases[neighbour]
            facing = tables.facing[game.turned[neighbour]][side ^ 2]
            for mine, other in zip(clockwise[side], facing):  # noqa: B905 (equal by R3.3; strict costs time)
                _join(game, feature[base + mine], feature[theirs + other])
    if tile.market is not None or game.markets:
        _count_around(game, cell, None if tile.market is None else base + tile.market)


def _join(game: Game, one: int, other: int) -> None:
    """Close one side between two features, and make them one; the older label stays."""
    if one == other:
        game.open_slots[one] -= 2
        return
    old, young = (one, other) if one < other else (other, one)
    open_slots, symbols, islanders, feature, ring = (
        game.open_slots,
        game.symbols,
        game.islanders,
        game.feature,
        game.ring,
    )
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
