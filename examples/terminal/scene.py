"""From what a terminal knows to what its board shows."""

from collections.abc import Sequence

from examples.terminal.board import Cell, Figure, Laid, Scene
from examples.terminal.choices import LETTERS, Choice
from examples.terminal.game_state import Table
from schemas.actions import PlaceIslander, PlaceTile, RetrieveIslander


def scene(table: Table) -> Scene:
    """The board with everything on it, the keys of the moves, and the move that is typed."""
    labels = _labels(table)
    last = table.last
    tiles = {cell: _laid(table, cell, labels.get(cell, {})) for cell in map(to_cell, table.game.board)}
    preview = _preview(table)
    tiles[last] = tiles[last]._replace(framed=preview is None)
    everywhere = _empty_cells(table.menu.choices if table.menu is not None else ())
    return Scene(
        tiles=tiles,
        choices=_empty_cells(table.meaning.matching),
        open_cells=everywhere.keys(),
        focus=last,
        preview=preview,
    )


def to_cell(key: str) -> Cell:
    """The cell of a key of GAME's board."""
    x, y = key.split(",")
    return int(x), int(y)


def typed_cell(table: Table) -> Cell | None:
    """The cell that the typed line is about."""
    if not table.typed or not table.typed[0].isdecimal():
        return None
    cells = {_cell_of(choice) for choice in table.meaning.matching}
    return cells.pop() if len(cells) == 1 else None


def rotations_at(table: Table, cell: Cell | None) -> set[int]:
    """The rotations that the drawn tile may have at a cell; anywhere, where that is None."""
    choices = table.menu.choices if table.menu is not None else ()
    return {
        choice.move.action.rotation
        for choice in choices
        if isinstance(choice.move.action, PlaceTile) and cell in (None, _cell_of(choice))
    }


def labels_of_placed(table: Table) -> dict[int, str]:
    """The keys of the moves on the tile just placed."""
    placed = table.game.turn.placed if table.game.turn else None
    return _labels(table).get((placed.x, placed.y), {}) if placed else {}


def _laid(table: Table, cell: Cell, labels: dict[int, str]) -> Laid:
    x, y = cell
    tile = table.game.board[f"{x},{y}"]
    return Laid(
        tile=table.tiles[tile.tile],
        rotation=tile.rotation,
        figures=tuple(
            Figure(figure.segment, table.letters[figure.seat], table.style(figure.seat)) for figure in tile.islanders
        ),
        covered={(covered.segment, covered.group) for covered in tile.covered},
        labels=labels,
        fresh=cell in table.fresh,
    )


def _labels(table: Table) -> dict[Cell, dict[int, str]]:
    """The keys of the moves on segments."""
    labels: dict[Cell, dict[int, str]] = {}
    placed = table.game.turn.placed if table.game.turn else None
    for choice in table.menu.choices if table.menu is not None else ():
        match choice.move.action:
            case PlaceIslander(segment) if placed is not None:
                labels.setdefault((placed.x, placed.y), {})[segment] = choice.key
            case RetrieveIslander(x, y, segment):
                labels.setdefault((x, y), {})[segment] = choice.key
            case _:
                pass
    return labels


def _empty_cells(choices: Sequence[Choice]) -> dict[Cell, str]:
    """The numbers of the cells where the drawn tile may go."""
    cells = {_cell_of(choice): choice.key.rstrip(LETTERS) for choice in choices}
    return {cell: label for cell, label in cells.items() if cell is not None}


def _preview(table: Table) -> tuple[Cell, Laid] | None:
    """The drawn tile where the typed line would place it."""
    cell = typed_cell(table)
    turn = table.game.turn
    if cell is None or turn is None:
        return None
    action = table.meaning.matching[0].move.action
    if not isinstance(action, PlaceTile):
        return None
    return cell, Laid(tile=table.tiles[turn.tile], rotation=action.rotation, fresh=True, framed=True)


def _cell_of(choice: Choice) -> Cell | None:
    action = choice.move.action
    return (action.x, action.y) if isinstance(action, PlaceTile) else None
