"""The board as text: tiles, islanders, placements, and coordinates along the edges."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from rich.style import Style
from rich.text import Text

from examples.terminal.canvas import Canvas
from examples.terminal.palette import CORNERS, COVERED, GROUND, LYING_BODY, STYLES, new_style
from examples.terminal.phrases import kind_of
from examples.terminal.tile_picture import LARGE, MEDIUM, SMALL, Picture, Symbol, picture
from examples.terminal.tile_shape import REEF, Size, Spot
from south_seas.models import Tile

Cell = tuple[int, int]
"""x grows east, y grows south."""

Stroke = tuple[int, int, str, Style]
"""A column and row of a tile, and the text and style to write there."""

AXIS_WIDTH = 4
"""The columns of the y coordinates."""


class Figure(NamedTuple):
    """An islander on a segment: its owner's letter and style."""

    segment: int
    letter: str
    style: Style


class TileView(NamedTuple):
    """A tile on the board with its islanders, covered fish and labels."""

    tile: Tile
    rotation: int = 0
    figures: tuple[Figure, ...] = ()
    covered: AbstractSet[tuple[int, int]] = frozenset()
    """(segment, group) of each covered fish group."""
    labels: Mapping[int, str] = {}
    """The keys of moves on its segments."""
    is_new: bool = False
    is_framed: bool = False


class Scene(NamedTuple):
    """Everything that the board shows."""

    tiles: Mapping[Cell, TileView]
    choices: Mapping[Cell, str]
    """The keys of cells with legal placements."""
    open_cells: AbstractSet[Cell]
    """All cells with legal placements, including those without a shown key."""
    focus: Cell
    preview: tuple[Cell, TileView] | None = None


class Viewport(NamedTuple):
    """The size of tiles (None fits the board), and the scroll offset in tiles."""

    size: Size | None = None
    across: int = 0
    down: int = 0


def draw_board(scene: Scene, view: Viewport, width: int, height: int) -> list[Text]:
    """Return the board in `width` columns and `height` rows."""
    cells = [*scene.tiles, *scene.open_cells]
    columns, rows = width - AXIS_WIDTH, height - 1
    fitting = (size for size in (LARGE, MEDIUM) if _fits(cells, size, columns, rows))
    size = view.size or next(fitting, SMALL)
    left, top = _top_left(cells, scene, view, size, (columns, rows))
    canvas = Canvas(left - AXIS_WIDTH, top - 1, width, height)
    for cell, laid in scene.tiles.items():
        draw_tile(canvas, cell, laid, size)
    for cell, label in scene.choices.items():
        _draw_choice(canvas, cell, label, size)
    if scene.preview is not None:
        draw_tile(canvas, *scene.preview, size)
    _draw_axes(canvas, cells, size)
    return [*canvas.lines()]


def draw_tile(canvas: Canvas, cell: Cell, laid: TileView, size: Size) -> None:
    """Draw a tile at its cell."""
    drawn = picture(laid.tile, laid.rotation, size)
    left, top = cell[0] * size.width, cell[1] * size.height
    for column, row, text, style in (
        *_ground_strokes(drawn),
        *_frame_strokes(drawn, laid, size),
        *_symbol_strokes(drawn, laid),
    ):
        canvas.write(left + column, top + row, text, new_style(style) if laid.is_new else style)


def draw_single_tile(laid: TileView, size: Size) -> list[Text]:
    """Return a single tile."""
    canvas = Canvas(0, 0, size.width, size.height)
    draw_tile(canvas, (0, 0), laid, size)
    return [*canvas.lines()]


def _ground_strokes(drawn: Picture) -> Iterator[Stroke]:
    for (column, row), index in drawn.ground.items():
        kind = _ground_kind(drawn, index)
        yield column, row, GROUND[kind], STYLES[kind]


def _frame_strokes(drawn: Picture, laid: TileView, size: Size) -> Iterator[Stroke]:
    """Yield the corners of a framed tile."""
    if laid.is_framed:
        style = new_style(STYLES[_ground_kind(drawn, drawn.ground[0, 0])]) + STYLES["frame"]
        for (column, row), mark in _corners(size):
            yield column, row, mark, style


