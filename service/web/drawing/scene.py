"""What a picture of a board shows, and how it is asked for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.actions import Action
from schemas.game import GameView
from schemas.tileset import Ship, Tile, TileSet
from service.web.drawing.palette import THEMES, Palette, Theme

Cell = tuple[int, int]

DEFAULT_WIDTH = 1200
MAX_REGION_SIDE = 60
"""Cells along a side of a region."""


class Region(NamedTuple):
    """The cells of a picture, both corners among them."""

    west: int
    north: int
    east: int
    south: int

    def contains(self, cell: Cell) -> bool:
        """Whether a cell is one of them."""
        return self.west <= cell[0] <= self.east and self.north <= cell[1] <= self.south

    @property
    def columns(self) -> int:
        """How many cells it is wide."""
        return self.east - self.west + 1

    @property
    def rows(self) -> int:
        """How many cells it is high."""
        return self.south - self.north + 1


class BoardOptions(NamedTuple):
    """How a board is drawn."""

    width: int = DEFAULT_WIDTH
    """In pixels."""
    region: Region | None = None
    """None for all that lies."""
    coordinates: bool = False
    outline_last: bool = False
    """Whether the last tile is outlined."""
    sidebar: bool = False
    """Whether drawn tile, display and players are beside the board."""
    number_moves: bool = False
    """Whether the legal moves are numbered in the picture."""
    theme: Theme = "light"

    @property
    def colors(self) -> Palette:
        """The theme's colours."""
        return THEMES[self.theme]


class Scene(NamedTuple):
    """A game as everybody may see it, with its set and its legal moves in the list's order."""

    game: GameView
    tiles: Mapping[str, Tile]
    ships: Mapping[str, Ship]
    moves: Sequence[Action]

    def occupied_cells(self) -> Iterable[Cell]:
        """The cells with tiles."""
        return (parse_cell(key) for key in self.game.board)


def make_scene(game: GameView, tileset: TileSet, moves: Sequence[Action]) -> Scene:
    """The scene of a game; `moves` in the order of the list of legal moves, empty where they are not shown."""
    return Scene(game, {tile.id: tile for tile in tileset.tiles}, {ship.id: ship for ship in tileset.ships}, moves)


def parse_cell(key: str) -> Cell:
    """The cell that a key of GAME's board names."""
    x, _, y = key.partition(",")
    return int(x), int(y)


def bounding_region(cells: Iterable[Cell]) -> Region:
    """The smallest region that holds them all."""
    xs, ys = zip(*cells, strict=True)
    return Region(min(xs), min(ys), max(xs), max(ys))
