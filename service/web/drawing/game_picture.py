"""The whole picture of a game: the board, and beside it what else one sees."""

from xml.sax.saxutils import quoteattr

from service.web.drawing.board import SIDE, Box, board_box, definitions, draw_board, region_of, tiles_in
from service.web.drawing.move_labels import numbered
from service.web.drawing.scene import Options, Scene
from service.web.drawing.sidebar import WIDTH, draw_side, height

TALLEST = 4096
"""Pixels; a picture that would be higher becomes narrower."""
SIDE_PARTS = (0.42, 0.75)
"""How wide the panel is at least and at most, as part of the board."""


def board_svg(scene: Scene, options: Options) -> str:
    """A game's board as SVG, without any reference to something outside of it."""
    numbers = numbered(scene)
    region = region_of(scene, options, numbers)
    box = board_box(region, options)
    scale = _side_scale(scene, box) if options.side else 0.0
    whole = _beside(scene, box, scale) if options.side else box
    wide = min(float(options.width), TALLEST * whole.width / whole.height)
    parts = [
        definitions(scene, [one.tile for one in tiles_in(scene, region)], options.colors),
        f'<path d="M-1e5-1e5H1e5V1e5H-1e5Z" fill="{options.colors.table}"/>',
        *draw_board(scene, options, region, numbers, SIDE * wide / whole.width),
    ]
    if options.side:
        top = whole.top + (whole.height - height(scene) * scale) / 2
        panel = "".join(draw_side(scene, options, numbers))
        parts.append(f'<g transform="translate({box.left + box.width:.1f} {top:.1f})scale({scale:.4f})">{panel}</g>')
    return f"{_opening(scene, whole, wide)}{''.join(parts)}</svg>"


def _side_scale(scene: Scene, box: Box) -> float:
    """As high as the board, unless that would be too narrow to read or too wide."""
    narrow, wide = (part * box.width / WIDTH for part in SIDE_PARTS)
    return min(max((box.height - 24) / height(scene), narrow), wide)


def _beside(scene: Scene, box: Box, scale: float) -> Box:
    """The board's box with the panel to the right."""
    tall = max(box.height, height(scene) * scale + 24)
    return Box(box.left, box.top - (tall - box.height) / 2, box.width + WIDTH * scale + 12, tall)


def _opening(scene: Scene, box: Box, wide: float) -> str:
    label = quoteattr(f"{scene.game.id}, version {scene.game.version}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{wide * box.height / box.width:.0f}"'
        f' viewBox="{box.left:.1f} {box.top:.1f} {box.width:.1f} {box.height:.1f}" role="img" aria-label={label}>'
    )
