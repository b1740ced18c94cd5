"""A store that can fail, and a hub on it."""

from collections.abc import AsyncIterator

import pytest

from service.games import channel
from service.games import hub as hub_module
from service.games.access import AccessRecord, encode_access
from service.games.hub import Hub
from service.store.game_store import RedisStore
from service.supervision import Backoff
from tests.games.realtime.subscribers import TILESETS, UnreliableStore
from tests.store.commits import creation


@pytest.fixture
async def store(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> UnreliableStore:
    """Return a store on the same server with the game `g` that fails when a test wants it to."""
    monkeypatch.setattr(hub_module, "RETRY_INTERVAL_S", 0.02)
    monkeypatch.setattr(channel, "UNAVAILABLE_BACKOFF", Backoff(0.01, 0.02, jitter=0))
    await store.commit(
        creation(access=encode_access(AccessRecord("public", b"", b"", b"", [None, None], [0, 1], [None, None])))
    )
    return UnreliableStore(store.client)


@pytest.fixture
async def hub(store: UnreliableStore) -> AsyncIterator[Hub]:
    """Return a hub that neither receives notifications nor sweeps until it is started."""
    hub = Hub(store, TILESETS, sweep_interval_s=0.05)
    yield hub
    await hub.aclose()
