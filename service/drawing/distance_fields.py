"""Distance fields over a tile, and their contours as SVG paths.

A field has, for each node of a grid over the tile, the distance to a shape, negative inside.

A tile is 100 units wide; x grows east, y grows south. Smooth unions and differences give soft shores.

Contours are made by marching squares, simplified, and drawn as curves.
"""

from collections.abc import Callable, Iterable, Sequence
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


TOLERANCE = 0.3
"""The maximum distance, in units, between a simplified contour and the exact one."""
MIN_RING_AREA = 8.0
"""Rings around smaller areas, in square units, are omitted."""

FRAMED_NODES = NODES_PER_SIDE + 2
Corner = tuple[int, int]
Crossing = tuple[Corner, Corner]

CELL_CROSSINGS: dict[int, tuple[tuple[int, int], ...]] = {
    0: (), 1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 5: ((3, 0), (1, 2)), 6: ((0, 2),), 7: ((3, 2),),
    8: ((2, 3),), 9: ((2, 0),), 10: ((0, 1), (2, 3)), 11: ((2, 1),), 12: ((1, 3),), 13: ((1, 0),), 14: ((0, 3),),
    15: (),
}  # fmt: skip
"""The sides at which contours enter and leave a cell, by which corners are inside (clockwise; the first is bit 1)."""

CELL_SIDES: tuple[Crossing, ...] = ((0, 0), (1, 0)), ((1, 0), (1, 1)), ((0, 1), (1, 1)), ((0, 0), (0, 1))
"""The corners of a cell's sides, clockwise from the north."""


def contour_path(field: DistanceField, level: float = 0.0) -> str:
    """Return the path around everything below `level`, closed along the tile's edges; empty if there is nothing."""
    return "".join(smooth_path(ring) for ring in contour_rings(field, level))


def contour_rings(field: DistanceField, level: float) -> list[list[Point]]:
    """Return the closed lines around everything below `level`."""
    lines = _chain_crossings(_cell_crossings(_with_border(field, level)))
    return [_simplify_ring(ring) for ring in lines if abs(_signed_area(ring)) > MIN_RING_AREA]


def smooth_path(ring: Sequence[Point]) -> str:
    """Return a closed path: straight along the tile's edges, curved elsewhere."""
    count = len(ring)
    begin = next((index for index in range(count) if _on_rim(ring[index])), 0)
    points = [ring[(begin + index) % count] for index in range(count)]
    closed = not _on_rim(points[0])
    start = points[-1].interpolate(points[0], 0.5) if closed else points[0]
    path = [f"M{_format_point(start)}"]
    for index in range(0 if closed else 1, count):
        point, following = points[index], points[(index + 1) % count]
        if _on_rim(point):
            path.append(f"L{_format_point(point)}")
        else:
            end = following if _on_rim(following) else point.interpolate(following, 0.5)
            path.append(f"Q{_format_point(point)} {_format_point(end)}")
    return "".join(path) + "Z"


def _with_border(field: DistanceField, level: float) -> list[float]:
    """Return the field minus `level`, with a border outside the shape, so that every line is closed."""
    rim = [FAR] * FRAMED_NODES
    starts = range(0, NODES_PER_SIDE * NODES_PER_SIDE, NODES_PER_SIDE)
    rows = [[FAR, *(value - level for value in field[start : start + NODES_PER_SIDE]), FAR] for start in starts]
    return [*rim, *(value for row in rows for value in row), *rim]


def _cell_crossings(values: list[float]) -> Iterable[tuple[Crossing, Crossing, Point]]:
    """Yield the contour pieces of each cell: the side of entry, the side of exit, and the point of entry."""
    inside = [value < 0 for value in values]
    for row in range(FRAMED_NODES - 1):
        for column in range(FRAMED_NODES - 1):
            start = row * FRAMED_NODES + column
            (northwest, northeast), south = inside[start : start + 2], start + FRAMED_NODES
            southwest, southeast = inside[south : south + 2]
            for enters, leaves in CELL_CROSSINGS[northwest + 2 * northeast + 4 * southeast + 8 * southwest]:
                crossing = _cell_side(column, row, enters)
                yield crossing, _cell_side(column, row, leaves), _crossing_point(crossing, values)


def _cell_side(column: int, row: int, side: int) -> Crossing:
    """Return a side of a cell as its two corners."""
    (west, north), (east, south) = CELL_SIDES[side]
    return (column + west, row + north), (column + east, row + south)


def _crossing_point(crossing: Crossing, values: list[float]) -> Point:
    """Return the point between two corners where the field is zero."""
    inner, outer = (values[row * FRAMED_NODES + column] for column, row in crossing)
    start, end = map(_corner_point, crossing)
    return start.interpolate(end, inner / (inner - outer))


def _corner_point(corner: Corner) -> Point:
    """Return the point of a corner; corners of the border are on the tile's rim."""
    return Point(*(min(max((number - 1) * NODE_SPACING, 0.0), TILE_SIZE) for number in corner))


def _chain_crossings(passes: Iterable[tuple[Crossing, Crossing, Point]]) -> list[list[Point]]:
    following = {enters: (leaves, point) for enters, leaves, point in passes}
    chained = []
    while following:
        crossing, ring = next(iter(following)), []
        while crossing in following:
            crossing, point = following.pop(crossing)
            ring.append(point)
        chained.append(ring)
    return chained


def _signed_area(ring: Sequence[Point]) -> float:
    return sum(start.x * end.y - end.x * start.y for start, end in zip(ring, [*ring[1:], ring[0]], strict=True)) / 2


def _simplify_ring(ring: list[Point]) -> list[Point]:
    """Simplify a ring within the tolerance (Ramer, Douglas, Peucker)."""
    farthest = max(range(len(ring)), key=lambda index: ring[0].distance_to(ring[index]))
    return [*_simplify_line(ring[: farthest + 1]), *_simplify_line([*ring[farthest:], ring[0]])]


def _simplify_line(line: list[Point]) -> list[Point]:
    """Simplify a line; its end is left out, because the next line starts there."""
    if len(line) < 3:
        return line[:-1]
    distances = [_distance_from_line(point, line[0], line[-1]) for point in line[1:-1]]
    worst = max(distances)
    if worst <= TOLERANCE:
        return line[:1]
    middle = distances.index(worst) + 1
    return [*_simplify_line(line[: middle + 1]), *_simplify_line(line[middle:])]


def _distance_from_line(point: Point, start: Point, end: Point) -> float:
    across, down = end.x - start.x, end.y - start.y
    size = hypot(across, down)
    if not size:
        return point.distance_to(start)
    return abs(across * (point.y - start.y) - down * (point.x - start.x)) / size


def _on_rim(point: Point) -> bool:
    return min(point.x, point.y, TILE_SIZE - point.x, TILE_SIZE - point.y) < 0.01


def _format_point(point: Point) -> str:
    return f"{point.x:.1f} {point.y:.1f}".replace(".0", "")
