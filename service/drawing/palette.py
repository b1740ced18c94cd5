"""The colours of pictures, for the light and the dark theme, and those of the players."""

from typing import Literal, NamedTuple

from schemas.vocabulary import Color

Theme = Literal["light", "dark"]


class Palette(NamedTuple):
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


LIGHT = Palette(
    background="#f3ead8",
    panel="#fffaf0",
    text="#33291c",
    faint="#8b7a62",
    deep="#2d9cbf",
    wave="#4fb3d1",
    shade="#2688a8",
    shallow=("#55bdd2", "#90dadb"),
    sand=("#e0c68c", "#f6e6b8"),
    grass=("#86b957", "#6aa64b"),
    seam="#14566b",
)
DARK = Palette(
    background="#131d26",
    panel="#1c2a36",
    text="#f2ead9",
    faint="#93a3ad",
    deep="#1a7291",
    wave="#2c87a6",
    shade="#145d78",
    shallow=("#338fa6", "#5fb0b4"),
    sand=("#b89f69", "#d6c28f"),
    grass=("#65964a", "#4d803b"),
    seam="#0a2f3d",
)
THEMES: dict[Theme, Palette] = {"light": LIGHT, "dark": DARK}


class PlayerColors(NamedTuple):
    """The colours of a player, which differ in lightness for readers who cannot tell red from green."""

    fill: str
    dark: str
    mark: str


PLAYER_COLORS: dict[Color, PlayerColors] = {
    "red": PlayerColors("#d5362a", "#7c140c", "#ffffff"),
    "blue": PlayerColors("#1f5fc4", "#0c2b66", "#ffffff"),
    "green": PlayerColors("#2fae5e", "#0c5227", "#06351a"),
    "yellow": PlayerColors("#ffd92f", "#8a6a00", "#4a3500"),
    "black": PlayerColors("#2b2b30", "#000000", "#ffffff"),
}

PLAYER_MARKS: dict[Color, str] = {
    "red": "M0-3.1 3.1 0 0 3.1-3.1 0Z",
    "blue": "M0-2.8A2.8 2.8 0 1 1 0 2.8 2.8 2.8 0 1 1 0-2.8ZM0-1.1A1.1 1.1 0 1 0 0 1.1 1.1 1.1 0 1 0 0-1.1Z",
    "green": "M0-3 3.2 2.5H-3.2Z",
    "yellow": "M-1-3H1V-1H3V1H1V3H-1V1H-3V-1H-1Z",
    "black": "M0-3.5.85-1.1 3.4-1.1 1.35.45 2.1 2.9 0 1.4-2.1 2.9-1.35.45-3.4-1.1-.85-1.1Z",
}
"""The mark of each colour, about 6 units wide: diamond, ring, triangle, cross, star."""
