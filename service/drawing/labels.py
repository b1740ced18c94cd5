"""Text as outlines, and labels with the numbers of moves.

Outlines are those of Nunito Bold, so that pictures do not depend on the reader's fonts. Labels stand where none covers
another.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from math import cos, inf, pi, sin
from typing import NamedTuple

import msgspec

from service.drawing.distance_fields import Point

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


PAPER, RIM, INK = "#fffdf5", "#c2185b", "#7d0f3b"
RIM_WIDTH = 0.13
"""In font sizes."""
RINGS = 60
"""Rings of spots that are tried around a point, each a quarter of a label's height wider than the one before."""


class Box(NamedTuple):
    """A rectangle in the picture's units."""

    left: float
    top: float
    width: float
    height: float

    def overlaps(self, other: "Box") -> bool:
        """Return whether the two have an area in common."""
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.top < other.top + other.height
            and other.top < self.top + self.height
        )

    def contains(self, other: "Box") -> bool:
        """Return whether the other lies within this one."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.left + other.width <= self.left + self.width
            and other.top + other.height <= self.top + self.height
        )


class Label(NamedTuple):
    """A move's number, what it is about, and where it should be."""

    text: str
    subject: str
    """The attributes that name the subject."""
    anchor: Point
    """The spot of the subject."""
    at: Point
    size: float


def draw_labels(labels: Sequence[Label], bounds: Box) -> Iterator[str]:
    """Draw labels within bounds; one that has to move aside is connected with its subject."""
    taken: list[Box] = []
    groups: list[str] = []
    for text, subject, anchor, wanted, size in labels:
        at = _free_spot(text, wanted, size, taken, bounds)
        taken.append(_label_box(text, at, size))
        if at != wanted:
            yield (
                f'<path d="M{anchor.x:.1f} {anchor.y:.1f}L{at.x:.1f} {at.y:.1f}" stroke="{RIM}"'
                f' stroke-width="{size * 2 * RIM_WIDTH:.1f}" stroke-linecap="round"/>'
                f'<circle cx="{anchor.x:.1f}" cy="{anchor.y:.1f}" r="{size * 0.25:.1f}" fill="{RIM}"/>'
            )
        groups.append(f'<g data-moves="{text}" {subject}>{draw_label(text, at, size)}</g>')
    yield from groups


def draw_label(text: str, at: Point, size: float, room: float = inf) -> str:
    """Draw a move's number on a white label, at most `room` wide; a space follows each comma."""
    text = _spaced(text)
    size *= min(1.0, room / (text_width(text, size) + size * 0.9))
    wide = _label_width(text, size)
    return (
        f'<rect x="{at.x - wide / 2:.1f}" y="{at.y - size * 0.75:.1f}" width="{wide:.1f}" height="{size * 1.5:.1f}"'
        f' rx="{size * 0.75:.1f}" fill="{PAPER}" stroke="{RIM}" stroke-width="{size * RIM_WIDTH:.1f}"/>'
        + draw_centred_text(text, at.x, at.y, size, INK)
    )


def _spaced(text: str) -> str:
    """Return numbers as lists are written: "1,2" would be a fraction in French and German."""
    return text.replace(",", ", ")


def _label_width(text: str, size: float) -> float:
    return max(text_width(text, size) + size * 0.75, size * 1.5)


def _label_box(text: str, at: Point, size: float) -> Box:
    """Return the box of a label with its rim, rounded up by more than the picture rounds."""
    wide, high = _label_width(_spaced(text), size) + 0.3 * size, 1.8 * size
    return Box(at.x - wide / 2, at.y - high / 2, wide, high)


def _free_spot(text: str, wanted: Point, size: float, taken: Sequence[Box], bounds: Box) -> Point:
    """Return the first spot within bounds, ring by ring, at which a label covers none of the boxes taken."""
    for ring in range(RINGS):
        spots = 8 * ring or 1
        for number in range(spots):
            angle, away = 2 * pi * number / spots - pi / 2, ring * size * 0.4
            at = Point(wanted.x + away * cos(angle), wanted.y + away * sin(angle)) if ring else wanted
            box = _label_box(text, at, size)
            if bounds.contains(box) and not any(map(box.overlaps, taken)):
                return at
    return wanted
