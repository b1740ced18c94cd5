"""The scene of the board for a game state."""

from collections.abc import Sequence

from examples.terminal.board import Cell, Figure, Scene, TileView
from examples.terminal.choices import LETTERS, Choice
from examples.terminal.game_state import GameState
from south_seas.models import PlaceIslander, PlaceTile, RetrieveIslander


def build_scene(state: GameState) -> Scene:
    """Return the board with its pieces, the keys of moves and a preview of the typed move."""
    labels = _labels(state)
    last = state.last_cell
    tiles = {cell: _tile_view(state, cell, labels.get(cell, {})) for cell in map(to_cell, state.game.board)}
    preview = _preview(state)
    tiles[last] = tiles[last]._replace(is_framed=preview is None)
    everywhere = _empty_cells(state.menu.choices if state.menu is not None else ())
    return Scene(
        tiles=tiles,
        choices=_empty_cells(state.menu_match.matching),
        open_cells=everywhere.keys(),
        focus=last,
        preview=preview,
    )


def to_cell(key: str) -> Cell:
    """Return the cell of a key in GAME's board."""
    x, y = key.split(",")
    return int(x), int(y)


def typed_cell(state: GameState) -> Cell | None:
    """Return the cell that the typed text refers to."""
    if not state.typed or not state.typed[0].isdecimal():
        return None
    cells = {_cell_of(choice) for choice in state.menu_match.matching}
    return cells.pop() if len(cells) == 1 else None


def rotations_at(state: GameState, cell: Cell | None) -> set[int]:
    """Return the legal rotations of the drawn tile at a cell, or at any cell for None."""
    choices = state.menu.choices if state.menu is not None else ()
    return {
        choice.move.action.rotation
        for choice in choices
        if isinstance(choice.move.action, PlaceTile) and cell in (None, _cell_of(choice))
    }


def placed_tile_labels(state: GameState) -> dict[int, str]:
    """Return the keys of moves on the tile just placed."""
    placed = state.game.turn.placed if state.game.turn else None
    return _labels(state).get((placed.x, placed.y), {}) if placed else {}


def _tile_view(state: GameState, cell: Cell, labels: dict[int, str]) -> TileView:
    x, y = cell
    tile = state.game.board[f"{x},{y}"]
    return TileView(
        tile=state.tiles[tile.tile],
        rotation=tile.rotation,
        figures=tuple(
            Figure(figure.segment, state.letters[figure.seat], state.style(figure.seat)) for figure in tile.islanders
        ),
        covered={(covered.segment, covered.group) for covered in tile.covered},
        labels=labels,
        is_new=cell in state.new_cells,
    )


def _labels(state: GameState) -> dict[Cell, dict[int, str]]:
    """Return the keys of moves on segments, by cell."""
    labels: dict[Cell, dict[int, str]] = {}
    placed = state.game.turn.placed if state.game.turn else None
    for choice in state.menu.choices if state.menu is not None else ():
        match choice.move.action:
            case PlaceIslander(segment=segment) if placed is not None:
                labels.setdefault((placed.x, placed.y), {})[segment] = choice.key
            case RetrieveIslander(x=x, y=y, segment=segment):
                labels.setdefault((x, y), {})[segment] = choice.key
            case _:
                pass
    return labels


def _empty_cells(choices: Sequence[Choice]) -> dict[Cell, str]:
    """Return the numbers of cells with placements."""
    cells = {_cell_of(choice): choice.key.rstrip(LETTERS) for choice in choices}
    return {cell: label for cell, label in cells.items() if cell is not None}


def _preview(state: GameState) -> tuple[Cell, TileView] | None:
    """Return the drawn tile at the typed placement."""
    cell = typed_cell(state)
    turn = state.game.turn
    if cell is None or turn is None:
        return None
    action = state.menu_match.matching[0].move.action
    if not isinstance(action, PlaceTile):
        return None
    return cell, TileView(tile=state.tiles[turn.tile], rotation=action.rotation, is_new=True, is_framed=True)


def _cell_of(choice: Choice) -> Cell | None:
    action = choice.move.action
    return (action.x, action.y) if isinstance(action, PlaceTile) else None
