"""The page in a real browser, on the whole service with a real store."""

import shutil
from collections.abc import AsyncIterator

import msgspec
import pytest
from playwright.async_api import Browser, async_playwright

from schemas.tileset import TileSet
from service.games.tilesets import DEFAULT, TileSetCatalogue
from service.store.store import RedisStore
from tests.page.visitor import Visitors
from tests.web import served

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SHORT = "short"
"""A tile set for games that are soon over."""


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """The Chromium of this machine."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.fail("the tests of the page need Chromium on the PATH: install Debian's package `chromium`")
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield launched
        await launched.close()


@pytest.fixture
async def visitors(browser: Browser, store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Visitors]:
    """Opens the page for as many people as a test needs; at the end nothing may have gone wrong on any screen."""
    whole = served.TILESETS.chosen(DEFAULT).tileset
    monkeypatch.setattr(served, "TILESETS", TileSetCatalogue([whole, _shortened(whole)]))
    async with served.serve(store) as client:
        opened = Visitors(browser, client)
        yield opened
        await opened.leave()


@pytest.fixture
async def client(store: RedisStore) -> AsyncIterator[served.Client]:
    """A client of one instance, without a browser."""
    async with served.serve(store) as connected:
        yield connected


def _shortened(whole: TileSet) -> TileSet:
    """Half of the types, one tile of each."""
    once = [msgspec.structs.replace(tile, count=1) for tile in whole.tiles[::2]]
    return msgspec.structs.replace(whole, id=SHORT, tiles=type(whole.tiles)(once))
