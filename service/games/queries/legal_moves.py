"""The legal moves of a game with their texts, and who must decide."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from schemas.actions import Action, Move, Pass, PlaceIslander, PlaceTile, RetrieveIslander
from schemas.commands import CellChoice, LegalMoves, NextDecision
from service.engine import Game, TileSetIndex, legal_moves
from service.engine.tileset_index import unpack_cell
from service.i18n import ENGLISH, Language, Translator, describe_cell, describe_move, get_translator

T = TypeVar("T")


class MoveFilter(NamedTuple):
    """A filter of the legal moves; by default it selects all."""

    stage: str | None = None
    x: int | None = None
    y: int | None = None
    q: str | None = None
    limit: int | None = None
    cursor: str | None = None


def next_decision(game: Game) -> NextDecision:
    """Return who must decide now."""
    if game.status != "active":
        return NextDecision(seat=None, phase=None)
    return NextDecision(seat=game.decider, phase=game.phase)


def list_legal_moves(
    index: TileSetIndex,
    game: Game,
    move_filter: MoveFilter = MoveFilter(),  # noqa: B008 (a NamedTuple)
    language: Language = ENGLISH,
) -> LegalMoves:
    """Return the legal moves that a filter selects, with their texts in a language. Raises Malformed."""
    actions = sorted(legal_moves(index, game), key=move_sort_key)
    spoken = get_translator(language)
    moves = [describe_move(spoken, index, game, action) for action in actions]
    if move_filter.x is not None or move_filter.y is not None:
        moves = [
            move
            for move in moves
            if _matches_cell(_cell_of(game, move.action), move_filter.x, move_filter.y)
            and not is_repeated(index, game, move.action)
        ]
    if move_filter.q is not None:
        moves = [move for move in moves if move_filter.q.casefold() in move.text.casefold()]
    rows: list[CellChoice | Move] = [*moves]
    if move_filter.stage == "cell":
        without_cell = [move for move in moves if _cell_of(game, move.action) is None]
        distinct = [move for move in moves if not is_repeated(index, game, move.action)]
        rows = [*_cell_choices(spoken, game, distinct), *without_cell]
    rows, cursor = _page(rows, move_filter)
    decision = next_decision(game)
    return LegalMoves(
        version=game.version,
        digest=game.digest,
        language=language,
        seat=decision.seat,
        phase=decision.phase,
        moves=[row for row in rows if type(row) is Move],
        repeated=[row.id for row in rows if type(row) is Move and is_repeated(index, game, row.action)],
        cells=[row for row in rows if type(row) is CellChoice] if move_filter.stage == "cell" else None,
        next_cursor=cursor,
    )


def move_sort_key(action: Action) -> tuple[int, int, int, int]:
    """Return the sort key by which moves are listed: by kind, from north to south, then from west to east."""
    match action:
        case PlaceTile(x, y, rotation):
            return 0, y, x, rotation
        case RetrieveIslander(x, y, segment):
            return 1, y, x, segment
        case Pass():
            return 2, 0, 0, 0
        case _:
            return 0, 0, 0, 0


def is_repeated(index: TileSetIndex, game: Game, action: Action) -> bool:
    """Return whether a move looks and plays like another one: a symmetric tile, turned further."""
    return isinstance(action, PlaceTile) and action.rotation >= index.distinct_rotations[game.tile]


def _cell_of(game: Game, action: Action) -> tuple[int, int] | None:
    """Return the cell of a move; deliveries, choices of a ship and passes have none."""
    match action:
        case PlaceTile(x, y) | RetrieveIslander(x, y):
            return x, y
        case PlaceIslander():
            return unpack_cell(game.cells[-1])
        case _:
            return None


def _matches_cell(cell: tuple[int, int] | None, x: int | None, y: int | None) -> bool:
    return cell is not None and x in (None, cell[0]) and y in (None, cell[1])


def _cell_choices(spoken: Translator, game: Game, moves: Sequence[Move]) -> Iterator[CellChoice]:
    numbers: dict[tuple[int, int], int] = {}
    for move in moves:
        cell = _cell_of(game, move.action)
        if cell is not None:
            numbers[cell] = numbers.get(cell, 0) + 1
    for (x, y), number in numbers.items():
        yield CellChoice(x=x, y=y, text=describe_cell(spoken, x, y, number))


def _page(items: list[T], move_filter: MoveFilter) -> tuple[list[T], str | None]:
    """Return a page of a list; the cursor is the number of items before it."""
    begin = int(move_filter.cursor or 0)
    if move_filter.limit is None:
        return items[begin:], None
    end = begin + move_filter.limit
    return items[begin:end], str(end) if end < len(items) else None
