"""A second Redis server beside this run's own, to move games to."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from service.store.client import connect
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def other_url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Another Redis server."""
    async with embedded_server(tmp_path_factory.mktemp("other")) as server:
        yield server.url


@pytest.fixture
async def other_redis(other_url: str) -> AsyncIterator[Redis]:
    """A plain client of that server, which is empty."""
    async with Redis.from_url(other_url) as client:
        await client.flushall()
        yield client


@pytest.fixture
async def other(other_redis: Redis, other_url: str) -> AsyncIterator[RedisStore]:
    """A store on that; nothing is stored."""
    del other_redis  # it has emptied the server
    async with connect(other_url) as store:
        yield store
