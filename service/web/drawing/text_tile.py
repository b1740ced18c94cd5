"""A tile as characters: the kind of ground at each, and what lies on it."""

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from service.web.drawing.layout.distance_fields import SIDE, Point
from service.web.drawing.layout.terrain import NOBODY, node_at
from service.web.drawing.layout.tile_layout import Plan, plan
from service.web.drawing.tile import things

Rows = list[list[str]]
"""Characters by row and column."""

GROUND: dict[type[Segment], str] = {Bridge: "=", Island: "^", Sea: ".", Market: "#"}
THINGS = {"banana": "b", "shell": "s", "fish": "f", "shoal": "F", "boat": "v", "stall": "M"}
COVERED = "x"
THIRDS = (1 / 6, 3 / 6, 5 / 6)


class Size(NamedTuple):
    """Characters of a tile."""

    columns: int
    rows: int


LARGE = Size(11, 5)
SMALL = Size(5, 3)


@lru_cache(maxsize=4096)
def ground(segments: tuple[Segment, ...], rotation: int, size: Size) -> tuple[str, ...]:
    """Each row of a tile's ground."""
    drawn = plan(segments)
    return tuple(
        "".join(_character(drawn, rotation, size, column, row) for column in range(size.columns))
        for row in range(size.rows)
    )


def marks(drawn: Plan, rotation: int, size: Size) -> dict[tuple[int, int | None], list[tuple[int, int, str]]]:
    """What lies on a tile, by segment and group of fish: column, row and character of each."""
    found: dict[tuple[int, int | None], list[tuple[int, int, str]]] = {}
    for index in range(len(drawn.segments)):
        for name, group, laid in things(drawn, index, rotation):
            if name in THINGS:
                found.setdefault((index, group), []).append((*spot(laid.at, size), THINGS[name]))
    return found


def spot(point: Point, size: Size) -> tuple[int, int]:
    """The column and row at a place of a tile as it lies."""
    return (
        min(int(point.x * size.columns / SIDE), size.columns - 1),
        min(int(point.y * size.rows / SIDE), size.rows - 1),
    )


def _character(drawn: Plan, rotation: int, size: Size, column: int, row: int) -> str:
    """What most of a character's ground is; a bridge or a market where there is a third of it."""
    owners = Counter(
        drawn.ground[node_at(Point((column + x) * SIDE / size.columns, (row + y) * SIDE / size.rows).turned(-rotation))]
        for x in THIRDS
        for y in THIRDS
    )
    kinds: Counter[str] = Counter()
    for owner, number in owners.items():
        kinds["." if owner == NOBODY else GROUND[type(drawn.segments[owner])]] += number
    for narrow in ("#", "="):
        if kinds[narrow] >= 3:
            return narrow
    return kinds.most_common(1)[0][0]
