"""A tile as a picture of its own, with what programs need to put figures on it."""

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from schemas.tileset import Bridge, Island, Market, Sea, Segment, Tile
from service.web.drawing.land import layers
from service.web.drawing.layout.distance_fields import Point
from service.web.drawing.layout.layout_points import Laid
from service.web.drawing.layout.tile_layout import MANY, Plan, plan, shown
from service.web.drawing.palette import LIGHT, Palette
from service.web.drawing.symbols import SYMBOLS, put
from service.web.drawing.text_outlines import middled

NUMBER = "#3a2408"

KINDS: dict[type[Segment], str] = {Bridge: "bridge", Island: "island", Sea: "sea", Market: "market"}

WAVES = (
    "M12 19q3.5-4 7 0t7 0M64 10q3.5-4 7 0t7 0M72 44q3.5-4 7 0t7 0M8 58q3.5-4 7 0t7 0M52 71q3.5-4 7 0t7 0"
    "M24 87q3.5-4 7 0t7 0"
)


def tile_svg(tile: Tile, rotation: int = 0, colors: Palette = LIGHT, width: int | None = None) -> str:
    """A tile after so many quarter turns, `width` pixels wide or as wide as there is room.

    Each segment is a group with `data-segment`, `data-kind` and, as `data-x` and `data-y`, the middle of an islander
    there, in the picture's units, of which it is 100 wide. Fish are groups with `data-group`.
    """
    drawn = plan(tile.segments)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{sized(width, 1)} viewBox="0 0 100 100" role="img"'
        f" aria-label={quoteattr(tile.id)}>{sea(colors)}{''.join(_groups(drawn, rotation, colors))}{seam(colors)}</svg>"
    )


def sized(width: int | None, slope: float) -> str:
    """The attributes of a picture's size in pixels, its height being `slope` of its width; none for any size."""
    return "" if width is None else f' width="{width}" height="{round(width * slope)}"'


def sea(colors: Palette) -> str:
    """Water with waves all over a tile; they never turn."""
    return f'<path fill="{colors.deep}" d="M0 0H100V100H0Z"/>{waves(colors)}'


def waves(colors: Palette) -> str:
    """A few waves on a tile's water."""
    return f'<path fill="none" stroke="{colors.wave}" stroke-width="1.4" d="{WAVES}"/>'


def seam(colors: Palette) -> str:
    """The line around a tile."""
    return f'<path fill="none" stroke="{colors.seam}" stroke-opacity=".35" stroke-width=".8" d="M.4 .4H99.6V99.6H.4Z"/>'


def things(drawn: Plan, index: int, rotation: int) -> Iterator[tuple[str, int | None, Laid]]:
    """The symbols on a segment with their places after so many turns; fish with the number of their group."""
    segment = drawn.segments[index]
    names = _names(segment)
    for number, (name, laid) in enumerate(zip(names, drawn.wares[index], strict=False)):
        yield name, number if isinstance(segment, Sea) else None, turned(laid, rotation)
    if index in drawn.boats:
        yield "boat", None, turned(drawn.boats[index], rotation)
    if isinstance(segment, Market):
        yield "stall", None, turned(Laid(drawn.middles[index], 1.0), rotation)
    for laid in drawn.palms.get(index, ()):
        yield "palm", None, turned(laid, rotation)


def number(drawn: Plan, index: int, rotation: int) -> tuple[str, Point] | None:
    """The number of wares on a segment where it is shown instead of them, and its place."""
    match drawn.segments[index]:
        case Bridge(shells=wares) | Island(bananas=wares) if wares > MANY:
            at = drawn.wares[index][0].at.turned(rotation)
            return str(wares), Point(at.x + 7, at.y + 6)
        case _:
            return None


def turned(laid: Laid, rotation: int) -> Laid:
    """A thing's place after so many quarter turns."""
    return Laid(laid.at.turned(rotation), laid.scale)


def _names(segment: Segment) -> list[str]:
    match segment:
        case Bridge(shells=shells):
            return ["shell"] * shown(shells)
        case Island(bananas=bananas):
            return ["banana"] * shown(bananas)
        case Sea(fish=fish):
            return ["shoal" if number == 2 else "fish" for number in fish]
        case Market():
            return []


def _groups(drawn: Plan, rotation: int, colors: Palette) -> Iterator[str]:
    """Every segment's group, from the bottom up: seas, then land."""
    turn = f"rotate({90 * (rotation % 4)} 50 50)"
    for owner, shape in layers(drawn.segments, colors):
        piece = f'<g transform="{turn}">{shape}</g>' if shape else ""
        yield piece if owner is None else _group(drawn, owner, rotation, piece)


def _group(drawn: Plan, index: int, rotation: int, ground: str) -> str:
    at: Point = drawn.islanders[index].turned(rotation)
    kind = KINDS[type(drawn.segments[index])]
    laid = "".join(
        put(SYMBOLS[name], where)
        if group is None
        else f'<g data-group="{group}" data-x="{where.at.x:g}" data-y="{where.at.y:g}">{put(SYMBOLS[name], where)}</g>'
        for name, group, where in things(drawn, index, rotation)
    )
    if (many := number(drawn, index, rotation)) is not None:
        laid += middled(many[0], *many[1], 11, NUMBER)
    return f'<g data-segment="{index}" data-kind="{kind}" data-x="{at.x:g}" data-y="{at.y:g}">{ground}{laid}</g>'
