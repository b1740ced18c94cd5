"""The lines along which bridges run."""

from collections.abc import Sequence
from itertools import pairwise

from schemas.tileset import Bridge, Segment
from schemas.vocabulary import EDGES, Edge
from service.drawing.layout.distance_fields import (
    INWARD_NORMALS,
    NODE_SPACING,
    NODES_PER_SIDE,
    TILE_CENTRE,
    DistanceField,
    Point,
    edge_point,
)
from service.drawing.layout.landmasses import Landmass

POINT_SPACING = 1.5
"""The distance between two points of a line, in units."""
BOW_DEPTH = 3.5
HANDLE_LENGTH = 29.0
ISOLATED_BRIDGE = tuple(Point(44 + POINT_SPACING * number, 50) for number in range(9))
"""The line of a bridge that reaches no edge, on a tile without a hub for it."""

Polyline = tuple[Point, ...]
"""Points at small distances, from an edge to the other end."""


def bridge_line(segments: tuple[Segment, ...], bridge: Bridge, part: Landmass | None) -> Polyline:
    """Return the complete line of a bridge, ignoring the land that covers its ends."""
    if part is None or not bridge.edges:
        return ISOLATED_BRIDGE
    if len(bridge.edges) == 1:
        return _edge_to_hub(bridge.edges[0], part.hub)
    first, second = bridge.edges
    if not part.has_hub:
        return _edge_to_edge(first, second, _bow_offset(segments, bridge))
    members = [segments[member] for member in part.members]
    twins = [member for member in members if isinstance(member, Bridge) and len(member.edges) == 2]
    return _through_hub(first, second, part.hub, aside=len(twins) > 1)


def cut_at_depth(line: Polyline, land: DistanceField, depth: float) -> Polyline:
    """Cut the line where it is `depth` units inside the land, if it is."""
    for number, point in enumerate(line):
        if number and interpolate_field(land, point) < -depth:
            return line[:number]
    return line


def interpolate_field(land: DistanceField, point: Point) -> float:
    """Return a field's value at a point, interpolated between its nodes."""
    column, row = (max(min(int(along / NODE_SPACING), NODES_PER_SIDE - 2), 0) for along in point)
    across, down = point.x / NODE_SPACING - column, point.y / NODE_SPACING - row
    start = row * NODES_PER_SIDE + column
    upper = land[start] * (1 - across) + land[start + 1] * across
    lower = land[start + NODES_PER_SIDE] * (1 - across) + land[start + NODES_PER_SIDE + 1] * across
    return upper * (1 - down) + lower * down


def polyline_length(line: Sequence[Point]) -> float:
    """Return the length of a line."""
    return sum(start.distance_to(end) for start, end in pairwise(line))


def point_along(line: Sequence[Point], distance: float) -> Point:
    """Return the point at a distance along a line."""
    for start, end in pairwise(line):
        step = start.distance_to(end)
        if distance <= step and step:
            return start.interpolate(end, max(distance, 0.0) / step)
        distance -= step
    return line[-1]


def _edge_to_hub(edge: Edge, hub: Point) -> Polyline:
    """Return the curve from an edge, at a right angle, to the hub."""
    start = edge_point(edge)
    handle = start.plus(INWARD_NORMALS[edge], start.distance_to(hub) / 2)
    return _bezier(start, handle, handle.interpolate(hub, 0.5), hub)


def _edge_to_edge(first: Edge, second: Edge, bow: float) -> Polyline:
    start, end = edge_point(first), edge_point(second)
    if (EDGES.index(first) - EDGES.index(second)) % 2:
        return _bezier(start, edge_point(first, HANDLE_LENGTH), edge_point(second, HANDLE_LENGTH), end)
    inward = INWARD_NORMALS[first]
    middle = Point(TILE_CENTRE.x + inward.y * bow, TILE_CENTRE.y + inward.x * bow)
    before, after = middle.plus(inward, -HANDLE_LENGTH), middle.plus(inward, HANDLE_LENGTH)
    return (
        *_bezier(start, edge_point(first, HANDLE_LENGTH), before.interpolate(middle, 0.2), middle),
        *_bezier(middle, after.interpolate(middle, 0.2), edge_point(second, HANDLE_LENGTH), end)[1:],
    )


def _bow_offset(segments: tuple[Segment, ...], bridge: Bridge) -> float:
    """Return how far a straight bridge bows away from land; 0 if there is land on both sides or on none."""
    first, _ = bridge.edges
    sides = EDGES[(EDGES.index(first) + 1) % 4], EDGES[(EDGES.index(first) + 3) % 4]
    taken = [any(side in getattr(segment, "edges", ()) for segment in segments) for side in sides]
    if taken[0] == taken[1]:
        return 0.0
    inward = INWARD_NORMALS[sides[0] if taken[0] else sides[1]]
    return BOW_DEPTH * (inward.x * INWARD_NORMALS[first].y + inward.y * INWARD_NORMALS[first].x)


def _through_hub(first: Edge, second: Edge, hub: Point, *, aside: bool) -> Polyline:
    """Return the curve from edge to edge over the hub, or beside it if another bridge crosses the hub too."""
    if aside:
        mean = edge_point(first).interpolate(edge_point(second), 0.5)
        hub = hub.interpolate(mean, 0.36)
    near_first, near_second = edge_point(first, 28), edge_point(second, 28)
    return (
        *_bezier(edge_point(first), near_first, near_first.interpolate(hub, 0.8), hub),
        *_bezier(hub, near_second.interpolate(hub, 0.8), near_second, edge_point(second))[1:],
    )


def _bezier(start: Point, first: Point, second: Point, end: Point) -> Polyline:
    steps = max(
        int((start.distance_to(first) + first.distance_to(second) + second.distance_to(end)) / POINT_SPACING), 2
    )
    return tuple(_bezier_point(start, first, second, end, step / steps) for step in range(steps + 1))


def _bezier_point(start: Point, first: Point, second: Point, end: Point, part: float) -> Point:
    """Return a point of a cubic curve (De Casteljau)."""
    before, middle, after = (
        start.interpolate(first, part),
        first.interpolate(second, part),
        second.interpolate(end, part),
    )
    return before.interpolate(middle, part).interpolate(middle.interpolate(after, part), part)
