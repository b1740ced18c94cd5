"""Which land of a tile hangs together: what parts two of its seas must reach from the one shore to the other.

Segments say only which edges they reach. Two land edges belong to one part where the seas on both sides of them are
different ones: then the land between must touch, at a junction, a market, a beach or as two islands' tips (R5.1, R9).
"""

from collections.abc import Iterable
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from schemas.vocabulary import EDGES, Edge
from service.web.drawing.layout.distance_fields import TILE_CENTRE, Point, edge_point

BEACH_DISTANCE = 39.0
STUB_LENGTH = 31.0
"""How far in bridges end at an island's beach, and those that lead nowhere where other land needs room."""


class Landmass(NamedTuple):
    """Land that hangs together: its edges, its segments, and the place where they meet."""

    edges: tuple[Edge, ...]
    members: tuple[int, ...]
    """Indexes of segments; one that reaches no edge stands at the hub."""
    hub: Point
    centre: int | None
    """The islet or market at the hub."""

    @property
    def has_hub(self) -> bool:
        """Whether it has a hub that its segments must reach."""
        return len(self.members) > 1


def group_landmasses(segments: tuple[Segment, ...]) -> tuple[Landmass, ...]:
    """The parts of a tile's land; islets and markets that nothing leads to are none."""
    groups = _group_edges(segments)
    owners = [_segments_at(segments, group) for group in groups]
    centres = _assign_centres(segments, groups, owners)
    result = []
    for number, (group, members) in enumerate(zip(groups, owners, strict=True)):
        centre = centres.get(number)
        whole = members if centre is None else (*members, centre)
        land = [segment.edges for index in members if isinstance(segment := segments[index], Island)]
        beach = land[0][0] if len(land) == 1 and len(land[0]) == 1 and centre is None else None
        result.append(Landmass(group, whole, _hub_point(group, beach, alone=len(groups) == 1), centre))
    return tuple(result)


def has_touching_tips(segments: tuple[Segment, ...], part: Landmass) -> bool:
    """Whether several islands touch at a part's hub, with nothing but rocks or a stone between them."""
    islands = sum(isinstance(segments[index], Island) for index in part.members)
    return part.has_hub and part.centre is None and islands > 1


def _group_edges(segments: tuple[Segment, ...]) -> list[tuple[Edge, ...]]:
    """The land edges by part: those of one segment are joined, and those that part two seas."""
    groups: list[set[Edge]] = [
        set(segment.edges) for segment in segments if isinstance(segment, Bridge | Island) and segment.edges
    ]
    seas = {
        half: index for index, segment in enumerate(segments) if isinstance(segment, Sea) for half in segment.halves
    }
    while (pair := _first_touching_pair(groups, seas)) is not None:
        one, other = pair
        groups[one] |= groups.pop(other)
    return [tuple(edge for edge in EDGES if edge in group) for group in groups]


def _first_touching_pair(groups: list[set[Edge]], seas: dict[int, int]) -> tuple[int, int] | None:
    """Two groups with different seas on both sides between them: no water flows through there."""
    for one in range(len(groups)):
        for other in range(one + 1, len(groups)):
            if _are_touching(groups, one, other, seas):
                return one, other
    return None


def _are_touching(groups: list[set[Edge]], one: int, other: int, seas: dict[int, int]) -> bool:
    """Whether no sea runs between two groups: none has shores on both ways around from one to the other."""
    sides = _half_edges_between(groups[one], groups[other])
    if sides is None:
        return False
    first, second = ({seas[half] for half in side if half in seas} for side in sides)
    return bool(first) and bool(second) and not first & second


def _half_edges_between(mine: set[Edge], theirs: set[Edge]) -> tuple[list[int], list[int]] | None:
    """The half-edges on the two ways around the tile between groups."""
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
    """The market or islet at which a part's bridges end: the market first, where most bridges end."""
    ends = {
        number: sum(isinstance(segment := segments[index], Bridge) and len(segment.edges) == 1 for index in members)
        for number, members in enumerate(owners)
    }
    free = sorted((number for number in ends if ends[number]), key=lambda number: (-ends[number], len(groups[number])))
    middles = [index for index, segment in enumerate(segments) if isinstance(segment, Market)]
    middles += [index for index, segment in enumerate(segments) if isinstance(segment, Island) and not segment.edges]
    return dict(zip(free, middles, strict=False))


def _hub_point(edges: tuple[Edge, ...], beach: Edge | None, *, alone: bool) -> Point:
    """The middle of the tile, or before the one island's beach; nearer to the edges where other land needs room too."""
    if alone:
        return TILE_CENTRE if beach is None else edge_point(beach, BEACH_DISTANCE)
    if len(edges) == 1:
        return edge_point(edges[0], STUB_LENGTH)
    inner = [edge_point(edge, 22.0) for edge in edges]
    return Point(sum(point.x for point in inner) / len(inner), sum(point.y for point in inner) / len(inner))
