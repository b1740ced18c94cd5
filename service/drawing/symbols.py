"""Symbols that do not rotate with tiles: wares, boats, palms and stalls, each around its centre."""

from service.drawing.layout.symbol_spots import SymbolSpot

BANANA = (
    '<path d="M-6.2-1.6C-4.8 5.3 4.8 6.2 6.3-3.3L6.9-5.2 5.3-5.7 4.7-3.8C3.3.4-1.6 1.4-5.1-2.5'
    'C-5.8-3.1-6.5-2.5-6.2-1.6Z"'
    ' fill="#6e4a00" stroke="#fffbe6" stroke-width="3" stroke-linejoin="round"/>'
    '<path d="M-6.2-1.6C-4.8 5.3 4.8 6.2 6.3-3.3C6.4-4.2 5-4.7 4.7-3.8C3.3.4-1.6 1.4-5.1-2.5C-5.8-3.1-6.5-2.5-6.2-1.6Z"'
    ' fill="#ffd92e" stroke="#6e4a00" stroke-width=".9"/>'
    '<path d="M-5.4-1.2C-2.8 3.6 3.6 3.4 5.6-2.6C3.4 1.9-2 2.4-5.4-1.2Z" fill="#e0a90f"/>'
    '<path d="M6.5-2.9 7.2-5.1 5.2-5.8 4.5-3.6Z" fill="#6e4a00"/>'
)
SHELL = (
    '<path d="M0 4.7C-1.7 4.7-2.5 3.9-2.2 3C-5.2.2-6-2.3-4.2-4C-2.8-5.2-1.2-5 0-5.3C1.2-5 2.8-5.2 4.2-4'
    'C6-2.3 5.2.2 2.2 3C2.5 3.9 1.7 4.7 0 4.7Z"'
    ' fill="#ffe1d3" stroke="#8f3d1d" stroke-width=".9" stroke-linejoin="round"/>'
    '<path d="M0 2.8V-4.4M-.9 2.7-2.5-3.9M.9 2.7 2.5-3.9M-1.5 2.4-4.3-2.3M1.5 2.4 4.3-2.3"'
    ' fill="none" stroke="#e27d55" stroke-width=".8" stroke-linecap="round"/>'
)
FISH = (
    '<path d="M-6.4.2C-4.6-3.9.8-4.4 3.3-.7C4.3-1.6 5.3-2.6 6.5-3.2C6-1 6 1.2 6.5 3.4C5.3 2.8 4.3 1.9'
    ' 3.3.9C.8 4.7-4.6 4.2-6.4.2Z"'
    ' fill="#ff8645" stroke="#5e210a" stroke-width=".9" stroke-linejoin="round"/>'
    '<path d="M-1.6-3C-.7-1-.7 1.3-1.6 3.3L.4 3.1C1.2 1.2 1.2-1 .4-2.8Z" fill="#fff6e8"/>'
    '<circle cx="-4" cy="-.5" r=".8" fill="#2b0f04"/>'
)
SHOAL = f'<g transform="translate(-1.4-3.9)">{FISH}</g><g transform="translate(1.4 4)">{FISH}</g>'
_RIG = (
    '<path d="M.2-9V3" stroke="#4a2a10" stroke-width="1" stroke-linecap="round"/>'
    '<path d="M1-8.4C6-5.8 7.4-1.6 6 1.8H1Z" fill="#fffaf0" stroke="#5b3413" stroke-width=".7"'
    ' stroke-linejoin="round"/>'
    '<path d="M1-3.4H6.3C6.6-2.3 6.6-1.2 6.4-.2H1Z" fill="#8a3f8f"/>'
    '<path d="M-.6-6.6C-4.2-4.4-5.2-1.4-4.8 1.8H-.6Z" fill="#fffaf0" stroke="#5b3413" stroke-width=".7"'
    ' stroke-linejoin="round"/>'
    '<path d="M-8.6 2.6C-5.4 4-5 3.4 0 3.4S5.4 4 8.6 2.6C7.6 6.4 5 7.2 0 7.2S-7.6 6.4-8.6 2.6Z"'
    ' fill="#9c5a26" stroke="#4a2a10" stroke-width=".8" stroke-linejoin="round"/>'
)
BOAT = (
    '<path d="M-9 8.3Q-6 6.6-3 8.3T3 8.3 9 8.3" fill="none" stroke="#d9f3f7" stroke-width="1.1"'
    ' stroke-linecap="round"/>'
    f"{_RIG}"
)
COVER = (
    '<circle r="7.6" fill="#fff4dc" stroke="#4a2a10" stroke-width="1.1"/>'
    '<circle r="6.3" fill="#7d4a22"/>'
    '<path d="M.4-5.2C3.4-3.4 4.2-.8 3.6 1.2H.4ZM-.4-3.9C-2.6-2.4-3.1-.6-2.9 1.2H-.4ZM-4.9 1.9H4.9C4.2'
    ' 4.1 2.8 4.5 0 4.5S-4.2 4.1-4.9 1.9Z"'
    ' fill="#fff4dc"/>'
)
"""A boat token on covered fish (R5.7)."""
PALM = (
    '<path d="M-.6 8C-1.2 3.6-.8.4.4-2.6L3-2C1.9.8 1.7 4 2.3 8Z" fill="#6d4520"/>'
    '<path d="M1.6-2.6C-1.4-7-5.8-6-8.2-1.8C-4.6-3.2-1.4-2.2 1.6-2.6C4.2-7 7.8-6 9.4-1.6C6.6-3.2 4.2-2.4 1.6-2.6'
    "C-1-2.4-4.8-.6-5.2 3.4C-3 .6-.4-.8 1.6-2.6C4.4-2 7.2 0 7.2 3.4C5.4.8 3.2-1 1.6-2.6"
    'C-.2-5.4.8-8.8 4.6-9.6C3-7 3.2-4.6 1.6-2.6Z" fill="#1d6b36"/>'
)
STALL = (
    '<path d="M-9.4-7V6.5M9.4-7V6.5" stroke="#5b3413" stroke-width="1.6"/>'
    '<path d="M-11 2.6H11V8.6H-11Z" fill="#b77a3f" stroke="#5b3413" stroke-width=".9" stroke-linejoin="round"/>'
    '<path d="M-7 2.8V8.4M-2.4 2.8V8.4M2.4 2.8V8.4M7 2.8V8.4" stroke="#5b3413" stroke-width=".6"/>'
    '<path d="M-9.6-13.4H9.6L12.6-5.6A2.52 2.52 0 0 1 7.56-5.6 2.52 2.52 0 0 1 2.52-5.6 2.52 2.52 0 0'
    ' 1-2.52-5.6 2.52 2.52 0 0 1-7.56-5.6 2.52 2.52 0 0 1-12.6-5.6Z"'
    ' fill="#fff6e4" stroke="#4c1f50" stroke-width="1" stroke-linejoin="round"/>'
    '<path d="M-9.6-13.4H-5.8L-7.56-5.6A2.52 2.52 0 0 1-12.6-5.6ZM-1.9-13.4H1.9L2.52-5.6A2.52 2.52 0 0'
    ' 1-2.52-5.6ZM5.8-13.4H9.6L12.6-5.6A2.52 2.52 0 0 1 7.56-5.6Z"'
    ' fill="#8a3f8f"/>'
    '<circle cx="-8" cy="1" r="2" fill="#ff8645" stroke="#5e210a" stroke-width=".6"/>'
    '<path d="M5.4 2.2C7 3 9.4 2.4 9.8-.6 8.6.8 7 1.2 5.4 2.2Z" fill="#ffdc3c" stroke="#6e4a00" stroke-width=".6"/>'
)

_SCALES_AND_DRAWINGS = {
    "banana": (1.22, BANANA),
    "shell": (1.2, SHELL),
    "fish": (1.22, FISH),
    "shoal": (1.12, SHOAL),
    "boat": (1.2, BOAT),
    "cover": (1.2, COVER),
    "palm": (1.2, PALM),
    "stall": (1.12, STALL),
}


def scale_drawing(drawing: str, scale: float) -> str:
    """Return a drawing, scaled around its centre."""
    return f'<g transform="scale({scale})">{drawing}</g>'


SYMBOLS = {name: scale_drawing(drawing, scale) for name, (scale, drawing) in _SCALES_AND_DRAWINGS.items()}
"""Each symbol by its name, in the size that it has on a tile."""


def draw_at(drawing: str, spot: SymbolSpot) -> str:
    """Draw a symbol at a spot."""
    size = "" if abs(spot.scale - 1) < 0.01 else f"scale({spot.scale:.2f})"
    return f'<g transform="translate({spot.at.x:.1f} {spot.at.y:.1f}){size}">{drawing}</g>'
