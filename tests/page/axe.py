"""axe-core's accessibility checks of a page."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

AXE = Path(__file__).parents[2] / "clients/node_modules/axe-core/axe.min.js"


async def violations(page: Page) -> list[str]:
    """Return axe-core's violations on the page."""
    if not AXE.exists():
        pytest.fail("axe-core is not installed: run `npm --prefix clients ci`")
    await page.evaluate(AXE.read_text())
    result: dict[str, Any] = await page.evaluate("() => axe.run()")
    return [f"{one['id']}: {node['html']}" for one in result["violations"] for node in one["nodes"]]
