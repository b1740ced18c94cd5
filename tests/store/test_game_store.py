"""Commits are atomic and applied once, no change of an API key is lost, and token buckets are exact."""

import asyncio
import inspect
import re
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from redis.asyncio import Redis
from redis.crc import key_slot

from service.games.api_key import ApiKey, Quotas, StoredApiKey
from service.games.diffs import prepend_digest
from service.games.idempotency import IdempotencyRecord, Replayed
from service.games.ports import (
    Change,
    Committed,
    GameStore,
    Grant,
    KeyQuotaExceeded,
    RateLimit,
    Revision,
    StoredDiff,
    StoredGame,
    StoreUnavailable,
    UnreadableGame,
    VersionConflict,
)
from service.store import keys
from service.store.game_store import RedisStore
from tests.api_key_fixture import add_api_key
from tests.games.game_logs import AT
from tests.polling import TIMEOUT_S
from tests.redis_servers import connect, set_to_1
from tests.store.commits import action, creation, diff, digest, idempotency, key_hash, load_record, record
from tests.store.conftest import SingleServer
from tests.telemetry.metric_samples import grown, read_samples


def stored_game(version: int = 1, access: bytes = b"access 1", **fields: Any) -> StoredGame:
    """Return the game that `creation` stores, and `action` after it up to a version."""
    return StoredGame("g", Revision(version, digest(version)), f"snapshot {version}".encode(), access, **fields)


async def test_there_is_no_game_before_it_is_created(store: GameStore) -> None:
    assert await store.load("g") is None
    assert await store.load("g", key_hash("key")) is await store.load_since("g", 0) is None
    assert await store.load_diffs("g", 0, 10) == []
    assert await store.load_versions(["g"]) == [None]


async def test_any_bytes_survive(store: GameStore) -> None:
    every = bytes(range(256))
    hidden = '"at":"{0}\0"game":"g""path":"/version","value":2}}"path":"/updated_at","value":"{0}","version":2}}'
    headed = prepend_digest(digest(2), b"{" + hidden.format(AT).encode())
    diffs = [StoredDiff(1, digest(1), b"", AT, every), StoredDiff(2, digest(2), digest(1), AT, headed)]
    record = IdempotencyRecord(key_hash("key"), b"\x01" + every[1:20])
    await store.commit(creation(snapshot=every, access=every, diffs=diffs, idempotency=record))
    stored = StoredGame("g", Revision(2, digest(2)), every, every, idempotency_record=record.record)
    assert await store.load("g", key_hash("key")) == stored
    assert await store.load_diffs("g", 0, 2) == diffs


async def test_a_game_is_created_once_and_not_changed_before(store: GameStore) -> None:
    assert await store.commit(action(1)) == VersionConflict()
    assert await store.load("g") is None
    await store.commit(creation())
    assert await store.commit(creation(snapshot=b"other")) == VersionConflict()
    assert (await load_record(store)).snapshot == b"snapshot 1"


@pytest.mark.parametrize(("access", "stored"), ((None, b"access 1"), (b"access 2", b"access 2")))
async def test_an_action_replaces_the_snapshot_and_may_change_the_access(
    store: GameStore, access: bytes | None, stored: bytes
) -> None:
    await store.commit(creation())
    assert await store.commit(action(1, access=access)) == Committed()
    assert await store.load("g") == stored_game(2, stored)


@pytest.mark.parametrize(
    ("version", "known_digest", "webhooks"),
    ((1, digest(1), ()), (3, digest(3), ()), (2, digest(9), ()), (22, digest(2), ()), (2, digest(2), ("hook",))),
)
async def test_an_action_on_another_revision_conflicts_and_changes_nothing(
    store: GameStore, version: int, known_digest: bytes, webhooks: tuple[str, ...]
) -> None:
    await store.commit(creation())
    await store.commit(action(1))
    expected: dict[str, Any] = {"expected": Revision(version, known_digest), "expected_webhooks": webhooks}
    late = action(2, **expected, snapshot=b"late", access=b"late", idempotency=idempotency("late"))
    assert await store.commit(late) == VersionConflict()
    assert await store.load("g", key_hash("late")) == stored_game(2)
    assert len(await store.load_diffs("g", 0, 10)) == 2


