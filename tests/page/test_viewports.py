"""In each state of the page and each viewport, every control is reachable and no text is cut off."""

from pathlib import Path

import pytest

from tests.page.page_states import STATES
from tests.page.visitor import PHONE, Size, Visitor, Visitors

VIEWPORTS: tuple[Size, ...] = (
    (320, 480),
    (390, 844),
    (844, 390),
    (768, 1024),
    (1024, 768),
    (1280, 720),
    (1920, 1080),
)
ZOOMED = tuple((width // 2, height // 2) for width, height in VIEWPORTS)
"""The same at 200 % zoom, which halves the viewport."""

REACHABLE = (Path(__file__).parent / "reachable.js").read_text()
TWO_FRAMES = "() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))"


@pytest.mark.parametrize("state", STATES)
async def test_every_control_can_be_reached_and_no_text_is_cut_off(visitors: Visitors, state: str) -> None:
    visitor = await STATES[state](visitors, PHONE)
    assert {size: result for size in VIEWPORTS + ZOOMED if (result := await _problems(visitor, size))} == {}


async def _problems(visitor: Visitor, size: Size) -> list[str]:
    """Return the problems of the page in a viewport of this size."""
    await visitor.page.set_viewport_size({"width": size[0], "height": size[1]})
    await visitor.page.evaluate(TWO_FRAMES)
    result: list[str] = await visitor.page.evaluate(REACHABLE)
    return result
