"""Contours of distance fields."""

import pytest

from service.drawing.distance_fields import contour_rings, sample_field


@pytest.mark.parametrize("mirrored", (False, True))
def test_areas_that_touch_at_a_corner_have_rings_of_their_own(*, mirrored: bool) -> None:
    """Two squares of nodes, 2.5 units apart. Each contour runs half-way to the next nodes, and cuts the corners."""

    def value(x: float, y: float) -> float:
        x = 97.5 - x if mirrored else x
        return -1.0 if 20 <= min(x, y) <= max(x, y) < 50 or 50 <= min(x, y) <= max(x, y) < 80 else 1.0

    def octagon(low_x: float, low_y: float) -> set[tuple[float, float]]:
        x, y = ((low, low + 1.25, low + 28.75, low + 30) for low in (low_x, low_y))
        return {(x[i], y[j]) for i, j in ((1, 0), (2, 0), (3, 1), (3, 2), (2, 3), (1, 3), (0, 2), (0, 1))}

    first, second = sorted(contour_rings(sample_field(value), 0.0), key=lambda ring: min(point.y for point in ring))
    left, right = (48.75, 18.75) if mirrored else (18.75, 48.75)
    assert ({*first}, {*second}) == (octagon(left, 18.75), octagon(right, 48.75))
