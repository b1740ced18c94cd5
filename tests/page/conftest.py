"""Fixtures that open the page in a real browser, served by an instance with a real store."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Browser

from schemas.tileset import Bridge, Cost, Island, Market, Sea, Segment, TileSet
from service.games.scheduler import make_scheduler
from service.games.tilesets import DEFAULT_TILESET, TileSetCatalogue
from service.store.game_store import RedisStore
from service.web.app import CONTEXT
from tests.browser import chromium
from tests.page.visitor import Visitors
from tests.polling import in_background
from tests.redis_servers import connect
from tests.web import app_server

RICH = "rich"
"""A tile set with many wares, whose ships cost any seven of them."""
GROUPED = "grouped"
"""The same, with ships that cost three wares of one kind and one of another."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run these tests in the session's event loop, so that they share a browser."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Start a headless Chromium, in which each visitor has its own context."""
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    """Create an empty store in the session's event loop."""
    async with connect(redis_url) as connected:
        yield connected


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(browser: Browser, store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Visitors]:
    """Return what opens the page for each visitor of a test. At the end, fail if a page had an error."""
    complete = app_server.TILESETS.get(DEFAULT_TILESET).tileset
    seven = Cost(bananas=0, shells=0, fish=0, any=7, same=())
    grouped = Cost(bananas=0, shells=0, fish=0, any=0, same=(3, 1))
    sets = [_shorten(complete), _enrich(complete, RICH, seven), _enrich(complete, GROUPED, grouped)]
    monkeypatch.setattr(app_server, "TILESETS", TileSetCatalogue(sets))
    async with app_server.serve(store) as client, in_background(make_scheduler(client.app[CONTEXT], 0.1).run()):
        visitors = Visitors(browser, client)
        yield visitors
        await visitors.close()


@pytest_asyncio.fixture(loop_scope="session")
async def client(store: RedisStore) -> AsyncIterator[app_server.Client]:
    """Create a client of an instance, without a browser."""
    async with app_server.serve(store) as connected:
        yield connected


def _shorten(tileset: TileSet) -> TileSet:
    """Return a tile set of half of the types, with one tile of each, for short games."""
    tiles = tuple(msgspec.structs.replace(tile, count=1) for tile in tileset.tiles[::2])
    return msgspec.structs.replace(tileset, tiles=tiles)


def _enrich(tileset: TileSet, name: str, cost: Cost) -> TileSet:
    """Return a tile set with nine symbols on each bridge and island, and the same cost for every ship."""
    return msgspec.structs.replace(
        tileset,
        id=name,
        tiles=tuple(
            msgspec.structs.replace(tile, segments=tuple(_enrich_segment(segment) for segment in tile.segments))
            for tile in tileset.tiles
        ),
        ships=tuple(msgspec.structs.replace(ship, points=6, cost=cost) for ship in tileset.ships),
    )


def _enrich_segment(segment: Segment) -> Segment:
    match segment:
        case Bridge():
            return msgspec.structs.replace(segment, shells=9)
        case Island():
            return msgspec.structs.replace(segment, bananas=9)
        case Sea():
            return msgspec.structs.replace(segment, fish=(2, 2) if segment.fish else ())
        case Market():
            return segment
