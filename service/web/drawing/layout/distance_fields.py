"""Fields: a number for every node of a grid over the tile, as a rule how far it lies from a shape (negative inside).

A tile is 100 units wide, x grows east, y grows south. Distances that are joined smoothly make soft shores.
"""

from collections.abc import Callable, Sequence
from math import hypot
from typing import NamedTuple

from schemas.vocabulary import EDGES, Edge

SIDE = 100.0
STEP = 2.5
NODES = 41
"""Along each side of the tile."""

FAR = 1000.0


class Point(NamedTuple):
    """A place on a tile, in units."""

    x: float
    y: float

    def towards(self, other: "Point", part: float) -> "Point":
        """The place that lies this part of the way to another."""
        return Point(self.x + (other.x - self.x) * part, self.y + (other.y - self.y) * part)

    def distance(self, other: "Point") -> float:
        """How far away another is."""
        return hypot(self.x - other.x, self.y - other.y)

    def turned(self, rotation: int) -> "Point":
        """The place after so many quarter turns of the tile, clockwise."""
        x, y = self
        for _ in range(rotation % 4):
            x, y = SIDE - y, x
        return Point(x, y)


Field = list[float]
"""The value at each node, row by row."""

MIDDLE = Point(50, 50)

INWARD: dict[Edge, Point] = {"n": Point(0, 1), "e": Point(-1, 0), "s": Point(0, -1), "w": Point(1, 0)}


def edge_point(edge: Edge, depth: float = 0.0) -> Point:
    """The place `depth` units in from the middle of an edge."""
    inward = INWARD[edge]
    return Point(MIDDLE.x - inward.x * (50 - depth), MIDDLE.y - inward.y * (50 - depth))


def corner_before(edge: Edge) -> Point:
    """The corner at which an edge begins, clockwise."""
    return Point(0, 0).turned(EDGES.index(edge))


def field(value: Callable[[float, float], float]) -> Field:
    """The field of a function of x and y."""
    along = [number * STEP for number in range(NODES)]
    return [value(x, y) for y in along for x in along]


def constant(value: float) -> Field:
    """The same value everywhere."""
    return [value] * (NODES * NODES)


def smooth_min(one: float, other: float, soft: float) -> float:
    """The smaller of two, rounded where they are nearly equal."""
    blend = max(soft - abs(one - other), 0.0) / soft
    return min(one, other) - blend * blend * soft * 0.25


def united(one: Field, other: Field, soft: float = 8.0) -> Field:
    """What lies in one or the other."""
    return [smooth_min(a, b, soft) for a, b in zip(one, other, strict=True)]


def without(one: Field, other: Field, soft: float = 4.0) -> Field:
    """What lies in the first and not in the other."""
    return [-smooth_min(-a, b, soft) for a, b in zip(one, other, strict=True)]


def grown(one: Field, by: float) -> Field:
    """The same shape, so much larger all around."""
    return [value - by for value in one]


def disc(centre: Point, radius: float) -> Field:
    """A round shape."""
    return field(lambda x, y: hypot(x - centre.x, y - centre.y) - radius)


def capsule(start: Point, end: Point, radius: float) -> Field:
    """A thick line with round ends."""
    across, down = end.x - start.x, end.y - start.y
    length = across * across + down * down or 1.0

    def value(x: float, y: float) -> float:
        part = min(max(((x - start.x) * across + (y - start.y) * down) / length, 0.0), 1.0)
        return hypot(x - start.x - across * part, y - start.y - down * part) - radius

    return field(value)


def near(path: Sequence[Point], reach: float) -> Field:
    """How far each node lies from a line of close points; `FAR` beyond `reach`."""
    found = constant(FAR)
    for x, y in path:
        columns = [(column, column * STEP - x) for column in _between(x, reach)]
        for row in _between(y, reach):
            start, down = row * NODES, row * STEP - y
            for column, across in columns:
                distance = hypot(across, down)
                if distance < found[start + column]:  # noqa: PLR1730 (the innermost loop: min would be a call)
                    found[start + column] = distance
    return found


def _between(value: float, reach: float) -> range:
    return range(max(int((value - reach) / STEP), 0), min(int((value + reach) / STEP) + 1, NODES - 1) + 1)
