"""Where markets and islets stand: what reaches no edge of the tile."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.tileset import Island, Market, Segment
from service.web.drawing.layout.distance_fields import FAR, TILE_CENTRE, DistanceField, Point, disc_field
from service.web.drawing.layout.landmasses import Landmass
from service.web.drawing.layout.terrain import MARKET_RADIUS, node_point, rim_distance

ISLET_RADII = 11.0, 23.0
"""The radius of the smallest islet and of the largest."""
CROWDED_ISLET_RADIUS = 15.0
"""The radius of an islet at which bridges end while other land needs room too."""
ISLET_MARGIN = 6.0
"""Around an islet where there is room for it."""


class InnerSegment(NamedTuple):
    """The place of a market or an islet, and how large it is."""

    centre: Point
    radius: float

    def field(self) -> DistanceField:
        """How far each node is from it."""
        return disc_field(self.centre, self.radius)


def locate_inner_segments(
    segments: tuple[Segment, ...], parts: Sequence[Landmass], others: Iterable[DistanceField]
) -> Mapping[int, InnerSegment]:
    """The middles by segment: at their part's hub, else where most room is beside `others`, the other land."""
    located: dict[int, InnerSegment] = {}
    for part in parts:
        if part.centre is not None:
            islet = ISLET_RADII[1] if len(parts) == 1 else CROWDED_ISLET_RADIUS
            located[part.centre] = InnerSegment(part.hub, _radius(segments[part.centre], islet))
    taken = [*others, *(middle.field() for middle in located.values())]
    for index, segment in enumerate(segments):
        if index not in located and (
            isinstance(segment, Market) or (isinstance(segment, Island) and not segment.edges)
        ):
            at, room = _roomiest_point(taken)
            located[index] = InnerSegment(
                at, _radius(segment, min(max(room - ISLET_MARGIN, ISLET_RADII[0]), ISLET_RADII[1]))
            )
            taken.append(located[index].field())
    return located


def _radius(segment: Segment, islet: float) -> float:
    return MARKET_RADIUS if isinstance(segment, Market) else islet


def _roomiest_point(taken: Sequence[DistanceField]) -> tuple[Point, float]:
    """The place farthest from everything and from the tile's edges, and how far that is; the nearest to the middle."""
    best, most = TILE_CENTRE, -FAR
    for node, rim in enumerate(rim_distance()):
        room = min(rim, *(values[node] for values in taken)) if taken else rim
        if room > most or (room == most and node_point(node).distance_to(TILE_CENTRE) < best.distance_to(TILE_CENTRE)):
            best, most = node_point(node), room
    return best, most