async def test_one_of_fifty_concurrent_commits_wins(store: GameStore) -> None:
    await store.commit(creation())
    commits = [action(1, snapshot=str(i).encode(), diffs=[diff(2, str(i))]) for i in range(50)]
    outcomes = await asyncio.gather(*(store.commit(commit) for commit in commits))
    (winner,) = (commit for commit, outcome in zip(commits, outcomes, strict=True) if outcome == Committed())
    assert outcomes.count(VersionConflict()) == 49
    assert (await load_record(store)).snapshot == winner.snapshot
    assert await store.load_diffs("g", 1, 10) == winner.diffs


async def test_a_repeated_commit_is_applied_once(store: GameStore) -> None:
    commits = creation(), action(1), action(2, idempotency=idempotency("key"))
    assert [await store.commit(commit) for commit in commits for _ in range(2)] == [Committed()] * 6
    assert await store.load_diffs("g", 0, 10) == [diff(1), diff(2), diff(3)]


async def test_a_repeated_commit_that_revokes_a_token_is_recognised_without_a_diff(store: GameStore) -> None:
    await store.commit(creation())
    replacement = action(1, diffs=[], access=b"access 2", revokes_token=True)
    assert [await store.commit(replacement), await store.commit(replacement)] == [Committed()] * 2


async def test_a_commit_repeated_after_others_is_recognised(store: GameStore) -> None:
    await store.commit(creation())
    again = action(1, count=3)
    await store.commit(again)
    await store.commit(action(4))
    assert await store.commit(again) == Committed()
    assert await store.load("g") == stored_game(5)


async def test_a_retry_gets_the_stored_record_of_its_game(store: GameStore) -> None:
    await store.commit(creation(idempotency=idempotency("key", 1)))
    retry = creation(idempotency=idempotency("key", 2))
    assert await store.commit(retry) == Replayed(record(1))
    assert await store.commit(action(1, idempotency=idempotency("key"))) == Replayed(record(1))
    assert await store.load("g", key_hash("key")) == stored_game(idempotency_record=record(1))
    assert await store.load("g", key_hash("other key")) == stored_game()
    assert await store.commit(creation("another", idempotency=idempotency("key", 2))) == Committed()


async def test_a_record_expires_after_a_day(store: GameStore) -> None:
    await store.commit(creation(idempotency=idempotency("key", 1)))
    day_later = 1_800_000_000 + 86_400
    assert await store.commit(action(1, idempotency=idempotency("key", 2, day_later - 1))) == Replayed(record(1))
    assert await store.commit(action(1, idempotency=idempotency("key", 2, day_later))) == Committed()
    assert await store.commit(action(2, idempotency=idempotency("key", 3, day_later))) == Replayed(record(2, day_later))


async def test_a_token_has_a_quota_of_keys_and_expired_ones_are_removed(single_server: SingleServer) -> None:
    """Each token of a game has a quota of its own. A thousand commits: on the servers that answer fastest."""
    store, redis = single_server.store, single_server.redis
    await store.commit(creation())
    begin, version, outcome = 1_800_000_000, 2, None
    assert await store.commit(keyed(1, begin, holder=8)) == Committed()
    while not isinstance(outcome := await store.commit(keyed(version, begin + version)), KeyQuotaExceeded):
        assert outcome == Committed()
        version += 1
    assert 1001 <= version <= 1033
    assert outcome.reset_at == begin + 2 + 86_400
    for another in range(version, version + 33):  # its keys are counted once at least
        assert await store.commit(keyed(another, begin + another, holder=8)) == Committed()
    assert await store.commit(action(version + 33)) == Committed()
    late = begin + 2 * 86_400
    for later in range(version + 34, version + 67):
        assert await store.commit(keyed(later, late)) == Committed()
    assert await redis.hlen(keys.idempotency_records("g")) <= 33
    assert await redis.hkeys(keys.game("g")) == [b"revision", b"snapshot", b"access"]  # the quota is no longer used up


