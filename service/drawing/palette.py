"""Colours and symbols of pictures.

The colours of both themes and of the players are in `palette.json`. Symbols do not rotate with tiles: wares, boats,
palms, stalls and islanders, each around its centre.
"""

import re
from importlib import resources
from typing import Literal

import msgspec

from schemas.vocabulary import COLORS, Color
from service.drawing.distance_fields import Point

Theme = Literal["light", "dark"]


class Palette(msgspec.Struct, frozen=True):
    """The colours of a theme."""

    background: str
    """Behind the board."""
    panel: str
    text: str
    faint: str
    deep: str
    wave: str
    shade: str
    """Water under a bridge."""
    shallow: tuple[str, str]
    """From deep water to the shore."""
    sand: tuple[str, str]
    """Wet and dry."""
    grass: tuple[str, str]
    """From the beach inland."""
    seam: str
    """The line between tiles."""


class PlayerColors(msgspec.Struct, frozen=True):
    """The colours and the mark of a player. They differ in lightness for readers who cannot tell red from green."""

    fill: str
    dark: str
    mark: str
    mark_path: str
    """About 6 units wide: diamond, ring, triangle, cross, star."""


class _Colors(msgspec.Struct):
    themes: dict[Theme, Palette]
    players: dict[Color, PlayerColors]


_COLORS = msgspec.json.decode(resources.files("service.drawing").joinpath("palette.json").read_bytes(), type=_Colors)
THEMES, PLAYER_COLORS = _COLORS.themes, _COLORS.players
LIGHT = THEMES["light"]


_FILE = resources.files("service.drawing").joinpath("symbols.svg").read_text(encoding="utf-8")
_GROUPS = re.findall(r'<g id="(\w+)" transform="scale\((.+?)\)">(.+?)</g>\n(?=<g id|</svg>)', _FILE, re.DOTALL)

DRAWINGS: dict[str, str] = {name: drawing.replace("\n", "") for name, _, drawing in _GROUPS}
"""Each drawing of `symbols.svg` by its id: the symbols, and the ship and the ware of any kind of a ship's token."""


def scale_drawing(name: str, scale: float | str) -> str:
    """Return a drawing, scaled around its centre."""
    return f'<g transform="scale({scale})">{DRAWINGS[name]}</g>'


SYMBOLS = {name: scale_drawing(name, scale) for name, scale, _ in _GROUPS if float(scale) != 1}
"""Each symbol by its name, in the size that it has on a tile; `cover` is a boat token on covered fish (R5.7)."""


def draw_at(drawing: str, at: Point, scale: float) -> str:
    """Draw a symbol at a point."""
    size = "" if abs(scale - 1) < 0.01 else f"scale({scale:.2f})"
    return f'<g transform="translate({at.x:.1f} {at.y:.1f}){size}">{drawing}</g>'


def use_symbol(name: str, at: Point, *, scale: float = 1.0) -> str:
    """Return a `<use>` element for a symbol at a point."""
    if abs(scale - 1) < 0.01:
        return f'<use href="#{name}" x="{at.x:.1f}" y="{at.y:.1f}"/>'
    return f'<use href="#{name}" transform="translate({at.x:.1f} {at.y:.1f})scale({scale:.2f})"/>'


ISLANDER_SCALE = 1.16

_BODY = "M-6.6 8.2C-7 .6-4.4-2.2 0-2.2S7 .6 6.6 8.2C6.5 8.9 6 9 5.4 9H-5.4C-6 9-6.5 8.9-6.6 8.2Z"
_HAT = "M-6.2-4.4C-3.4-5.2-2.6-9.2 0-9.2S3.4-5.2 6.2-4.4C5-2.8-5-2.8-6.2-4.4Z"


def draw_standing(color: Color) -> str:
    """Draw a standing figure of about 15 by 21 units around its centre."""
    return f'<g transform="scale({ISLANDER_SCALE})">{_draw_figure(color)}{_draw_mark(color, 0, 3.9)}</g>'


def draw_lying(color: Color) -> str:
    """Draw a lying figure in the water, its mark upright."""
    return (
        f'<g transform="scale({ISLANDER_SCALE})"><ellipse rx="11.6" ry="8.4" fill="#fff" fill-opacity=".3"/>'
        f'<g transform="rotate(-90)">{_draw_figure(color)}</g>{_draw_mark(color, 3.9, 0)}</g>'
    )


def islander_id(color: Color, *, lies: bool) -> str:
    """Return the id of a figure's symbol."""
    return f"{color}-{'lying' if lies else 'standing'}"


def draw_badge(color: Color, at: Point, size: float) -> str:
    """Draw a disc with a player's colour and mark."""
    paint = PLAYER_COLORS[color]
    return (
        f'<g transform="translate({at.x:.1f} {at.y:.1f})scale({size / 6:.3f})">'
        f'<circle r="6" fill="{paint.fill}" stroke="{paint.dark}" stroke-width=".9"/>'
        f'<path fill="{paint.mark}" d="{paint.mark_path}"/></g>'
    )


def _draw_figure(color: Color) -> str:
    paint = PLAYER_COLORS[color]
    return (
        f'<path d="{_BODY}" fill="none" stroke="#fffdf5" stroke-width="3.2" stroke-linejoin="round"/>'
        f'<path d="{_HAT}" fill="none" stroke="#fffdf5" stroke-width="3.2" stroke-linejoin="round"/>'
        f'<path d="{_BODY}" fill="{paint.fill}" stroke="{paint.dark}" stroke-width="1" stroke-linejoin="round"/>'
        '<circle cy="-3.4" r="3" fill="#b97a4b" stroke="#5b3413" stroke-width=".6"/>'
        f'<path d="{_HAT}" fill="#f3d48a" stroke="#6e4a12" stroke-width=".9" stroke-linejoin="round"/>'
        f'<path d="M-4.3-5.4C-1.6-4.5 1.6-4.5 4.3-5.4" fill="none" stroke="{paint.fill}" stroke-width="1.3"/>'
    )


def _draw_mark(color: Color, x: float, y: float) -> str:
    paint = PLAYER_COLORS[color]
    return f'<path transform="translate({x:g} {y:g})" fill="{paint.mark}" d="{paint.mark_path}"/>'


ISLANDERS: dict[str, str] = {
    **{islander_id(color, lies=False): draw_standing(color) for color in COLORS},
    **{islander_id(color, lies=True): draw_lying(color) for color in COLORS},
}
"""Each figure by the id of its symbol: standing, or lying where it fishes (R0), each colour with its own mark."""
