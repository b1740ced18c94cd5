"""What games are found by: written before the commit, kept as long as a game could be, mended by who comes upon it."""

import time
from typing import Any

import pytest
from redis.asyncio import Redis

from service.games.ports import Committed, VersionConflict
from service.games.timestamps import DAY_S
from service.store import keys
from service.store.client import connect, create_client
from service.store.game_index import MIN_PRUNE_AGE_S, GameIndex
from service.store.game_store import RedisStore
from tests.store.commits import action, creation

NAMES = ("aa", "aa:discord:1", "bb")


def named(game: str = "g", **changes: Any) -> Any:
    """The creation of a game that is found by some names."""
    return creation(game, **{"index_keys": lambda: NAMES, "index_ttl_s": 1000, **changes})


async def found(store: RedisStore, *names: str, limit: int = 10, after: str | None = None) -> list[str]:
    return (await store.list_by_keys(names, limit, after)).games


async def test_a_game_is_found_by_each_of_its_names_and_once_by_several(store: RedisStore) -> None:
    await store.commit(named())
    for name in NAMES:
        assert await found(store, name) == ["g"]
    assert await found(store, *NAMES) == ["g"]
    assert await found(store, "cc") == []


async def test_names_that_come_later_are_found_too(store: RedisStore) -> None:
    await store.commit(named(index_keys=lambda: ("aa",)))
    assert isinstance(
        await store.commit(action(1, access=b"2", index_keys=lambda: ("aa", "bb"), index_ttl_s=1000)), Committed
    )
    assert await found(store, "bb") == ["g"]


async def test_a_commit_that_is_lost_may_leave_a_name_but_none_is_missing(store: RedisStore) -> None:
    await store.commit(named(index_keys=lambda: ("aa",)))
    assert isinstance(
        await store.commit(action(7, access=b"2", index_keys=lambda: ("aa", "bb"), index_ttl_s=1000)), VersionConflict
    )
    assert await found(store, "aa") == ["g"]


async def test_pages_run_from_the_newest_to_the_oldest(store: RedisStore) -> None:
    for number in range(5):
        await store.commit(named(f"g{number}", created_at=1_700_000_000 + number // 2, index_keys=lambda: ("aa",)))
    first = await store.list_by_keys(["aa"], 2, None)
    second = await store.list_by_keys(["aa"], 2, first.next_cursor)
    third = await store.list_by_keys(["aa"], 2, second.next_cursor)
    assert [first.games, second.games, third.games] == [["g4", "g3"], ["g2", "g1"], ["g0"]]
    assert third.next_cursor is None
    with pytest.raises(ValueError, match="x"):
        await store.list_by_keys(["aa"], 2, "x")


async def test_names_are_kept_on_by_whoever_changes_the_game(store: RedisStore, redis: Redis, redis_url: str) -> None:
    await store.commit(named())
    for name in NAMES:
        await redis.delete(keys.game_index(name))
    async with connect(redis_url) as another:
        await another.commit(action(1, index_keys=lambda: NAMES, index_ttl_s=1000))
    for name in NAMES:
        assert await found(store, name) == ["g"]
        assert 990 <= await redis.ttl(keys.game_index(name)) <= 1000


async def test_they_are_kept_on_once_a_day(redis: Redis, redis_url: str) -> None:
    del redis  # it has emptied the deployment
    now = 1_800_000_000.0
    client = create_client(redis_url, connections=1)
    finding = GameIndex(client, lambda: now)
    first, again = finding.start_extending(named()), finding.start_extending(named())
    now += DAY_S
    second = finding.start_extending(named())
    assert again is None
    for written in (first, second):
        assert written is not None
        assert len(await written) == 2 * len(NAMES)
    await client.aclose()


async def test_a_game_that_is_no_more_is_taken_out_unless_it_is_young(store: RedisStore, redis: Redis) -> None:
    await store.commit(named("old"))
    await store.commit(named("young", created_at=int(time.time()) - MIN_PRUNE_AGE_S // 2))
    for game in ("old", "young"):
        await redis.delete(keys.game(game))
        await store.unindex_missing(NAMES, game)
    assert await found(store, *NAMES) == ["young"]


async def test_no_set_grows_for_ever(store: RedisStore, redis: Redis) -> None:
    for number in range(60):
        await store.commit(named(f"g{number}", index_keys=lambda: ("aa",)))
        await redis.delete(keys.game(f"g{number}"))
    assert await redis.zcard(keys.game_index("aa")) < 20
