"""A board as a picture. What several tiles share is drawn once and used: waters, types of tiles, wares, islanders."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from schemas.game import PlacedTile
from schemas.tileset import Sea
from schemas.vocabulary import Color
from service.web.drawing.islanders import FIGURES, figure_id
from service.web.drawing.land import land
from service.web.drawing.layout.distance_fields import Point
from service.web.drawing.layout.tile_layout import Plan, plan
from service.web.drawing.move_labels import Numbered
from service.web.drawing.palette import Palette
from service.web.drawing.scene import Cell, Options, Region, Scene, around, cell_of
from service.web.drawing.symbols import SYMBOLS
from service.web.drawing.text_outlines import letters, middled, width
from service.web.drawing.tile import NUMBER, number, things, waves

SIDE = 100
MARGIN = 14
RULER = 30
"""What coordinates take at the left and at the top."""


FIGURES_FROM, LABELS_FROM = 75.0, 95.0
"""The pixels of a tile below which islanders and labels are drawn larger than the rest."""


class Laid(NamedTuple):
    """A tile in its cell."""

    cell: Cell
    tile: PlacedTile
    drawn: Plan

    def at(self, point: Point) -> Point:
        """Where a place of the unturned tile is in the picture."""
        turned = point.turned(self.tile.rotation)
        return Point(self.cell[0] * SIDE + turned.x, self.cell[1] * SIDE + turned.y)


class Box(NamedTuple):
    """A rectangle in the picture's units."""

    left: float
    top: float
    width: float
    height: float


def region_of(scene: Scene, options: Options, numbers: Numbered) -> Region:
    """The cells that are shown: those asked for, or all that hold a tile or may get one."""
    return options.region or around([*scene.cells(), *(numbers.cells if options.candidates else ())])


def board_box(region: Region, options: Options) -> Box:
    """The board's place: its cells, a margin, and the coordinates."""
    ruler = RULER if options.coordinates else 0
    return Box(
        region.west * SIDE - MARGIN - ruler,
        region.north * SIDE - MARGIN - ruler,
        region.columns * SIDE + 2 * MARGIN + ruler,
        region.rows * SIDE + 2 * MARGIN + ruler,
    )


def definitions(scene: Scene, shown: Iterable[PlacedTile], colors: Palette) -> str:
    """What the picture uses more than once."""
    kinds = sorted({one.tile for one in shown})
    drawn = [f'<g id="waves">{waves(colors)}</g>']
    drawn += [f'<g id="tile-{kind}">{land(scene.tiles[kind].segments, colors)}</g>' for kind in kinds]
    drawn += [f'<g id="{name}">{drawing}</g>' for name, drawing in {**SYMBOLS, **FIGURES}.items()]
    return f"<defs>{''.join(drawn)}</defs>"


def tiles_in(scene: Scene, region: Region) -> list[Laid]:
    """The tiles of a region, in the order in which they were placed."""
    found = [
        Laid(cell_of(key), tile, plan(scene.tiles[tile.tile].segments))
        for key, tile in scene.game.board.items()
        if region.holds(cell_of(key))
    ]
    return sorted(found, key=lambda laid: laid.tile.order)


def draw_board(scene: Scene, options: Options, region: Region, numbers: Numbered, pixels: float) -> Iterator[str]:
    """The board from the bottom up; `pixels` is how wide a tile is in the picture."""
    laid = tiles_in(scene, region)
    colors_of = {player.seat: player.color for player in scene.game.players if player.color is not None}
    yield from _waters(laid, options.colors)
    for one in laid:
        yield _land(one)
    yield _seams(laid, options.colors)
    for one in laid:
        yield from _things(one)
    if options.last:
        yield from _outline(laid)
    for one in laid:
        yield from _islanders(one, colors_of, _magnified(pixels, FIGURES_FROM))
    if options.candidates:
        yield from _free_cells(region, numbers, options.colors)
        yield from _labels({one.cell: one for one in laid}, numbers, _magnified(pixels, LABELS_FROM))
    if options.coordinates:
        yield from _rulers(region, options.colors)


def use(name: str, at: Point, *, scale: float = 1.0) -> str:
    """A symbol in a place."""
    if abs(scale - 1) < 0.01:
        return f'<use href="#{name}" x="{at.x:.1f}" y="{at.y:.1f}"/>'
    return f'<use href="#{name}" transform="translate({at.x:.1f} {at.y:.1f})scale({scale:.2f})"/>'


def tag(text: str, at: Point, size: float, room: float = 1000.0) -> str:
    """A move's number on a white label; smaller where there is no room."""
    size *= min(1.0, room / (width(text, size) + size * 0.9))
    wide = max(width(text, size) + size * 0.75, size * 1.5)
    return (
        f'<rect x="{at.x - wide / 2:.1f}" y="{at.y - size * 0.75:.1f}" width="{wide:.1f}" height="{size * 1.5:.1f}"'
        f' rx="{size * 0.75:.1f}" fill="#fffdf5" stroke="#c2185b" stroke-width="{size * 0.13:.1f}"/>'
        + middled(text, at.x, at.y, size, "#7d0f3b")
    )


def _waters(laid: list[Laid], colors: Palette) -> Iterator[str]:
    """The sea under all tiles."""
    runs = _runs((one.cell[1], one.cell[0]) for one in laid)
    path = "".join(f"M{x * SIDE} {y * SIDE}h{long * SIDE}v{SIDE}h-{long * SIDE}z" for y, x, long in runs)
    yield f'<path fill="{colors.deep}" shape-rendering="crispEdges" d="{path}"/>'
    for one in laid:
        yield f'<use href="#waves" x="{one.cell[0] * SIDE}" y="{one.cell[1] * SIDE}"/>'


