"""Outlines of fields as smooth paths: marching squares, fewer points, and curves through what is left."""

from collections.abc import Iterable, Sequence
from math import hypot

from service.web.drawing.layout.distance_fields import FAR, NODES, SIDE, STEP, Field, Point

TOLERANCE = 0.3
"""How far, in units, an outline may run from the exact one."""
SMALL = 8.0
"""Rings around less than this many square units are left out."""

ROW = NODES + 2
Corner = tuple[int, int]
Crossing = tuple[Corner, Corner]

PASSES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 5: ((3, 0), (1, 2)), 6: ((0, 2),), 7: ((3, 2),),
    8: ((2, 3),), 9: ((2, 0),), 10: ((0, 1), (2, 3)), 11: ((2, 1),), 12: ((1, 3),), 13: ((1, 0),), 14: ((0, 3),),
}  # fmt: skip
"""From which side of a cell to which the outline runs, by which of its corners are inside (clockwise, 1 the first)."""


def outline(field: Field, level: float = 0.0) -> str:
    """The path around everything below `level`, closed along the tile's edges; empty where there is nothing."""
    return "".join(smooth(ring) for ring in rings(field, level))


def rings(field: Field, level: float) -> list[list[Point]]:
    """The closed lines around everything below `level`."""
    found = _chained(_passes(_framed(field, level)))
    return [_simple(ring) for ring in found if abs(_area(ring)) > SMALL]


def smooth(ring: Sequence[Point]) -> str:
    """A closed path: straight along the tile's edges, curved elsewhere."""
    count = len(ring)
    begin = next((index for index in range(count) if _on_rim(ring[index])), 0)
    points = [ring[(begin + index) % count] for index in range(count)]
    closed = not _on_rim(points[0])
    start = points[-1].towards(points[0], 0.5) if closed else points[0]
    path = [f"M{_number(start)}"]
    for index in range(0 if closed else 1, count):
        point, following = points[index], points[(index + 1) % count]
        if _on_rim(point):
            path.append(f"L{_number(point)}")
        else:
            end = following if _on_rim(following) else point.towards(following, 0.5)
            path.append(f"Q{_number(point)} {_number(end)}")
    return "".join(path) + "Z"


def _framed(field: Field, level: float) -> list[float]:
    """The field less the level, with land's end all around it, so that every line is closed."""
    rim = [FAR] * ROW
    starts = range(0, NODES * NODES, NODES)
    rows = [[FAR, *(value - level for value in field[start : start + NODES]), FAR] for start in starts]
    return [*rim, *(value for row in rows for value in row), *rim]


def _passes(values: list[float]) -> Iterable[tuple[Crossing, Crossing, Point]]:
    """Each cell's pieces of outline: where it enters, where it leaves, and the place where it enters."""
    inside = [value < 0 for value in values]
    for row in range(ROW - 1):
        for column in range(ROW - 1):
            start = row * ROW + column
            one, two, three, four = inside[start], inside[start + 1], inside[start + ROW + 1], inside[start + ROW]
            if one == two == three == four:
                continue
            for enters, leaves in PASSES[one + 2 * two + 4 * three + 8 * four]:
                crossing = _side(column, row, enters)
                yield crossing, _side(column, row, leaves), _crossed(crossing, values)


def _side(column: int, row: int, side: int) -> Crossing:
    """A side of a cell, named by its two corners."""
    match side:
        case 0:
            return (column, row), (column + 1, row)
        case 1:
            return (column + 1, row), (column + 1, row + 1)
        case 2:
            return (column, row + 1), (column + 1, row + 1)
        case _:
            return (column, row), (column, row + 1)


def _crossed(crossing: Crossing, values: list[float]) -> Point:
    """Where the field is zero between two corners."""
    one, other = crossing
    first, second = values[one[1] * ROW + one[0]], values[other[1] * ROW + other[0]]
    part = first / (first - second)
    return _place(one).towards(_place(other), part)


def _place(corner: Corner) -> Point:
    """The frame's corners lie on the tile's rim, as the nodes beside them do."""
    return Point(*(min(max((number - 1) * STEP, 0.0), SIDE) for number in corner))


def _chained(passes: Iterable[tuple[Crossing, Crossing, Point]]) -> list[list[Point]]:
    following = {enters: (leaves, place) for enters, leaves, place in passes}
    found = []
    while following:
        crossing, ring = next(iter(following)), []
        while crossing in following:
            crossing, place = following.pop(crossing)
            ring.append(place)
        found.append(ring)
    return found


def _area(ring: Sequence[Point]) -> float:
    return sum(one.x * other.y - other.x * one.y for one, other in zip(ring, [*ring[1:], ring[0]], strict=True)) / 2


def _simple(ring: list[Point]) -> list[Point]:
    """The same line with as few points as the tolerance allows (Ramer, Douglas, Peucker)."""
    far = max(range(len(ring)), key=lambda index: ring[0].distance(ring[index]))
    return [*_thinned(ring[: far + 1])[:-1], *_thinned([*ring[far:], ring[0]])[:-1]]


def _thinned(line: list[Point]) -> list[Point]:
    if len(line) < 3:
        return line
    distances = [_off(point, line[0], line[-1]) for point in line[1:-1]]
    worst = max(distances)
    if worst <= TOLERANCE:
        return [line[0], line[-1]]
    middle = distances.index(worst) + 1
    return [*_thinned(line[: middle + 1])[:-1], *_thinned(line[middle:])]


def _off(point: Point, start: Point, end: Point) -> float:
    across, down = end.x - start.x, end.y - start.y
    size = hypot(across, down)
    if not size:
        return point.distance(start)
    return abs(across * (point.y - start.y) - down * (point.x - start.x)) / size


def _on_rim(point: Point) -> bool:
    return min(point.x, point.y, SIDE - point.x, SIDE - point.y) < 0.01


def _number(point: Point) -> str:
    return f"{point.x:.1f} {point.y:.1f}".replace(".0", "")
