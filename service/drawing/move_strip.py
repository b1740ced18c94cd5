"""The strip below the board shows numbered moves in large: the tile in each rotation, or as placed, or the payments."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from schemas.game import PlacedTile, Turn
from schemas.vocabulary import Wares
from service.drawing.board import CELL_SIZE, draw_loose_tile, draw_outline, segment_attributes
from service.drawing.labels import Box, Label, draw_label, draw_labels
from service.drawing.layout.distance_fields import Point
from service.drawing.layout.tile_layout import lay_out_tile
from service.drawing.move_labels import MoveLabels
from service.drawing.scene import BoardOptions, Scene
from service.drawing.ships import WIDTH as TOKEN_WIDTH
from service.drawing.ships import ship_token
from service.drawing.symbols import use_symbol
from service.drawing.text_outlines import CAPITAL_HEIGHT, EM, draw_text, text_width

STRIP_WIDTH = 800.0
"""In the strip's own units."""

PADDING = 20.0
ROTATED_WIDTH = 120.0
MIN_PLACED_WIDTH = 0.6 * STRIP_WIDTH
"""The placed tile is also at least as wide as on the board."""
NUMBER_SIZE, LINE_HEIGHT = 30.0, 37.0
SEGMENT_LABEL_SIZE = 10.0
"""Of 100 for the tile's width: labels of segments that are close together fit beside each other."""
SHIP_WIDTH, SHIP_HEIGHT = 132.0, 110.0
PAYMENT_WIDTH, PAYMENT_HEIGHT = 310.0, 56.0
PAYMENT_SIZE, WARE_WIDTH, WARE_SCALE = 38.0, 74.0, 2.4
MAX_LARGE_PAYMENTS, LARGE_PAYMENT_SCALE = 8, 1.5
"""A few payments are drawn larger, one below the other; more of them in two columns."""


class Strip(NamedTuple):
    """A drawing `STRIP_WIDTH` wide, its corner at (0, 0)."""

    height: float
    svg: str


def draw_strip(scene: Scene, options: BoardOptions, labels: MoveLabels, board_width: float) -> Strip | None:
    """Draw the strip below a board of this width; None if no moves are numbered that it could show."""
    turn = scene.game.turn
    if turn is None or not options.number_moves:
        return None
    if labels.rotations:
        return _draw_rotations(scene, turn, options, labels)
    if labels.segments and (placed := scene.placed_tile) is not None:
        width = max(MIN_PLACED_WIDTH, CELL_SIZE * STRIP_WIDTH / board_width)
        return Strip(width + 2 * PADDING, _draw_placed_tile(scene, placed, options, labels, width))
    return _draw_payments(scene, options, labels) if labels.payments else None


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
        if text_width(f"{longer},", NUMBER_SIZE) <= room:
            lines[-1] = longer
        else:
            lines[-1] += ","
            lines.append(number)
    return lines


def _draw_placed_tile(scene: Scene, placed: PlacedTile, options: BoardOptions, labels: MoveLabels, width: float) -> str:
    """Draw the placed tile in this width, with the numbers of its segments."""
    tile = scene.tiles[placed.tile]
    spots = lay_out_tile(tile.segments).islanders
    numbered = []
    for (cell, segment), text in labels.segments.items():
        at = spots[segment].rotated(placed.rotation)
        numbered.append(Label(text, segment_attributes(cell, segment), at, at, SEGMENT_LABEL_SIZE))
    drawn = draw_loose_tile(tile, placed.rotation, options.colors)
    drawn += draw_outline(Point(0, 0)) if options.outline_last else ""
    drawn += "".join(draw_labels(numbered, Box(0, 0, 100, 100)))
    left = (STRIP_WIDTH - width) / 2
    return f'<g transform="translate({left:.1f} {PADDING:g})scale({width / CELL_SIZE:.4f})">{drawn}</g>'


def _draw_payments(scene: Scene, options: BoardOptions, labels: MoveLabels) -> Strip:
    """Draw each ship that something may be delivered to, and beside it the wares of each delivery."""
    is_short = sum(map(len, labels.payments.values())) <= MAX_LARGE_PAYMENTS
    columns, scale = (1, LARGE_PAYMENT_SCALE) if is_short else (2, 1.0)
    top, left, parts = PADDING, 2 * PADDING + SHIP_WIDTH, []
    for ship, payments in labels.payments.items():
        token = ship_token(scene.ships[ship], options.colors)
        parts.append(f'<g transform="translate({PADDING:g} {top:g})scale({SHIP_WIDTH / TOKEN_WIDTH:g})">{token}</g>')
        for place, (number, wares) in enumerate(payments):
            row, column = divmod(place, columns)
            x, y = left + column * PAYMENT_WIDTH, top + row * PAYMENT_HEIGHT * scale
            drawn = "".join(_draw_payment(number, wares, options))
            parts.append(
                f'<g transform="translate({x:g} {y:g})scale({scale:g})" data-ship="{ship}" data-numbers="{number}">'
                f"{drawn}</g>"
            )
        top += max(SHIP_HEIGHT, ceil(len(payments) / columns) * PAYMENT_HEIGHT * scale) + PADDING
    return Strip(top, "".join(parts))


def _draw_payment(number: int, wares: Wares, options: BoardOptions) -> Iterator[str]:
    """Draw a number, and how many of each ware it pays, `PAYMENT_WIDTH` by `PAYMENT_HEIGHT`."""
    middle = PAYMENT_HEIGHT / 2
    bottom = middle + CAPITAL_HEIGHT / EM * PAYMENT_SIZE / 2
    yield draw_label(str(number), Point(36, middle), 30, 64)
    kinds = (("banana", wares.bananas), ("shell", wares.shells), ("fish", wares.fish))
    paid = [(name, amount) for name, amount in kinds if amount]
    for place, (name, amount) in enumerate(paid):
        x = 94 + place * WARE_WIDTH
        yield use_symbol(name, Point(x, middle), scale=WARE_SCALE)
        yield draw_text(str(amount), x + 20, bottom, PAYMENT_SIZE, color=options.colors.text)
