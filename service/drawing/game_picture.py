"""The complete SVG of a game: the board, and optionally the sidebar."""

from xml.sax.saxutils import quoteattr

from service.drawing.board import CELL_SIZE, board_box, draw_board, shared_definitions, tiles_in_region
from service.drawing.labels import Box
from service.drawing.move_labels import label_moves, shown_region
from service.drawing.move_strip import STRIP_WIDTH, draw_strip
from service.drawing.scene import BoardOptions, Scene
from service.drawing.sidebar import SIDEBAR_WIDTH, draw_sidebar, sidebar_height
from service.i18n import get_translator
from service.i18n.board_lines import board_label

MAX_HEIGHT_PX = 4096
"""A picture that would be higher becomes narrower."""
SIDEBAR_FRACTIONS = (0.42, 0.75)
"""The minimum and maximum width of the sidebar, as a fraction of the board's."""


def board_svg(scene: Scene, options: BoardOptions) -> str:
    """Draw a game's board as a self-contained SVG."""
    labels = label_moves(scene)
    region = shown_region(scene, options, labels)
    tiles = tiles_in_region(scene, region)
    board = board_box(region, options)
    strip, strip_scale = draw_strip(scene, options, labels, board.width), board.width / STRIP_WIDTH
    box = board if strip is None else board._replace(height=board.height + strip.height * strip_scale)
    scale = _sidebar_scale(scene, box) if options.sidebar else 0.0
    picture = _with_sidebar(scene, box, scale) if options.sidebar else box
    width_px = _width_px(picture, options)
    parts = [
        shared_definitions(scene, tiles, options.colors),
        f'<path d="M-1e5-1e5H1e5V1e5H-1e5Z" fill="{options.colors.background}"/>',
        *draw_board(scene, options, region, tiles, labels, CELL_SIZE * width_px / picture.width),
    ]
    if strip is not None:
        corner = f"{board.left:.1f} {board.top + board.height:.1f}"
        parts.append(f'<g transform="translate({corner})scale({strip_scale:.4f})">{strip.svg}</g>')
    if options.sidebar:
        top = picture.top + (picture.height - sidebar_height(scene) * scale) / 2
        panel = "".join(draw_sidebar(scene, options, labels))
        parts.append(f'<g transform="translate({box.left + box.width:.1f} {top:.1f})scale({scale:.4f})">{panel}</g>')
    label = board_label(get_translator(options.language), scene.game.turn)
    return f"{_opening_tag(label, picture, width_px)}{''.join(parts)}</svg>"


def board_size(scene: Scene, options: BoardOptions) -> tuple[int, int]:
    """Return the width and height, in pixels, of a picture with a sidebar and without numbered moves."""
    box = board_box(shown_region(scene, options, label_moves(scene)), options)
    picture = _with_sidebar(scene, box, _sidebar_scale(scene, box))
    width_px = _width_px(picture, options)
    return round(width_px), round(width_px * picture.height / picture.width)


def _width_px(picture: Box, options: BoardOptions) -> float:
    return min(float(options.width), MAX_HEIGHT_PX * picture.width / picture.height)


def _sidebar_scale(scene: Scene, box: Box) -> float:
    """Return the scale at which the sidebar is as high as the board, within its minimum and maximum width."""
    min_scale, max_scale = (part * box.width / SIDEBAR_WIDTH for part in SIDEBAR_FRACTIONS)
    return min(max((box.height - 24) / sidebar_height(scene), min_scale), max_scale)


def _with_sidebar(scene: Scene, box: Box, scale: float) -> Box:
    """Return the board's box with the sidebar at its right."""
    height = max(box.height, sidebar_height(scene) * scale + 24)
    return Box(box.left, box.top - (height - box.height) / 2, box.width + SIDEBAR_WIDTH * scale + 12, height)


def _opening_tag(label: str, box: Box, width_px: float) -> str:
    height_px = width_px * box.height / box.width
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_px:.0f}" height="{height_px:.0f}"'
        f' viewBox="{box.left:.1f} {box.top:.1f} {box.width:.1f} {box.height:.1f}" role="img"'
        f" aria-label={quoteattr(label)}>"
    )
