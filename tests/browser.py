"""A headless Chromium, driven by Playwright."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from tests.tools import CHROMIUM, NODE, require

PATIENCE_MS = 120_000
"""How long a page may take to show what is expected: it may have to reconnect, on a busy machine."""

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Run a browser until the context ends."""
    # Playwright's own Node.js needs a library (libatomic) that a minimal system lacks.
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(require(NODE))
    async with async_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        browser = await playwright.chromium.launch(executable_path=require(CHROMIUM), args=ARGUMENTS)
        for maker in ("new_context", "new_page"):
            setattr(browser, maker, _patient(getattr(browser, maker)))
        yield browser
        await browser.close()


def _patient(make: Callable[..., Awaitable[BrowserContext | Page]]) -> Callable[..., Awaitable[BrowserContext | Page]]:
    async def made(**options: object) -> BrowserContext | Page:
        context = await make(**options)
        context.set_default_timeout(PATIENCE_MS)
        return context

    return made
