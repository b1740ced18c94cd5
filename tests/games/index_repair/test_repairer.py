"""Index repair: missing entries are restored and stale ones removed, whatever was lost."""

import asyncio
import dataclasses
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from redis.asyncio import Redis

from schemas.vocabulary import STATUSES, Status
from service.games.access import hash_token
from service.games.context import Retention
from service.games.index_repair import repairer
from service.games.index_repair.repairer import MIN_EMPTIED_INDEX_SIZE, IndexRepairer, RepairReport, RepairTiming
from service.store import keys
from service.store.client import connect
from service.store.game_index import MIN_PRUNE_AGE_S
from service.store.game_store import RedisStore
from tests.background import in_background
from tests.games.game_fixture import Clock, make_context
from tests.games.stored_games import CREATOR, StoredGame, play_to, store_game
from tests.polling import wait_until

EVERY = 2**33


def make_repairer(store: RedisStore, *, archive: bool = False, later_s: int = 0) -> IndexRepairer:
    """Return the repairer of one instance, without delays."""
    clock = Clock()
    clock.now += later_s
    archives = store.archive_queue if archive else None
    return IndexRepairer(
        store, store.index_repair, Retention(), clock, archive_queue=archives, timing=RepairTiming(0.05, 0)
    )


async def list_lobby(store: RedisStore, *statuses: Status) -> list[str]:
    return sorted((await store.list_by_status(statuses or STATUSES, 100, None)).games)


async def list_by_secrets(store: RedisStore, *secrets: str) -> list[str]:
    return sorted((await store.list_by_keys([hash_token(secret).hex() for secret in secrets], 100, None)).games)


async def store_old_games(store: RedisStore, number: int, status: Status = "active") -> list[StoredGame]:
    """Store games that are too old for their creation to be in progress."""
    clock = Clock()
    clock.now -= MIN_PRUNE_AGE_S + 10
    return [await store_game(store, status, context=make_context(store, clock)) for _ in range(number)]


async def delete_games(redis: Redis, games: Sequence[StoredGame]) -> None:
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
    repaired = await make_repairer(store).repair_all()
    after = {key: await redis.zrange(key, 0, -1) for key in await list_indexes(redis)}
    assert repaired == RepairReport(games=5, added=sum(map(len, after.values())))
    due = {keys.GAME_SCHEDULE, keys.WEBHOOK_SCHEDULE}
    assert {key: after[key] for key in after if key not in due} == {
        key: before[key] for key in before if key not in due
    }
    assert await list_lobby(store) == sorted(stored.id for stored in games)
    active = [stored.id for stored in (*games, private) if stored is games[1] or stored is private]
    assert sorted(await store.list_due(EVERY, 10)) == sorted(active)
    assert {game for game, _ in await store.webhooks.list_due(EVERY, 10)} <= {stored.id for stored in games}
    for key in after:
        if key.startswith(keys.game_index("")):
            assert await redis.ttl(key) > max(Retention())
    assert (await make_repairer(store).repair_all()).added == 0


async def test_pending_webhooks_are_scheduled_again(store: RedisStore, redis: Redis) -> None:
    behind = await store_game(store, webhooks=2)
    await redis.delete(keys.WEBHOOK_SCHEDULE)
    await make_repairer(store).repair_all()
    hooks = await store.webhooks.list_by_subject(behind.id)
    assert sorted(await store.webhooks.list_due(EVERY, 10)) == sorted((behind.id, one.registration.id) for one in hooks)


async def test_a_stale_lobby_entry_is_removed(store: RedisStore, redis: Redis) -> None:
    stored = await store_game(store)
    for status in ("waiting", "finished"):
        await redis.zadd(keys.lobby(status), {stored.id: 1_700_000_000})
    private = await store_game(store, visibility="private")
    await redis.zadd(keys.lobby("active"), {private.id: 1_700_000_000})
    assert await make_repairer(store).repair_all() == RepairReport(games=2, removed=3)
    assert [await list_lobby(store, status) for status in STATUSES] == [[], [stored.id], [], []]


@pytest.mark.parametrize(("step", "removed"), (("extend_turn", 0), ("unlist", 1)))
async def test_a_concurrent_commit_stays_listed(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch, step: str, removed: int
) -> None:
    """The lobby is written before the commit: a check in between must not remove the game for good."""
    stored = await store_game(store)
    await redis.zadd(keys.lobby("aborted"), {stored.id: 1_700_000_000})
    take_step = getattr(store.index_repair, step)

    async def commit_first(*arguments: object) -> None:
        await play_to(stored, "aborted")
        await take_step(*arguments)

    monkeypatch.setattr(store.index_repair, step, commit_first)
    assert (await make_repairer(store).repair_all()).removed == removed
    assert await list_lobby(store, "aborted") == [stored.id]


