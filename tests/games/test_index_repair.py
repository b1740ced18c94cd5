"""Index repair: missing entries are restored and stale ones removed, whatever was lost."""

from collections.abc import Sequence
from typing import Any

import pytest
from redis.asyncio import Redis

from schemas.vocabulary import STATUSES, Status
from service.games.access import hash_token
from service.games.archiver import Archiver
from service.games.index_repair import IndexRepairer, RepairReport
from service.games.ports import webhook_entry
from service.games.repository import Retention
from service.store import keys
from service.store.game_index import MIN_PRUNE_AGE_S
from service.store.game_store import RedisStore, connect
from tests.games.game_fixture import Clock, make_context
from tests.games.game_logs import CATALOGUE
from tests.games.stored_games import CREATOR, OwnedGame, store_game
from tests.polling import in_background, wait_until

EVERY = 2**33


def make_repairer(store: RedisStore, *, archive: bool = False) -> IndexRepairer:
    """Return the repairer of one instance."""
    archiver = Archiver(store, store.compacted_logs, None, CATALOGUE, Clock())
    return IndexRepairer(store, store.index_repair, Retention(), Clock(), archiver.is_pending if archive else None)


async def list_lobby(store: RedisStore, *statuses: Status) -> list[str]:
    return sorted((await store.list_by_status(statuses or STATUSES, 100, None)).games)


async def list_by_secrets(store: RedisStore, *secrets: str) -> list[str]:
    return sorted((await store.list_by_keys([hash_token(secret).hex() for secret in secrets], 100, None)).games)


async def store_old_games(store: RedisStore, number: int, status: Status = "active") -> list[OwnedGame]:
    """Store games that are too old for their creation to be in progress."""
    clock = Clock()
    clock.now -= MIN_PRUNE_AGE_S + 10
    return [await store_game(store, status, context=make_context(store, clock)) for _ in range(number)]


async def delete_games(redis: Redis, games: Sequence[OwnedGame]) -> None:
    """Delete games as if they had expired."""
    await redis.delete(*(key(stored.id) for stored in games for key in (keys.game, keys.log)))


async def list_indexes(redis: Redis) -> list[str]:
    result = [key.decode() if isinstance(key, bytes) else key for key in await redis.keys("south-seas:[^{]*")]
    return [key for key in result if await redis.type(key) == b"zset"]


async def test_deleted_games_are_removed_without_a_reader(store: RedisStore, redis: Redis) -> None:
    removed, stays = await store_old_games(store, 30), await store_old_games(store, 3)
    await delete_games(redis, removed)
    await make_repairer(store).repair_all()
    assert await redis.zcard(keys.lobby("active")) == 3
    assert await redis.zcard(keys.game_index(hash_token(CREATOR).hex())) == 3
    assert await list_lobby(store) == sorted(stored.id for stored in stays)
    indexes = [key for key in await list_indexes(redis) if key.startswith(keys.game_index(""))]
    indexed = {game for key in indexes for game in await redis.zrange(key, 0, -1)}
    assert indexed == {stored.id.encode() for stored in stays}


async def test_a_long_list_is_pruned_to_its_games(store: RedisStore, redis: Redis) -> None:
    await redis.zadd(keys.lobby("finished"), {f"gone-{number}": 1_700_000_000 + number for number in range(1500)})
    stays = await store_old_games(store, 1, "aborted")
    repaired = await make_repairer(store).repair_all()
    assert repaired.removed == 1500
    assert await list_lobby(store) == [stays[0].id]


async def test_a_creation_in_progress_is_not_pruned(store: RedisStore, redis: Redis) -> None:
    young = await store_game(store)
    await delete_games(redis, [young])
    await make_repairer(store).repair_all()
    assert await list_lobby(store) == [young.id]
    assert await list_by_secrets(store, CREATOR) == [young.id]


async def test_emptied_indexes_are_rebuilt(store: RedisStore, redis: Redis) -> None:
    games = [await store_game(store, status, turn_timeout_s=600, on_timeout="pass", webhooks=1) for status in STATUSES]
    private = await store_game(store, visibility="private", turn_timeout_s=600, on_timeout="pass")
    before = {key: await redis.zrange(key, 0, -1) for key in await list_indexes(redis)}
    assert len(before) > 10
    await redis.delete(*before)
    repaired = await make_repairer(store, archive=True).repair_all()
    after = {key: await redis.zrange(key, 0, -1) for key in await list_indexes(redis)}
    assert repaired == RepairReport(games=5, added=sum(map(len, after.values())))
    due = {keys.GAME_SCHEDULE, keys.WEBHOOK_SCHEDULE, keys.ARCHIVE_PENDING}
    assert {key: after[key] for key in after if key not in due} == {
        key: before[key] for key in before if key not in due
    }
    assert await list_lobby(store) == sorted(stored.id for stored in games)
    active = [stored.id for stored in (*games, private) if stored is games[1] or stored is private]
    assert sorted(await store.due_games.list_due(EVERY, 10)) == sorted(active)
    due_webhooks = await store.due_webhooks.list_due(EVERY, 10)
    assert {entry.partition(" ")[0] for entry in due_webhooks} <= {stored.id for stored in games}
    for key in after:
        if key.startswith(keys.game_index("")):
            assert await redis.ttl(key) > Retention().finished
    assert (await make_repairer(store).repair_all()).added == 0


