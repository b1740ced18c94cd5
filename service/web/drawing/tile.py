"""A tile as a picture of its own, with what programs need to put figures on it."""

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from schemas.tileset import Bridge, Island, Market, Sea, Segment, Tile
from service.web.drawing.land import tile_layers
from service.web.drawing.layout.distance_fields import Point
from service.web.drawing.layout.symbol_spots import SymbolSpot
from service.web.drawing.layout.tile_layout import MAX_SYMBOLS, TileLayout, lay_out_tile, symbol_count
from service.web.drawing.palette import LIGHT, Palette
from service.web.drawing.symbols import SYMBOLS, draw_at
from service.web.drawing.text_outlines import draw_centred_text

NUMBER_COLOR = "#3a2408"

SEGMENT_KINDS: dict[type[Segment], str] = {Bridge: "bridge", Island: "island", Sea: "sea", Market: "market"}

WAVES = (
    "M12 19q3.5-4 7 0t7 0M64 10q3.5-4 7 0t7 0M72 44q3.5-4 7 0t7 0M8 58q3.5-4 7 0t7 0M52 71q3.5-4 7 0t7 0"
    "M24 87q3.5-4 7 0t7 0"
)


def tile_svg(tile: Tile, rotation: int = 0, colors: Palette = LIGHT, width: int | None = None) -> str:
    """A tile after so many quarter turns, `width` pixels wide or as wide as there is room.

    Each segment is a group with `data-segment`, `data-kind` and, as `data-x` and `data-y`, the middle of an islander
    there, in the picture's units, of which it is 100 wide. Fish are groups with `data-group`.
    """
    layout = lay_out_tile(tile.segments)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{size_attributes(width, 1)} viewBox="0 0 100 100" role="img"'
        f" aria-label={quoteattr(tile.id)}>{draw_water(colors)}{''.join(_draw_segments(layout, rotation, colors))}"
        f"{draw_seam(colors)}</svg>"
    )


def size_attributes(width: int | None, slope: float) -> str:
    """The attributes of a picture's size in pixels, its height being `slope` of its width; none for any size."""
    return "" if width is None else f' width="{width}" height="{round(width * slope)}"'


def draw_water(colors: Palette) -> str:
    """Water with waves all over a tile; they never turn."""
    return f'<path fill="{colors.deep}" d="M0 0H100V100H0Z"/>{draw_waves(colors)}'


def draw_waves(colors: Palette) -> str:
    """A few waves on a tile's water."""
    return f'<path fill="none" stroke="{colors.wave}" stroke-width="1.4" d="{WAVES}"/>'


def draw_seam(colors: Palette) -> str:
    """The line around a tile."""
    return f'<path fill="none" stroke="{colors.seam}" stroke-opacity=".35" stroke-width=".8" d="M.4 .4H99.6V99.6H.4Z"/>'


def tile_symbols(layout: TileLayout, index: int, rotation: int) -> Iterator[tuple[str, int | None, SymbolSpot]]:
    """The symbols on a segment with their places after so many turns; fish with the number of their group."""
    segment = layout.segments[index]
    names = _symbol_names(segment)
    for number, (name, spot) in enumerate(zip(names, layout.wares[index], strict=False)):
        yield name, number if isinstance(segment, Sea) else None, rotated_spot(spot, rotation)
    if index in layout.boats:
        yield "boat", None, rotated_spot(layout.boats[index], rotation)
    if isinstance(segment, Market):
        yield "stall", None, rotated_spot(SymbolSpot(layout.centres[index], 1.0), rotation)
    for spot in layout.palms.get(index, ()):
        yield "palm", None, rotated_spot(spot, rotation)


def ware_number(layout: TileLayout, index: int, rotation: int) -> tuple[str, Point] | None:
    """The number of wares on a segment where it is shown instead of them, and its place."""
    match layout.segments[index]:
        case Bridge(shells=wares) | Island(bananas=wares) if wares > MAX_SYMBOLS:
            at = layout.wares[index][0].at.rotated(rotation)
            return str(wares), Point(at.x + 7, at.y + 6)
        case _:
            return None


def rotated_spot(spot: SymbolSpot, rotation: int) -> SymbolSpot:
    """A thing's place after so many quarter turns."""
    return SymbolSpot(spot.at.rotated(rotation), spot.scale)


def _symbol_names(segment: Segment) -> list[str]:
    match segment:
        case Bridge(shells=shells):
            return ["shell"] * symbol_count(shells)
        case Island(bananas=bananas):
            return ["banana"] * symbol_count(bananas)
        case Sea(fish=fish):
            return ["shoal" if number == 2 else "fish" for number in fish]
        case Market():
            return []


def _draw_segments(layout: TileLayout, rotation: int, colors: Palette) -> Iterator[str]:
    """Every segment's group, from the bottom up: seas, then land."""
    turn = f"rotate({90 * (rotation % 4)} 50 50)"
    for owner, shape in tile_layers(layout.segments, colors):
        piece = f'<g transform="{turn}">{shape}</g>' if shape else ""
        yield piece if owner is None else _draw_segment(layout, owner, rotation, piece)


def _draw_segment(layout: TileLayout, index: int, rotation: int, ground: str) -> str:
    at: Point = layout.islanders[index].rotated(rotation)
    kind = SEGMENT_KINDS[type(layout.segments[index])]
    symbols = "".join(
        draw_at(SYMBOLS[name], where)
        if group is None
        else f'<g data-group="{group}" data-x="{where.at.x:g}" data-y="{where.at.y:g}">'
        f"{draw_at(SYMBOLS[name], where)}</g>"
        for name, group, where in tile_symbols(layout, index, rotation)
    )
    if (many := ware_number(layout, index, rotation)) is not None:
        symbols += draw_centred_text(many[0], *many[1], 11, NUMBER_COLOR)
    return f'<g data-segment="{index}" data-kind="{kind}" data-x="{at.x:g}" data-y="{at.y:g}">{ground}{symbols}</g>'
