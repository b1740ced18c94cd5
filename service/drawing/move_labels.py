"""The numbers of legal moves, from 1, by where the picture shows them."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from schemas.actions import Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import Wares
from service.drawing.scene import BoardOptions, Cell, Region, Scene, bounding_region, parse_cell


class MoveLabels(NamedTuple):
    """The numbers of the legal moves, by what each move is about."""

    cells: Mapping[Cell, str]
    """By empty cell: the numbers of the drawn tile's rotations."""
    rotations: Mapping[int, list[int]]
    """By rotation of the drawn tile: the numbers of placing it so."""
    segments: Mapping[tuple[Cell, int], str]
    """By segment: the number of placing an islander on it."""
    islanders: Mapping[tuple[Cell, int], str]
    """By islander: the number of retrieving it."""
    ships: Mapping[str, str]
    """By ship: the numbers of taking it or delivering to it."""
    payments: Mapping[str, list[tuple[int, Wares]]]
    """By ship: the numbers of delivering to it, each with its wares."""
    pass_move: str | None
    """The number of `pass`."""


def label_moves(scene: Scene) -> MoveLabels:
    """Return the numbers of a scene's legal moves, by what each move is about."""
    cells: dict[Cell, list[int]] = {}
    rotations: dict[int, list[int]] = {}
    segments: dict[tuple[Cell, int], list[int]] = {}
    islanders: dict[tuple[Cell, int], list[int]] = {}
    ships: dict[str, list[int]] = {}
    payments: dict[str, list[tuple[int, Wares]]] = {}
    pass_move = None
    placed = None if scene.game.turn is None else scene.game.turn.placed
    for number, action in enumerate(scene.moves, start=1):
        match action:
            case PlaceTile(x=x, y=y, rotation=rotation):
                cells.setdefault((x, y), []).append(number)
                rotations.setdefault(rotation, []).append(number)
            case PlaceIslander(segment=segment):
                if placed is not None:
                    segments.setdefault(((placed.x, placed.y), segment), []).append(number)
            case RetrieveIslander(x=x, y=y, segment=segment):
                islanders.setdefault(((x, y), segment), []).append(number)
            case TakeShip(ship=ship) | Deliver(ship=ship):
                ships.setdefault(ship, []).append(number)
                if isinstance(action, Deliver) and action.wares is not None:
                    payments.setdefault(ship, []).append((number, action.wares))
            case Pass():
                pass_move = str(number)
            case None:
                pass  # it looks and plays like another move
    return MoveLabels(
        {key: format_numbers(numbers) for key, numbers in cells.items()},
        rotations,
        {key: format_numbers(numbers) for key, numbers in segments.items()},
        {key: format_numbers(numbers) for key, numbers in islanders.items()},
        {key: format_numbers(numbers) for key, numbers in ships.items()},
        payments,
        pass_move,
    )


def shown_region(scene: Scene, options: BoardOptions, labels: MoveLabels) -> Region:
    """Return the region of the options, or the smallest with every tile and every numbered cell."""
    numbered = labels.cells if options.number_moves else ()
    return options.region or bounding_region([*map(parse_cell, scene.game.board), *numbered])


def format_numbers(numbers: Sequence[int]) -> str:
    """Format ascending numbers, with runs as ranges.

    >>> format_numbers([3, 4, 5, 9])
    '3-5,9'
    >>> format_numbers([1, 2])
    '1,2'
    """
    runs = groupby(enumerate(numbers), lambda item: item[1] - item[0])
    return ",".join(_format_run([number for _, number in run]) for _, run in runs)


def _format_run(run: Sequence[int]) -> str:
    return f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run))
