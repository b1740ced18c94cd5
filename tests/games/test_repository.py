"""Reading what is stored of a game."""

import pytest

from service.games import repository
from service.games.repository import read_log
from service.store.game_store import RedisStore
from tests.games.stored_games import store_game


@pytest.mark.parametrize("version", (0, 1, 3))
async def test_a_log_is_read_up_to_a_version(store: RedisStore, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "LOG_PAGE_SIZE", 2)
    stored = await store_game(store, "finished")
    assert [diff.version for diff in await read_log(store, stored.id, version)] == [*range(1, version + 1)]
