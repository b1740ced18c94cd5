"""An instance of the service with the default limits."""

from collections.abc import AsyncIterator

import pytest

from service.store.game_store import RedisStore
from tests.web.app_server import Client, serve


@pytest.fixture
async def client(store: RedisStore) -> AsyncIterator[Client]:
    """Yield a client of an instance with an empty store."""
    async with serve(store) as connected:
        yield connected
