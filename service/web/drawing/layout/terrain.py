"""Whose ground each node of a tile is: which segment one would see there."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from schemas.tileset import Sea, Segment
from service.web.drawing.layout.distance_fields import NODES, STEP, Field, Point

Ground = list[int]
"""The segment at each node; `NOBODY` where none is."""

NOBODY = -1
BRIDGE = 7.3
"""Half the width of a bridge."""
MARKET = 17.0
"""The radius of a market's quay."""

ROCKS = 7.5
"""How far rocks between two islands' tips keep the water."""

DIAGONAL = 2**0.5


def grounds(
    segments: tuple[Segment, ...],
    islands: Mapping[int, Field],
    bridges: Mapping[int, Field],
    markets: Mapping[int, Field],
    rocks: Iterable[Point],
) -> Ground:
    """The segment at each node: bridges lie on islands, markets on both; the seas spread over what is left.

    They do not spread between `rocks`, which are nobody's ground.
    """
    ground = [NOBODY] * (NODES * NODES)
    for fields, edge in ((islands, 0.0), (bridges, BRIDGE), (markets, 0.0)):
        for index, values in fields.items():
            for node, value in enumerate(values):
                if value < edge:
                    ground[node] = index
    dry = {
        node
        for rock in rocks
        for node in range(NODES * NODES)
        if ground[node] == NOBODY and place(node).distance(rock) < ROCKS
    }
    _flood(ground, dry, ((index, segment.halves) for index, segment in enumerate(segments) if isinstance(segment, Sea)))
    return ground


def fill_lagoons(ground: Ground, seas: Iterable[int]) -> None:
    """Give what no sea has reached to the seas that reach no half-edge, the largest water first."""
    waters = sorted(_pockets(ground), key=len, reverse=True)
    for index, water in zip(seas, waters, strict=False):
        for node in water:
            ground[node] = index


def room(ground: Ground) -> Field:
    """How far each node lies from the end of its segment or of the tile."""
    beside = _neighbours()
    far = [*rim_distance()]
    for node, owner in enumerate(ground):
        for other, _ in beside[node]:
            if ground[other] != owner:
                far[node] = min(far[node], STEP / 2)
                break
    order = range(NODES * NODES)
    for nodes in (order, reversed(order)):
        for node in nodes:
            nearest = far[node]
            for other, step in beside[node]:
                if far[other] + step < nearest:  # noqa: PLR1730 (the innermost loop: min would be a call)
                    nearest = far[other] + step
            far[node] = nearest
    return far


@cache
def rim_distance() -> Field:
    """How far each node lies from the nearest edge of the tile."""
    along = [min(number, NODES - 1 - number) for number in range(NODES)]
    return [STEP * min(row, column) for row in along for column in along]


def place(node: int) -> Point:
    """Where a node lies."""
    return Point(node % NODES * STEP, node // NODES * STEP)


def node_at(point: Point) -> int:
    """The node nearest to a place."""
    return min(max(round(point.y / STEP), 0), NODES - 1) * NODES + min(max(round(point.x / STEP), 0), NODES - 1)


def _shore(half: int) -> list[int]:
    """The nodes along a half-edge, neither the corner nor the middle of the edge among them."""
    last, middle = NODES - 1, NODES // 2
    near, far = range(1, middle), range(middle + 1, last)
    match half:
        case 0 | 1:
            return [*(near if half == 0 else far)]
        case 2 | 3:
            return [row * NODES + last for row in (near if half == 2 else far)]
        case 4 | 5:
            return [last * NODES + column for column in (far if half == 4 else near)]
        case _:
            return [row * NODES for row in (far if half == 6 else near)]


def _flood(ground: Ground, dry: set[int], seas: Iterable[tuple[int, Iterable[int]]]) -> None:
    """All seas spread at once from their half-edges, so that each has ground also where nothing parts them."""
    queue = deque((node, index) for index, halves in seas for half in halves for node in _shore(half))
    while queue:
        node, index = queue.popleft()
        if ground[node] == NOBODY and node not in dry:
            ground[node] = index
            queue.extend((other, index) for other, step in _around(node) if step == STEP)


def _pockets(ground: Ground) -> list[list[int]]:
    """The pieces of water that nobody has."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for start, owner in enumerate(ground):
        if owner == NOBODY and start not in seen:
            pocket, queue = [], [start]
            seen.add(start)
            while queue:
                node = queue.pop()
                pocket.append(node)
                more = [o for o, step in _around(node) if step == STEP and ground[o] == NOBODY and o not in seen]
                seen.update(more)
                queue += more
            found.append(pocket)
    return found


def _around(node: int) -> tuple[tuple[int, float], ...]:
    """The nodes beside one and how far away they are."""
    return _neighbours()[node]


@cache
def _neighbours() -> tuple[tuple[tuple[int, float], ...], ...]:
    """Those of every node."""
    return tuple(tuple(_beside(node % NODES, node // NODES)) for node in range(NODES * NODES))


def _beside(column: int, row: int) -> Iterator[tuple[int, float]]:
    for down in (-1, 0, 1):
        for across in (-1, 0, 1):
            if (across or down) and 0 <= column + across < NODES and 0 <= row + down < NODES:
                yield (row + down) * NODES + column + across, STEP * (DIAGONAL if across and down else 1.0)
