"""The fields of islands: how far each node lies from an island's shore.

A shore leaves the tile at its corners, at the same slope on every tile, so that beaches meet their neighbours'.
"""

from collections.abc import Mapping, Sequence
from math import hypot, sin, sqrt

from schemas.tileset import Island, Segment
from schemas.vocabulary import EDGES, Edge
from service.web.drawing.layout.distance_fields import (
    FAR,
    MIDDLE,
    SIDE,
    Field,
    Point,
    capsule,
    constant,
    disc,
    edge_point,
    field,
    grown,
    united,
    without,
)
from service.web.drawing.layout.landmasses import Part

RADIUS = 50 * sqrt(2)
"""Of the round shore between two corners that meets the edge at 45 degrees."""
BULGE = 20.0
BIGHT = 22.0
DEEP, FLAT = 20.0, 9.0
"""How far in a bight's middle lies where a bridge needs room or where it is the only one, and elsewhere."""
REACH = 14.0
"""Half the width of an island's arm to where it meets other land."""
CHANNEL = 18.0
"""From the middle of a bridge to the next shore that it does not touch."""
APART = 8.0
TIPS = 4.0
"""The water between the shores of two islands, and of two whose tips touch."""
SWAY = 0.9

Lands = dict[int, Field]
"""The field of each island, by the index of its segment."""


def bodies(segments: tuple[Segment, ...], parts: Sequence[Part]) -> Lands:
    """The islands that reach an edge, as if nothing were in their way."""
    return {
        index: _body(segment.edges, next(part for part in parts if index in part.members))
        for index, segment in enumerate(segments)
        if isinstance(segment, Island) and segment.edges
    }


def island_fields(
    raw: Lands, parts: Sequence[Part], bridges: Mapping[int, Field], markets: Mapping[int, Field]
) -> Lands:
    """The islands in their places: apart from each other, and from bridges and markets that they do not touch.

    `bridges` and `markets` tell how far each node is from one.
    """
    cleared = {index: _swayed(_cleared(shape, index, parts, bridges, markets), index) for index, shape in raw.items()}
    return {index: _apart(index, cleared, parts) for index in cleared}


def _body(edges: tuple[Edge, ...], part: Part) -> Field:
    shape = _between_shores(edges, part)
    if not part.meets:
        return shape
    if len(edges) == 1:
        return united(shape, capsule(edge_point(edges[0], 6), part.hub, REACH), 16)
    return united(shape, disc(part.hub, REACH), 14)


def _between_shores(edges: tuple[Edge, ...], part: Part) -> Field:
    """Everything but what the sea takes between an island's edges."""
    if len(edges) == 4:
        return constant(-50.0)
    if len(edges) == 1:
        return _bulging(edges[0])
    if len(edges) == 2 and (EDGES.index(edges[0]) - EDGES.index(edges[1])) % 2:
        return _half(edges)
    shape = constant(-FAR)
    for edge in EDGES:
        if edge not in edges:
            deep = len(edges) == 3 or edge in part.edges
            shape = without(shape, _bight(edge, DEEP if deep else FLAT), 6)
    return shape


def _round(edge: Edge) -> Field:
    """The sector between an edge and a round shore from corner to corner."""
    centre = edge_point(edge, -50)
    return disc(centre, RADIUS)


def _bulging(edge: Edge) -> Field:
    return united(_round(edge), capsule(edge_point(edge, 4), edge_point(edge, 25), BULGE), 20)


def _bight(edge: Edge, depth: float) -> Field:
    inner = edge_point(edge, depth)
    aside = edge_point(EDGES[(EDGES.index(edge) + 1) % 4], 0)
    across = Point((aside.x - MIDDLE.x) * 0.28, (aside.y - MIDDLE.y) * 0.28)
    bay = capsule(Point(inner.x - across.x, inner.y - across.y), Point(inner.x + across.x, inner.y + across.y), BIGHT)
    return united(_round(edge), bay, 14)


def _half(edges: tuple[Edge, ...]) -> Field:
    """Half the tile, from corner to corner."""
    inner = edge_point(edges[0], 0).towards(edge_point(edges[1], 0), 0.5)
    across, down = (inner.x - MIDDLE.x) / (25 * sqrt(2)), (inner.y - MIDDLE.y) / (25 * sqrt(2))
    plain = field(lambda x, y: -(x - MIDDLE.x) * across - (y - MIDDLE.y) * down)
    return united(plain, disc(inner, 30), 12)


def _cleared(
    shape: Field,
    index: int,
    parts: Sequence[Part],
    bridges: Mapping[int, Field],
    markets: Mapping[int, Field],
) -> Field:
    """The shape without the water that it leaves around bridges and markets of other parts."""
    members = next((part.members for part in parts if index in part.members), (index,))
    for other, distances in bridges.items():
        if other not in members:
            shape = without(shape, grown(distances, CHANNEL), 6)
    for other, distances in markets.items():
        if other not in members:
            shape = without(shape, grown(distances, APART), 6)
    return shape


def _apart(index: int, raw: Lands, parts: Sequence[Part]) -> Field:
    """An island without what lies nearer to another; their tips come closer where they touch."""
    shape = raw[index]
    for other, theirs in raw.items():
        if other != index:
            touching = any(index in part.members and other in part.members for part in parts)
            shape = _nearer(shape, raw[index], theirs, TIPS if touching else APART)
    return shape


def _nearer(shape: Field, mine: Field, theirs: Field, water: float) -> Field:
    """`shape` where `mine` is nearer than `theirs`, by more the farther it is from the tile's corners."""
    gap = field(lambda x, y: water * min(hypot(min(x, SIDE - x), min(y, SIDE - y)) / 16, 1.0))
    border = [(a - b + wide) / 2 for a, b, wide in zip(mine, theirs, gap, strict=True)]
    return [max(a, b) for a, b in zip(shape, border, strict=True)]


def _swayed(shape: Field, index: int) -> Field:
    """The same with a less even shore, except where it meets the neighbours'."""
    turn = 1.7 * index

    def sway(x: float, y: float) -> float:
        inside = min(min(x, y, SIDE - x, SIDE - y) / 12, 1.0)
        return SWAY * inside * (sin(x * 0.21 + turn) + sin(y * 0.19 + 2 * turn + 1) + 0.6 * sin((x - y) * 0.31))

    return [value + more for value, more in zip(shape, field(sway), strict=True)]