def _symbol_strokes(drawn: Picture, laid: TileView) -> Iterator[Stroke]:
    for symbol in drawn.symbols:
        text, style = _symbol(symbol, laid)
        yield *symbol.spot, text, style
    for figure in laid.figures:
        yield from _figure_strokes(drawn, figure)
    for segment, label in laid.labels.items():
        spot, _ = drawn.standing[segment]
        yield *spot, label, STYLES["choice"]


def _ground_kind(drawn: Picture, index: int) -> str:
    return "reef" if index == REEF else kind_of(drawn.segments[index])


def _symbol(symbol: Symbol, laid: TileView) -> tuple[str, Style]:
    if (symbol.segment, symbol.group) in laid.covered:
        mark = COVERED[0] if len(symbol.text) >= len(COVERED[0]) else COVERED[1]
        return mark + GROUND["sea"] * (len(symbol.text) - len(mark)), STYLES["covered"]
    return symbol.text, STYLES[symbol.kind]


def _figure_strokes(drawn: Picture, figure: Figure) -> Iterator[Stroke]:
    (column, row), width = drawn.standing[figure.segment]
    yield column, row, figure.letter + (LYING_BODY if width > 1 else ""), figure.style


def _draw_choice(canvas: Canvas, cell: Cell, label: str, size: Size) -> None:
    left, top = cell[0] * size.width, cell[1] * size.height
    if size == LARGE:
        for (column, row), mark in _corners(size):
            canvas.write(left + column, top + row, mark, STYLES["empty"])
    text = f" {label} " if len(label) < size.width - 1 else label
    canvas.write(left + (size.width - len(text)) // 2, top + size.height // 2, text, STYLES["choice"])


def _corners(size: Size) -> Iterator[tuple[Spot, str]]:
    right, bottom = size.width - 1, size.height - 1
    return zip(((0, 0), (right, 0), (0, bottom), (right, bottom)), CORNERS, strict=True)


def _draw_axes(canvas: Canvas, cells: Iterable[Cell], size: Size) -> None:
    canvas.write(canvas.left, canvas.top, " " * canvas.width, STYLES["axis"])
    for row in range(canvas.top, canvas.top + canvas.height):
        canvas.write(canvas.left, row, " " * AXIS_WIDTH, STYLES["axis"])
    for x in {x for x, _ in cells}:
        column = x * size.width + size.width // 2
        if column - canvas.left >= AXIS_WIDTH:
            canvas.write(column - len(str(x)) // 2, canvas.top, str(x), STYLES["axis"])
    for y in {y for _, y in cells}:
        row = y * size.height + size.height // 2
        if row > canvas.top:
            canvas.write(canvas.left, row, f"{y:>{AXIS_WIDTH - 1}}", STYLES["axis"])


def _fits(cells: Iterable[Cell], size: Size, columns: int, rows: int) -> bool:
    west, north, east, south = _bounds(cells)
    return (east - west + 1) * size.width <= columns and (south - north + 1) * size.height <= rows


def _top_left(
    cells: Iterable[Cell], scene: Scene, view: Viewport, size: Size, room: tuple[int, int]
) -> tuple[int, int]:
    """Return the first visible column and row: centre the board if it fits, else the focus."""
    west, north, east, south = _bounds(cells)
    focus = scene.preview[0] if scene.preview is not None else scene.focus
    left = _first_visible(west, east, focus[0], size.width, room[0])
    top = _first_visible(north, south, focus[1], size.height, room[1])
    return left + view.across * size.width, top + view.down * size.height


def _first_visible(first: int, last: int, focus: int, step: int, room: int) -> int:
    length = (last - first + 1) * step
    if length <= room:
        return first * step - (room - length) // 2
    wanted = focus * step + step // 2 - room // 2
    return min(max(wanted, first * step), (last + 1) * step - room)


def _bounds(cells: Iterable[Cell]) -> tuple[int, int, int, int]:
    xs, ys = zip(*(tuple(cells) or ((0, 0),)), strict=True)
    return min(xs), min(ys), max(xs), max(ys)
