"""The page in a real browser, on the whole service with a real store."""

from collections.abc import AsyncIterator

import msgspec
import pytest
from playwright.async_api import Browser

from schemas.tileset import TileSet
from service.games.tilesets import DEFAULT, TileSetCatalogue
from service.store.store import RedisStore
from tests.browser import chromium
from tests.page.visitor import Visitors
from tests.web import served

SHORT = "short"
"""A tile set for games that are soon over."""


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A headless Chromium."""
    async with chromium() as running:
        yield running


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
