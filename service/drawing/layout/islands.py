"""The distance fields of islands.

A shore leaves the tile at its corners, at the same angle on every tile, so that beaches of neighbouring tiles meet.
"""

from collections.abc import Mapping, Sequence
from math import hypot, sin, sqrt

from schemas.tileset import Island, Segment
from schemas.vocabulary import EDGES, Edge
from service.drawing.layout.distance_fields import (
    FAR,
    TILE_CENTRE,
    TILE_SIZE,
    DistanceField,
    Point,
    capsule_field,
    constant_field,
    disc_field,
    edge_point,
    expand,
    sample_field,
    smooth_difference,
    smooth_union,
)
from service.drawing.layout.landmasses import Landmass

SHORE_RADIUS = 50 * sqrt(2)
"""The radius of the round shore between two corners, which meets the edge at 45 degrees."""
BULGE_RADIUS = 20.0
BIGHT_RADIUS = 22.0
DEEP_BIGHT, SHALLOW_BIGHT = 20.0, 9.0
"""The depth of a bight if a bridge needs room or if it is the only one, and otherwise."""
ARM_RADIUS = 14.0
"""Half the width of an island's arm towards other land."""
CHANNEL_WIDTH = 18.0
"""The distance from the middle of a bridge to a shore that it does not touch."""
ISLAND_GAP = 8.0
TIP_GAP = 4.0
"""The water between two islands, and between two islands of the same landmass."""
SWAY_AMPLITUDE = 0.9

IslandFields = dict[int, DistanceField]
"""The distance field of each island, by segment index."""


def island_bodies(segments: tuple[Segment, ...], parts: Sequence[Landmass]) -> IslandFields:
    """Return the fields of the islands that reach an edge, ignoring obstacles."""
    return {
        index: _island_body(segment.edges, next(part for part in parts if index in part.members))
        for index, segment in enumerate(segments)
        if isinstance(segment, Island) and segment.edges
    }


def island_fields(
    raw: IslandFields,
    parts: Sequence[Landmass],
    bridges: Mapping[int, DistanceField],
    markets: Mapping[int, DistanceField],
) -> IslandFields:
    """Return the islands, separated from each other and from bridges and markets that they do not touch.

    `bridges` and `markets` are distance fields.
    """
    cleared = {
        index: _sway_shore(_clear_obstacles(shape, index, parts, bridges, markets), index)
        for index, shape in raw.items()
    }
    return {index: _separate(index, cleared, parts) for index in cleared}


def _island_body(edges: tuple[Edge, ...], part: Landmass) -> DistanceField:
    shape = _between_shores(edges, part)
    if not part.has_hub:
        return shape
    if len(edges) == 1:
        return smooth_union(shape, capsule_field(edge_point(edges[0], 6), part.hub, ARM_RADIUS), 16)
    return smooth_union(shape, disc_field(part.hub, ARM_RADIUS), 14)


def _between_shores(edges: tuple[Edge, ...], part: Landmass) -> DistanceField:
    """Return the tile without the bights between an island's edges."""
    if len(edges) == 4:
        return constant_field(-50.0)
    if len(edges) == 1:
        return _single_edge_body(edges[0])
    if len(edges) == 2 and (EDGES.index(edges[0]) - EDGES.index(edges[1])) % 2:
        return _half_tile(edges)
    shape = constant_field(-FAR)
    for edge in EDGES:
        if edge not in edges:
            deep = len(edges) == 3 or edge in part.edges
            shape = smooth_difference(shape, _bight_shape(edge, DEEP_BIGHT if deep else SHALLOW_BIGHT), 6)
    return shape


def _shore_sector(edge: Edge) -> DistanceField:
    """Return the sector between an edge and a round shore from corner to corner."""
    return disc_field(edge_point(edge, -50), SHORE_RADIUS)


def _single_edge_body(edge: Edge) -> DistanceField:
    return smooth_union(_shore_sector(edge), capsule_field(edge_point(edge, 4), edge_point(edge, 25), BULGE_RADIUS), 20)


def _bight_shape(edge: Edge, depth: float) -> DistanceField:
    inner = edge_point(edge, depth)
    aside = edge_point(EDGES[(EDGES.index(edge) + 1) % 4], 0)
    across = Point((aside.x - TILE_CENTRE.x) * 0.28, (aside.y - TILE_CENTRE.y) * 0.28)
    bay = capsule_field(inner.plus(across, -1), inner.plus(across), BIGHT_RADIUS)
    return smooth_union(_shore_sector(edge), bay, 14)


def _half_tile(edges: tuple[Edge, ...]) -> DistanceField:
    """Return half the tile, from corner to corner."""
    inner = edge_point(edges[0], 0).interpolate(edge_point(edges[1], 0), 0.5)
    across, down = (inner.x - TILE_CENTRE.x) / (25 * sqrt(2)), (inner.y - TILE_CENTRE.y) / (25 * sqrt(2))
    plain = sample_field(lambda x, y: -(x - TILE_CENTRE.x) * across - (y - TILE_CENTRE.y) * down)
    return smooth_union(plain, disc_field(inner, 30), 12)


def _clear_obstacles(
    shape: DistanceField,
    index: int,
    parts: Sequence[Landmass],
    bridges: Mapping[int, DistanceField],
    markets: Mapping[int, DistanceField],
) -> DistanceField:
    """Return the shape without the water around bridges and markets of other landmasses."""
    members = next((part.members for part in parts if index in part.members), (index,))
    for obstacles, water in ((bridges, CHANNEL_WIDTH), (markets, ISLAND_GAP)):
        for other, distances in obstacles.items():
            if other not in members:
                shape = smooth_difference(shape, expand(distances, water), 6)
    return shape


def _separate(index: int, raw: IslandFields, parts: Sequence[Landmass]) -> DistanceField:
    """Return an island without what is nearer to another; islands of the same landmass come closer."""
    shape = raw[index]
    for other, theirs in raw.items():
        if other != index:
            touching = any(index in part.members and other in part.members for part in parts)
            shape = _clip_to_nearer(shape, raw[index], theirs, TIP_GAP if touching else ISLAND_GAP)
    return shape


def _clip_to_nearer(shape: DistanceField, mine: DistanceField, theirs: DistanceField, water: float) -> DistanceField:
    """Return `shape` where `mine` is nearer than `theirs`; the gap grows with the distance from the tile's corners."""
    gap = sample_field(lambda x, y: water * min(hypot(min(x, TILE_SIZE - x), min(y, TILE_SIZE - y)) / 16, 1.0))
    border = [(a - b + wide) / 2 for a, b, wide in zip(mine, theirs, gap, strict=True)]
    return [max(a, b) for a, b in zip(shape, border, strict=True)]


def _sway_shore(shape: DistanceField, index: int) -> DistanceField:
    """Return the shape with an uneven shore, except near the tile's edges."""
    turn = 1.7 * index

    def sway(x: float, y: float) -> float:
        inside = min(min(x, y, TILE_SIZE - x, TILE_SIZE - y) / 12, 1.0)
        return (
            SWAY_AMPLITUDE * inside * (sin(x * 0.21 + turn) + sin(y * 0.19 + 2 * turn + 1) + 0.6 * sin((x - y) * 0.31))
        )

    return [value + more for value, more in zip(shape, sample_field(sway), strict=True)]