async def test_pending_webhooks_are_scheduled_again(store: RedisStore, redis: Redis) -> None:
    behind = await store_game(store, webhooks=2)
    await redis.delete(keys.WEBHOOK_SCHEDULE)
    await make_repairer(store).repair_all()
    hooks = await store.webhooks.list_by_subject(behind.id)
    entries = sorted(webhook_entry(behind.id, one.registration.id) for one in hooks)
    assert sorted(await store.due_webhooks.list_due(EVERY, 10)) == entries


async def test_dates_that_are_set_stay(store: RedisStore) -> None:
    stored = await store_game(store, turn_timeout_s=600, on_timeout="pass")
    assert await store.due_games.list_due(EVERY, 10) == [stored.id]
    later = EVERY - 1
    await store.due_games.defer(stored.id, EVERY, later)
    assert (await make_repairer(store).repair_all()).added == 0
    assert await store.due_games.list_due(later - 1, 10) == []


async def test_ended_games_that_the_queue_lost_are_queued(store: RedisStore, redis: Redis) -> None:
    over = await store_game(store, "finished")
    await store_game(store)
    await redis.delete(keys.ARCHIVE_SCHEDULE)
    await make_repairer(store).repair_all()
    assert await store.due_archives.list_due(EVERY, 10) == []
    assert (await make_repairer(store, archive=True).repair_all()).added == 1
    assert await store.due_archives.list_due(EVERY, 10) == [over.id]


async def test_a_game_that_fails_is_reported_and_skipped(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unreadable, failing, other = [await store_game(store, "waiting") for _ in range(3)]
    await redis.hset(keys.game(unreadable.id), "snapshot", b"\x00")
    await redis.delete(keys.lobby("waiting"))
    add_missing = store.index_repair.add_missing

    async def fail_for_one(game: str, entries: Any) -> int:
        if game == failing.id:
            raise KeyError("a mistake of ours")
        return await add_missing(game, entries)

    monkeypatch.setattr(store.index_repair, "add_missing", fail_for_one)
    assert await make_repairer(store).repair_all() == RepairReport(games=3, added=1, unreadable=2)
    assert await list_lobby(store, "waiting") == [other.id]
    for stored in (unreadable, failing):
        assert f"index-repair: game {stored.id} failed and is skipped" in caplog.text
    assert other.id not in caplog.text


async def test_one_instance_at_a_time_scans(store: RedisStore, redis_url: str, redis: Redis) -> None:
    async with connect(redis_url) as other:
        turns = [await one.index_repair.try_acquire_turn(60) for one in (store, other, store)]
    assert turns == [True, False, False]
    assert 50_000 < await redis.pttl(keys.INDEX_REPAIR_LEASE) <= 60_000
    await store.index_repair.extend_turn(600)
    assert 500_000 < await redis.pttl(keys.INDEX_REPAIR_LEASE) <= 600_000


async def test_lost_entries_are_restored_in_the_background(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In several batches, and by every scan again."""
    monkeypatch.setattr("service.games.index_repair.SCAN_BATCH_SIZE", 10)
    games = sorted([(await store_game(store, turn_timeout_s=600, on_timeout="pass")).id for _ in range(20)])

    async def is_scheduled() -> bool:
        return sorted(await store.due_games.list_due(EVERY, 100)) == games

    with caplog.at_level("INFO"):
        async with in_background(make_repairer(store).run(0.1)):
            for _ in range(2):
                await redis.delete(keys.GAME_SCHEDULE)
                await wait_until(is_scheduled)
    assert "entries added, 0 removed" in caplog.text


async def test_the_lobby_is_pruned_by_whoever_adds_a_game(store: RedisStore, redis: Redis) -> None:
    await redis.zadd(keys.lobby("finished"), {f"gone-{number}": 1_700_000_000 for number in range(4)})
    stored = [await store_game(store, "finished") for _ in range(2)]
    listed = {*await redis.zrange(keys.lobby("finished"), 0, -1)}
    assert {game.id.encode() for game in stored} <= listed
    assert len(listed) <= 3
