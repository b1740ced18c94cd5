"""Query parameters of pictures."""

from typing import Annotated

from msgspec import Meta

from schemas.vocabulary import Count
from service.drawing.palette import Theme
from service.drawing.scene import DEFAULT_WIDTH, MAX_REGION_SIDE, BoardOptions, Region
from service.web.routing import Query

MAX_WIDTH_PX = 4096
DEFAULT_COLUMNS = 120
MAX_INT32 = 2**31 - 1

Width = Annotated[int, Meta(ge=16, le=MAX_INT32, description=f"The width in pixels; at most {MAX_WIDTH_PX} is used.")]
ThemeParameter = Annotated[Theme, Meta(description="The colours, for a light or a dark page.")]


class BoardQuery(Query, frozen=True):
    """Options of a picture of a board."""

    width: Width = DEFAULT_WIDTH
    region: Annotated[
        str,
        Meta(
            pattern=r"^(fit|-?[0-9]{1,4}(,-?[0-9]{1,4}){3})(?!\n)$",
            description="`fit` for all tiles, or `x0,y0,x1,y1`: the cells at two corners. From the north-western "
            f"corner on, at most {MAX_REGION_SIDE} columns and rows are used.",
            examples=["-2,-2,2,2"],
        ),
    ] = "fit"
    coordinates: Annotated[bool, Meta(description="Whether to show the coordinates at the edges.")] = False
    last: Annotated[bool, Meta(description="Whether to outline the last tile placed.")] = True
    side: Annotated[
        bool, Meta(description="Whether to show the drawn tile, the display and the players beside the board.")
    ] = False
    candidates: Annotated[
        bool, Meta(description="Whether to number the legal moves in the order of their list, from 1.")
    ] = False
    theme: ThemeParameter = "light"
    v: Annotated[Count, Meta(description="The game's version; the picture of a version never changes.")] | None = None


class TextQuery(BoardQuery, frozen=True):
    """Options of a board as text; the theme has no effect."""

    width: Annotated[
        int,
        Meta(
            ge=16,
            le=MAX_INT32,
            description="The width in columns: tiles are 11 by 5 characters if they fit, else 5 by 3.",
        ),
    ] = DEFAULT_COLUMNS


class PieceQuery(Query, frozen=True):
    """Options of a picture of a ship; an SVG has no fixed size."""

    width: Width = 400
    theme: ThemeParameter = "light"


class TileQuery(PieceQuery, frozen=True):
    """Options of a picture of a tile."""

    rotation: Annotated[int, Meta(ge=0, le=3, description="Quarter turns clockwise.")] = 0


def board_options(query: BoardQuery) -> BoardOptions:
    """Return the drawing options for a query."""
    return BoardOptions(
        width=min(query.width, MAX_WIDTH_PX),
        region=_parse_region(query.region),
        coordinates=query.coordinates,
        outline_last=query.last,
        sidebar=query.side,
        number_moves=query.candidates,
        theme=query.theme,
    )


def _parse_region(text: str) -> Region | None:
    if text == "fit":
        return None
    first_x, first_y, second_x, second_y = map(int, text.split(","))
    west, north = min(first_x, second_x), min(first_y, second_y)
    east, south = max(first_x, second_x), max(first_y, second_y)
    return Region(west, north, min(east, west + MAX_REGION_SIDE - 1), min(south, north + MAX_REGION_SIDE - 1))
