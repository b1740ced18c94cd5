"""The content of a picture of a board, and its options."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.actions import Action
from schemas.game import GameView, PlacedTile
from schemas.tileset import Ship, Tile, TileSet
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