def keyed(version: int, at: int, holder: int = 7) -> Change:
    """Return an action with an idempotency key of its own."""
    return action(version, idempotency=idempotency(f"key {version}", version, at, holder))


@pytest.mark.parametrize("key", (None, idempotency("another key")))
async def test_a_commit_extends_keys_that_would_expire_too_early_and_no_others(
    store: GameStore, redis: Redis, key: IdempotencyRecord | None
) -> None:
    """A game lives for its whole retention after each commit, and at most a hundredth or ten minutes longer."""
    ttl_s, slack_s, day_s = 1_000_000, 600, 86_400
    await store.commit(creation(ttl_s=ttl_s, status="active", idempotency=idempotency("key")))
    lives = {keys.game("g"): ttl_s, keys.log("g"): ttl_s, keys.idempotency_records("g"): day_s}
    for name, life_s in lives.items():
        assert life_s + slack_s - 60 < await redis.ttl(name) <= life_s + slack_s
        await redis.expire(name, life_s + 100)
    await store.commit(action(1, ttl_s=ttl_s, idempotency=key))
    assert all([life_s < await redis.ttl(name) <= life_s + 100 for name, life_s in lives.items()])
    for name, life_s in lives.items():
        await redis.expire(name, life_s - 1)
    await store.commit(action(2, ttl_s=ttl_s, idempotency=idempotency("a third key") if key else None))
    extended = [name for name, life_s in lives.items() if await redis.ttl(name) >= life_s]
    assert extended == [*lives][: 2 + (key is not None)]


async def test_the_retention_changes_with_the_status(store: GameStore, redis: Redis) -> None:
    await store.commit(creation(ttl_s=2000))
    await store.commit(action(1, ttl_s=1000, previous_status="waiting"))
    assert all([1000 < await redis.ttl(key) <= 1010 for key in (keys.game("g"), keys.log("g"))])


async def test_the_new_log_of_an_ended_game_expires_and_it_is_pending_as_before(store: GameStore, redis: Redis) -> None:
    await store.commit(creation(status="finished"))
    await redis.delete(keys.log("g"))
    await redis.zadd(keys.ARCHIVE_PENDING, {"g": 7})
    await store.commit(action(1, status="finished", previous_status="finished"))
    assert 1000 < await redis.ttl(keys.log("g")) <= 1010
    assert await redis.zscore(keys.ARCHIVE_PENDING, "g") == 7


async def test_load_diffs_from_any_version_with_any_limit(store: GameStore, redis: Redis) -> None:
    await store.commit(creation())
    await store.commit(action(1, count=4))
    await store.commit(action(5))
    assert await store.load_diffs("g", 0, 100) == [diff(version) for version in range(1, 7)]
    assert await store.load_diffs("g", 2, 3) == [diff(3), diff(4), diff(5)]
    assert await store.load_diffs("g", 5, 1) == [diff(6)]
    assert await store.load_diffs("g", 6, 100) == []
    assert await store.load_diffs("g", 99, 100) == []
    await redis.xdel(keys.log("g"), "1-0")
    with pytest.raises(UnreadableGame, match="version 1 is missing"):
        await store.load_diffs("g", 0, 100)


async def test_a_game_is_loaded_with_its_revision_at_any_version(store: GameStore) -> None:
    await store.commit(creation())
    await store.commit(action(1, count=4))
    loaded = await load_record(store)
    for since in range(6):
        assert await store.load_since("g", since) == replace(loaded, since=Revision(since, digest(since)))
    assert await store.load_since("g", 6) == loaded


async def test_versions_of_many_games(store: GameStore) -> None:
    await store.commit(creation("a"))
    await store.commit(creation("b"))
    await store.commit(action(1, "b"))
    assert await store.load_versions(["a", "none", "b"]) == [((1, digest(1)), ""), None, ((2, digest(2)), "")]


