"""The board as SVG. Shared parts (waves, tile types, wares, islanders) are defined once and referenced."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from schemas.game import PlacedTile
from schemas.tileset import Sea, Tile
from schemas.vocabulary import Color
from service.drawing.distance_fields import Point
from service.drawing.labels import Box, Label, draw_centred_text, draw_label, draw_labels, draw_text
from service.drawing.palette import ISLANDERS, SYMBOLS, Palette, islander_id, use_symbol
from service.drawing.scene import BoardOptions, Cell, MoveLabels, Region, Scene, parse_cell
from service.drawing.tile import NUMBER_COLOR, draw_land, draw_seam, draw_water, draw_waves, tile_symbols, ware_number
from service.drawing.tile_layout import TileLayout, lay_out_tile

CELL_SIZE = 100
MARGIN = 14
RULER_WIDTH = 30
"""The space for coordinates at the left and at the top."""


ISLANDER_LEGIBLE_PX, LABEL_LEGIBLE_PX = 75.0, 95.0
"""The width of a tile, in pixels, below which islanders and labels are magnified."""


class BoardTile(NamedTuple):
    """A tile in its cell, with its layout."""

    cell: Cell
    placed: PlacedTile
    layout: TileLayout

    @property
    def corner(self) -> Point:
        """Return its upper left corner in the picture."""
        return Point(self.cell[0] * CELL_SIZE, self.cell[1] * CELL_SIZE)

    def to_picture(self, point: Point) -> Point:
        """Return where a point of the unrotated tile is in the picture."""
        return self.corner.plus(point.rotated(self.placed.rotation))


def board_box(region: Region, options: BoardOptions) -> Box:
    """Return the box of the board: its cells, a margin and the coordinates."""
    ruler = RULER_WIDTH if options.coordinates else 0
    return Box(
        region.west * CELL_SIZE - MARGIN - ruler,
        region.north * CELL_SIZE - MARGIN - ruler,
        region.columns * CELL_SIZE + 2 * MARGIN + ruler,
        region.rows * CELL_SIZE + 2 * MARGIN + ruler,
    )


def shared_definitions(scene: Scene, tiles: Iterable[BoardTile], colors: Palette) -> str:
    """Return the `<defs>` of everything that the picture references."""
    turn = scene.game.turn
    kinds = sorted({*(tile.placed.tile for tile in tiles), *(() if turn is None else (turn.tile,))})
    groups = [f'<g id="waves">{draw_waves(colors)}</g>']
    groups += [f'<g id="tile-{kind}">{draw_land(scene.tiles[kind].segments, colors)}</g>' for kind in kinds]
    groups += [f'<g id="{name}">{drawing}</g>' for name, drawing in {**SYMBOLS, **ISLANDERS}.items()]
    return f"<defs>{''.join(groups)}</defs>"


def tiles_in_region(scene: Scene, region: Region) -> list[BoardTile]:
    """Return the tiles of a region, in the order of their placement."""
    tiles = [
        BoardTile(parse_cell(key), tile, lay_out_tile(scene.tiles[tile.tile].segments))
        for key, tile in scene.game.board.items()
        if region.contains(parse_cell(key))
    ]
    return sorted(tiles, key=lambda tile: tile.placed.order)


def draw_board(
    scene: Scene,
    options: BoardOptions,
    region: Region,
    tiles: list[BoardTile],
    labels: MoveLabels,
    tile_width_px: float,
) -> Iterator[str]:
    """Draw the board from the bottom layer up; `tiles` are those of the region."""
    colors_of = {player.seat: player.color for player in scene.game.players if player.color is not None}
    yield from _draw_water(tiles, options.colors)
    for tile in tiles:
        yield _draw_tile_land(tile)
    yield _draw_seams(tiles, options.colors)
    for tile in tiles:
        yield from _draw_symbols(tile)
    if options.outline_last and tiles and tiles[-1].placed.order == scene.last_order > 0:
        yield draw_outline(tiles[-1].corner)
    for tile in tiles:
        yield from _draw_islanders(tile, colors_of, _magnification(tile_width_px, ISLANDER_LEGIBLE_PX))
    yield from _draw_cell_labels(region, labels, options.colors)
    islanders = _islander_labels(tiles, labels, _magnification(tile_width_px, LABEL_LEGIBLE_PX))
    yield from draw_labels([*islanders], board_box(region, options))
    if options.coordinates:
        yield from _draw_rulers(region, options.colors)


def draw_loose_tile(tile: Tile, rotation: int, colors: Palette) -> str:
    """Draw a tile that is not on the board, its corner at (0, 0), after `rotation` quarter turns."""
    placed = PlacedTile(tile=tile.id, rotation=rotation, order=0, islanders=[], covered=[])
    loose = BoardTile((0, 0), placed, lay_out_tile(tile.segments))
    return "".join([draw_water(colors), _draw_tile_land(loose), draw_seam(colors), *_draw_symbols(loose)])


def _draw_water(tiles: list[BoardTile], colors: Palette) -> Iterator[str]:
    """Draw the water under all tiles."""
    runs = _merge_runs((tile.cell[1], tile.cell[0]) for tile in tiles)
    path = "".join(
        f"M{x * CELL_SIZE} {y * CELL_SIZE}h{long * CELL_SIZE}v{CELL_SIZE}h-{long * CELL_SIZE}z" for y, x, long in runs
    )
    yield f'<path fill="{colors.deep}" shape-rendering="crispEdges" d="{path}"/>'
    for tile in tiles:
        yield f'<use href="#waves" x="{tile.corner.x}" y="{tile.corner.y}"/>'


def _draw_tile_land(tile: BoardTile) -> str:
    turn = f"rotate({90 * tile.placed.rotation} 50 50)" if tile.placed.rotation else ""
    x, y = tile.corner
    return f'<use href="#tile-{tile.placed.tile}" transform="translate({x} {y}){turn}"/>'


def _draw_seams(tiles: list[BoardTile], colors: Palette) -> str:
    """Draw the lines between and around tiles, each once."""
    cells = [tile.cell for tile in tiles]
    level = _merge_runs({(y + below, x) for x, y in cells for below in (0, 1)})
    upright = _merge_runs({(x + beyond, y) for x, y in cells for beyond in (0, 1)})
    path = "".join(f"M{x * CELL_SIZE} {y * CELL_SIZE}h{long * CELL_SIZE}" for y, x, long in level)
    path += "".join(f"M{x * CELL_SIZE} {y * CELL_SIZE}v{long * CELL_SIZE}" for x, y, long in upright)
    return (
        f'<path fill="none" stroke="{colors.seam}" stroke-opacity=".4" stroke-width="1" shape-rendering="crispEdges"'
        f' d="{path}"/>'
    )


def _merge_runs(positions: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Merge consecutive positions of each line into runs: line, first position, length."""
    numbered = enumerate(sorted(positions))
    for _, run in groupby(numbered, lambda item: (item[1][0], item[1][1] - item[0])):
        (_, (line, first)), *more = run
        yield line, first, 1 + len(more)


