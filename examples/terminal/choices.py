"""Legal moves under short keys, and the match of typed text.

A placement has a number for its cell and a letter for its rotation (`3b`), other moves a number, and pass 0. Any other
text filters the list to moves that contain it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from examples.terminal.phrases import cell_text, cost_text, wares_text
from south_seas.models import (
    Deliver,
    GameAction,
    Move,
    Pass,
    PlaceTile,
    Ship,
    TakeShip,
)

LETTERS = "abcd"
"""The letters of rotations, in quarter turns clockwise."""


class Choice(NamedTuple):
    """A legal move with its key and a short text."""

    key: str
    text: str
    move: Move


class MenuMatch(NamedTuple):
    """The match of typed text: one choice, or the remaining candidates."""

    chosen: Choice | None
    matching: tuple[Choice, ...]


class Menu(NamedTuple):
    """The choices of a decision at a version."""

    version: int
    choices: tuple[Choice, ...]

    def match(self, typed: str) -> MenuMatch:
        """Return the choice with this key, else the choices that start with it, else those that contain it."""
        typed = typed.strip().casefold()
        if not typed:
            return MenuMatch(None, self.choices)
        for choice in self.choices:
            if choice.key == typed:
                return MenuMatch(choice, (choice,))
        if typed.isdecimal():
            matching = tuple(choice for choice in self.choices if choice.key.rstrip(LETTERS) == typed)
        else:
            matching = tuple(
                choice for choice in self.choices if typed in f"{choice.text} {choice.move.text}".casefold()
            )
        return MenuMatch(matching[0] if len(matching) == 1 else None, matching)


def make_menu(version: int, moves: Sequence[Move], ships: dict[str, Ship]) -> Menu:
    """Return the menu of these legal moves, in the service's order, with pass last."""
    choices: list[Choice] = []
    cells: dict[tuple[int, int], int] = {}
    for move in moves:
        match move.action:
            case PlaceTile(x=x, y=y, rotation=rotation):
                number = cells.setdefault((x, y), len(cells) + 1)
                choices.append(Choice(f"{number}{LETTERS[rotation]}", f"{cell_text(x, y)} {LETTERS[rotation]}", move))
            case Pass():
                continue
            case action:
                text = _choice_text(action, ships)
                choices.append(Choice(str(len(choices) + 1), text or move.text, move))
    passes = [Choice("0", _pass_text(move.action), move) for move in moves if isinstance(move.action, Pass)]
    return Menu(version, (*choices, *passes))


def _pass_text(action: GameAction) -> str:
    return "no delivery" if isinstance(action, Pass) and action.phase == "deliver" else "no islander"


def _choice_text(action: GameAction, ships: dict[str, Ship]) -> str:
    match action:
        case TakeShip(ship=ship):
            return f"take {_ship_text(ships[ship])}"
        case Deliver(ship=ship, wares=wares) if wares is not None:
            return f"deliver {wares_text(wares)} to {_ship_text(ships[ship])}"
        case _:
            return ""


def _ship_text(ship: Ship) -> str:
    """Return what tells a ship from others: its points and cost."""
    return f"the ship worth {ship.points}: {cost_text(ship.cost)}"
