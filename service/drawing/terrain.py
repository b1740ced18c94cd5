"""The ground of a tile: its landmasses, its islands, and the visible segment at each node of the grid.

Segments declare only which edges they reach. Two land edges belong to one landmass if the seas on their two sides are
different: then the land between them must touch, at a junction, a market, a beach or the tips of islands (R5.1, R9).

A shore leaves the tile at its corners, at the same angle on every tile, so that beaches of neighbouring tiles meet.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import hypot, sin, sqrt
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from schemas.vocabulary import EDGES, Edge
from service.drawing.distance_fields import (
    FAR,
    NODE_SPACING,
    NODES_PER_SIDE,
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

Ground = list[int]
"""The segment index at each node, or `NO_SEGMENT`."""

NO_SEGMENT = -1
BRIDGE_HALF_WIDTH = 7.3
"""Half the width of a bridge."""
MARKET_RADIUS = 17.0
"""The radius of a market's quay."""

ROCK_RADIUS = 7.5
"""The radius around rocks between islands into which seas do not spread."""

DIAGONAL = 2**0.5


def assign_ground(
    segments: tuple[Segment, ...],
    islands: Mapping[int, DistanceField],
    bridges: Mapping[int, DistanceField],
    markets: Mapping[int, DistanceField],
    rocks: Iterable[Point],
) -> Ground:
    """Return the segment at each node: bridges cover islands, markets cover both, and seas spread over the rest.

    The seas do not spread between `rocks`, which belong to no segment.
    """
    ground = [NO_SEGMENT] * (NODES_PER_SIDE * NODES_PER_SIDE)
    for fields, edge in ((islands, 0.0), (bridges, BRIDGE_HALF_WIDTH), (markets, 0.0)):
        for index, values in fields.items():
            for node, value in enumerate(values):
                if value < edge:
                    ground[node] = index
    dry = {
        node
        for rock in rocks
        for node in range(NODES_PER_SIDE * NODES_PER_SIDE)
        if ground[node] == NO_SEGMENT and node_point(node).distance_to(rock) < ROCK_RADIUS
    }
    _flood_seas(
        ground, dry, ((index, segment.halves) for index, segment in enumerate(segments) if isinstance(segment, Sea))
    )
    return ground


def fill_lagoons(ground: Ground, seas: Iterable[int]) -> None:
    """Assign the water that no sea has reached to the seas without half-edges, the largest water first."""
    waters = sorted(_unowned_pockets(ground), key=len, reverse=True)
    for index, water in zip(seas, waters, strict=False):
        for node in water:
            ground[node] = index


def measure_clearance(ground: Ground) -> DistanceField:
    """Return the distance of each node from the border of its segment or of the tile."""
    beside = _neighbours()
    clearance = [*rim_distance()]
    for node, owner in enumerate(ground):
        for neighbour, _ in beside[node]:
            if ground[neighbour] != owner:
                clearance[node] = min(clearance[node], NODE_SPACING / 2)
                break
    order = range(NODES_PER_SIDE * NODES_PER_SIDE)
    for nodes in (order, reversed(order)):
        for node in nodes:
            nearest = clearance[node]
            for neighbour, step in beside[node]:
                if clearance[neighbour] + step < nearest:  # noqa: PLR1730 (the innermost loop: min would be a call)
                    nearest = clearance[neighbour] + step
            clearance[node] = nearest
    return clearance


@cache
def rim_distance() -> DistanceField:
    """Return the distance of each node from the nearest edge of the tile."""
    along = [min(number, NODES_PER_SIDE - 1 - number) for number in range(NODES_PER_SIDE)]
    return [NODE_SPACING * min(row, column) for row in along for column in along]