def _draw_symbols(tile: BoardTile) -> Iterator[str]:
    """Draw wares, boats, palms and stalls, and a boat token on covered fish (R5.7)."""
    covered = {(fish.segment, fish.group) for fish in tile.placed.covered}
    for index in range(len(tile.layout.segments)):
        for name, group, spot in tile_symbols(tile.layout, index, tile.placed.rotation):
            at = tile.corner.plus(spot.at)
            yield use_symbol(name, at, scale=spot.scale)
            if (index, group) in covered:
                yield use_symbol("cover", at, scale=spot.scale)
        if (many := ware_number(tile.layout, index, tile.placed.rotation)) is not None:
            yield draw_centred_text(many[0], *tile.corner.plus(many[1]), 11, NUMBER_COLOR)


def _magnification(tile_width_px: float, legible_px: float) -> float:
    """Return the magnification of something that is legible on tiles of `legible_px` or wider: at most 2."""
    return min(max(legible_px / tile_width_px, 1.0), 2.0)


def _draw_islanders(tile: BoardTile, colors_of: dict[int, Color], scale: float) -> Iterator[str]:
    for islander in tile.placed.islanders:
        lies = isinstance(tile.layout.segments[islander.segment], Sea)
        at = tile.to_picture(tile.layout.islanders[islander.segment])
        yield use_symbol(islander_id(colors_of[islander.seat], lies=lies), at, scale=scale)


def draw_outline(corner: Point) -> str:
    """Outline the tile with this upper left corner."""
    return "".join(
        f'<rect x="{corner.x}" y="{corner.y}" width="{CELL_SIZE}" height="{CELL_SIZE}" rx="3" fill="none"'
        f' stroke="{color}" stroke-width="{wide}"/>'
        for color, wide in (("#fff", 7), ("#e8590c", 4))
    )


def _draw_cell_labels(region: Region, labels: MoveLabels, colors: Palette) -> Iterator[str]:
    """Label the cells for the drawn tile; `data-moves` has the numbers of the moves, `data-cell` the cell."""
    for cell, text in labels.cells.items():
        if region.contains(cell):
            x, y = cell[0] * CELL_SIZE, cell[1] * CELL_SIZE
            yield (
                f'<g data-moves="{text}" data-cell="{cell[0]},{cell[1]}">'
                f'<rect x="{x + 5}" y="{y + 5}" width="90" height="90" rx="10" fill="{colors.shallow[1]}"'
                f' fill-opacity=".35" stroke="{colors.faint}" stroke-width="2.4" stroke-dasharray="9 6"/>'
                f"{draw_label(text, Point(x + 50, y + 50), 30, 86)}</g>"
            )


def _islander_labels(tiles: Iterable[BoardTile], labels: MoveLabels, scale: float) -> Iterator[Label]:
    """Yield the labels beside the islanders that may be retrieved."""
    shown = {tile.cell: tile for tile in tiles}
    for (cell, segment), text in labels.islanders.items():
        if (tile := shown.get(cell)) is not None:
            at = tile.to_picture(tile.layout.islanders[segment])
            beside = at.plus(Point(11 * scale, -11 * scale))
            yield Label(text, segment_attributes(cell, segment), at, beside, 11.5 * scale)


def segment_attributes(cell: Cell, segment: int) -> str:
    """Return the attributes of a label for an islander on a segment."""
    return f'data-cell="{cell[0]},{cell[1]}" data-segment="{segment}"'


def _draw_rulers(region: Region, colors: Palette) -> Iterator[str]:
    top, left = region.north * CELL_SIZE - MARGIN, region.west * CELL_SIZE - MARGIN
    for x in range(region.west, region.east + 1):
        yield draw_text(str(x), x * CELL_SIZE + 50, top, 21, color=colors.faint, anchor=0.5)
    for y in range(region.north, region.south + 1):
        yield draw_text(str(y), left, y * CELL_SIZE + 57, 21, color=colors.faint, anchor=1.0)
