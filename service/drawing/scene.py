"""The content of a picture of a board, its options, and the numbers of its legal moves, from 1."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.game import GameView, PlacedTile
from schemas.tileset import Ship, Tile, TileSet
from schemas.vocabulary import Wares
from service.drawing.palette import THEMES, Palette, Theme
from service.i18n import ENGLISH, Language

Cell = tuple[int, int]

DEFAULT_WIDTH = 1200
MAX_REGION_SIDE = 60
"""Cells along a side of a region."""


class Region(NamedTuple):
    """A rectangle of cells, both corners included."""

    west: int
    north: int
    east: int
    south: int

    def contains(self, cell: Cell) -> bool:
        """Return whether the region contains a cell."""
        return self.west <= cell[0] <= self.east and self.north <= cell[1] <= self.south

    @property
    def columns(self) -> int:
        """Return the width in cells."""
        return self.east - self.west + 1

    @property
    def rows(self) -> int:
        """Return the height in cells."""
        return self.south - self.north + 1


class BoardOptions(NamedTuple):
    """Options of a picture of a board."""

    width: int = DEFAULT_WIDTH
    """In pixels, or in columns for text."""
    region: Region | None = None
    """None for all tiles."""
    coordinates: bool = False
    outline_last: bool = True
    """Whether the last tile placed is outlined."""
    sidebar: bool = False
    """Whether the drawn tile, the display and the players are shown beside the board."""
    number_moves: bool = False
    """Whether the legal moves are numbered."""
    theme: Theme = "light"
    language: Language = ENGLISH
    """Of the words; a PNG has none."""

    @property
    def colors(self) -> Palette:
        """Return the theme's colours."""
        return THEMES[self.theme]


class Scene(NamedTuple):
    """The public view of a game, with its tiles and ships, and its legal moves in the order of their list."""

    game: GameView
    tileset: TileSet
    tiles: Mapping[str, Tile]
    ships: Mapping[str, Ship]
    moves: Sequence[Action | None]

    @property
    def last_order(self) -> int:
        """Return the order of the tile placed last; 0 is the start tile."""
        return max(tile.order for tile in self.game.board.values())

    @property
    def placed_tile(self) -> PlacedTile | None:
        """Return the tile of this turn as it lies on the board; None if it is not placed."""
        placed = None if self.game.turn is None else self.game.turn.placed
        return None if placed is None else self.game.board[f"{placed.x},{placed.y}"]


def make_scene(game: GameView, tileset: TileSet, moves: Sequence[Action | None]) -> Scene:
    """Return the scene of a game; `moves` are in the order of their list, None where one is not shown."""
    return Scene(
        game, tileset, {tile.id: tile for tile in tileset.tiles}, {ship.id: ship for ship in tileset.ships}, moves
    )


def parse_cell(key: str) -> Cell:
    """Return the cell for a key of GAME's board."""
    x, _, y = key.partition(",")
    return int(x), int(y)


def bounding_region(cells: Iterable[Cell]) -> Region:
    """Return the smallest region that contains all cells."""
    xs, ys = zip(*cells, strict=True)
    return Region(min(xs), min(ys), max(xs), max(ys))


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


def label_moves(scene: Scene, *, shown: bool = True) -> MoveLabels:
    """Return the numbers of a scene's legal moves, by what each move is about; none unless they are shown."""
    cells: dict[Cell, list[int]] = {}
    rotations: dict[int, list[int]] = {}
    segments: dict[tuple[Cell, int], list[int]] = {}
    islanders: dict[tuple[Cell, int], list[int]] = {}
    ships: dict[str, list[int]] = {}
    payments: dict[str, list[tuple[int, Wares]]] = {}
    pass_move = None
    placed = None if scene.game.turn is None else scene.game.turn.placed
    for number, action in enumerate(scene.moves if shown else (), start=1):
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
    return options.region or bounding_region([*map(parse_cell, scene.game.board), *labels.cells])


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
