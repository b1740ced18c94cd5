"""Text as outlines of Nunito Bold, which do not depend on the reader's fonts."""

import unicodedata
from functools import cache
from importlib import resources

import msgspec

EM = 1000
CAPITAL_HEIGHT = 705
"""The height of a capital letter."""
UNKNOWN_GLYPH = (600, "M80 0V-700H520V0ZM150-70H450V-630H150Z")
"""The glyph of a character that the font does not have."""

Glyph = tuple[int, str]
"""The advance to the next glyph, and the outline."""


class _Font(msgspec.Struct):
    glyphs: dict[str, Glyph]


@cache
def load_glyphs() -> dict[str, Glyph]:
    """Load every glyph, by character."""
    encoded = resources.files("service.drawing").joinpath("glyphs.json").read_bytes()
    return msgspec.json.decode(encoded, type=_Font).glyphs


def text_width(text: str, size: float) -> float:
    """Return the width of a text at a font size."""
    return sum(_glyph(character)[0] for character in _normalize(text)) * size / EM


def draw_text(text: str, x: float, y: float, size: float, *, color: str, anchor: float = 0.0) -> str:
    """Draw a text with its baseline at y; `anchor` is the fraction of its width to the left of x."""
    across, paths = 0, []
    for character in _normalize(text):
        advance, path = _glyph(character)
        if path:
            offset = f' transform="translate({across})"' if across else ""
            paths.append(f'<path d="{path}"{offset}/>')
        across += advance
    scale = size / EM
    left = x - anchor * across * scale
    return f'<g fill="{color}" transform="translate({left:.1f} {y:.1f})scale({scale:.4f})">{"".join(paths)}</g>'


def draw_centred_text(text: str, x: float, y: float, size: float, color: str) -> str:
    """Draw a text centred on a point."""
    return draw_text(text, x, y + CAPITAL_HEIGHT / EM * size / 2, size, color=color, anchor=0.5)


def truncate_text(text: str, size: float, room: float) -> str:
    """Truncate a text to a width, with an ellipsis."""
    if text_width(text, size) <= room:
        return text
    while text and text_width(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _glyph(character: str) -> Glyph:
    """Return the glyph of a character, or of its letter without accents, or UNKNOWN_GLYPH."""
    glyphs = load_glyphs()
    return glyphs.get(character) or glyphs.get(unicodedata.normalize("NFKD", character)[:1]) or UNKNOWN_GLYPH
