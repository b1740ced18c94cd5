"""The positions of markets and islets, the segments that reach no edge of the tile."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.tileset import Island, Market, Segment
from service.drawing.layout.distance_fields import FAR, TILE_CENTRE, DistanceField, Point, disc_field
from service.drawing.layout.landmasses import Landmass
from service.drawing.layout.terrain import MARKET_RADIUS, node_point, rim_distance

ISLET_RADII = 11.0, 23.0
"""The minimum and maximum radius of an islet."""
CROWDED_ISLET_RADIUS = 15.0
"""The radius of an islet at which bridges end, on a tile with other land."""
ISLET_MARGIN = 6.0
"""The water around an islet, if there is room."""


class InnerSegment(NamedTuple):
    """A market or an islet: its centre and radius."""

    centre: Point
    radius: float

    def field(self) -> DistanceField:
        """Return the distance of each node from it."""
        return disc_field(self.centre, self.radius)


def locate_inner_segments(
    segments: tuple[Segment, ...], parts: Sequence[Landmass], others: Iterable[DistanceField]
) -> Mapping[int, InnerSegment]:
    """Locate the inner segments: at a landmass's hub, or where `others`, the other land, leave most room."""
    located: dict[int, InnerSegment] = {}
    for part in parts:
        if part.centre is not None:
            islet = ISLET_RADII[1] if len(parts) == 1 else CROWDED_ISLET_RADIUS
            located[part.centre] = InnerSegment(part.hub, _radius(segments[part.centre], islet))
    taken = [*others, *(area.field() for area in located.values())]
    for index, segment in enumerate(segments):
        if index not in located and (
            isinstance(segment, Market) or (isinstance(segment, Island) and not segment.edges)
        ):
            centre, room = _roomiest_point(taken)
            located[index] = InnerSegment(
                centre, _radius(segment, min(max(room - ISLET_MARGIN, ISLET_RADII[0]), ISLET_RADII[1]))
            )
            taken.append(located[index].field())
    return located


def _radius(segment: Segment, islet: float) -> float:
    return MARKET_RADIUS if isinstance(segment, Market) else islet


def _roomiest_point(taken: Sequence[DistanceField]) -> tuple[Point, float]:
    """Return the point farthest from all land and edges, and its distance; of several the nearest to the centre."""
    best, most = TILE_CENTRE, -FAR
    for node, rim in enumerate(rim_distance()):
        room = min(rim, *(values[node] for values in taken)) if taken else rim
        if room > most or (room == most and node_point(node).distance_to(TILE_CENTRE) < best.distance_to(TILE_CENTRE)):
            best, most = node_point(node), room
    return best, most