async def test_a_commit_has_a_grace_period_to_follow_its_lobby_entry(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = await store_game(store)
    await redis.zadd(keys.lobby("aborted"), {stored.id: 1_700_000_000})
    pauses: list[float] = []

    async def commit_meanwhile(seconds: float) -> None:
        pauses.append(seconds)
        await play_to(stored, "aborted")

    monkeypatch.setattr(repairer, "asyncio", SimpleNamespace(sleep=commit_meanwhile, gather=asyncio.gather))
    batches = make_repairer(store)
    assert (await dataclasses.replace(batches, timing=RepairTiming(grace_s=15.0)).repair_all()).removed == 0
    assert pauses == [15.0]


async def test_games_that_ended_before_archiving_was_on_are_queued(store: RedisStore) -> None:
    over = await store_game(store, "finished")
    await store_game(store)
    await make_repairer(store).repair_all()
    assert await store.archive_queue.list_due(EVERY, 10) == []
    assert (await make_repairer(store, archive=True).repair_all()).added == 1
    assert await store.archive_queue.list_due(EVERY, 10) == [over.id]


async def test_an_unreadable_game_is_reported_and_skipped(
    store: RedisStore, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    stored = await store_game(store)
    await redis.hset(keys.game(stored.id), "snapshot", b"\x00")
    assert await make_repairer(store).repair_all() == RepairReport(games=1, unreadable=1)
    assert f"game {stored.id} cannot be read" in caplog.text


async def test_a_game_that_fails_is_reported_and_skipped(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stored, other = await store_game(store), await store_game(store, visibility="private")
    load_entries = store.index_repair.load_entries

    async def fail_for_one(game: str, *arguments: Any) -> Any:
        if game == stored.id:
            raise KeyError("a mistake of ours")
        return await load_entries(game, *arguments)

    monkeypatch.setattr(store.index_repair, "load_entries", fail_for_one)
    assert await make_repairer(store).repair_all() == RepairReport(games=2, unreadable=1)
    assert f"index-repair: game {stored.id} failed and is skipped" in caplog.text
    assert other.id not in caplog.text


async def test_instances_scan_everything_batch_by_batch(
    store: RedisStore, redis: Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.games.index_repair.repairer.SCAN_BATCH_SIZE", 20)
    games = await store_old_games(store, 40, "waiting")
    async with connect(redis_url) as other:
        instances = [make_repairer(store), make_repairer(other)]
        await _parts(instances, 30)
        await redis.delete(keys.lobby("waiting"))
        await _parts(instances, 30)
    assert await list_lobby(store, "waiting") == sorted(stored.id for stored in games)


async def _parts(instances: Sequence[IndexRepairer], number: int) -> RepairReport:
    total = RepairReport()
    for turn in range(number):
        repaired, _ = await instances[turn % len(instances)].repair_batch()
        total = total.combine(repaired)
    return total


async def test_after_a_scan_the_next_one_waits_unless_an_index_is_lost(store: RedisStore, redis: Redis) -> None:
    games = await store_old_games(store, MIN_EMPTIED_INDEX_SIZE, "waiting")
    clock = Clock()
    instance = IndexRepairer(store, store.index_repair, Retention(), clock)
    assert (await instance.repair_batch())[0].games == MIN_EMPTIED_INDEX_SIZE
    assert (await instance.repair_batch())[0].games == 0
    clock.now += RepairTiming().scan_interval_s + 1
    assert (await instance.repair_batch())[0].games == MIN_EMPTIED_INDEX_SIZE
    await redis.delete(keys.lobby("waiting"))
    assert (await instance.repair_batch())[0].added == MIN_EMPTIED_INDEX_SIZE
    assert await list_lobby(store, "waiting") == sorted(stored.id for stored in games)


async def test_one_instance_at_a_time_repairs_a_batch(store: RedisStore, redis_url: str) -> None:
    async with connect(redis_url) as other:
        turns = [await one.index_repair.try_acquire_turn(60) for one in (store, other, store)]
    assert turns == [True, False, False]


async def test_an_index_lost_during_a_scan_restarts_it(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.games.index_repair.repairer.SCAN_BATCH_SIZE", 10)
    games = await store_old_games(store, 2 * MIN_EMPTIED_INDEX_SIZE, "waiting")
    instance = make_repairer(store)
    await instance.repair_batch()
    while (await instance.repair_batch())[1]:
        pass
    for _ in range(5):
        _, hurry = await instance.repair_batch()
        assert not hurry
    await redis.delete(keys.lobby("waiting"))
    while (await instance.repair_batch())[1]:
        pass
    assert await list_lobby(store, "waiting") == sorted(stored.id for stored in games)


async def test_an_emptied_index_is_rebuilt_in_the_background(
    store: RedisStore, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("service.games.index_repair.repairer.SCAN_BATCH_SIZE", 10)
    games = await store_old_games(store, MIN_EMPTIED_INDEX_SIZE, "waiting")
    instance = make_repairer(store)
    while (await instance.repair_batch())[1]:
        pass
    await redis.delete(keys.lobby("waiting"))

    async def is_rebuilt() -> bool:
        return await list_lobby(store, "waiting") == sorted(stored.id for stored in games)

    async with in_background(instance.run(every_s=0.05)):
        await wait_until(is_rebuilt)
    assert "indexes are empty that had games (listed:waiting)" in caplog.text
