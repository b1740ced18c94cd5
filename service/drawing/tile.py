"""A tile as SVG, with the data that programs need to place figures on it.

Beaches, meadows, bridges, stones and quays rotate with the tile; symbols stay upright.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import cos, pi, sin
from xml.sax.saxutils import quoteattr

from schemas.tileset import Bridge, Island, Market, Sea, Segment, Tile
from service.drawing.distance_fields import TILE_SIZE, DistanceField, Point, contour_path
from service.drawing.labels import draw_centred_text
from service.drawing.palette import LIGHT, SYMBOLS, Palette, draw_at, use_symbol
from service.drawing.terrain import Landmass, node_point
from service.drawing.tile_layout import MAX_SYMBOLS, Polyline, SymbolSpot, TileLayout, lay_out_tile, symbol_count

SHALLOWS = (7.0, 3.2)
BEACH = (0.0, -1.6)
MEADOW = (-4.6, -10.5)
"""The distances from the shore at which colours change, from the sea inland."""

TUFT_DEPTH = -12.0

STONE_RADIUS = 9.6
PLANK_DASHES = "5 1.25"
"""The dash pattern: the length of a plank along the bridge, and the gap."""

Layer = tuple[int | None, str]
"""The index of a segment, or None for what belongs to several, and its SVG."""


@lru_cache(maxsize=2048)
def tile_layers(segments: tuple[Segment, ...], colors: Palette) -> tuple[Layer, ...]:
    """Draw everything that rotates with a tile, by segment, from the bottom layer up."""
    return tuple(_draw_layers(lay_out_tile(segments), colors))


def _draw_layers(layout: TileLayout, colors: Palette) -> Iterator[Layer]:
    yield None, _draw_shallows(layout, colors)
    for index, segment in enumerate(layout.segments):
        if isinstance(segment, Sea):
            yield index, sea_area(layout, index)
    for index in layout.islands:
        yield index, _draw_islands(layout, [index], colors)
    for index, line in layout.bridge_lines.items():
        yield index, _draw_bridges([line])
    yield None, "".join(_draw_joint(layout, part) for part in layout.landmasses)
    for index, segment in enumerate(layout.segments):
        if isinstance(segment, Market):
            yield index, _draw_quay(layout.centres[index])


@lru_cache(maxsize=2048)
def draw_land(segments: tuple[Segment, ...], colors: Palette) -> str:
    """Draw everything that rotates with a tile, in as few paths as possible."""
    layout = lay_out_tile(segments)
    markets = [layout.centres[index] for index, segment in enumerate(segments) if isinstance(segment, Market)]
    return (
        _draw_shallows(layout, colors)
        + _draw_islands(layout, [*layout.islands], colors)
        + _draw_bridges([*layout.bridge_lines.values()])
        + "".join(_draw_joint(layout, part) for part in layout.landmasses)
        + "".join(_draw_quay(centre) for centre in markets)
    )


def sea_area(layout: TileLayout, index: int) -> str:
    """Draw the area of a sea transparently, as a target for the pointer."""
    path = contour_path([-1.0 if owner == index else 1.0 for owner in layout.ground])
    return f'<path fill="#fff" fill-opacity="0" d="{path}"/>' if path else ""


def _draw_shallows(layout: TileLayout, colors: Palette) -> str:
    """Draw the shallows around islands and the shade under bridges."""
    shallows = "".join(
        _filled("".join(contour_path(shape, level) for shape in layout.islands.values()), color)
        for level, color in zip(SHALLOWS, colors.shallow, strict=True)
    )
    return shallows + _stroke([*layout.bridge_lines.values()], colors.shade, 20)


def _draw_islands(layout: TileLayout, indexes: list[int], colors: Palette) -> str:
    """Draw beaches and meadows."""
    bands = zip((*BEACH, *MEADOW), (*colors.sand, *colors.grass), strict=True)
    shapes = "".join(
        _filled("".join(contour_path(layout.islands[index], level) for index in indexes), color)
        for level, color in bands
    )
    return shapes + _filled("".join(_tuft_path(layout.islands[index]) for index in indexes), colors.grass[0])


def _tuft_path(shape: DistanceField) -> str:
    """Return the path of grass tufts where an island is broad."""
    points = [node_point(node) for node, depth in enumerate(shape) if depth < TUFT_DEPTH and node * 7919 % 97 == 0]
    return "".join(_tuft(x, y) for x, y in points if min(x, y, TILE_SIZE - x, TILE_SIZE - y) > 3)


def _tuft(x: float, y: float) -> str:
    """Return the path of a tuft that looks the same in every rotation."""
    return "".join(f"M{x + a:g} {y + b:g}a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0" for a, b in _BLADES)


_BLADES = ((-1.3, -1.4), (-3, 1.2), (0.4, 1.2))


def _draw_bridges(lines: list[Polyline]) -> str:
    """Draw rails, and planks on beams."""
    return (
        _stroke(lines, "#4d2f14", 16)
        + _stroke(lines, "#9a6634", 14.2)
        + _stroke(lines, "#d2a064", 11, f' stroke-dasharray="{PLANK_DASHES}"')
    )


def _filled(path: str, color: str) -> str:
    return f'<path fill="{color}" d="{path}"/>' if path else ""


def _stroke(lines: list[Polyline], color: str, width: float, attributes: str = "") -> str:
    path = "".join(_path(line) for line in lines)
    return f'<path fill="none" stroke="{color}" stroke-width="{width:g}"{attributes} d="{path}"/>' if path else ""


def _path(line: Polyline) -> str:
    """Return the path of a line, with fewer points where it looks the same."""
    start, end = line[0], line[-1]
    straight = all(abs((p.x - start.x) * (end.y - start.y) - (p.y - start.y) * (end.x - start.x)) < 5 for p in line)
    points = (start, end) if straight else (*line[:-1:3], end)
    return "M" + "L".join(f"{point.x:.1f} {point.y:.1f}" for point in points).replace(".0", "")


def _draw_joint(layout: TileLayout, part: Landmass) -> str:
    """Draw the stone at which bridges end, or the rocks between islands; empty if a segment is at the hub."""
    islands = sum(index in layout.islands for index in part.members)
    if not part.has_hub or part.centre is not None or islands == 1:
        return ""
    if islands == len(part.members):
        return "".join(_draw_rock(Point(part.hub.x + 7 * a, part.hub.y + 7 * b), 3.6, a) for a, b in _ROCK_OFFSETS)
    return _draw_rock(part.hub, STONE_RADIUS, 0)


_ROCK_OFFSETS = ((0.0, -0.1), (0.8, 0.3), (-0.75, 0.25))


def _draw_rock(centre: Point, radius: float, turn: float) -> str:
    corners = [(1.0, 0.0), (0.94, 0.9), (1.02, 1.75), (0.95, 2.6), (1.03, 3.4), (0.93, 4.3), (1.0, 5.3)]
    points = [
        Point(centre.x + radius * part * cos(angle + turn), centre.y + radius * part * sin(angle + turn))
        for part, angle in corners
    ]
    inner = [point.interpolate(centre, 0.3) for point in points]
    return (
        f'<path fill="#8f8a84" stroke="#4f4a45" stroke-width="1.1" stroke-linejoin="round" d="{_polygon(points)}"/>'
        f'<path fill="#b9b4ac" d="{_polygon(inner)}"/>'
    )


def _polygon(points: list[Point]) -> str:
    return "M" + "L".join(f"{point.x:.1f} {point.y:.1f}" for point in points) + "Z"


def _draw_quay(centre: Point) -> str:
    ring = [
        Point(centre.x + 14.4 * cos(number * pi / 5), centre.y + 14.4 * sin(number * pi / 5)) for number in range(10)
    ]
    joints = "".join(f"M{centre.x:g} {centre.y:g}L{point.x:.1f} {point.y:.1f}" for point in ring)
    at = f'cx="{centre.x:g}" cy="{centre.y:g}"'
    return (
        f'<circle {at} r="17" fill="#7a5a3c" stroke="#402a16" stroke-width="1"/><circle {at} r="14.8" fill="#d3bd97"/>'
        f'<path stroke="#b59c73" stroke-width=".8" d="{joints}"/><circle {at} r="7.5" fill="#dfcdac"/>'
    )


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
    segments = "".join(_draw_segment(layout, index, rotation, None) for index in range(len(tile.segments)))
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
        yield piece if owner is None else _draw_segment(layout, owner, rotation, piece)


def _draw_segment(layout: TileLayout, index: int, rotation: int, ground: str | None) -> str:
    """Draw a segment's group, on its ground; without one, with references to the symbols."""
    at: Point = layout.islanders[index].rotated(rotation)
    kind = type(layout.segments[index]).__name__.lower()
    drawn = ground or ""
    for name, group, (where, scale) in tile_symbols(layout, index, rotation):
        symbol = use_symbol(name, where, scale=scale) if ground is None else draw_at(SYMBOLS[name], where, scale)
        tag = "" if group is None else f'<g data-group="{group}" data-x="{where.x:g}" data-y="{where.y:g}">'
        drawn += f"{tag}{symbol}</g>" if tag else symbol
    if (wares := ware_number(layout, index, rotation)) is not None:
        drawn += draw_centred_text(wares[0], *wares[1], 11, NUMBER_COLOR)
    return f'<g data-segment="{index}" data-kind="{kind}" data-x="{at.x:g}" data-y="{at.y:g}">{drawn}</g>'
