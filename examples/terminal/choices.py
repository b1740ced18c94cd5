"""Legal moves under short keys, and the match of typed text.

A placement has a number for its cell and a letter for its rotation (`3b`), other moves a number, and pass 0. Any other
text filters the list to moves that contain it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from examples.terminal.phrases import ROLES, cell_text, cost_text, kind_of, wares_text
from examples.terminal.tile_picture import look_alike
from south_seas.models import (
    Deliver,
    GameAction,
    GameView,
    Move,
    Pass,
    PlaceIslander,
    PlaceTile,
    RetrieveIslander,
    Segment,
    Ship,
    TakeShip,
    Tile,
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


def make_menu(
    version: int, moves: Sequence[Move], game: GameView, tiles: dict[str, Tile], ships: dict[str, Ship]
) -> Menu:
    """Return the menu of all legal moves, in the service's order, with pass last.

    Of rotations that look and play alike at a cell, only the first is listed.
    """
    choices: list[Choice] = []
    cells: dict[tuple[int, int], list[int]] = {}
    for move in moves:
        match move.action:
            case PlaceTile(x=x, y=y, rotation=rotation):
                tile = tiles[game.turn.tile] if game.turn else None
                rotations = cells.setdefault((x, y), [])
                if tile is None or any(look_alike(tile, rotation, other) for other in rotations):
                    continue
                rotations.append(rotation)
                choices.append(
                    Choice(f"{len(cells)}{LETTERS[rotation]}", f"{cell_text(x, y)} {LETTERS[rotation]}", move)
                )
            case Pass():
                continue
            case action:
                text = _choice_text(action, game, tiles, ships)
                choices.append(Choice(str(len(choices) + 1), text or move.text, move))
    passes = [Choice("0", _pass_text(move.action), move) for move in moves if isinstance(move.action, Pass)]
    return Menu(version, (*choices, *passes))


def _pass_text(action: GameAction) -> str:
    return "no delivery" if isinstance(action, Pass) and action.phase == "deliver" else "no islander"


def _choice_text(action: GameAction, game: GameView, tiles: dict[str, Tile], ships: dict[str, Ship]) -> str:
    match action:
        case PlaceIslander(segment=segment):
            tile = tiles[game.turn.tile] if game.turn else None
            return _islander_text(tile.segments[segment]) if tile else ""
        case RetrieveIslander(x=x, y=y, segment=segment):
            kind = kind_of(tiles[game.board[f"{x},{y}"].tile].segments[segment])
            return f"take the {ROLES[kind]} at {cell_text(x, y)} back"
        case TakeShip(ship=ship):
            return f"take the ship worth {ships[ship].points}: {cost_text(ships[ship].cost)}"
        case Deliver(ship=ship, wares=wares) if wares is not None:
            return f"deliver {wares_text(wares)} for {ships[ship].points} points"
        case _:
            return ""


def _islander_text(segment: Segment) -> str:
    kind = kind_of(segment)
    if kind == "market":
        return "merchant in the market"
    return f"{ROLES[kind]} {'in' if kind == 'sea' else 'on'} the {kind}"
