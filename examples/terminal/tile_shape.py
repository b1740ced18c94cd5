"""Which segment each character cell of a drawn tile belongs to.

A tile set says which edges and half-edges a segment reaches, not how it looks. Here it gets a look, at any odd size:
bridges run from edge to edge or to the middle, islands bulge from their edges, seas take what is left.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from south_seas.models import Bridge, Edge, Island, Market, Sea, Segment, Tile

Spot = tuple[int, int]
"""Column and row in a drawn tile."""

OPPOSITE: dict[Edge, Edge] = {"n": "s", "e": "w", "s": "n", "w": "e"}
EDGES: tuple[Edge, ...] = ("n", "e", "s", "w")
"""Clockwise."""

BEFORE: dict[Edge, Edge] = {"n": "w", "e": "n", "s": "e", "w": "s"}
OUTWARD: dict[Edge, Spot] = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}


class Size(NamedTuple):
    """Columns and rows of a drawn tile, both odd, so that there is a middle."""

    width: int
    height: int

    @property
    def middle(self) -> Spot:
        """The spot in the middle."""
        return self.width // 2, self.height // 2

    def spots(self) -> Iterator[Spot]:
        """Every spot, row by row."""
        return ((column, row) for row in range(self.height) for column in range(self.width))

    def contains(self, spot: Spot) -> bool:
        """Whether a spot is one of the tile's."""
        return 0 <= spot[0] < self.width and 0 <= spot[1] < self.height


Ground = dict[Spot, int]
"""The index of the segment at each spot; `REEF` between two islands whose tips touch."""

REEF = -1


class Reach(NamedTuple):
    """How far islands bulge: the half-width at a distance from the edge (both 0 to 1), and how much a corner holds."""

    half_width: Callable[[float], float]
    corner: float


REACHES = (
    Reach(lambda distance: 0.99 - 0.94 * distance, 0.0),
    Reach(lambda distance: 0.99 - 0.94 * distance if distance <= 0.5 else -1, 0.2),
    Reach(lambda distance: 0.99 if distance <= 0.25 else -1, 0.5),
)
"""From the middle of the tile back to the shore."""


def turned(tile: Tile, rotation: int) -> tuple[Segment, ...]:
    """Return a tile's segments after `rotation` quarter turns clockwise."""
    return tuple(_turn(segment, rotation) for segment in tile.segments)


def shape(segments: tuple[Segment, ...], size: Size) -> Ground:
    """Return the segment at every spot, with the largest islands that leave every sea connected."""
    grounds = [_shape(segments, size, reach) for reach in REACHES]
    seas = [index for index, segment in enumerate(segments) if isinstance(segment, Sea)]
    for ground in grounds:
        if all(in_one_piece({spot for spot, index in ground.items() if index == sea}) for sea in seas):
            return ground
    return grounds[-1]


def in_one_piece(spots: set[Spot]) -> bool:
    """Whether spots hang together side by side; none do not."""
    if not spots:
        return False
    reached = {min(spots)}
    queue = deque(reached)
    while queue:
        for near in beside(queue.popleft()):
            if near in spots and near not in reached:
                reached.add(near)
                queue.append(near)
    return reached == spots


def beside(spot: Spot) -> Iterator[Spot]:
    """Return the four adjacent spots."""
    return ((spot[0] + across, spot[1] + down) for across, down in OUTWARD.values())


