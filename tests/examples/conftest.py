"""A whole service to play on, as programs see it: an address."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from examples.terminal.client import Client
from service.store.store import RedisStore
from tests.web.served import serve


@pytest.fixture
async def url(store: RedisStore) -> AsyncIterator[str]:
    """Where the service runs."""
    async with serve(store) as served:
        yield str(served.make_url("/"))


@pytest.fixture
async def client(url: str) -> AsyncIterator[Client]:
    """The terminal's own client of it."""
    async with aiohttp.ClientSession() as http:
        yield Client(http, url)
