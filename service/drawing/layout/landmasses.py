"""The landmasses of a tile: land that separates two of its seas is connected.

Segments declare only which edges they reach. Two land edges belong to one landmass if the seas on their two sides are
different: then the land between them must touch, at a junction, a market, a beach or the tips of islands (R5.1, R9).
"""

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from schemas.vocabulary import EDGES, Edge
from service.drawing.layout.distance_fields import TILE_CENTRE, Point, edge_point

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
    while (pair := _first_touching_pair(groups, seas)) is not None:
        first, second = pair
        groups[first] |= groups.pop(second)
    return [tuple(edge for edge in EDGES if edge in group) for group in groups]


def _first_touching_pair(groups: list[set[Edge]], seas: dict[int, int]) -> tuple[int, int] | None:
    """Return the indexes of two groups that touch, or None."""
    pairs = combinations(range(len(groups)), 2)
    return next((pair for pair in pairs if _are_touching(groups, *pair, seas)), None)


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
