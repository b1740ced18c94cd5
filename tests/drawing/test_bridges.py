"""Where the lines of bridges lead."""

import pytest

from schemas.tileset import Bridge, Island, Segment
from service.drawing.distance_fields import Point
from service.drawing.terrain import Landmass
from service.drawing.tile_layout import bridge_line

BRIDGE = Bridge(edges=("n", "s"), shells=0)


@pytest.mark.parametrize(
    ("other", "is_through_hub"), ((Island(edges=("e",), bananas=0), True), (Bridge(edges=("e", "w"), shells=0), False))
)
def test_a_bridge_avoids_the_hub_only_if_another_bridge_crosses_it(other: Segment, *, is_through_hub: bool) -> None:
    hub = Point(60, 40)
    line = bridge_line((BRIDGE, other), BRIDGE, Landmass(("n", "e", "s"), (0, 1), hub, None))
    assert (hub in line) is is_through_hub
