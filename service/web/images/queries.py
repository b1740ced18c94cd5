"""What may be asked of a picture. Whatever is wrong with it raises Malformed with the parameter's name."""

import re
from typing import Annotated, Literal

from msgspec import Meta

from schemas.vocabulary import Count
from service.games.errors import Malformed
from service.web.drawing.palette import Theme
from service.web.drawing.scene import DEFAULT_WIDTH, MOST, Options, Region
from service.web.routing import Query

MOST_PIXELS = 4096
DEFAULT_COLUMNS = 120
INT32 = 2**31 - 1
REGION = re.compile(r"(-?\d{1,4}),(-?\d{1,4}),(-?\d{1,4}),(-?\d{1,4})", re.ASCII)

Switch = Literal[0, 1]
Width = Annotated[
    int, Meta(ge=16, le=INT32, description=f"Pixels; more than {MOST_PIXELS} are taken as {MOST_PIXELS}.")
]
ThemeAsked = Annotated[Theme, Meta(description="Colours for a light or for a dark page.")]


class BoardQuery(Query, frozen=True):
    """How a board is drawn."""

    width: Width = DEFAULT_WIDTH
    region: Annotated[
        str,
        Meta(
            description="`fit` for all that lies, or `x0,y0,x1,y1`: the cells at two corners.", examples=["-2,-2,2,2"]
        ),
    ] = "fit"
    coordinates: Annotated[Switch, Meta(description="1 writes the coordinates at the edges.")] = 0
    last: Annotated[Switch, Meta(description="1 outlines the tile placed last.")] = 0
    side: Annotated[Switch, Meta(description="1 shows drawn tile, display and players beside the board.")] = 0
    candidates: Annotated[
        Switch, Meta(description="1 numbers the legal moves as their list does, the first being 1.")
    ] = 0
    theme: ThemeAsked = "light"
    v: Annotated[Count, Meta(description="The game's version: its picture never changes.")] | None = None


class TextQuery(BoardQuery, frozen=True):
    """How a board is written; the theme makes no difference."""

    width: Annotated[
        int, Meta(ge=16, le=INT32, description="Columns: tiles are 11 by 5 characters where they fit, else 5 by 3.")
    ] = DEFAULT_COLUMNS


class PieceQuery(Query, frozen=True):
    """How a ship's token is drawn; in SVG it has no size of its own."""

    width: Width = 400
    theme: ThemeAsked = "light"


class TileQuery(PieceQuery, frozen=True):
    """How a tile is drawn."""

    rotation: Annotated[int, Meta(ge=0, le=3, description="Quarter turns clockwise.")] = 0


def options_of(asked: BoardQuery) -> Options:
    """The options of a board. Raises Malformed."""
    return Options(
        width=min(asked.width, MOST_PIXELS),
        region=_region(asked.region),
        coordinates=bool(asked.coordinates),
        last=bool(asked.last),
        side=bool(asked.side),
        candidates=bool(asked.candidates),
        theme=asked.theme,
    )


def _region(text: str) -> Region | None:
    if text == "fit":
        return None
    found = REGION.fullmatch(text)
    if found is None:
        raise Malformed("a region is `fit` or `x0,y0,x1,y1`, of whole numbers", "region")
    first_x, first_y, second_x, second_y = map(int, found.groups())
    region = Region(min(first_x, second_x), min(first_y, second_y), max(first_x, second_x), max(first_y, second_y))
    if max(region.columns, region.rows) > MOST:
        raise Malformed(f"a region is at most {MOST} cells wide and high", "region")
    return region
