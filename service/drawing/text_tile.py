"""A tile as characters: its ground and its symbols."""

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from service.drawing.layout.distance_fields import TILE_SIZE, Point
from service.drawing.layout.terrain import NO_SEGMENT, node_at
from service.drawing.layout.tile_layout import TileLayout, lay_out_tile
from service.drawing.tile import tile_symbols

Rows = list[list[str]]
"""Characters by row and column."""

GROUND_CHARACTERS: dict[type[Segment], str] = {Bridge: "=", Island: "^", Sea: ".", Market: "#"}
SYMBOL_CHARACTERS = {"banana": "b", "shell": "s", "fish": "f", "shoal": "F", "boat": "v", "stall": "M"}
COVERED_CHARACTER = "x"
SAMPLE_OFFSETS = (1 / 6, 3 / 6, 5 / 6)


class CharacterSize(NamedTuple):
    """The size of a tile in characters."""

    columns: int
    rows: int


LARGE = CharacterSize(11, 5)
SMALL = CharacterSize(5, 3)


@lru_cache(maxsize=4096)
def ground_rows(segments: tuple[Segment, ...], rotation: int, size: CharacterSize) -> tuple[str, ...]:
    """Return the rows of a tile's ground."""
    layout = lay_out_tile(segments)
    return tuple(
        "".join(_ground_character(layout, rotation, size, column, row) for column in range(size.columns))
        for row in range(size.rows)
    )


def symbol_characters(
    layout: TileLayout, rotation: int, size: CharacterSize
) -> dict[tuple[int, int | None], list[tuple[int, int, str]]]:
    """Return the symbols of a tile, by segment and fish group: column, row and character of each."""
    characters: dict[tuple[int, int | None], list[tuple[int, int, str]]] = {}
    for index in range(len(layout.segments)):
        for name, group, laid in tile_symbols(layout, index, rotation):
            if name in SYMBOL_CHARACTERS:
                characters.setdefault((index, group), []).append(
                    (*character_cell(laid.at, size), SYMBOL_CHARACTERS[name])
                )
    return characters


def character_cell(point: Point, size: CharacterSize) -> tuple[int, int]:
    """Return the column and row of a point of the rotated tile."""
    return (
        min(int(point.x * size.columns / TILE_SIZE), size.columns - 1),
        min(int(point.y * size.rows / TILE_SIZE), size.rows - 1),
    )


def _ground_character(layout: TileLayout, rotation: int, size: CharacterSize, column: int, row: int) -> str:
    """Return the most frequent kind of ground at a character; bridges and markets count from a third."""
    owners = Counter(
        layout.ground[
            node_at(
                Point((column + x) * TILE_SIZE / size.columns, (row + y) * TILE_SIZE / size.rows).rotated(-rotation)
            )
        ]
        for x in SAMPLE_OFFSETS
        for y in SAMPLE_OFFSETS
    )
    kinds: Counter[str] = Counter()
    for owner, number in owners.items():
        kinds["." if owner == NO_SEGMENT else GROUND_CHARACTERS[type(layout.segments[owner])]] += number
    for narrow in ("#", "="):
        if kinds[narrow] >= 3:
            return narrow
    return kinds.most_common(1)[0][0]
