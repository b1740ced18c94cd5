"""A tile as SVG, with the data that programs need to place figures on it."""

from collections.abc import Callable, Iterable, Iterator
from xml.sax.saxutils import quoteattr

from schemas.tileset import Bridge, Island, Market, Sea, Segment, Tile
from service.drawing.land import draw_land, tile_layers
from service.drawing.layout.distance_fields import Point
from service.drawing.layout.symbol_spots import SymbolSpot
from service.drawing.layout.tile_layout import MAX_SYMBOLS, TileLayout, lay_out_tile, symbol_count
from service.drawing.palette import LIGHT, Palette
from service.drawing.symbols import SYMBOLS, draw_at, use_symbol
from service.drawing.text_outlines import draw_centred_text

ROTATIONS = 4
NUMBER_COLOR = "#3a2408"

WAVES = (
    "M12 19q3.5-4 7 0t7 0M64 10q3.5-4 7 0t7 0M72 44q3.5-4 7 0t7 0M8 58q3.5-4 7 0t7 0M52 71q3.5-4 7 0t7 0"
    "M24 87q3.5-4 7 0t7 0"
)


def tile_svg(tile: Tile, rotation: int = 0, colors: Palette = LIGHT, width: int | None = None, label: str = "") -> str:
    """Draw a tile after `rotation` quarter turns, `width` pixels wide or without a fixed size; `label` is its name.

    Each segment is a group with `data-segment`, `data-kind`, and `data-x` and `data-y` for the centre of an islander on
    it, in units of which the tile is 100 wide. Fish are groups with `data-group`.
    """
    layout = lay_out_tile(tile.segments)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{size_attributes(width, 1)} viewBox="0 0 100 100" role="img"'
        f" aria-label={quoteattr(label)}>{draw_water(colors)}{''.join(_draw_segments(layout, rotation, colors))}"
        f"{draw_seam(colors)}</svg>"
    )


def draw_rotations(tile: Tile, colors: Palette = LIGHT) -> str:
    """Draw a tile in every rotation, as the symbols `tile-ID-ROTATION`, for `tiles_svg`.

    Each has the same groups as the tile's own SVG; what its rotations share is there once.
    """
    land = f'<defs><g id="land-{tile.id}">{draw_land(tile.segments, colors)}</g></defs>'
    return land + "".join(_draw_tile_symbol(tile, rotation) for rotation in range(ROTATIONS))


def tiles_svg(drawn: Iterable[str], colors: Palette = LIGHT) -> str:
    """Return one SVG of tiles that `draw_rotations` drew, with what they share."""
    shared = {"water": draw_water(colors), "seam": draw_seam(colors), **SYMBOLS}
    definitions = "".join(f'<g id="{name}">{drawing}</g>' for name, drawing in shared.items())
    return f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{definitions}</defs>{"".join(drawn)}</svg>'


def _draw_tile_symbol(tile: Tile, rotation: int) -> str:
    layout = lay_out_tile(tile.segments)
    segments = "".join(
        _draw_segment(layout, index, rotation, "", _use_symbol_at) for index in range(len(tile.segments))
    )
    turn = f' transform="{_turn(rotation)}"' if rotation else ""
    return (
        f'<symbol id="tile-{tile.id}-{rotation}" viewBox="0 0 100 100"><use href="#water"/>'
        f'<use href="#land-{tile.id}"{turn}/>{segments}<use href="#seam"/></symbol>'
    )


def _turn(rotation: int) -> str:
    return f"rotate({90 * (rotation % ROTATIONS)} 50 50)"


def size_attributes(width: int | None, slope: float) -> str:
    """Return the size attributes of an SVG whose height is `slope` times its width; empty without a width."""
    return "" if width is None else f' width="{width}" height="{round(width * slope)}"'


def draw_water(colors: Palette) -> str:
    """Draw the water of a tile with its waves, which do not rotate."""
    return f'<path fill="{colors.deep}" d="M0 0H100V100H0Z"/>{draw_waves(colors)}'


def draw_waves(colors: Palette) -> str:
    """Draw the waves of a tile."""
    return f'<path fill="none" stroke="{colors.wave}" stroke-width="1.4" d="{WAVES}"/>'


def draw_seam(colors: Palette) -> str:
    """Draw the line around a tile."""
    return f'<path fill="none" stroke="{colors.seam}" stroke-opacity=".35" stroke-width=".8" d="M.4 .4H99.6V99.6H.4Z"/>'


def tile_symbols(layout: TileLayout, index: int, rotation: int) -> Iterator[tuple[str, int | None, SymbolSpot]]:
    """Yield the symbols of a segment with their spots after `rotation` quarter turns; fish with their group."""
    segment = layout.segments[index]
    names = _symbol_names(segment)
    for number, (name, spot) in enumerate(zip(names, layout.wares[index], strict=False)):
        yield name, number if isinstance(segment, Sea) else None, spot.rotated(rotation)
    if index in layout.boats:
        yield "boat", None, layout.boats[index].rotated(rotation)
    if isinstance(segment, Market):
        yield "stall", None, SymbolSpot(layout.centres[index], 1.0).rotated(rotation)
    for spot in layout.palms.get(index, ()):
        yield "palm", None, spot.rotated(rotation)


def ware_number(layout: TileLayout, index: int, rotation: int) -> tuple[str, Point] | None:
    """Return the number of wares of a segment and its point, if a number is shown instead of the wares."""
    match layout.segments[index]:
        case Bridge(shells=wares) | Island(bananas=wares) if wares > MAX_SYMBOLS:
            at = layout.wares[index][0].at.rotated(rotation)
            return str(wares), Point(at.x + 7, at.y + 6)
        case _:
            return None


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
    """Draw the group of each segment, from the bottom layer up: seas, then land."""
    for owner, shape in tile_layers(layout.segments, colors):
        piece = f'<g transform="{_turn(rotation)}">{shape}</g>' if shape else ""
        yield piece if owner is None else _draw_segment(layout, owner, rotation, piece, _draw_symbol_at)


def _draw_symbol_at(name: str, spot: SymbolSpot) -> str:
    return draw_at(SYMBOLS[name], spot)


def _use_symbol_at(name: str, spot: SymbolSpot) -> str:
    return use_symbol(name, spot.at, scale=spot.scale)


def _draw_segment(
    layout: TileLayout, index: int, rotation: int, ground: str, draw: Callable[[str, SymbolSpot], str]
) -> str:
    at: Point = layout.islanders[index].rotated(rotation)
    kind = type(layout.segments[index]).__name__.lower()
    symbols = "".join(
        draw(name, where)
        if group is None
        else f'<g data-group="{group}" data-x="{where.at.x:g}" data-y="{where.at.y:g}">{draw(name, where)}</g>'
        for name, group, where in tile_symbols(layout, index, rotation)
    )
    if (wares := ware_number(layout, index, rotation)) is not None:
        symbols += draw_centred_text(wares[0], *wares[1], 11, NUMBER_COLOR)
    return f'<g data-segment="{index}" data-kind="{kind}" data-x="{at.x:g}" data-y="{at.y:g}">{ground}{symbols}</g>'
