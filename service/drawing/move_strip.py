"""The strip below the board that shows numbered moves in large: the drawn tile in each rotation, or the placed tile."""

from collections.abc import Iterator
from typing import NamedTuple

from schemas.game import PlacedTile, Turn
from service.drawing.board import draw_loose_tile, draw_outline, segment_attributes
from service.drawing.labels import Box, Label, draw_labels
from service.drawing.layout.distance_fields import Point
from service.drawing.layout.tile_layout import lay_out_tile
from service.drawing.move_labels import MoveLabels
from service.drawing.scene import BoardOptions, Scene
from service.drawing.text_outlines import draw_text, text_width

STRIP_WIDTH = 800.0
"""In the strip's own units."""

PADDING = 20.0
ROTATED_WIDTH = 120.0
PLACED_WIDTH = 260.0
NUMBER_SIZE, LINE_HEIGHT = 30.0, 37.0
SEGMENT_LABEL_SIZE = 9.0
"""Of 100 for the tile's width: labels of segments that are close together fit beside each other."""


class Strip(NamedTuple):
    """A drawing `STRIP_WIDTH` wide, its corner at (0, 0)."""

    height: float
    svg: str


def draw_strip(scene: Scene, options: BoardOptions, labels: MoveLabels) -> Strip | None:
    """Draw the strip; None if neither a tile nor an islander is to be placed, or no moves are numbered."""
    turn = scene.game.turn
    if turn is None or not options.number_moves:
        return None
    if labels.rotations:
        return _draw_rotations(scene, turn, options, labels)
    if labels.segments and turn.placed is not None:
        placed = scene.game.board[f"{turn.placed.x},{turn.placed.y}"]
        return Strip(PLACED_WIDTH + 2 * PADDING, "".join(_draw_placed_tile(scene, placed, options, labels)))
    return None


def _draw_rotations(scene: Scene, turn: Turn, options: BoardOptions, labels: MoveLabels) -> Strip:
    """Draw the drawn tile in each rotation that is legal somewhere, above the numbers of its moves."""
    column, colors = STRIP_WIDTH / len(labels.rotations), options.colors
    lines = {turns: _wrap(numbers, column - PADDING) for turns, numbers in sorted(labels.rotations.items())}
    height = PADDING + ROTATED_WIDTH + LINE_HEIGHT * max(map(len, lines.values())) + PADDING
    parts = []
    for place, (turns, texts) in enumerate(lines.items()):
        middle = column * (place + 0.5)
        numbers = ",".join(map(str, labels.rotations[turns]))
        parts.append(
            f'<g transform="translate({middle - ROTATED_WIDTH / 2:.1f} {PADDING:g})scale({ROTATED_WIDTH / 100:g})"'
            f' data-rotation="{turns}" data-numbers="{numbers}">'
            f"{draw_loose_tile(scene.tiles[turn.tile], turns, colors)}</g>"
        )
        for line, text in enumerate(texts):
            bottom = PADDING + ROTATED_WIDTH + LINE_HEIGHT * (line + 0.9)
            parts.append(draw_text(text, middle, bottom, NUMBER_SIZE, color=colors.text, anchor=0.5))
    return Strip(height, "".join(parts))


def _wrap(numbers: list[int], room: float) -> list[str]:
    """Return numbers as lines that fit into a width."""
    first, *others = map(str, numbers)
    lines = [first]
    for number in others:
        longer = f"{lines[-1]}, {number}"
        if text_width(longer, NUMBER_SIZE) <= room:
            lines[-1] = longer
        else:
            lines.append(number)
    return lines


def _draw_placed_tile(scene: Scene, placed: PlacedTile, options: BoardOptions, labels: MoveLabels) -> Iterator[str]:
    """Draw the placed tile, with the numbers of its segments."""
    tile = scene.tiles[placed.tile]
    spots = lay_out_tile(tile.segments).islanders
    numbered = []
    for (cell, segment), text in labels.segments.items():
        at = spots[segment].rotated(placed.rotation)
        numbered.append(Label(text, segment_attributes(cell, segment), at, at, SEGMENT_LABEL_SIZE))
    drawn = draw_loose_tile(tile, placed.rotation, options.colors)
    drawn += draw_outline(Point(0, 0)) if options.outline_last else ""
    drawn += "".join(draw_labels(numbered, Box(0, 0, 100, 100)))
    left = (STRIP_WIDTH - PLACED_WIDTH) / 2
    yield f'<g transform="translate({left:g} {PADDING:g})scale({PLACED_WIDTH / 100:g})">{drawn}</g>'
