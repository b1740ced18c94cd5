"""A store that can be out of reach, and the feeds of a process on it."""

from collections.abc import AsyncIterator

import pytest

from service.games.realtime import hub as watch_module
from service.games.realtime.hub import Watch
from service.store.game_store import RedisStore
from tests.games.realtime.watchers import TILESETS, Fickle


@pytest.fixture
def fickle(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> Fickle:
    monkeypatch.setattr(watch_module, "LONGEST_PAUSE_S", 0.02)
    return Fickle(store._batches)


@pytest.fixture
async def watch(fickle: Fickle) -> AsyncIterator[Watch]:
    """It neither listens nor sweeps before it is started."""
    found = Watch(fickle, TILESETS, sweep_s=0.05)
    yield found
    await found.aclose()
