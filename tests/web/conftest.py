"""The whole service on the real store, for the tests of its web side."""

from collections.abc import AsyncIterator

import pytest

from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.web.app_server import Client, FrozenClock, serve
from tests.web.webhook_receiver import OffsetClock, WebhookInstance, WebhookReceiver, run_instance, run_receiver


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
def clock() -> FrozenClock:
    """The time as `timed_client` has it."""
    return FrozenClock()


@pytest.fixture
async def timed_client(store: RedisStore, clock: FrozenClock) -> AsyncIterator[Client]:
    """The same of an instance whose clock stands still unless the test moves it."""
    async with serve(store, clock=clock) as connected:
        yield connected


@pytest.fixture
async def receiver() -> AsyncIterator[WebhookReceiver]:
    """A server that takes webhooks."""
    async with run_receiver() as server:
        yield server


@pytest.fixture
def later() -> OffsetClock:
    """A clock that is moved on by hand."""
    return OffsetClock()


@pytest.fixture
async def one(store: RedisStore, later: OffsetClock) -> AsyncIterator[WebhookInstance]:
    """An instance that delivers webhooks, by that clock."""
    async with run_instance(store, later) as running:
        yield running
