"""The segment on which an islander is placed, in words; several of a kind are told apart by where they lie."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import atan2, hypot, pi

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from schemas.vocabulary import EDGES, SegmentKind
from service.engine import TileSetIndex
from service.engine.tileset_index import FEATURE_KINDS
from service.i18n.catalogue import Translator, gettext_noop

SEGMENTS: dict[SegmentKind, str] = {
    "island": gettext_noop("on the island"),
    "bridge": gettext_noop("on the bridge"),
    "sea": gettext_noop("in the sea region"),
    "market": gettext_noop("in the market"),
}
_MIDDLE = gettext_noop("in the middle")
_DIRECTIONS = (
    gettext_noop("in the north"),
    gettext_noop("in the north-east"),
    gettext_noop("in the east"),
    gettext_noop("in the south-east"),
    gettext_noop("in the south"),
    gettext_noop("in the south-west"),
    gettext_noop("in the west"),
    gettext_noop("in the north-west"),
)
"""Clockwise from the north."""
_EDGE_POINTS = ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
"""The middles of the edges, x to the east and y to the south."""
_HALF_POINTS = ((-0.5, -1.0), (0.5, -1.0), (1.0, -0.5), (1.0, 0.5), (0.5, 1.0), (-0.5, 1.0), (-1.0, 0.5), (-1.0, -0.5))
"""The middles of the half-edges."""

Point = tuple[float, float]


def segment_phrase(translator: Translator, index: TileSetIndex, oriented_tile: int, segment: int) -> str:
    """Return a segment of a placed tile, such as "in the sea region in the north"."""
    phrase = translator.gettext(SEGMENTS[FEATURE_KINDS[index.tiles[oriented_tile >> 2].kinds[segment]]])
    direction = _directions(index, oriented_tile)[segment]
    if direction is None:
        return phrase
    text, number = direction
    return f"{phrase} {translator.gettext(text)}" + (f" ({number})" if number > 1 else "")


@lru_cache(maxsize=4096)
def _directions(index: TileSetIndex, oriented_tile: int) -> tuple[tuple[str, int] | None, ...]:
    """Return each segment's direction, numbered where several of a kind have the same one."""
    tile, rotation = divmod(oriented_tile, 4)
    segments = index.tileset.tiles[tile].segments
    kinds = index.tiles[tile].kinds
    directions: list[tuple[str, int] | None] = [None] * len(segments)
    for kind in set(kinds):
        alike = [number for number, other in enumerate(kinds) if other == kind]
        if len(alike) > 1:
            centres = [_centre(segments[number], rotation) for number in alike]
            for number, direction in zip(alike, _tell_apart(centres), strict=True):
                directions[number] = direction
    return tuple(directions)


def _tell_apart(centres: Sequence[Point]) -> Iterator[tuple[str, int]]:
    """Yield the directions of segments; of several in one direction, the nearest to the middle is said to lie there."""
    texts = [_direction(point) for point in centres]
    for text in sorted(set(texts) - {_MIDDLE}):
        alike = [number for number, other in enumerate(texts) if other == text]
        if len(alike) > 1 and _MIDDLE not in texts:
            texts[min(alike, key=lambda number: hypot(*centres[number]))] = _MIDDLE
    for number, text in enumerate(texts):
        yield text, texts[: number + 1].count(text)


def _direction(point: Point) -> str:
    if hypot(*point) < 0.1:
        return _MIDDLE
    x, y = point
    return _DIRECTIONS[round(atan2(x, -y) / (pi / 4)) % 8]


def _centre(segment: Segment, rotation: int) -> Point:
    """Return the centre of a segment's edges after some quarter turns."""
    points = [*_border_points(segment)]
    x, y = (sum(axis) / len(points) for axis in zip(*points, strict=True)) if points else (0.0, 0.0)
    for _ in range(rotation):
        x, y = -y, x
    return x, y


def _border_points(segment: Segment) -> Iterator[Point]:
    match segment:
        case Bridge() | Island():
            yield from (_EDGE_POINTS[EDGES.index(edge)] for edge in segment.edges)
        case Sea():
            yield from (_HALF_POINTS[half] for half in segment.halves)
        case Market():
            pass  # it reaches no border
