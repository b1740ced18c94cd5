"""Where things lie on a segment: islander, wares, boat and palms, apart from each other and from the shore.

All things are taken as round, so that a tile may be turned while what lies on it stays upright.
"""

from collections.abc import Sequence
from typing import NamedTuple

from service.web.drawing.layout.bridges import Line, along, length
from service.web.drawing.layout.distance_fields import Field, Point
from service.web.drawing.layout.terrain import Ground, place

ROUNDS = 3
ENOUGH = 4.0
"""Units between two things, beyond which more is not better."""
CANDIDATES = 240
SMALLEST = 0.5
SHORE = 0.6
"""How much of a thing's radius must be inland."""


class Laid(NamedTuple):
    """A thing in its place, at a part of its size."""

    at: Point
    scale: float


def spread(ground: Ground, room: Field, index: int, radii: Sequence[float]) -> list[Laid]:
    """A place on a segment for each thing, the first being the one that must not become smaller."""
    nodes = [node for node, owner in enumerate(ground) if owner == index]
    if not nodes:
        return []
    inner = sorted(nodes, key=lambda node: -room[node])[: max(len(nodes) // 2, CANDIDATES)]
    step = max(len(inner) // CANDIDATES, 1)
    places = [(place(node), room[node]) for node in inner[::step]]
    found: list[Point] = []
    for _ in range(ROUNDS if len(radii) > 1 else 1):
        for number, radius in enumerate(radii):
            others = [(point, radii[other]) for other, point in enumerate(found) if other != number]
            best = max(places, key=lambda one: _slack(one, radius, others))[0]
            found[number : number + 1] = [best]
    return _scaled(found, radii, dict(places))


def on_line(line: Line, sizes: Sequence[float], first: float, ends: tuple[float, float]) -> list[Laid]:
    """A place on a bridge for the islander, who takes `first` units, and for each ware, half of them on either side."""
    free = length(line) - sum(ends)
    before = sizes[: (len(sizes) + 1) // 2]
    row = [*before, first, *sizes[len(before) :]]
    scale = min(1.0, max((free - first) / (sum(sizes) or 1.0), SMALLEST))
    wide = [size if number == len(before) else size * scale for number, size in enumerate(row)]
    gap = max(free - sum(wide), 0.0) / (len(row) + 1)
    places, at = [], ends[0] + gap
    for size in wide:
        places.append(along(line, at + size / 2))
        at += size + gap
    standing = Laid(places.pop(len(before)), 1.0)
    return [standing, *(Laid(point, scale) for point in places)]


def _slack(candidate: tuple[Point, float], radius: float, others: Sequence[tuple[Point, float]]) -> tuple[float, float]:
    """How much water or land is left around a thing here, at its narrowest; then how far inland it is."""
    point, free = candidate
    apart = min((point.distance(other) - radius - size for other, size in others), default=ENOUGH)
    return min(free - radius, apart, ENOUGH), free


def _scaled(found: Sequence[Point], radii: Sequence[float], free: dict[Point, float]) -> list[Laid]:
    """Wares become smaller where they would lie on the shore or on each other; the first thing keeps its size."""
    laid = []
    for number, (point, radius) in enumerate(zip(found, radii, strict=True)):
        part = min(free[point] / (radius * SHORE), 1.0)
        for other, (there, size) in enumerate(zip(found, radii, strict=True)):
            if other == 0:
                part = min(part, (point.distance(there) - size) / radius) if number else part
            elif other != number:
                part = min(part, point.distance(there) / (radius + size))
        laid.append(Laid(point, max(part, SMALLEST) if number else 1.0))
    return laid
