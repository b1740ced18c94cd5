"""The lobby: public games, the newest first, page by page, and complete."""

import asyncio
import time
from typing import Any

import pytest
from redis.asyncio import Redis

from service.games.archiver import RestoreRequest
from service.games.ports import GameStore, Page
from service.store import keys
from service.store.game_store import RedisStore
from service.store.pipeline import Script
from tests.store.commits import action, creation


async def test_the_lobby_is_empty_at_first(store: GameStore) -> None:
    assert await store.list_by_status(["waiting", "active"], 10, None) == Page([], None)


async def test_the_newest_come_first_and_ties_by_id(store: GameStore) -> None:
    for game, created_at in (("b", 5), ("d", 9), ("a", 5), ("e", 1), ("c", 5)):
        await store.commit(creation(game, created_at=created_at))
    assert (await store.list_by_status(["waiting"], 10, None)).games == ["d", "c", "b", "a", "e"]


async def test_private_games_are_not_listed(store: GameStore) -> None:
    await store.commit(creation(is_public=False))
    await store.commit(action(1, is_public=False, previous_status="waiting"))
    assert await store.list_by_status(["waiting", "active"], 10, None) == Page([], None)


@pytest.mark.parametrize("limit", (1, 2, 3, 7, 12, 13))
async def test_pages_follow_each_other_without_gap_or_repeat(store: GameStore, limit: int) -> None:
    now = int(time.time())  # of an old game, an entry before its game could be pruned by another commit
    await asyncio.gather(*(store.commit(creation(f"g{i:02}", created_at=now + i // 5)) for i in range(12)))
    await asyncio.gather(
        *(
            store.commit(action(1, f"g{i:02}", previous_status="waiting", created_at=now + i // 5))
            for i in range(0, 12, 3)
        )
    )
    games: list[str] = []
    page = Page([], "")
    while page.next_cursor is not None:
        page = await store.list_by_status(["active", "waiting"], limit, page.next_cursor or None)
        assert len(page.games) == limit or page.next_cursor is None
        games += page.games
    assert games == [f"g{i:02}" for i in reversed(range(12))]


async def test_later_pages_are_not_shifted_by_new_or_removed_games(store: GameStore) -> None:
    for i in range(6):
        await store.commit(creation(f"g{i}", created_at=100))
    first = await store.list_by_status(["waiting"], 3, None)
    await store.commit(creation("g9", created_at=100))
    await store.unlist("g3", "waiting")
    second = await store.list_by_status(["waiting"], 3, first.next_cursor)
    assert (first.games, second) == (["g5", "g4", "g3"], Page(["g2", "g1", "g0"], None))


async def test_a_game_is_listed_under_its_current_status_only(store: GameStore) -> None:
    await store.commit(creation())
    await store.commit(action(1, previous_status="waiting"))
    await store.commit(action(2))
    assert (await store.list_by_status(["waiting"], 10, None)).games == []
    assert (await store.list_by_status(["active"], 10, None)).games == ["g"]
    await store.commit(action(3, status="finished"))
    assert (await store.list_by_status(["active", "waiting"], 10, None)).games == []
    assert (await store.list_by_status(["finished"], 10, None)).games == ["g"]


async def test_a_commit_that_conflicts_removes_nothing_from_the_lobby(store: GameStore) -> None:
    await store.commit(creation())
    await store.commit(action(7, previous_status="waiting"))
    assert (await store.list_by_status(["waiting"], 10, None)).games == ["g"]


async def test_a_game_listed_under_two_statuses_is_on_a_page_once(store: GameStore, redis: Redis) -> None:
    await store.commit(creation())
    await redis.zadd(keys.lobby("active"), {"g": 1_700_000_000})
    assert await store.list_by_status(["waiting", "active"], 10, None) == Page(["g"], None)


async def test_a_reader_repairs_the_lobby(store: GameStore) -> None:
    await store.commit(creation())
    await store.commit(action(7, previous_status="waiting"))
    assert (await store.list_by_status(["active"], 10, None)).games == ["g"]
    await store.unlist("g", "active")
    assert (await store.list_by_status(["active"], 10, None)).games == []
    assert (await store.list_by_status(["waiting"], 10, None)).games == ["g"]


@pytest.mark.parametrize("is_import", (False, True))
async def test_a_game_is_indexed_before_its_creation_and_again_after_it_in_case_a_reader_repaired_the_indexes(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, *, is_import: bool
) -> None:
    async def run_slowly(script: Script, *arguments: Any) -> Any:
        assert (await store.list_by_status(["waiting"], 10, None)).games == ["g"]
        assert (await store.list_by_keys(["aa"], 10, None)).games == ["g"]
        await store.unlist("g", "waiting")
        await store.unindex(["aa"], "g")
        return await run(script, *arguments)

    run = Script.run
    monkeypatch.setattr(Script, "run", run_slowly)
    created = creation(owner=b"\xaa")
    if is_import:
        await store.transfer.restore(RestoreRequest(created, [], replace=False))
        assert (await store.list_by_keys(["aa"], 10, None)).games == ["g"]
    else:
        await store.commit(created)
    assert (await store.list_by_status(["waiting"], 10, None)).games == ["g"]
