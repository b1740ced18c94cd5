"""The page in a real browser, on the whole service with a real store."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Browser
from redis.asyncio import Redis

from schemas.tileset import Bridge, Cost, Island, Market, Sea, Segment, TileSet
from service.games.tilesets import DEFAULT_TILESET, TileSetCatalogue
from service.store.client import connect
from service.store.game_store import RedisStore
from tests.browser import chromium
from tests.page.visitor import Visitors
from tests.web import app_server

SHORT = "short"
"""A tile set for games that are soon over."""
RICH = "rich"
"""A tile set with many wares and ships that take any seven of them."""
GROUPED = "grouped"
"""The same with ships that take three wares of one kind and one of another."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run these tests in the session's event loop, in which they share a browser."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Start a headless Chromium; each visitor has a context of their own in it."""
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    """Create an empty store in the session's event loop."""
    async with Redis.from_url(redis_url) as redis:
        await redis.flushall()
    async with connect(redis_url) as connected:
        yield connected


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(browser: Browser, store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Visitors]:
    """Open the page for each visitor of a test; at the end, no page may have an error."""
    whole = app_server.TILESETS.get(DEFAULT_TILESET).tileset
    seven = Cost(bananas=0, shells=0, fish=0, any=7, same=())
    grouped = Cost(bananas=0, shells=0, fish=0, any=0, same=(3, 1))
    sets = [whole, _shortened(whole), _enriched(whole, RICH, seven), _enriched(whole, GROUPED, grouped)]
    monkeypatch.setattr(app_server, "TILESETS", TileSetCatalogue(sets))
    async with app_server.serve(store) as client:
        opened = Visitors(browser, client)
        yield opened
        await opened.leave()


@pytest_asyncio.fixture(loop_scope="session")
async def client(store: RedisStore) -> AsyncIterator[app_server.Client]:
    """Create a client of one instance, without a browser."""
    async with app_server.serve(store) as connected:
        yield connected


def _shortened(whole: TileSet) -> TileSet:
    """Half of the types, one tile of each."""
    once = [msgspec.structs.replace(tile, count=1) for tile in whole.tiles[::2]]
    return msgspec.structs.replace(whole, id=SHORT, tiles=type(whole.tiles)(once))


def _enriched(whole: TileSet, name: str, cost: Cost) -> TileSet:
    """Nine symbols where one or two are printed, and the same cost for every ship."""
    return msgspec.structs.replace(
        whole,
        id=name,
        tiles=tuple(
            msgspec.structs.replace(tile, segments=tuple(_enriched_segment(segment) for segment in tile.segments))
            for tile in whole.tiles
        ),
        ships=tuple(msgspec.structs.replace(ship, points=6, cost=cost) for ship in whole.ships),
    )


def _enriched_segment(segment: Segment) -> Segment:
    match segment:
        case Bridge():
            return msgspec.structs.replace(segment, shells=9)
        case Island():
            return msgspec.structs.replace(segment, bananas=9)
        case Sea():
            return msgspec.structs.replace(segment, fish=(2, 2) if segment.fish else ())
        case Market():
            return segment
