"""The ground of a tile: the visible segment at each node of the grid."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from schemas.tileset import Sea, Segment
from service.drawing.layout.distance_fields import NODE_SPACING, NODES_PER_SIDE, DistanceField, Point

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
                unseen = [
                    o
                    for o, step in _neighbours()[node]
                    if step == NODE_SPACING and ground[o] == NO_SEGMENT and o not in seen
                ]
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
