"""The legal moves under short keys, and what somebody means by what they have typed.

Placements get a number for their cell and a letter for their rotation (`3b`), all other moves a number; doing nothing
is 0. Anything else that is typed narrows the list to the moves whose text contains it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from examples.terminal.phrases import ROLES, at, cost_in_words, kind_of, wares_in_words
from examples.terminal.tile_picture import look_alike
from schemas.actions import (
    Action,
    Deliver,
    Move,
    Pass,
    PlaceIslander,
    PlaceTile,
    RetrieveIslander,
    TakeShip,
)
from schemas.game import GameView
from schemas.tileset import Segment, Ship, Tile

LETTERS = "abcd"
"""A rotation's letter: quarter turns clockwise."""


class Choice(NamedTuple):
    """A legal move with its key and a short text."""

    key: str
    text: str
    move: Move


class Meaning(NamedTuple):
    """What was typed: one choice, or those that it may become."""

    chosen: Choice | None
    matching: tuple[Choice, ...]


class Menu(NamedTuple):
    """The choices of one decision, all of version `version`."""

    version: int
    choices: tuple[Choice, ...]

    def meaning(self, typed: str) -> Meaning:
        """The choice with this key, else the choices that it begins, else those whose text contains it."""
        typed = typed.strip().casefold()
        if not typed:
            return Meaning(None, self.choices)
        for choice in self.choices:
            if choice.key == typed:
                return Meaning(choice, (choice,))
        if typed.isdecimal():
            begun = tuple(choice for choice in self.choices if choice.key.rstrip(LETTERS) == typed)
        else:
            begun = tuple(choice for choice in self.choices if typed in f"{choice.text} {choice.move.text}".casefold())
        return Meaning(begun[0] if len(begun) == 1 else None, begun)


def make_menu(
    version: int, moves: Sequence[Move], game: GameView, tiles: dict[str, Tile], ships: dict[str, Ship]
) -> Menu:
    """The menu of all legal moves, in the service's order but for doing nothing, which comes last.

    Of two rotations of a tile at one cell that look and play alike the first stands for both.
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
                choices.append(Choice(f"{len(cells)}{LETTERS[rotation]}", f"{at(x, y)} {LETTERS[rotation]}", move))
            case Pass():
                continue
            case action:
                text = _text(action, game, tiles, ships)
                choices.append(Choice(str(len(choices) + 1), text or move.text, move))
    passes = [Choice("0", _nothing(move.action), move) for move in moves if isinstance(move.action, Pass)]
    return Menu(version, (*choices, *passes))


def _nothing(action: Action) -> str:
    return "no delivery" if isinstance(action, Pass) and action.phase == "deliver" else "no islander"


def _text(action: Action, game: GameView, tiles: dict[str, Tile], ships: dict[str, Ship]) -> str:
    match action:
        case PlaceIslander(segment):
            tile = tiles[game.turn.tile] if game.turn else None
            return _stand(tile.segments[segment]) if tile else ""
        case RetrieveIslander(x, y, segment):
            kind = kind_of(tiles[game.board[f"{x},{y}"].tile].segments[segment])
            return f"take the {ROLES[kind]} at {at(x, y)} back"
        case TakeShip(ship):
            return f"take the ship worth {ships[ship].points}: {cost_in_words(ships[ship].cost)}"
        case Deliver(ship, wares) if wares is not None:
            return f"deliver {wares_in_words(wares)} for {ships[ship].points} points"
        case _:
            return ""


def _stand(segment: Segment) -> str:
    kind = kind_of(segment)
    if kind == "market":
        return "merchant in the market"
    return f"{ROLES[kind]} {'in' if kind == 'sea' else 'on'} the {kind}"
