"""Symbols that do not rotate with tiles: wares, boats, palms and stalls, each around its centre."""

import re
from importlib import resources

from service.drawing.layout.symbol_spots import SymbolSpot

_FILE = resources.files("service.drawing").joinpath("symbols.svg").read_text(encoding="utf-8")
_GROUPS = re.findall(r'<g id="(\w+)" transform="scale\((.+?)\)">(.+?)</g>\n(?=<g id|</svg>)', _FILE, re.DOTALL)

DRAWINGS: dict[str, str] = {name: drawing.replace("\n", "") for name, _, drawing in _GROUPS}
"""Each drawing of `symbols.svg` by its id: the symbols, and the ship and the ware of any kind of a ship's token."""


def scale_drawing(name: str, scale: float | str) -> str:
    """Return a drawing, scaled around its centre."""
    return f'<g transform="scale({scale})">{DRAWINGS[name]}</g>'


SYMBOLS = {name: scale_drawing(name, scale) for name, scale, _ in _GROUPS if float(scale) != 1}
"""Each symbol by its name, in the size that it has on a tile; `cover` is a boat token on covered fish (R5.7)."""


def draw_at(drawing: str, spot: SymbolSpot) -> str:
    """Draw a symbol at a spot."""
    size = "" if abs(spot.scale - 1) < 0.01 else f"scale({spot.scale:.2f})"
    return f'<g transform="translate({spot.at.x:.1f} {spot.at.y:.1f}){size}">{drawing}</g>'
