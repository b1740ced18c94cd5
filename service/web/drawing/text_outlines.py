"""Text as outlines, so that it looks the same whatever fonts the reader has. The glyphs are those of Nunito Bold."""

import unicodedata
from functools import cache
from importlib import resources

import msgspec

EM = 1000
CAPITAL_HEIGHT = 705
"""The height of a capital letter."""
UNKNOWN_GLYPH = (600, "M80 0V-700H520V0ZM150-70H450V-630H150Z")
"""What stands for a character that the font lacks."""

Glyph = tuple[int, str]
"""How far the next one is, and the outline."""


class _Font(msgspec.Struct):
    glyphs: dict[str, Glyph]


@cache
def load_glyphs() -> dict[str, Glyph]:
    """Every glyph, by its character."""
    encoded = resources.files("service.web.drawing").joinpath("glyphs.json").read_bytes()
    return msgspec.json.decode(encoded, type=_Font).glyphs


def text_width(text: str, size: float) -> float:
    """How wide a text is, its em being `size`."""
    return sum(_glyph(character)[0] for character in _normalize(text)) * size / EM


def draw_text(text: str, x: float, y: float, size: float, *, color: str, anchor: float = 0.0) -> str:
    """A text with its base line at y; `anchor` is which part of it lies left of x: 0.5 for a text in the middle."""
    across, drawn = 0, []
    for character in _normalize(text):
        advance, path = _glyph(character)
        if path:
            drawn.append(f'<path d="{path}"{_translate(across)}/>')
        across += advance
    scale = size / EM
    left = x - anchor * across * scale
    return f'<g fill="{color}" transform="translate({left:.1f} {y:.1f})scale({scale:.4f})">{"".join(drawn)}</g>'


def draw_centred_text(text: str, x: float, y: float, size: float, color: str) -> str:
    """A text whose middle is a point, as a number on a token."""
    return draw_text(text, x, y + CAPITAL_HEIGHT / EM * size / 2, size, color=color, anchor=0.5)


def truncate_text(text: str, size: float, room: float) -> str:
    """As much of a text as there is room for, with an ellipsis where it is cut."""
    if text_width(text, size) <= room:
        return text
    while text and text_width(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def _translate(across: int) -> str:
    return f' transform="translate({across})"' if across else ""


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _glyph(character: str) -> Glyph:
    """The glyph, or that of the letter without its accents, or a box."""
    glyph = load_glyphs().get(character)
    if glyph is None:
        base = unicodedata.normalize("NFKD", character)[:1]
        glyph = load_glyphs().get(base)
    return glyph or UNKNOWN_GLYPH
