"""The legal moves as menus within Discord's limits: first where, then how.

A menu's lines begin with the numbers that the picture shows: a move's place in the whole list, from 1.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from examples.discord_bot.custom_ids import Pressed
from examples.discord_bot.phrases import Language, say
from examples.discord_bot.screens import OPTION, OPTIONS, Button, Menu, Option, clip
from schemas.actions import Deliver, Move, Pass, PlaceTile
from schemas.commands import LegalMoves

K = TypeVar("K", bound=Hashable)

MENUS = 3
"""Menus in one message; a row is left for turning the pages and one for all else."""

PAGE = MENUS * OPTIONS


class Numbered(NamedTuple):
    """A move with its number."""

    number: int
    move: Move


class Choice(NamedTuple):
    """What to choose from, and how to go on."""

    question: str
    menus: Sequence[Menu]
    buttons: Sequence[Button]


def whole_menu(language: Language, game: str, legal: LegalMoves, page: int = 0) -> Choice:
    """The first question of a phase."""
    moves = numbered(legal)
    if legal.phase == "place_tile":
        return _cells(language, game, legal.version, moves, page)
    if legal.phase == "deliver" and len(moves) > PAGE:
        return _ships(language, game, legal.version, moves)
    return _moves(language, game, legal.version, moves, say(language, "choose_move"), page)


def cell_menu(language: Language, game: str, legal: LegalMoves, cell: str) -> Choice:
    """The rotations of the tile at a cell, as `x.y`: a button each."""
    turns = [one for one in numbered(legal) if _cell(one.move) == cell]
    buttons = [
        Button(f"{one.number} · {_degrees(one.move)}", Pressed(game, legal.version, "move", one.move.id), "primary")
        for one in turns
    ]
    back = Button(say(language, "back"), Pressed(game, legal.version, "page", "0"))
    return Choice(say(language, "choose_turn"), (), [*buttons, back])


def only_move(legal: LegalMoves, cell: str) -> Move | None:
    """The move at a cell, as `x.y`, where there is only one: nobody need be asked how."""
    moves = [move for move in legal.moves if _cell(move) == cell]
    return moves[0] if len(moves) == 1 else None


def ship_menu(language: Language, game: str, legal: LegalMoves, value: str) -> Choice:
    """What may be paid for a ship, whose id is the value, with `:PAGE` behind it for a later page."""
    ship, _, page = value.partition(":")
    payments = [_option(one) for one in numbered(legal) if _ship(one.move) == ship]
    pressed = Pressed(game, legal.version, "move")
    choice = _paged(language, pressed, payments, say(language, "choose_wares"), int(page or 0), f"{ship}:")
    back = Button(say(language, "back"), Pressed(game, legal.version, "page", "0"))
    return choice._replace(buttons=[*choice.buttons, back])


def numbered(legal: LegalMoves) -> list[Numbered]:
    """The moves with the numbers that the picture shows."""
    return [Numbered(number, move) for number, move in enumerate(legal.moves, start=1)]


def brief(numbers: Sequence[int]) -> str:
    """Ascending numbers, drawn together where they follow each other.

    >>> brief([4, 5, 6]), brief([2, 9]), brief([7])
    ('4-6', '2, 9', '7')
    """
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(map(str, numbers))


def _cells(language: Language, game: str, version: int, moves: Sequence[Numbered], page: int) -> Choice:
    by_cell = _grouped({one.number: _cell(one.move) for one in moves})
    options = [
        Option(clip(f"{brief(numbers)} · ({cell.replace('.', ', ')})", OPTION), cell)
        for cell, numbers in by_cell.items()
    ]
    question = say(language, "choose_cell")
    return _paged(language, Pressed(game, version, "cell"), options, question, page)


def _ships(language: Language, game: str, version: int, moves: Sequence[Numbered]) -> Choice:
    by_ship = _grouped({one.number: _ship(one.move) for one in moves if _ship(one.move)})
    options = [Option(clip(f"{brief(numbers)} · {ship}", OPTION), ship) for ship, numbers in by_ship.items()]
    choice = _paged(language, Pressed(game, version, "ship"), options, say(language, "choose_ship"), 0)
    return choice._replace(buttons=[*choice.buttons, *_passing(game, version, moves)])


def _moves(language: Language, game: str, version: int, moves: Sequence[Numbered], question: str, page: int) -> Choice:
    options = [_option(one) for one in moves if not isinstance(one.move.action, Pass)]
    choice = _paged(language, Pressed(game, version, "move"), options, question, page)
    return choice._replace(buttons=[*choice.buttons, *_passing(game, version, moves)])


def _option(one: Numbered) -> Option:
    return Option(clip(f"{one.number} · {one.move.text}", OPTION), one.move.id)


def _passing(game: str, version: int, moves: Sequence[Numbered]) -> list[Button]:
    return [
        Button(clip(f"{one.number} · {one.move.text}", 80), Pressed(game, version, "move", one.move.id), "primary")
        for one in moves
        if isinstance(one.move.action, Pass)
    ]


def _paged(
    language: Language, pressed: Pressed, options: Sequence[Option], question: str, page: int, ship: str = ""
) -> Choice:
    """One page of options in menus of 25; a custom id says which menu it is, for Discord wants each to be its own."""
    shown = options[page * PAGE : (page + 1) * PAGE]
    menus = [
        Menu(question, pressed._replace(value=str(begin)), shown[begin : begin + OPTIONS])
        for begin in range(0, len(shown), OPTIONS)
    ]
    turn = pressed._replace(what="ship" if ship else "page")
    buttons = []
    if page > 0:
        buttons.append(Button(say(language, "earlier", page=page), turn._replace(value=f"{ship}{page - 1}")))
    if len(options) > (page + 1) * PAGE:
        buttons.append(Button(say(language, "later", page=page + 2), turn._replace(value=f"{ship}{page + 1}")))
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
