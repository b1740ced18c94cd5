"""Ship tokens: the points on the sail, and the cost on the hull (R6.3)."""

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from schemas.tileset import Cost, Ship
from service.drawing.distance_fields import Point
from service.drawing.labels import draw_centred_text, draw_text
from service.drawing.palette import DRAWINGS, LIGHT, Palette, draw_at, scale_drawing
from service.drawing.tile import size_attributes

WIDTH, HEIGHT = 120, 100
"""The size of a token, in units."""

MAX_ROW_WARES = 5
MAX_WARE_SYMBOLS = 10
"""If the cost has more wares, each kind is shown once with its number."""
WARE_WIDTH = 18.0
ROW_WIDTH = 88.0
"""The width of a ware, and of a row."""
MAX_SCALE, TWO_ROW_SCALE = 1.3, 1.02
"""The scale of wares in one row (at most), and in two."""

WARE_GROUPS = (("A", "#0f6f6a"), ("B", "#8a3f8f"), ("C", "#8a5a00"))
"""The letter and colour of each group of identical wares."""


def ship_svg(ship: Ship, colors: Palette = LIGHT, width: int | None = None, label: str = "") -> str:
    """Draw a ship token as an SVG, `width` pixels wide or without a fixed size; its label is for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{size_attributes(width, HEIGHT / WIDTH)}'
        f' viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f" aria-label={quoteattr(label)}>{ship_token(ship, colors)}</svg>"
    )


def ship_token(ship: Ship, colors: Palette) -> str:
    """Draw a ship token."""
    return (
        f'<rect x=".8" y=".8" width="{WIDTH - 1.6}" height="{HEIGHT - 1.6}" rx="9" fill="{colors.deep}"'
        f' stroke="{colors.seam}" stroke-width="1.6"/>'
        '<path d="M4 90q7-6 14 0t14 0 14 0 14 0 14 0 14 0 14 0 14 0" fill="none"'
        f' stroke="{colors.shallow[0]}" stroke-width="2"/>'
        f"{DRAWINGS['ship']}{draw_centred_text(str(ship.points), 60, 29, 31, '#4a2a10')}"
        f"{''.join(_draw_cost(ship.cost))}"
    )


def _draw_cost(cost: Cost) -> Iterator[str]:
    """Draw the wares of the cost, in one or two rows."""
    kinds = _ware_kinds(cost)
    symbols = [symbol for symbol, number in kinds for _ in range(number)]
    if len(symbols) > MAX_WARE_SYMBOLS:
        symbols = [
            f"{symbol}{draw_text(str(number), 6, 9, 9, color='#4a2a10', anchor=0.5)}"
            for symbol, number in kinds
            if number
        ]
    half = (len(symbols) + 1) // 2
    rows = [symbols] if len(symbols) <= MAX_ROW_WARES else [symbols[:half], symbols[half:]]
    size = min(MAX_SCALE, ROW_WIDTH / (WARE_WIDTH * max(map(len, rows)))) if len(rows) == 1 else TWO_ROW_SCALE
    for number, row in enumerate(rows):
        y = 75.0 if len(rows) == 1 else 67.0 + number * 16.5
        start = 60 - (len(row) - 1) * WARE_WIDTH * size / 2
        for column, symbol in enumerate(row):
            yield draw_at(symbol, Point(start + column * WARE_WIDTH * size, y), size)


def _ware_kinds(cost: Cost) -> list[tuple[str, int]]:
    """Return the symbol of each kind of ware, and how many the cost has."""
    return [
        (scale_drawing("banana", 1.15), cost.bananas),
        (scale_drawing("shell", 1.4), cost.shells),
        (scale_drawing("fish", 1.2), cost.fish),
        *((_ware_group_symbol(*WARE_GROUPS[group]), number) for group, number in enumerate(cost.same)),
        (f"{DRAWINGS['any']}{draw_centred_text('?', 0, 0, 12, '#6b4a22')}", cost.any),
    ]


def _ware_group_symbol(letter: str, color: str) -> str:
    """Return the symbol of a ware in a group of identical wares; a letter stands for one kind."""
    centred = draw_centred_text(letter, 0, 0, 11, "#fff")
    return f'<circle r="7.8" fill="{color}" stroke="#2b1a08" stroke-width=".9"/>{centred}'
