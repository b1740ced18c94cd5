"""Fixtures of the web tests: instances of the service on the real store."""

from collections.abc import AsyncIterator

import pytest

from service.store.game_store import RedisStore
from service.web import connection, websocket_connection
from service.web.limits import Limits
from tests.api_key_fixture import add_api_key
from tests.redis_servers import connect
from tests.web.app_server import Client, FrozenClock, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.watcher_client import WatcherClient, connect_watcher
from tests.web.webhook_receiver import (
    OWNER_KINDS,
    GameOwner,
    KeyHolder,
    OffsetClock,
    WebhookInstance,
    WebhookOwner,
    WebhookReceiver,
    make_owner,
    run_instance,
    run_receiver,
)


@pytest.fixture
async def client(store: RedisStore) -> AsyncIterator[Client]:
    """Yield a client of an instance with an empty store."""
    async with serve(store) as connected:
        yield connected


@pytest.fixture
def short_linger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Close connections and sockets of which more may come sooner."""
    monkeypatch.setattr(connection, "LINGER_TIMEOUT_S", 0.1)
    monkeypatch.setattr(websocket_connection, "DISCARD_TIMEOUT_S", 0.1)


@pytest.fixture
async def http_game(client: Client) -> HTTPGame:
    """Create a game of two people."""
    return await create_game(client)


@pytest.fixture
async def watcher(client: Client) -> AsyncIterator[WatcherClient]:
    """Open a WebSocket."""
    async with connect_watcher(client) as opened:
        yield opened


@pytest.fixture
async def elsewhere(store: RedisStore, redis_url: str) -> AsyncIterator[Client]:
    """Start another instance on the same Redis, which has cached nothing and trusts no token."""
    del store  # it has emptied the server
    async with connect(redis_url) as second, serve(second) as connected:
        yield connected


@pytest.fixture
async def unlimited(store: RedisStore) -> AsyncIterator[Client]:
    """Yield a client of an instance without rate limits."""
    async with serve(store, Limits(rate_limits=False)) as connected:
        yield connected


@pytest.fixture
def clock() -> FrozenClock:
    """Return the clock of `timed_client`."""
    return FrozenClock()


@pytest.fixture
async def timed_client(store: RedisStore, clock: FrozenClock) -> AsyncIterator[Client]:
    """Yield a client of an instance with a frozen clock, which soon sees what others change."""
    async with serve(store, Limits(sweep_interval_s=0.1), clock=clock) as connected:
        yield connected


@pytest.fixture
async def receiver() -> AsyncIterator[WebhookReceiver]:
    """Yield a server that receives webhooks."""
    async with run_receiver() as server:
        yield server


@pytest.fixture
def later() -> OffsetClock:
    """Return the clock of the instance `one`."""
    return OffsetClock()


@pytest.fixture
async def one(store: RedisStore, later: OffsetClock) -> AsyncIterator[WebhookInstance]:
    """Yield an instance that delivers webhooks, by the clock `later`."""
    async with run_instance(store, later) as running:
        yield running


@pytest.fixture
async def host(one: WebhookInstance, receiver: WebhookReceiver, store: RedisStore) -> KeyHolder:
    """Return the holder of an API key."""
    return KeyHolder(one, receiver, await add_api_key(store))


@pytest.fixture(params=OWNER_KINDS)
async def owner(
    request: pytest.FixtureRequest, one: WebhookInstance, receiver: WebhookReceiver, store: RedisStore
) -> WebhookOwner:
    """Return the owner of webhooks, of each kind in turn, with a game that these report."""
    return await make_owner(request.param, one, receiver, store)


@pytest.fixture
async def game_owner(one: WebhookInstance, receiver: WebhookReceiver) -> GameOwner:
    """Return the owner of a game."""
    return GameOwner(one, receiver, await create_game(one.client, first_seat=0))