async def test_a_log_that_is_ahead_rejects_the_whole_commit(store: GameStore, redis: Redis) -> None:
    """Commits never lead to such a state; if it occurs, the script must not stop half-way."""
    await redis.xadd(keys.log("g"), {"commit": "x"}, id="7-0")
    with pytest.raises(StoreUnavailable, match="equal or smaller"):
        await store.commit(creation())
    assert await store.load("g") is None


async def test_a_read_only_server_does_not_reply_to_commits(single_server: SingleServer) -> None:
    """A demoted primary must not reply with a conflict: its version may be outdated."""
    await single_server.store.commit(creation())
    await single_server.redis.replicaof("127.0.0.1", "1")
    before = read_samples()
    try:
        async with connect(single_server.url, timeout_s=10) as impatient:
            with pytest.raises(StoreUnavailable, match="read only replica"):
                await impatient.commit(action(7))
        assert grown(before, "redis_retries_total") > 0
        assert await single_server.store.load("g")
        assert await single_server.store.load_since("g", 1)
    finally:
        await single_server.redis.replicaof("NO", "ONE")


@pytest.mark.parametrize(
    ("setting", "reason"), (("maxmemory", "used memory > 'maxmemory'"), ("min-replicas-to-write", "NOREPLICAS"))
)
async def test_a_full_server_and_one_without_replicas_reply_to_no_commits_but_reads(
    single_server: SingleServer, setting: str, reason: str
) -> None:
    await single_server.store.commit(creation())
    async with set_to_1(single_server.redis, setting):
        for commit in (action(1), action(7)):
            with pytest.raises(StoreUnavailable, match=reason):
                await single_server.store.commit(commit)
        await single_server.store.ping()
        loaded = await load_record(single_server.store)
        assert loaded == stored_game()
        assert await single_server.store.load_since("g", 1) == replace(loaded, since=loaded.revision)
    assert await single_server.store.load_versions(["g"]) == [((1, digest(1)), "")]


SAMPLES = {"status": "active", "key": "0" * 64, "instance": "0" * 16, "queue": keys.WEBHOOK_SCHEDULE}
"""Arguments of the functions that name keys, by parameter; all others are a game."""


@pytest.mark.parametrize("entry", ("g1", "g1 hook"))
def test_a_check_knows_every_key_and_all_of_a_game_lie_in_one_slot_of_a_cluster(entry: str) -> None:
    functions = [one for _, one in inspect.getmembers(keys, inspect.isfunction) if one.__annotations__["return"] is str]
    samples = SAMPLES | {"entry": entry}
    names = [
        one(*(samples.get(parameter, "g1") for parameter in inspect.signature(one).parameters))
        for one in functions
        if one.__name__[0] != "_"
    ]
    names += [*keys.commit_keys("g1"), *keys.probe_keys("g1", SAMPLES["instance"])]
    fixed = [value for name, value in vars(keys).items() if re.fullmatch("[A-Z]+(_[A-Z]+)*", name)]
    assert [name for name in names + fixed if not keys.is_known(name)] == [keys.PREFIX, keys.PROBE]
    assert {key_slot(name.encode()) for name in names if "{" in name} == {key_slot(b"g1")}


async def test_no_command_goes_to_another_primary_than_that_of_its_key(store: RedisStore) -> None:
    await store.ping()
    before = read_samples()
    games = [f"g{number}" for number in range(8)]
    assert await asyncio.gather(*(store.commit(creation(game, due_at=1)) for game in games)) == [Committed()] * 8
    await asyncio.gather(*(store.buckets.take(game, 1, RateLimit(1, 60)) for game in games))
    await store.load_versions(games)
    await store.monitor.measure_clock_offset()
    assert grown(before, "redis_retries_total") == 0


KEY = ApiKey("bot", 1_800_000_000, Quotas(10, 20, 30), [])


