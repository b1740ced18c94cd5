"""The whole service on the real store, for the tests of its web side."""

from collections.abc import AsyncIterator

import pytest

from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.web.app_server import Client, Clock, serve
from tests.web.webhook_receiver import Instance, Later, Receiver, instance, receiving


@pytest.fixture
async def client(store: RedisStore) -> AsyncIterator[Client]:
    """A client of one instance, whose store is empty."""
    async with serve(store) as connected:
        yield connected


@pytest.fixture
async def unlimited(store: RedisStore) -> AsyncIterator[Client]:
    """The same where a client may ask as much as it likes."""
    async with serve(store, Limits(rate_limits=False)) as connected:
        yield connected


@pytest.fixture
def clock() -> Clock:
    """The time as `timed_client` has it."""
    return Clock()


@pytest.fixture
async def timed_client(store: RedisStore, clock: Clock) -> AsyncIterator[Client]:
    """The same of an instance whose clock stands still unless the test moves it."""
    async with serve(store, clock=clock) as connected:
        yield connected


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """A server that takes webhooks."""
    async with receiving() as server:
        yield server


@pytest.fixture
def later() -> Later:
    """A clock that is moved on by hand."""
    return Later()


@pytest.fixture
async def one(store: RedisStore, later: Later) -> AsyncIterator[Instance]:
    """An instance that delivers webhooks, by that clock."""
    async with instance(store, later) as running:
        yield running
