"""The spots of symbols on a segment: islander, wares, boat and palms, apart from each other and from the shore.

Symbols are treated as discs, so that they can stay upright when the tile rotates.
"""

from collections.abc import Sequence
from typing import NamedTuple

from service.drawing.layout.bridges import Polyline, point_along, polyline_length
from service.drawing.layout.distance_fields import DistanceField, Point
from service.drawing.layout.terrain import Ground, node_point

REFINEMENT_ROUNDS = 3
MAX_SLACK = 4.0
"""The distance between symbols, in units, beyond which more is not better."""
MAX_CANDIDATES = 240
MIN_SCALE = 0.5
INLAND_FRACTION = 0.6
"""The fraction of a symbol's radius that must be inland."""


class SymbolSpot(NamedTuple):
    """The point and the scale of a symbol."""

    at: Point
    scale: float

    def rotated(self, rotation: int) -> "SymbolSpot":
        """Return the spot after `rotation` quarter turns."""
        return SymbolSpot(self.at.rotated(rotation), self.scale)


def spread_spots(ground: Ground, room: DistanceField, index: int, radii: Sequence[float]) -> list[SymbolSpot]:
    """Return a spot on a segment for each symbol; the first is never scaled down."""
    nodes = [node for node, owner in enumerate(ground) if owner == index]
    if not nodes:
        return []
    inner = sorted(nodes, key=lambda node: -room[node])[: max(len(nodes) // 2, MAX_CANDIDATES)]
    step = max(len(inner) // MAX_CANDIDATES, 1)
    candidates = [(node_point(node), room[node]) for node in inner[::step]]
    chosen: list[Point] = []
    for _ in range(REFINEMENT_ROUNDS if len(radii) > 1 else 1):
        for number, radius in enumerate(radii):
            others = [(point, radii[other]) for other, point in enumerate(chosen) if other != number]
            best = max(candidates, key=lambda candidate: _slack(candidate, radius, others))[0]
            chosen[number : number + 1] = [best]
    return _scale_to_fit(chosen, radii, dict(candidates))


def spots_on_line(line: Polyline, sizes: Sequence[float], first: float, ends: tuple[float, float]) -> list[SymbolSpot]:
    """Return spots on a bridge: the islander's, `first` units wide, then the wares', half of them on each side."""
    free = polyline_length(line) - sum(ends)
    before = sizes[: (len(sizes) + 1) // 2]
    row = [*before, first, *sizes[len(before) :]]
    scale = min(1.0, max((free - first) / (sum(sizes) or 1.0), MIN_SCALE))
    wide = [size if number == len(before) else size * scale for number, size in enumerate(row)]
    gap = max(free - sum(wide), 0.0) / (len(row) + 1)
    points, at = [], ends[0] + gap
    for size in wide:
        points.append(point_along(line, at + size / 2))
        at += size + gap
    islander = SymbolSpot(points.pop(len(before)), 1.0)
    return [islander, *(SymbolSpot(point, scale) for point in points)]


def _slack(candidate: tuple[Point, float], radius: float, others: Sequence[tuple[Point, float]]) -> tuple[float, float]:
    """Return the minimum gap around a symbol at a candidate point, then its distance inland."""
    point, free = candidate
    apart = min((point.distance_to(other) - radius - size for other, size in others), default=MAX_SLACK)
    return min(free - radius, apart, MAX_SLACK), free


def _scale_to_fit(points: Sequence[Point], radii: Sequence[float], free: dict[Point, float]) -> list[SymbolSpot]:
    """Scale symbols down where they would overlap the shore or each other; the first keeps its size."""
    spots = []
    for number, (point, radius) in enumerate(zip(points, radii, strict=True)):
        part = min(free[point] / (radius * INLAND_FRACTION), 1.0)
        for other, (there, size) in enumerate(zip(points, radii, strict=True)):
            if other == 0:
                part = min(part, (point.distance_to(there) - size) / radius) if number else part
            elif other != number:
                part = min(part, point.distance_to(there) / (radius + size))
        spots.append(SymbolSpot(point, max(part, MIN_SCALE) if number else 1.0))
    return spots