def middle_of(size: Size, edge: Edge) -> Spot:
    """Return the spot in the middle of an edge."""
    (column, row), (across, down) = size.middle, OUTWARD[edge]
    return column + across * (size.width // 2), row + down * (size.height // 2)


def _turn(segment: Segment, rotation: int) -> Segment:
    match segment:
        case Bridge() | Island():
            edges = [EDGES[(EDGES.index(edge) + rotation) % 4] for edge in segment.edges]
            return msgspec.structs.replace(segment, edges=edges)
        case Sea():
            return msgspec.structs.replace(segment, halves=[(half + 2 * rotation) % 8 for half in segment.halves])
        case Market():
            return segment


def _shape(segments: tuple[Segment, ...], size: Size, reach: Reach) -> Ground:
    ground: Ground = {}
    for index, segment in enumerate(segments):
        if isinstance(segment, Island):
            others = [
                edge for other in segments if isinstance(other, Island) and other is not segment for edge in other.edges
            ]
            ground |= {spot: index for spot in _island(segment, size, reach) if _is_apart(segment, others, size, spot)}
            if any(OPPOSITE[edge] in others for edge in segment.edges) and reach is REACHES[0]:
                ground[size.middle] = REEF
        elif isinstance(segment, Market):
            ground |= dict.fromkeys(_middle_piece(size), index)
    for index, segment in enumerate(segments):
        if isinstance(segment, Bridge):
            _build_bridge(ground, index, segment, size)
    _flood(ground, segments, size)
    return ground


def _island(island: Island, size: Size, reach: Reach) -> Iterable[Spot]:
    if not island.edges:
        return _middle_piece(size)
    edges = set(island.edges)
    return [spot for spot in size.spots() if _is_island(edges, size, spot, reach)]


def _is_island(edges: set[Edge], size: Size, spot: Spot, reach: Reach) -> bool:
    towards = _towards(size, spot)
    if list(towards.values()).count(1) == 2:
        return all(edge in edges for edge in EDGES if towards[edge] == 1)
    return any(
        _sideways(towards, edge) <= reach.half_width(1 - towards[edge])
        or (BEFORE[edge] in edges and towards[edge] + towards[BEFORE[edge]] >= reach.corner)
        or (OPPOSITE[edge] in edges and _sideways(towards, edge) <= 0.3)
        for edge in edges
    )


def _is_apart(island: Island, others: list[Edge], size: Size, spot: Spot) -> bool:
    """Whether a spot is well nearer to the island than to another one of the tile."""
    towards = _towards(size, spot)
    nearest = max((towards[edge] for edge in island.edges), default=1)
    return all(nearest > towards[other] + 0.3 for other in others if OPPOSITE[other] not in island.edges)


def _towards(size: Size, spot: Spot) -> dict[Edge, float]:
    """How near a spot is to each edge: 1 on it, 0 in the middle, -1 on the opposite one."""
    across = (spot[0] - size.width // 2) / (size.width // 2)
    down = (spot[1] - size.height // 2) / (size.height // 2)
    return {"n": -down, "e": across, "s": down, "w": -across}


def _sideways(towards: dict[Edge, float], edge: Edge) -> float:
    """How far a spot is from the line that runs from an edge's middle straight inwards."""
    return abs(towards[BEFORE[edge]])


def _middle_piece(size: Size) -> list[Spot]:
    """Return the spots of an islet or market: three columns in the middle of a large tile, one of a small one."""
    column, row = size.middle
    reach = 1 if size.width > 5 else 0
    return [(column + across, row) for across in range(-reach, reach + 1)]


def _build_bridge(ground: Ground, index: int, bridge: Bridge, size: Size) -> None:
    if len(bridge.edges) == 2:
        ground |= dict.fromkeys(_span(size, *bridge.edges), index)
        return
    for edge in bridge.edges:
        for spot in _line(middle_of(size, edge), size.middle):
            if spot in ground:
                break
            ground[spot] = index


def _span(size: Size, one: Edge, other: Edge) -> list[Spot]:
    """Return the spots of a bridge: straight, or cutting the corner between its edges."""
    start, end = middle_of(size, one), middle_of(size, other)
    if OPPOSITE[one] == other:
        return _line(start, end)
    beside_edge, below = (start, end) if one in ("e", "w") else (end, start)
    steps = abs(below[0] - beside_edge[0])
    across = 1 if below[0] > beside_edge[0] else -1
    down = 1 if below[1] > beside_edge[1] else -1
    rows = abs(below[1] - beside_edge[1])
    return [
        (beside_edge[0] + across * step, beside_edge[1] + down * (step * rows // steps)) for step in range(steps + 1)
    ]


def _line(start: Spot, end: Spot) -> list[Spot]:
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    across = (end[0] > start[0]) - (end[0] < start[0])
    down = (end[1] > start[1]) - (end[1] < start[1])
    return [(start[0] + across * step, start[1] + down * step) for step in range(steps + 1)]


def _flood(ground: Ground, segments: tuple[Segment, ...], size: Size) -> None:
    """Seas spread from their half-edges over everything that is left, past corners only where nothing else reaches."""
    queue: deque[Spot] = deque()
    for index, segment in enumerate(segments):
        if isinstance(segment, Sea):
            for spot in (spot for half in sorted(segment.halves) for spot in _shore(size, half)):
                if spot not in ground:
                    ground[spot] = index
                    queue.append(spot)
    while queue:
        spot = queue.popleft()
        for near in beside(spot):
            if size.contains(near) and near not in ground:
                ground[near] = ground[spot]
                queue.append(near)
    seas = {index for index, segment in enumerate(segments) if isinstance(segment, Sea)}
    for column, row in [spot for spot in size.spots() if spot not in ground]:
        corners = [(column + across, row + down) for across in (-1, 1) for down in (-1, 1)]
        ground[column, row] = next((ground[near] for near in corners if ground.get(near) in seas), REEF)


def _shore(size: Size, half: int) -> list[Spot]:
    """Return the spots along a half-edge, including its corner and the middle of the edge."""
    right, bottom = size.width - 1, size.height - 1
    column, row = size.middle
    corner, end = {
        0: ((0, 0), (column, 0)),
        1: ((right, 0), (column, 0)),
        2: ((right, 0), (right, row)),
        3: ((right, bottom), (right, row)),
        4: ((right, bottom), (column, bottom)),
        5: ((0, bottom), (column, bottom)),
        6: ((0, bottom), (0, row)),
        7: ((0, 0), (0, row)),
    }[half]
    return _line(corner, end)
