"""The lines along which bridges run."""

from collections.abc import Sequence
from itertools import pairwise

from schemas.tileset import Bridge, Segment
from schemas.vocabulary import EDGES, Edge
from service.web.drawing.layout.distance_fields import INWARD, MIDDLE, NODES, STEP, Field, Point, edge_point
from service.web.drawing.layout.landmasses import Part

PACE = 1.5
"""Units between two points of a line."""
BOW = 3.5
HANDLE = 29.0
STUB = Point(44, 50), Point(56, 50)
"""A bridge that reaches no edge where nothing else does either."""

Line = tuple[Point, ...]
"""Points that are close to each other, from an edge to the other end."""


def bridge_line(segments: tuple[Segment, ...], bridge: Bridge, part: Part | None) -> Line:
    """The whole line of a bridge, one of a tile's segments, as if nothing lay on it."""
    if part is None or not bridge.edges:
        return _paced(STUB)
    if len(bridge.edges) == 1:
        return _curve(bridge.edges[0], part.hub)
    one, other = bridge.edges
    if not part.meets:
        return _span(one, other, _bow(segments, bridge))
    members = [segments[member] for member in part.members]
    twins = [member for member in members if isinstance(member, Bridge) and len(member.edges) == 2]
    return _through(one, other, part.hub, aside=len(twins) > 1)


def cut(line: Line, land: Field, depth: float) -> Line:
    """The line to where it is `depth` units inside the land; whole where it never is."""
    for number, point in enumerate(line):
        if number and value_at(land, point) < -depth:
            return line[:number]
    return line


def value_at(land: Field, point: Point) -> float:
    """A field's value between its nodes."""
    column, row = min(int(point.x / STEP), NODES - 2), min(int(point.y / STEP), NODES - 2)
    column, row = max(column, 0), max(row, 0)
    across, down = point.x / STEP - column, point.y / STEP - row
    start = row * NODES + column
    upper = land[start] * (1 - across) + land[start + 1] * across
    lower = land[start + NODES] * (1 - across) + land[start + NODES + 1] * across
    return upper * (1 - down) + lower * down


def length(line: Sequence[Point]) -> float:
    """How long a line is."""
    return sum(one.distance(other) for one, other in pairwise(line))


def along(line: Sequence[Point], distance: float) -> Point:
    """The place so far along a line."""
    for one, other in pairwise(line):
        step = one.distance(other)
        if distance <= step and step:
            return one.towards(other, max(distance, 0.0) / step)
        distance -= step
    return line[-1]


def _curve(edge: Edge, hub: Point) -> Line:
    """From an edge straight in, then to the hub."""
    start, inward = edge_point(edge), INWARD[edge]
    far = start.distance(hub)
    handle = Point(start.x + inward.x * far / 2, start.y + inward.y * far / 2)
    return _bezier(start, handle, handle.towards(hub, 0.5), hub)


def _span(one: Edge, other: Edge, bow: float) -> Line:
    start, end = edge_point(one), edge_point(other)
    if (EDGES.index(one) - EDGES.index(other)) % 2:
        return _bezier(start, edge_point(one, HANDLE), edge_point(other, HANDLE), end)
    inward = INWARD[one]
    middle = Point(MIDDLE.x + inward.y * bow, MIDDLE.y + inward.x * bow)
    before, after = (Point(middle.x + inward.x * way, middle.y + inward.y * way) for way in (-HANDLE, HANDLE))
    return (
        *_bezier(start, edge_point(one, HANDLE), before.towards(middle, 0.2), middle),
        *_bezier(middle, after.towards(middle, 0.2), edge_point(other, HANDLE), end)[1:],
    )


def _bow(segments: tuple[Segment, ...], bridge: Bridge) -> float:
    """Away from land on one side only; else none, for a bridge that runs straight through."""
    first, _ = bridge.edges
    sides = EDGES[(EDGES.index(first) + 1) % 4], EDGES[(EDGES.index(first) + 3) % 4]
    taken = [any(side in getattr(segment, "edges", ()) for segment in segments) for side in sides]
    if taken[0] == taken[1]:
        return 0.0
    inward = INWARD[sides[0] if taken[0] else sides[1]]
    return BOW * (inward.x * INWARD[first].y + inward.y * INWARD[first].x)


def _through(one: Edge, other: Edge, hub: Point, *, aside: bool) -> Line:
    """From edge to edge over the hub, or beside it where another bridge passes there too."""
    if aside:
        mean = edge_point(one).towards(edge_point(other), 0.5)
        hub = hub.towards(mean, 0.36)
    near_one, near_other = edge_point(one, 28), edge_point(other, 28)
    return (
        *_bezier(edge_point(one), near_one, near_one.towards(hub, 0.8), hub),
        *_bezier(hub, near_other.towards(hub, 0.8), near_other, edge_point(other))[1:],
    )


def _bezier(start: Point, first: Point, second: Point, end: Point) -> Line:
    steps = max(int((start.distance(first) + first.distance(second) + second.distance(end)) / PACE), 2)
    return tuple(_bezier_point(start, first, second, end, step / steps) for step in range(steps + 1))


def _bezier_point(start: Point, first: Point, second: Point, end: Point, part: float) -> Point:
    one, two, three = start.towards(first, part), first.towards(second, part), second.towards(end, part)
    return one.towards(two, part).towards(two.towards(three, part), part)


def _paced(line: Sequence[Point]) -> Line:
    far = length(line)
    steps = max(int(far / PACE), 2)
    return tuple(along(line, far * step / steps) for step in range(steps + 1))


__all__ = ["MIDDLE", "Line", "along", "bridge_line", "cut", "length", "value_at"]
