"""Ship tokens: the points on the sail, and what is asked for in the hull (R6.3)."""

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from schemas.tileset import Cost, Ship
from service.web.drawing.layout.distance_fields import Point
from service.web.drawing.layout.layout_points import Laid
from service.web.drawing.palette import LIGHT, Palette
from service.web.drawing.symbols import BANANA, FISH, SHELL, put
from service.web.drawing.text_outlines import letters, middled
from service.web.drawing.tile import sized

WIDTH, HEIGHT = 120, 100
"""Of a token, in units."""

ROW = 5
MOST = 10
"""More wares than these are shown once, with their number."""
SLOT = 18.0
HOLD = 88.0
"""What a ware takes, and all of a row."""
LARGEST, SMALL = 1.3, 1.02
"""The sizes of wares in one row, and in two."""

GROUPS = (("A", "#0f6f6a"), ("B", "#8a3f8f"), ("C", "#8a5a00"))
"""The letter and colour of each group of identical wares."""

_SHIP = (
    '<path d="M60 3V58" stroke="#4a2a10" stroke-width="3.4" stroke-linecap="round"/>'
    '<path d="M60 3 76 7.5 60 12Z" fill="#8a3f8f"/>'
    '<path d="M24 12C50 6 70 6 96 12C104 24 104 38 98 49C72 43 48 43 22 49C16 38 16 24 24 12Z"'
    ' fill="#fff8e8" stroke="#6b4a22" stroke-width="1.6" stroke-linejoin="round"/>'
    '<path d="M24 12C50 6 70 6 96 12L97.5 14.6C72 9 48 9 22.5 14.6Z" fill="#8a3f8f"/>'
    '<path d="M4 51C14 55 106 55 116 51C114 76 106 95 90 96H30C14 95 6 76 4 51Z"'
    ' fill="#8f5727" stroke="#432509" stroke-width="1.8" stroke-linejoin="round"/>'
    '<path d="M9.5 57.5C30 59.5 90 59.5 110.5 57.5C107.5 77 101 90.5 88.5 91.5H31.5C19 90.5 12.5 77 9.5 57.5Z"'
    ' fill="#efd7ac"/>'
)


def ship_svg(ship: Ship, colors: Palette = LIGHT, width: int | None = None) -> str:
    """A ship's token as a picture of its own, `width` pixels wide or as wide as there is room."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{sized(width, HEIGHT / WIDTH)}'
        f' viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f" aria-label={quoteattr(ship.id)}>{token(ship, colors)}</svg>"
    )


def token(ship: Ship, colors: Palette) -> str:
    """A ship's token."""
    return (
        f'<rect x=".8" y=".8" width="{WIDTH - 1.6}" height="{HEIGHT - 1.6}" rx="9" fill="{colors.deep}"'
        f' stroke="{colors.seam}" stroke-width="1.6"/>'
        '<path d="M4 90q7-6 14 0t14 0 14 0 14 0 14 0 14 0 14 0 14 0" fill="none"'
        f' stroke="{colors.shallow[0]}" stroke-width="2"/>'
        f"{_SHIP}{middled(str(ship.points), 60, 29, 31, '#4a2a10')}{''.join(_cargo(ship.cost))}"
    )


def _cargo(cost: Cost) -> Iterator[str]:
    """The wares asked for, in one row or two."""
    slots = _slots(cost)
    if len(slots) > MOST:
        slots = _numbered(cost)
    rows = [slots] if len(slots) <= ROW else [slots[: (len(slots) + 1) // 2], slots[(len(slots) + 1) // 2 :]]
    size = min(LARGEST, HOLD / (SLOT * max(map(len, rows)))) if len(rows) == 1 else SMALL
    for number, row in enumerate(rows):
        y = 75.0 if len(rows) == 1 else 67.0 + number * 16.5
        start = 60 - (len(row) - 1) * SLOT * size / 2
        for place, slot in enumerate(row):
            yield put(slot, Laid(Point(start + place * SLOT * size, y), size))


def _slots(cost: Cost) -> list[str]:
    """A drawing for each ware."""
    named = [*[_ware("banana")] * cost.bananas, *[_ware("shell")] * cost.shells, *[_ware("fish")] * cost.fish]
    same = [_letter(*GROUPS[group]) for group, number in enumerate(cost.same) for _ in range(number)]
    return [*named, *same, *[_any()] * cost.any]


def _numbered(cost: Cost) -> list[str]:
    """A drawing for each kind of ware, with its number."""
    kinds = [
        (_ware("banana"), cost.bananas),
        (_ware("shell"), cost.shells),
        (_ware("fish"), cost.fish),
        *((_letter(*GROUPS[group]), number) for group, number in enumerate(cost.same)),
        (_any(), cost.any),
    ]
    return [
        f"{drawing}{letters(str(number), 6, 9, 9, color='#4a2a10', anchor=0.5)}" for drawing, number in kinds if number
    ]


def _ware(name: str) -> str:
    scale = {"banana": 1.15, "shell": 1.4, "fish": 1.2}[name]
    drawing = {"banana": BANANA, "shell": SHELL, "fish": FISH}[name]
    return f'<g transform="scale({scale})">{drawing}</g>'


def _any() -> str:
    """A ware of the player's choice."""
    return '<circle r="7.6" fill="#fffaf0" stroke="#6b4a22" stroke-width="1.2" stroke-dasharray="2.4 1.6"/>' + middled(
        "?", 0, 0, 12, "#6b4a22"
    )


def _letter(letter: str, color: str) -> str:
    """One of a group of identical wares: all with one letter are of one kind."""
    return f'<circle r="7.8" fill="{color}" stroke="#2b1a08" stroke-width=".9"/>{middled(letter, 0, 0, 11, "#fff")}'
