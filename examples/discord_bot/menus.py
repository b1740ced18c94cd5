"""Legal moves as menus within Discord's limits: first the cell or ship, then the rotation or payment.

Options start with the numbers that the picture shows: a move's position in the whole list, from 1.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from examples.discord_bot.custom_ids import ComponentAction
from examples.discord_bot.phrases import Language, translate
from examples.discord_bot.screens import MAX_OPTION_LABEL, MAX_OPTIONS, Button, Menu, Option, clip
from south_seas.models import Deliver, LegalMoves, Move, Pass, PlaceTile

K = TypeVar("K", bound=Hashable)

MAX_MENUS = 3
"""Menus in one message; one row is left for paging buttons and one for others."""

PAGE_SIZE = MAX_MENUS * MAX_OPTIONS


class Numbered(NamedTuple):
    """A move with its number in the picture."""

    number: int
    move: Move


class Choice(NamedTuple):
    """A question with its menus and buttons."""

    question: str
    menus: Sequence[Menu]
    buttons: Sequence[Button]


def first_choice(language: Language, game: str, legal: LegalMoves, page: int = 0) -> Choice:
    """Return the first choice of a phase."""
    moves = numbered(legal)
    if legal.phase == "place_tile":
        return _cells(language, game, legal.version, moves, page)
    if legal.phase == "deliver" and len(moves) > PAGE_SIZE:
        return _ships(language, game, legal.version, moves)
    return _moves(language, game, legal.version, moves, translate(language, "choose_move"), page)


def rotation_choice(language: Language, game: str, legal: LegalMoves, cell: str) -> Choice:
    """Return a button for each rotation of the tile at a cell, as `x.y`."""
    turns = [one for one in numbered(legal) if _cell(one.move) == cell]
    buttons = [
        Button(
            f"{one.number} · {_degrees(one.move)}", ComponentAction(game, legal.version, "move", one.move.id), "primary"
        )
        for one in turns
    ]
    back = Button(translate(language, "back"), ComponentAction(game, legal.version, "page", "0"))
    return Choice(translate(language, "choose_turn"), (), [*buttons, back])


def single_move(legal: LegalMoves, cell: str) -> Move | None:
    """Return the move at a cell, as `x.y`, if there is only one."""
    moves = [move for move in legal.moves if _cell(move) == cell]
    return moves[0] if len(moves) == 1 else None


def payment_choice(language: Language, game: str, legal: LegalMoves, value: str) -> Choice:
    """Return the payments for a ship; `value` is its id, followed by `:PAGE` for a later page."""
    ship, _, page = value.partition(":")
    payments = [_option(one) for one in numbered(legal) if _ship(one.move) == ship]
    action = ComponentAction(game, legal.version, "move")
    choice = _paged(language, action, payments, translate(language, "choose_wares"), int(page or 0), f"{ship}:")
    back = Button(translate(language, "back"), ComponentAction(game, legal.version, "page", "0"))
    return choice._replace(buttons=[*choice.buttons, back])


def numbered(legal: LegalMoves) -> list[Numbered]:
    """Return the moves with the numbers of the picture."""
    return [Numbered(number, move) for number, move in enumerate(legal.moves, start=1)]


def compress_numbers(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, with a range for consecutive ones.

    >>> compress_numbers([4, 5, 6]), compress_numbers([2, 9]), compress_numbers([7])
    ('4-6', '2, 9', '7')
    """
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(map(str, numbers))


def _cells(language: Language, game: str, version: int, moves: Sequence[Numbered], page: int) -> Choice:
    by_cell = _grouped({one.number: _cell(one.move) for one in moves})
    options = [
        Option(clip(f"{compress_numbers(numbers)} · ({cell.replace('.', ', ')})", MAX_OPTION_LABEL), cell)
        for cell, numbers in by_cell.items()
    ]
    question = translate(language, "choose_cell")
    return _paged(language, ComponentAction(game, version, "cell"), options, question, page)


def _ships(language: Language, game: str, version: int, moves: Sequence[Numbered]) -> Choice:
    by_ship = _grouped({one.number: _ship(one.move) for one in moves if _ship(one.move)})
    options = [
        Option(clip(f"{compress_numbers(numbers)} · {ship}", MAX_OPTION_LABEL), ship)
        for ship, numbers in by_ship.items()
    ]
    choice = _paged(language, ComponentAction(game, version, "ship"), options, translate(language, "choose_ship"), 0)
    return choice._replace(buttons=[*choice.buttons, *_passing(game, version, moves)])


def _moves(language: Language, game: str, version: int, moves: Sequence[Numbered], question: str, page: int) -> Choice:
    options = [_option(one) for one in moves if not isinstance(one.move.action, Pass)]
    choice = _paged(language, ComponentAction(game, version, "move"), options, question, page)
    return choice._replace(buttons=[*choice.buttons, *_passing(game, version, moves)])


def _option(one: Numbered) -> Option:
    return Option(clip(f"{one.number} · {one.move.text}", MAX_OPTION_LABEL), one.move.id)


def _passing(game: str, version: int, moves: Sequence[Numbered]) -> list[Button]:
    return [
        Button(
            clip(f"{one.number} · {one.move.text}", 80), ComponentAction(game, version, "move", one.move.id), "primary"
        )
        for one in moves
        if isinstance(one.move.action, Pass)
    ]


def _paged(
    language: Language, action: ComponentAction, options: Sequence[Option], question: str, page: int, ship: str = ""
) -> Choice:
    """Return a page of options in menus of 25, with unique custom ids, because Discord requires them."""
    shown = options[page * PAGE_SIZE : (page + 1) * PAGE_SIZE]
    menus = [
        Menu(question, action._replace(value=str(begin)), shown[begin : begin + MAX_OPTIONS])
        for begin in range(0, len(shown), MAX_OPTIONS)
    ]
    turn = action._replace(name="ship" if ship else "page")
    buttons = []
    if page > 0:
        buttons.append(Button(translate(language, "earlier", page=page), turn._replace(value=f"{ship}{page - 1}")))
    if len(options) > (page + 1) * PAGE_SIZE:
        buttons.append(Button(translate(language, "later", page=page + 2), turn._replace(value=f"{ship}{page + 1}")))
    return Choice(question, menus, buttons)


def _grouped(keys: Mapping[int, K]) -> dict[K, list[int]]:
    groups: dict[K, list[int]] = {}
    for number, key in keys.items():
        groups.setdefault(key, []).append(number)
    return groups


def _cell(move: Move) -> str:
    action = move.action
    return f"{action.x}.{action.y}" if isinstance(action, PlaceTile) else ""


def _ship(move: Move) -> str:
    return move.action.ship if isinstance(move.action, Deliver) else ""


def _degrees(move: Move) -> str:
    return f"{90 * move.action.rotation}°" if isinstance(move.action, PlaceTile) else ""
