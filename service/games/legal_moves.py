"""The legal moves of a game with their texts, and who must decide."""

from collections.abc import Sequence

from schemas.actions import Action, Move, Pass, PlaceIslander, PlaceTile, RetrieveIslander
from schemas.commands import CellChoice, LegalMoves, LegalMovesQuery, NextDecision
from service import i18n
from service.engine import Game, TileSetIndex, legal_moves
from service.engine.tileset_index import unpack_cell

ALL_MOVES = LegalMovesQuery()


def next_decision(game: Game) -> NextDecision:
    """Return who must decide now."""
    if game.status != "active":
        return NextDecision(seat=None, phase=None)
    return NextDecision(seat=game.decider, phase=game.phase)


def list_legal_moves(
    index: TileSetIndex, game: Game, wanted: LegalMovesQuery = ALL_MOVES, language: i18n.Language = i18n.ENGLISH
) -> LegalMoves:
    """Return the legal moves that a filter selects, with their texts in a language. Raises Malformed."""
    spoken = i18n.get_translator(language)
    actions = sorted(legal_moves(index, game), key=move_sort_key)
    moves = [i18n.describe_move(spoken, index, game, action) for action in actions]
    rows = moves if wanted is ALL_MOVES else _select_rows(spoken, index, game, moves, wanted)
    begin = int(wanted.cursor or 0)
    end = len(rows) if wanted.limit is None else begin + wanted.limit
    page, decision = rows[begin:end], next_decision(game)
    ships = None
    if wanted.effects and decision.seat is not None:
        appraiser = i18n.MoveAppraiser.of(spoken, index, game)
        page = [appraiser.appraise(row) if type(row) is Move else row for row in page]
        ships = appraiser.appraise_ships()
    return LegalMoves(
        version=game.version,
        digest=game.digest.hex(),
        language=language,
        seat=decision.seat,
        phase=decision.phase,
        moves=[row for row in page if type(row) is Move],
        repeated=[row.id for row in page if type(row) is Move and is_repeated(index, game, row.action)],
        cells=[row for row in page if type(row) is CellChoice] if wanted.stage == "cell" else None,
        ships=ships,
        next_cursor=str(end) if end < len(rows) else None,
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


def _select_rows(
    spoken: i18n.Translator, index: TileSetIndex, game: Game, moves: Sequence[Move], wanted: LegalMovesQuery
) -> Sequence[CellChoice | Move]:
    """Return the moves that a filter selects, or in the first stage of a menu the cells that have any of them."""
    x, y, q = wanted.x, wanted.y, wanted.q
    if x is not None or y is not None:
        moves = [
            move
            for move in moves
            if (cell := _cell_of(game, move.action)) is not None
            and x in (None, cell[0])
            and y in (None, cell[1])
            and not is_repeated(index, game, move.action)
        ]
    if q is not None:
        moves = [move for move in moves if q.casefold() in move.text.casefold()]
    if wanted.stage != "cell":
        return moves
    numbers: dict[tuple[int, int], int] = {}
    without_cell = []
    for move in moves:
        cell = _cell_of(game, move.action)
        if cell is None:
            without_cell.append(move)
        elif not is_repeated(index, game, move.action):
            numbers[cell] = numbers.get(cell, 0) + 1
    cells = [CellChoice(x=x, y=y, text=i18n.describe_cell(spoken, x, y, number)) for (x, y), number in numbers.items()]
    return [*cells, *without_cell]
