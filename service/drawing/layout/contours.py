"""Contours of distance fields as smooth SVG paths: marching squares, simplification, and curves."""

from collections.abc import Iterable, Sequence
from math import hypot

from service.drawing.layout.distance_fields import (
    FAR,
    NODE_SPACING,
    NODES_PER_SIDE,
    TILE_SIZE,
    DistanceField,
    Point,
)

TOLERANCE = 0.3
"""The maximum distance, in units, between a simplified contour and the exact one."""
MIN_RING_AREA = 8.0
"""Rings around smaller areas, in square units, are omitted."""

FRAMED_NODES = NODES_PER_SIDE + 2
Corner = tuple[int, int]
Crossing = tuple[Corner, Corner]

CELL_CROSSINGS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 5: ((3, 0), (1, 2)), 6: ((0, 2),), 7: ((3, 2),),
    8: ((2, 3),), 9: ((2, 0),), 10: ((0, 1), (2, 3)), 11: ((2, 1),), 12: ((1, 3),), 13: ((1, 0),), 14: ((0, 3),),
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
            northwest, northeast, southeast, southwest = (
                inside[start],
                inside[start + 1],
                inside[start + FRAMED_NODES + 1],
                inside[start + FRAMED_NODES],
            )
            if northwest == northeast == southeast == southwest:
                continue
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
