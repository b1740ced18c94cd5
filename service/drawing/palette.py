"""The colours of pictures, for the light and the dark theme, and those of the players: `palette.json`."""

from importlib import resources
from typing import Literal

import msgspec

from schemas.vocabulary import Color

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
