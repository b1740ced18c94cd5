"""Distance fields: for each node of a grid over the tile, the distance to a shape, negative inside.

A tile is 100 units wide; x grows east, y grows south. Smooth unions and differences give soft shores.
"""

from collections.abc import Callable, Sequence
from math import hypot
from typing import NamedTuple

from schemas.vocabulary import Edge

TILE_SIZE = 100.0
NODE_SPACING = 2.5
NODES_PER_SIDE = 41
"""The number of nodes along each side of the tile."""

FAR = 1000.0


class Point(NamedTuple):
    """A point on a tile, in units."""

    x: float
    y: float

    def interpolate(self, other: "Point", fraction: float) -> "Point":
        """Return the point at a fraction of the way to another."""
        return Point(self.x + (other.x - self.x) * fraction, self.y + (other.y - self.y) * fraction)

    def plus(self, vector: "Point", times: float = 1.0) -> "Point":
        """Return the point moved by a vector, or by a multiple of it."""
        return Point(self.x + vector.x * times, self.y + vector.y * times)

    def distance_to(self, other: "Point") -> float:
        """Return the distance to another point."""
        return hypot(self.x - other.x, self.y - other.y)

    def rotated(self, rotation: int) -> "Point":
        """Return the point after `rotation` clockwise quarter turns of the tile."""
        x, y = self
        for _ in range(rotation % 4):
            x, y = TILE_SIZE - y, x
        return Point(x, y)


DistanceField = list[float]
"""The value at each node, row by row."""

TILE_CENTRE = Point(50, 50)

INWARD_NORMALS: dict[Edge, Point] = {"n": Point(0, 1), "e": Point(-1, 0), "s": Point(0, -1), "w": Point(1, 0)}


def edge_point(edge: Edge, depth: float = 0.0) -> Point:
    """Return the point `depth` units inside the middle of an edge."""
    return TILE_CENTRE.plus(INWARD_NORMALS[edge], depth - 50)


def sample_field(value: Callable[[float, float], float]) -> DistanceField:
    """Return the field of a function of x and y."""
    along = [number * NODE_SPACING for number in range(NODES_PER_SIDE)]
    return [value(x, y) for y in along for x in along]


def constant_field(value: float) -> DistanceField:
    """Return a field with one value."""
    return [value] * (NODES_PER_SIDE * NODES_PER_SIDE)


def smooth_min(first: float, second: float, softness: float) -> float:
    """Return the minimum of two values, smoothed where they are nearly equal."""
    blend = max(softness - abs(first - second), 0.0) / softness
    return min(first, second) - blend * blend * softness * 0.25


def smooth_union(first: DistanceField, second: DistanceField, softness: float = 8.0) -> DistanceField:
    """Return the union of two shapes."""
    return [smooth_min(a, b, softness) for a, b in zip(first, second, strict=True)]


def smooth_difference(first: DistanceField, second: DistanceField, softness: float = 4.0) -> DistanceField:
    """Return the first shape without the second."""
    return [-smooth_min(-a, b, softness) for a, b in zip(first, second, strict=True)]


def expand(shape: DistanceField, by: float) -> DistanceField:
    """Return the shape, larger by a distance on all sides."""
    return [value - by for value in shape]


def disc_field(centre: Point, radius: float) -> DistanceField:
    """Return the field of a disc."""
    return sample_field(lambda x, y: hypot(x - centre.x, y - centre.y) - radius)


def capsule_field(start: Point, end: Point, radius: float) -> DistanceField:
    """Return the field of a thick line with round ends."""
    across, down = end.x - start.x, end.y - start.y
    length = across * across + down * down or 1.0

    def value(x: float, y: float) -> float:
        part = min(max(((x - start.x) * across + (y - start.y) * down) / length, 0.0), 1.0)
        return hypot(x - start.x - across * part, y - start.y - down * part) - radius

    return sample_field(value)


def distance_from_path(path: Sequence[Point], max_distance: float) -> DistanceField:
    """Return the distance of each node from a dense path; `FAR` beyond `max_distance`."""
    distances = constant_field(FAR)
    for x, y in path:
        columns = [(column, column * NODE_SPACING - x) for column in _nodes_within(x, max_distance)]
        for row in _nodes_within(y, max_distance):
            start, down = row * NODES_PER_SIDE, row * NODE_SPACING - y
            for column, across in columns:
                distance = hypot(across, down)
                if distance < distances[start + column]:  # noqa: PLR1730 (the innermost loop: min would be a call)
                    distances[start + column] = distance
    return distances


def _nodes_within(value: float, reach: float) -> range:
    return range(
        max(int((value - reach) / NODE_SPACING), 0),
        min(int((value + reach) / NODE_SPACING) + 1, NODES_PER_SIDE - 1) + 1,
    )
