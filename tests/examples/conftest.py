"""A running service, as programs see it: its URL."""

from collections.abc import AsyncIterator

import pytest

from service.store.game_store import RedisStore
from south_seas import Client
from tests.web.app_server import serve


@pytest.fixture
async def url(store: RedisStore) -> AsyncIterator[str]:
    """Where the service runs."""
    async with serve(store) as served:
        yield str(served.make_url("/"))


@pytest.fixture
async def client(url: str) -> AsyncIterator[Client]:
    """Create a client of it."""
    async with Client(url) as connected:
        yield connected