def node_point(node: int) -> Point:
    """Return the point of a node."""
    return Point(node % NODES_PER_SIDE * NODE_SPACING, node // NODES_PER_SIDE * NODE_SPACING)


def node_at(point: Point) -> int:
    """Return the node nearest to a point."""
    column, row = (min(max(round(along / NODE_SPACING), 0), NODES_PER_SIDE - 1) for along in point)
    return row * NODES_PER_SIDE + column


def _half_edge_nodes(half: int) -> list[int]:
    """Return the nodes along a half-edge, without the corner and the middle of the edge."""
    last, middle = NODES_PER_SIDE - 1, NODES_PER_SIDE // 2
    first, step = ((0, 1), (last, NODES_PER_SIDE), (last * NODES_PER_SIDE, 1), (0, NODES_PER_SIDE))[half // 2]
    is_near = half in (0, 2, 5, 7)  # half-edges run clockwise, so the south and west edges backwards
    return [first + number * step for number in (range(1, middle) if is_near else range(middle + 1, last))]


def _flood_seas(ground: Ground, dry: set[int], seas: Iterable[tuple[int, Iterable[int]]]) -> None:
    """Spread all seas from their half-edges at the same pace, so that each gets ground even without land between."""
    queue = deque((node, index) for index, halves in seas for half in halves for node in _half_edge_nodes(half))
    while queue:
        node, index = queue.popleft()
        if ground[node] == NO_SEGMENT and node not in dry:
            ground[node] = index
            queue.extend((neighbour, index) for neighbour, step in _neighbours()[node] if step == NODE_SPACING)


def _unowned_pockets(ground: Ground) -> list[list[int]]:
    """Return the connected areas without a segment."""
    pockets: list[list[int]] = []
    seen: set[int] = set()
    for start, owner in enumerate(ground):
        if owner == NO_SEGMENT and start not in seen:
            pocket, queue = [], [start]
            seen.add(start)
            while queue:
                node = queue.pop()
                pocket.append(node)
                beside = (other for other, step in _neighbours()[node] if step == NODE_SPACING)
                unseen = [other for other in beside if ground[other] == NO_SEGMENT and other not in seen]
                seen.update(unseen)
                queue += unseen
            pockets.append(pocket)
    return pockets


@cache
def _neighbours() -> tuple[tuple[tuple[int, float], ...], ...]:
    """Return the neighbours of every node, each with its distance."""
    return tuple(
        tuple(_compute_neighbours(node % NODES_PER_SIDE, node // NODES_PER_SIDE))
        for node in range(NODES_PER_SIDE * NODES_PER_SIDE)
    )


def _compute_neighbours(column: int, row: int) -> Iterator[tuple[int, float]]:
    for down in (-1, 0, 1):
        for across in (-1, 0, 1):
            if (across or down) and 0 <= column + across < NODES_PER_SIDE and 0 <= row + down < NODES_PER_SIDE:
                yield (
                    (row + down) * NODES_PER_SIDE + column + across,
                    NODE_SPACING * (DIAGONAL if across and down else 1.0),
                )


BEACH_DISTANCE = 39.0
STUB_LENGTH = 31.0
"""How far from the edge a bridge ends at an island's beach, and a dead end on a tile with other land."""


class Landmass(NamedTuple):
    """Connected land: its edges, its segments, and the point where they meet."""

    edges: tuple[Edge, ...]
    members: tuple[int, ...]
    """The indexes of its segments; one that reaches no edge is at the hub."""
    hub: Point
    centre: int | None
    """The islet or market at the hub."""

    @property
    def has_hub(self) -> bool:
        """Return whether several segments meet at the hub."""
        return len(self.members) > 1


def group_landmasses(segments: tuple[Segment, ...]) -> tuple[Landmass, ...]:
    """Return the landmasses of a tile, without islets and markets to which no bridge leads."""
    groups = _group_edges(segments)
    owners = [_segments_at(segments, group) for group in groups]
    centres = _assign_centres(segments, groups, owners)
    result = []
    for number, (group, members) in enumerate(zip(groups, owners, strict=True)):
        centre = centres.get(number)
        members_with_centre = members if centre is None else (*members, centre)
        land = [segment.edges for index in members if isinstance(segment := segments[index], Island)]
        beach = land[0][0] if len(land) == 1 and len(land[0]) == 1 and centre is None else None
        result.append(Landmass(group, members_with_centre, _hub_point(group, beach, alone=len(groups) == 1), centre))
    return tuple(result)


def has_touching_tips(segments: tuple[Segment, ...], part: Landmass) -> bool:
    """Return whether islands touch at the hub, with only rocks or a stone between them."""
    islands = sum(isinstance(segments[index], Island) for index in part.members)
    return part.has_hub and part.centre is None and islands > 1


def _group_edges(segments: tuple[Segment, ...]) -> list[tuple[Edge, ...]]:
    """Group the land edges: those of one segment belong together, and those that separate two seas."""
    groups: list[set[Edge]] = [
        set(segment.edges) for segment in segments if isinstance(segment, Bridge | Island) and segment.edges
    ]
    seas = {
        half: index for index, segment in enumerate(segments) if isinstance(segment, Sea) for half in segment.halves
    }
    while pairs := [pair for pair in combinations(range(len(groups)), 2) if _are_touching(groups, *pair, seas)]:
        first, second = pairs[0]
        groups[first] |= groups.pop(second)
    return [tuple(edge for edge in EDGES if edge in group) for group in groups]


def _are_touching(groups: list[set[Edge]], first: int, second: int, seas: dict[int, int]) -> bool:
    """Return whether no sea runs between two groups: none is on both ways around the tile from one to the other."""
    sides = _half_edges_between(groups[first], groups[second])
    if sides is None:
        return False
    on_one_way, on_the_other = ({seas[half] for half in side if half in seas} for side in sides)
    return bool(on_one_way) and bool(on_the_other) and not on_one_way & on_the_other


def _half_edges_between(mine: set[Edge], theirs: set[Edge]) -> tuple[list[int], list[int]] | None:
    """Return the half-edges on the two ways around the tile from one group to the other."""
    ring = [(EDGES.index(edge), edge in mine) for edge in EDGES if edge in mine or edge in theirs]
    ways = []
    for number, (position, is_mine) in enumerate(ring):
        after, next_mine = ring[(number + 1) % len(ring)]
        if is_mine != next_mine:
            last = after if after > position else after + 4
            ways.append([half % 8 for half in range(2 * position + 1, 2 * last + 1)])
    return (ways[0], ways[1]) if len(ways) == 2 else None


def _segments_at(segments: tuple[Segment, ...], group: Iterable[Edge]) -> tuple[int, ...]:
    return tuple(
        index
        for index, segment in enumerate(segments)
        if isinstance(segment, Bridge | Island) and any(edge in group for edge in segment.edges)
    )


def _assign_centres(
    segments: tuple[Segment, ...], groups: list[tuple[Edge, ...]], owners: list[tuple[int, ...]]
) -> dict[int, int]:
    """Assign markets, then islets, to the groups in which most bridges end."""
    ends = {
        number: sum(isinstance(segment := segments[index], Bridge) and len(segment.edges) == 1 for index in members)
        for number, members in enumerate(owners)
    }
    free = sorted((number for number in ends if ends[number]), key=lambda number: (-ends[number], len(groups[number])))
    middles = [index for index, segment in enumerate(segments) if isinstance(segment, Market)]
    middles += [index for index, segment in enumerate(segments) if isinstance(segment, Island) and not segment.edges]
    return dict(zip(free, middles, strict=False))


def _hub_point(edges: tuple[Edge, ...], beach: Edge | None, *, alone: bool) -> Point:
    """Return the hub: the tile's centre or in front of a single island's beach; nearer to the edges with other land."""
    if alone:
        return TILE_CENTRE if beach is None else edge_point(beach, BEACH_DISTANCE)
    if len(edges) == 1:
        return edge_point(edges[0], STUB_LENGTH)
    inner = [edge_point(edge, 22.0) for edge in edges]
    return Point(sum(point.x for point in inner) / len(inner), sum(point.y for point in inner) / len(inner))


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
    cleared: IslandFields = {}
    for index, whole in raw.items():
        shape, members = whole, next((part.members for part in parts if index in part.members), (index,))
        for obstacles, water in ((bridges, CHANNEL_WIDTH), (markets, ISLAND_GAP)):
            for other, distances in obstacles.items():
                if other not in members:
                    shape = smooth_difference(shape, expand(distances, water), 6)
        cleared[index] = _sway_shore(shape, index)
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
        bulge = capsule_field(edge_point(edges[0], 4), edge_point(edges[0], 25), BULGE_RADIUS)
        return smooth_union(_shore_sector(edges[0]), bulge, 20)
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