async def test_a_new_key_is_stored_once(store: RedisStore) -> None:
    assert await store.api_keys.load("bot") is None
    for _ in range(2):  # once more, as after a lost connection
        assert await store.api_keys.save(KEY, 0)
    assert await store.api_keys.load("bot") == StoredApiKey(KEY, 1)
    assert not await store.api_keys.save(msgspec.structs.replace(KEY, created_at=1), 0)
    assert await store.api_keys.load("bot") == StoredApiKey(KEY, 1)


async def test_of_two_changes_at_once_one_is_rejected(store: RedisStore) -> None:
    await store.api_keys.save(KEY, 0)
    revoked = msgspec.structs.replace(KEY, revoked_at=1_800_000_001)
    assert await store.api_keys.save(revoked, 1)
    assert not await store.api_keys.save(msgspec.structs.replace(KEY, quotas=Quotas(1, 1, 1)), 1)
    assert await store.api_keys.load("bot") == StoredApiKey(revoked, 2)


async def test_keys_are_listed_by_age(store: RedisStore, redis: Redis) -> None:
    assert await store.api_keys.list_all() == []
    younger = msgspec.structs.replace(KEY, name="a", created_at=KEY.created_at + 1)
    for key in (younger, KEY):
        await store.api_keys.save(key, 0)
    await redis.zadd(keys.API_KEYS, {"never-stored": 1})  # as after a crash in between
    assert await store.api_keys.list_all() == [KEY, younger]


async def test_a_key_never_expires_and_its_secret_is_nowhere(store: RedisStore, redis: Redis) -> None:
    secret = await add_api_key(store)
    names = [name async for name in redis.scan_iter("*")]
    assert sorted(names) == [b"south-seas:api-keys", b"south-seas:{key.discord-bot}:key"]
    for name in names:
        assert await redis.ttl(name) == -1
        assert secret.split("_", 2)[2].encode() not in (await redis.dump(name) or b"")


DAY = 86_400


async def test_a_bucket_grants_its_capacity_and_then_nothing(store: GameStore) -> None:
    take, size = store.buckets.take, RateLimit(10, DAY)
    assert await take("a", 4, size) == Grant(4, 6, 0)
    assert await take("a", 4, size) == Grant(4, 2, 0)
    last = await take("a", 4, size)
    assert (last.tokens, last.remaining) == (2, 0)
    assert DAY / 10 - 60 < last.wait_s <= DAY / 10
    assert (await take("a", 1, size)).tokens == 0
    assert await take("b", 1, size) == Grant(1, 9, 0)


async def wait_for_token(store: GameStore, bucket: str, size: RateLimit) -> None:
    """Take tokens until there is one, after the pauses that the store names."""
    async with asyncio.timeout(TIMEOUT_S):
        while (granted := await store.buckets.take(bucket, 1, size)).tokens != 1:
            assert granted.tokens == 0
            assert 0 < granted.wait_s <= size.window_s / size.quota
            await asyncio.sleep(granted.wait_s)


async def test_a_bucket_refills_steadily(store: GameStore) -> None:
    size = RateLimit(50, 1)
    assert (await store.buckets.take("a", 50, size)).tokens >= 50
    await wait_for_token(store, "a", size)


async def test_concurrent_clients_get_no_more_than_the_capacity(store: GameStore, redis_url: str) -> None:
    async with connect(redis_url) as other:
        granted = await asyncio.gather(
            *(each.buckets.take("a", 3, RateLimit(100, DAY)) for each in (store, other) for _ in range(40))
        )
    assert sum(each.tokens for each in granted) == 100


async def test_a_bucket_is_stored_until_it_is_full(store: GameStore, redis: Redis) -> None:
    await store.buckets.take("a", 1, RateLimit(100, DAY))
    (key,) = await redis.keys("south-seas:bucket:*")
    assert -60_000 < await redis.pttl(key) - 1000 * DAY / 100 <= 1


async def test_a_clock_that_goes_back_does_not_block_a_bucket(store: GameStore, redis: Redis) -> None:
    """The bucket is empty, and refills as any other."""
    await redis.set("south-seas:bucket:a", b"9" * 16)
    await wait_for_token(store, "a", RateLimit(50, 1))
