"""Where markets and islets stand: what reaches no edge of the tile."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.tileset import Island, Market, Segment
from service.web.drawing.layout.distance_fields import FAR, MIDDLE, Field, Point, disc
from service.web.drawing.layout.landmasses import Part
from service.web.drawing.layout.terrain import MARKET, place, rim_distance

ISLETS = 11.0, 23.0
"""The radius of the smallest islet and of the largest."""
BETWEEN_BRIDGES = 15.0
"""The radius of an islet at which bridges end while other land needs room too."""
WATER = 6.0
"""Around an islet where there is room for it."""


class Middle(NamedTuple):
    """The place of a market or an islet, and how large it is."""

    at: Point
    radius: float

    def field(self) -> Field:
        """How far each node is from it."""
        return disc(self.at, self.radius)


def middles(segments: tuple[Segment, ...], parts: Sequence[Part], others: Iterable[Field]) -> Mapping[int, Middle]:
    """The middles by segment: at their part's hub, else where most room is beside `others`, the other land."""
    found: dict[int, Middle] = {}
    for part in parts:
        if part.centre is not None:
            islet = ISLETS[1] if len(parts) == 1 else BETWEEN_BRIDGES
            found[part.centre] = Middle(part.hub, _radius(segments[part.centre], islet))
    taken = [*others, *(middle.field() for middle in found.values())]
    for index, segment in enumerate(segments):
        if index not in found and (isinstance(segment, Market) or (isinstance(segment, Island) and not segment.edges)):
            at, room = _roomiest(taken)
            found[index] = Middle(at, _radius(segment, min(max(room - WATER, ISLETS[0]), ISLETS[1])))
            taken.append(found[index].field())
    return found


def _radius(segment: Segment, islet: float) -> float:
    return MARKET if isinstance(segment, Market) else islet


def _roomiest(taken: Sequence[Field]) -> tuple[Point, float]:
    """The place farthest from everything and from the tile's edges, and how far that is; the nearest to the middle."""
    best, most = MIDDLE, -FAR
    for node, rim in enumerate(rim_distance()):
        room = min(rim, *(values[node] for values in taken)) if taken else rim
        if room > most or (room == most and place(node).distance(MIDDLE) < best.distance(MIDDLE)):
            best, most = place(node), room
    return best, most
