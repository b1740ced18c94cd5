"""The lists of games: complete, newest first, page by page, extended once a day, and pruned of missing games."""

import asyncio
import time
from typing import Any

import pytest
from redis.asyncio import Redis

from service.games.access import SeatTag
from service.games.archiver import RestoreRequest
from service.games.ports import Committed, GameStore, Page, UnreadableGame, VersionConflict
from service.store import game_index, game_store, keys
from service.store.game_index import MIN_PRUNE_AGE_S
from service.store.game_store import RedisStore
from service.store.pipeline import PipelinedClient, Script
from service.telemetry.clock import DAY_S
from tests.polling import rounds
from tests.redis_servers import connect
from tests.store.commits import action, creation

INDEX_KEYS = ("aa", "aa:discord:1", "bb")
INDEXED: dict[str, Any] = {"owner": b"\xaa", "seats": [b"\xbb"], "tags": [SeatTag(b"\xaa", "discord:1")]}
"""What is indexed under these."""


def create_indexed(game: str = "g", **changes: Any) -> Any:
    """Return a commit that creates a game under INDEX_KEYS."""
    return creation(game, **{**INDEXED, **changes})


async def list_games(store: RedisStore, *names: str, limit: int = 10, after: str | None = None) -> list[str]:
    return (await store.list_by_keys(names, limit, after)).games


async def test_a_game_is_listed_once_under_several_index_keys(store: RedisStore) -> None:
    await store.commit(create_indexed())
    for name in INDEX_KEYS:
        assert await list_games(store, name) == ["g"]
    assert await list_games(store, *INDEX_KEYS) == ["g"]
    assert await list_games(store, "cc") == []


async def test_a_later_commit_adds_index_keys_and_one_that_conflicts_removes_none(store: RedisStore) -> None:
    await store.commit(create_indexed(seats=[], tags=[]))
    assert await store.commit(action(7, access=b"2", owner=b"\xaa", seats=[b"\xbb"])) == VersionConflict()
    assert await list_games(store, "aa") == ["g"]
    assert await store.commit(action(1, access=b"2", owner=b"\xaa", seats=[b"\xbb"])) == Committed()
    assert await list_games(store, "bb") == ["g"]


async def test_pages_run_from_the_newest_to_the_oldest(store: RedisStore) -> None:
    for number in range(5):
        await store.commit(create_indexed(f"g{number}", created_at=1_700_000_000 + number // 2, seats=[], tags=[]))
    first = await store.list_by_keys(["aa"], 2, None)
    second = await store.list_by_keys(["aa"], 3, first.next_cursor)
    assert (first.games, second) == (["g4", "g3"], Page(["g2", "g1", "g0"], None))
    with pytest.raises(ValueError, match="x"):
        await store.list_by_keys(["aa"], 2, "x")


async def test_each_commit_extends_the_expiry_of_index_keys(store: RedisStore, redis: Redis, redis_url: str) -> None:
    await store.commit(create_indexed())
    await redis.delete(*map(keys.game_index, INDEX_KEYS))
    async with connect(redis_url) as another:
        await another.commit(action(1, **INDEXED))
    for name in INDEX_KEYS:
        assert await list_games(store, name) == ["g"]
        assert 990 <= await redis.ttl(keys.game_index(name)) <= 1000


async def test_an_index_key_that_is_written_late_expires_too(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a lost connection, when a command is sent again behind those that followed it."""
    execute = PipelinedClient.execute

    async def delay(client: PipelinedClient, *arguments: Any) -> Any:
        await execute(client, "EXISTS", arguments[1])
        return await execute(client, *arguments)

    def execute_additions_late(client: PipelinedClient, *arguments: Any, **options: Any) -> asyncio.Future[Any]:
        late = arguments[0] == "ZADD" and not options
        return asyncio.ensure_future(delay(client, *arguments)) if late else execute(client, *arguments, **options)

    monkeypatch.setattr(PipelinedClient, "execute", execute_additions_late)
    await store.commit(create_indexed())
    assert 990 <= await redis.ttl(keys.game_index("aa")) <= 1000


async def test_an_index_key_that_cannot_be_written_prevents_a_creation_but_no_action(
    store: RedisStore, redis: Redis, redis_url: str
) -> None:
    await redis.set(keys.game_index("aa"), "no sorted set")
    with pytest.raises(UnreadableGame, match="WRONGTYPE"):
        await store.commit(create_indexed())
    assert await store.load("g") is None
    await store.commit(creation())
    async with connect(redis_url) as another:
        assert await another.commit(action(1, **INDEXED)) == Committed()
    assert await list_games(store, "bb") == ["g"]


async def test_the_expiry_is_extended_once_a_day(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game that was extended first is forgotten first, and extended again."""
    now = 1_800_000_000.0
    monkeypatch.setattr("service.telemetry.clock.now", lambda: now)
    monkeypatch.setattr(game_store, "_MAX_REMEMBERED_GAMES", 2)
    assert [store._is_extended_today(game) for game in ("a", "b", "b", "c", "a")] == [False, False, True, False, False]
    now += DAY_S
    assert [store._is_extended_today("a"), store._is_extended_today("a")] == [False, True]


async def test_a_missing_game_is_removed_unless_it_is_young(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_index, "PRUNE_BATCH_SIZE", 2)
    missing = ["young", "old1", "old2", "old3"]
    for game in ("kept", *missing):
        created_at = {"created_at": int(time.time()) - MIN_PRUNE_AGE_S // 2} if game == "young" else {}
        await store.commit(create_indexed(game, **created_at))
    await redis.delete(*map(keys.game, missing))
    removed = [await store.index_repair.prune(keys.game_index(name)) for name in INDEX_KEYS]
    assert (removed, await list_games(store, *INDEX_KEYS)) == ([3] * len(INDEX_KEYS), ["young", "kept"])


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
    cursor: str | None = None
    for _ in rounds():
        page = await store.list_by_status(["active", "waiting"], limit, cursor)
        assert len(page.games) == limit or page.next_cursor is None
        games += page.games
        if (cursor := page.next_cursor) is None:
            break
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