def _land(one: Laid) -> str:
    turn = f"rotate({90 * one.tile.rotation} 50 50)" if one.tile.rotation else ""
    return f'<use href="#tile-{one.tile.tile}" transform="translate({one.cell[0] * SIDE} {one.cell[1] * SIDE}){turn}"/>'


def _seams(laid: list[Laid], colors: Palette) -> str:
    """The lines between tiles, each drawn once, and around them all."""
    cells = [one.cell for one in laid]
    level = _runs({(y + below, x) for x, y in cells for below in (0, 1)})
    upright = _runs({(x + beyond, y) for x, y in cells for beyond in (0, 1)})
    path = "".join(f"M{x * SIDE} {y * SIDE}h{long * SIDE}" for y, x, long in level)
    path += "".join(f"M{x * SIDE} {y * SIDE}v{long * SIDE}" for x, y, long in upright)
    return (
        f'<path fill="none" stroke="{colors.seam}" stroke-opacity=".4" stroke-width="1" shape-rendering="crispEdges"'
        f' d="{path}"/>'
    )


def _runs(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Places in lines drawn together where they follow each other: the line, the first place, and how many."""
    line, first, long = 0, 0, 0
    for row, place in sorted(places):
        if long and (row, place) == (line, first + long):
            long += 1
            continue
        if long:
            yield line, first, long
        line, first, long = row, place, 1
    if long:
        yield line, first, long


def _things(one: Laid) -> Iterator[str]:
    """Wares, boats, palms and stalls; a boat's token on fish that are covered (R5.7)."""
    covered = {(fish.segment, fish.group) for fish in one.tile.covered}
    corner = Point(one.cell[0] * SIDE, one.cell[1] * SIDE)
    for index in range(len(one.drawn.segments)):
        for name, group, laid in things(one.drawn, index, one.tile.rotation):
            at = Point(corner.x + laid.at.x, corner.y + laid.at.y)
            yield use(name, at, scale=laid.scale)
            if (index, group) in covered:
                yield use("cover", at, scale=laid.scale)
        if (many := number(one.drawn, index, one.tile.rotation)) is not None:
            yield middled(many[0], corner.x + many[1].x, corner.y + many[1].y, 11, NUMBER)


def _magnified(pixels: float, legible: float) -> float:
    """How much larger something is drawn that is legible on tiles of so many pixels: at most twice as large."""
    return min(max(legible / pixels, 1.0), 2.0)


def _islanders(one: Laid, colors_of: dict[int, Color], scale: float) -> Iterator[str]:
    for islander in one.tile.islanders:
        lies = isinstance(one.drawn.segments[islander.segment], Sea)
        at = one.at(one.drawn.islanders[islander.segment])
        yield use(figure_id(colors_of[islander.seat], lies=lies), at, scale=scale)


def _outline(laid: list[Laid]) -> Iterator[str]:
    """Around the tile that was placed last; there is none while only the start tile lies."""
    if laid and laid[-1].tile.order:
        x, y = laid[-1].cell[0] * SIDE, laid[-1].cell[1] * SIDE
        for color, wide in (("#fff", 7), ("#e8590c", 4)):
            yield (
                f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" rx="3" fill="none"'
                f' stroke="{color}" stroke-width="{wide}"/>'
            )


def _free_cells(region: Region, numbers: Numbered, colors: Palette) -> Iterator[str]:
    """Where the drawn tile may lie; `data-moves` has the numbers of the moves, `data-cell` says where that is."""
    for cell, text in numbers.cells.items():
        if region.holds(cell):
            x, y = cell[0] * SIDE, cell[1] * SIDE
            yield (
                f'<g data-moves="{text}" data-cell="{cell[0]},{cell[1]}">'
                f'<rect x="{x + 5}" y="{y + 5}" width="90" height="90" rx="10" fill="{colors.shallow[1]}"'
                f' fill-opacity=".35" stroke="{colors.faint}" stroke-width="2.4" stroke-dasharray="9 6"/>'
                f"{tag(text, Point(x + 50, y + 50), 30, 86)}</g>"
            )


def _labels(laid: dict[Cell, Laid], numbers: Numbered, scale: float) -> Iterator[str]:
    """The moves of islanders: on the spots of those to be placed, beside those to be retrieved."""
    for places, aside, size in ((numbers.segments, 0, 14), (numbers.islanders, 11, 11.5)):
        for (cell, segment), text in places.items():
            if cell in laid:
                at = laid[cell].at(laid[cell].drawn.islanders[segment])
                yield (
                    f'<g data-moves="{text}" data-cell="{cell[0]},{cell[1]}" data-segment="{segment}">'
                    f"{tag(text, Point(at.x + aside * scale, at.y - aside * scale), size * scale)}</g>"
                )


def _rulers(region: Region, colors: Palette) -> Iterator[str]:
    top, left = region.north * SIDE - MARGIN, region.west * SIDE - MARGIN
    for x in range(region.west, region.east + 1):
        yield letters(str(x), x * SIDE + 50, top, 21, color=colors.faint, anchor=0.5)
    for y in range(region.north, region.south + 1):
        yield letters(str(y), left, y * SIDE + 57, 21, color=colors.faint, anchor=1.0)
