"""Webhooks in the store expire with their game and have leases; what is due comes up, and none is forgotten."""

import time

import pytest
from msgspec.structs import replace
from redis.asyncio import Redis

from service.games.due_work import LeaseTaken, lease
from service.games.ports import (
    Committed,
    DeliveryAttempt,
    DueQueue,
    ExpectedWebhooks,
    GameStore,
    StoredWebhook,
    VersionConflict,
    WebhookChange,
    WebhookRegistration,
    WebhookState,
    webhook_entry,
)
from service.store import keys
from service.store.game_store import RedisStore
from service.store.schedule import FAILURE_COUNT_TTL_S, GRACE_S
from service.store.webhooks import MAX_STORED_ATTEMPTS
from service.supervision import Backoff
from tests.api_key_fixture import add_api_key
from tests.store.commits import action, creation, idempotency, key_hash, load_record

START = WebhookState(1)
KEY = "key.bot"
ENTRY = webhook_entry("g", "h")


def hook(name: str = "h") -> WebhookRegistration:
    return WebhookRegistration(name, "https://bot.example/", ["decision"], None, "whsec_", "2026-11-21T21:00:00Z")


def attempt(version: int) -> DeliveryAttempt:
    return DeliveryAttempt(version, "decision", 1, "2026-11-21T21:00:00Z", 204, None, 12)


@pytest.fixture
async def hooked(store: RedisStore) -> RedisStore:
    """Return a store with a game that has one webhook."""
    await store.commit(creation())
    assert await store.webhooks.add("g", hook(), START) == "added"
    return store


async def test_add_stores_the_webhook_with_its_game(hooked: RedisStore) -> None:
    assert await hooked.webhooks.get("g", "h") == StoredWebhook(hook(), START)
    assert await hooked.webhooks.add("g", hook("i"), WebhookState(2)) == "added"
    assert await hooked.webhooks.list_by_subject("g") == [
        StoredWebhook(hook(), START),
        StoredWebhook(hook("i"), WebhookState(2)),
    ]
    assert (await load_record(hooked, "g")).webhooks == ("h", "i")
    assert await hooked.webhooks.get("g", "j") is None


async def test_the_webhook_of_an_api_key_is_stored_with_the_key(store: RedisStore, redis: Redis) -> None:
    assert await store.webhooks.add(KEY, hook(), START) == "missing"
    await add_api_key(store, "bot")
    assert await store.webhooks.add(KEY, hook(), START) == "added"
    assert await store.webhooks.list_by_subject(KEY) == [StoredWebhook(hook(), START)]
    async with lease(store.due_webhooks, webhook_entry(KEY, "h"), 10) as me:
        assert await store.webhooks.save(KEY, "h", me, WebhookChange(START, attempt(1)), 10)
    assert await store.webhooks.list_attempts(KEY, "h") == [attempt(1)]
    assert 29 * 86_400 < await redis.ttl(keys.webhook_attempts(KEY, "h")) <= 30 * 86_400
    assert await redis.ttl(keys.subject(KEY)) == -1
    stored = await store.api_keys.load("bot")
    assert stored is not None
    assert await store.api_keys.save(stored.key, stored.revision)  # which leaves the webhooks
    assert await store.webhooks.remove(KEY, "h")
    left = {key.decode() async for key in redis.scan_iter("*bot*")}
    assert left - {keys.replica_wait(KEY)} == {keys.subject(KEY)}
    assert await store.api_keys.load("bot") is not None


async def test_the_log_of_an_api_keys_webhook_is_bounded(store: RedisStore, redis: Redis) -> None:
    for version in range(MAX_STORED_ATTEMPTS + 5):
        await store.webhooks.add_attempt(KEY, "h", replace(attempt(version), game="g"))
    listed = await store.webhooks.list_attempts(KEY, "h")
    assert [one.version for one in listed] == list(range(MAX_STORED_ATTEMPTS + 4, 4, -1))
    assert listed[0].game == "g"
    assert 29 * 86_400 < await redis.ttl(keys.webhook_attempts(KEY, "h")) <= 30 * 86_400


async def test_a_changed_webhook_is_saved_by_the_holder_of_its_lease_unless_its_game_has_expired(
    hooked: RedisStore, redis: Redis
) -> None:
    changed = StoredWebhook(replace(hook(), url="https://other.example/"), WebhookState(1, failures=2))
    change = WebhookChange(changed.state, registration=changed.registration)
    assert not await hooked.webhooks.save("g", "h", "me", change, 10)
    async with lease(hooked.due_webhooks, ENTRY, 10) as me:
        assert not await hooked.webhooks.save("g", "h", "another", change, 10)
        assert await hooked.webhooks.save("g", "h", me, change, 10)
        assert await hooked.webhooks.get("g", "h") == changed
        await redis.delete(keys.game("g"))
        assert not await hooked.webhooks.save("g", "h", me, change, 10)
    assert not await redis.exists(keys.game("g"))


async def test_an_expired_lease_is_renewed_unless_another_holder_has_it_or_has_stored_a_state(
    hooked: RedisStore, redis: Redis
) -> None:
    async def save(failures: int, before: int) -> bool:
        change = WebhookChange(WebhookState(1, failures=failures), before=WebhookState(1, failures=before))
        return await hooked.webhooks.save("g", "h", "me", change, 10)

    assert await save(2, before=0)
    assert await hooked.due_webhooks.acquire_lease(ENTRY, 10) is None, "it is leased again"
    await hooked.due_webhooks.release_lease(ENTRY, "me")
    assert not await save(3, before=1), "another holder has stored a state meanwhile"
    async with lease(hooked.due_webhooks, ENTRY, 10):
        assert not await save(3, before=2), "another holder delivers"
    assert await save(3, before=2)
    await redis.delete(keys.game("g"))
    assert not await save(4, before=3)


async def test_add_requires_a_game_and_leaves_a_webhook_that_is_there(hooked: RedisStore) -> None:
    assert await hooked.webhooks.add("g", hook(), WebhookState(7)) == "added"
    assert await hooked.webhooks.get("g", "h") == StoredWebhook(hook(), START)
    assert await hooked.webhooks.add("other", hook(), START) == "missing"


@pytest.mark.parametrize("subject", ("g", KEY))
async def test_add_changes_nothing_unless_the_subject_is_as_expected(store: RedisStore, subject: str) -> None:
    await store.commit(creation())
    await add_api_key(store, "bot")
    webhooks, first, second = store.webhooks, idempotency("key", 1), idempotency("key", 2)
    for name, requested, expected, outcome in (
        ("h", first, ExpectedWebhooks((), "", None), "added"),
        ("h", first, ExpectedWebhooks((), "", None), "changed"),  # the key has a record
        ("i", None, ExpectedWebhooks((), "", None), "changed"),
        ("i", None, ExpectedWebhooks(("h",), "revocation", None), "changed"),
        ("h", None, ExpectedWebhooks((), "", None), "added"),  # a repetition after a lost connection
        ("i", None, ExpectedWebhooks(("h",), "", None), "added"),
        ("j", second, ExpectedWebhooks(("h", "i"), "", first.record), "added"),  # the record is a day old
    ):
        assert await webhooks.add(subject, hook(name), START, record=requested, expected=expected) == outcome, name
    assert [one.registration.id for one in await webhooks.list_by_subject(subject)] == ["h", "i", "j"]
    assert await webhooks.load_idempotency_record(subject, key_hash("key")) == second.record


async def test_remove_deletes_the_webhook_and_its_attempts(hooked: RedisStore, redis: Redis) -> None:
    await hooked.webhooks.add("g", hook("i"), START)
    async with lease(hooked.due_webhooks, ENTRY, 10) as me:
        await hooked.webhooks.save("g", "h", me, WebhookChange(WebhookState(2), attempt(2)), 10)
        assert await hooked.webhooks.remove("g", "h")
        assert not await redis.exists(keys.lease(keys.WEBHOOK_SCHEDULE, ENTRY))
        assert not await hooked.webhooks.remove("g", "h")
        assert not await hooked.webhooks.save("g", "h", me, WebhookChange(WebhookState(3), attempt(3)), 10)
    assert await hooked.webhooks.get("g", "h") is None
    assert await hooked.webhooks.list_attempts("g", "h") == []
    assert [one.registration.id for one in await hooked.webhooks.list_by_subject("g")] == ["i"]
    assert await hooked.webhooks.remove("g", "i")
    assert not [key async for key in redis.scan_iter("*:[hi]:*")]
    assert not await redis.hexists(keys.game("g"), "hooks")


async def test_whatever_belongs_to_a_game_expires_and_a_record_after_a_day(hooked: RedisStore, redis: Redis) -> None:
    await hooked.commit(action(1, due_at=1, expected_webhooks=("h",), idempotency=idempotency("action")))
    added, saved = idempotency("add"), idempotency("save")
    assert await hooked.webhooks.add("g", hook("i"), START, record=added) == "added"
    async with lease(hooked.due_webhooks, ENTRY, 10) as me:
        change = WebhookChange(START, attempt(1), record=saved)
        assert await hooked.webhooks.save("g", "h", me, change, 10)
        assert await hooked.due_games.postpone("g", 1, Backoff(1.0, 1.0, jitter=0)) == 1
        lives = {key.decode(): await redis.ttl(key) async for key in redis.scan_iter("*{g}*")}
    records = {keys.idempotency_record("g", one.key) for one in (added, saved)}
    leased, failed = keys.lease(keys.WEBHOOK_SCHEDULE, ENTRY), keys.failures(keys.GAME_SCHEDULE, "g")
    others = {*keys.commit_keys("g"), keys.webhook_attempts("g", "h"), leased, failed}
    assert lives.keys() - {keys.replica_wait("g")} == records | others
    assert [name for name, seconds in lives.items() if seconds == -1] == []
    assert all(86_300 < lives[record] <= 86_400 for record in records)
    assert all(900 < lives[key] <= 1010 for key in keys.commit_keys("g"))  # the game's life, of its records too


async def test_one_holder_at_a_time_has_the_lease(hooked: RedisStore, redis: Redis) -> None:
    queue, key = hooked.due_webhooks, keys.lease(keys.WEBHOOK_SCHEDULE, ENTRY)
    async with lease(queue, ENTRY, 100) as me:
        assert 40 < await redis.ttl(key) <= 100
        with pytest.raises(LeaseTaken):
            await lease(queue, ENTRY, 10).__aenter__()
        assert not await hooked.webhooks.save("g", "h", "you", WebhookChange(WebhookState(9)), 20)
        assert await hooked.webhooks.save("g", "h", me, WebhookChange(WebhookState(2), attempt(2)), 200)
        assert 140 < await redis.ttl(key) <= 200
        await queue.release_lease(ENTRY, "you")
        assert await redis.exists(key)
    assert not await redis.exists(key)
    async with lease(queue, ENTRY, 10):
        assert not await hooked.webhooks.save("g", "h", me, WebhookChange(WebhookState(9)), 20)
    assert await hooked.webhooks.get("g", "h") == StoredWebhook(hook(), WebhookState(2))


async def test_attempts_are_bounded_stored_once_and_expire_with_the_game(hooked: RedisStore, redis: Redis) -> None:
    async with lease(hooked.due_webhooks, ENTRY, 10) as me:
        for version in (2, *range(2, MAX_STORED_ATTEMPTS + 7)):
            await hooked.webhooks.save("g", "h", me, WebhookChange(WebhookState(version), attempt(version)), 10)
            assert len(await hooked.webhooks.list_attempts("g", "h")) == min(version - 1, MAX_STORED_ATTEMPTS)
    log = await hooked.webhooks.list_attempts("g", "h")
    assert [one.version for one in log] == [*range(MAX_STORED_ATTEMPTS + 6, 6, -1)]
    assert await redis.llen(keys.webhook_attempts("g", "h")) == MAX_STORED_ATTEMPTS
    game_ttl_s = await redis.ttl(keys.game("g"))
    assert game_ttl_s - 60 < await redis.ttl(keys.webhook_attempts("g", "h")) <= game_ttl_s


async def test_a_commit_schedules_its_webhooks_and_one_that_knows_none_conflicts(hooked: RedisStore) -> None:
    assert await hooked.commit(action(1)) == VersionConflict()
    now = int(time.time())
    assert await hooked.due_webhooks.list_due(now + 1, 10) == [ENTRY]
    await hooked.due_webhooks.reschedule(ENTRY, now, now + 5)
    assert await hooked.due_webhooks.list_due(now + 1, 10) == []
    knowing = action(1, expected_webhooks=(await load_record(hooked, "g")).webhooks)
    assert await hooked.commit(knowing) == Committed()
    assert await hooked.due_webhooks.list_due(now + 1, 10) == [ENTRY]


NOW = 1000


@pytest.fixture
def schedule(store: GameStore) -> DueQueue:
    return store.due_games


async def test_list_due_returns_due_games_the_oldest_first(store: GameStore) -> None:
    for game, at in (("late", 300), ("b", 200), ("a", 100), ("never", None)):
        await store.commit(creation(game, due_at=at))
    assert await store.due_games.list_due(99, 10) == []
    assert await store.due_games.list_due(100, 10) == ["a"]
    assert await store.due_games.list_due(250, 10) == ["a", "b"]
    assert await store.due_games.list_due(999, 2) == ["a", "b"]


async def test_a_commit_moves_the_date_and_one_that_conflicts_may_move_it_earlier_only(store: GameStore) -> None:
    await store.commit(creation(due_at=100))
    await store.commit(action(1, due_at=200))
    assert await store.due_games.list_due(150, 10) == []
    await store.commit(action(7, due_at=300))
    assert await store.due_games.list_due(200, 10) == ["g"]
    await store.commit(action(7, due_at=100))
    assert await store.due_games.list_due(100, 10) == ["g"]


@pytest.mark.parametrize(("date", "after"), ((None, []), (5000, ["g"])))
async def test_a_removed_or_distant_date_must_be_confirmed(
    schedule: DueQueue, date: int | None, after: list[str]
) -> None:
    """It comes up once more a little later."""
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", NOW, date)
    assert await schedule.list_due(NOW + GRACE_S, 10) == []
    assert await schedule.list_due(NOW + GRACE_S + 1, 10) == ["g"]
    await schedule.reschedule("g", NOW + GRACE_S + 1, date)
    assert await schedule.list_due(4999, 10) == []
    assert await schedule.list_due(9999, 10) == after


async def test_two_concurrent_looks_count_as_one(schedule: DueQueue) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", NOW, None)
    await schedule.reschedule("g", NOW, None)
    assert await schedule.list_due(NOW + GRACE_S + 1, 10) == ["g"]


async def test_a_look_before_a_commit_does_not_remove_its_date(schedule: DueQueue) -> None:
    """An instance schedules a game; another looks, removes the date, and only then the commit is stored."""
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", NOW, None)
    later = NOW + GRACE_S + 1
    assert not await schedule.schedule("g", later + 60)
    await schedule.reschedule("g", later, None)
    assert await schedule.list_due(later + GRACE_S + 1, 10) == ["g"]


async def test_a_near_date_needs_no_confirmation(schedule: DueQueue) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", NOW, 1005)
    assert await schedule.list_due(1004, 10) == []
    assert await schedule.list_due(1005, 10) == ["g"]


async def test_a_deadline_that_each_commit_moves_causes_few_looks(schedule: DueQueue) -> None:
    """As with the deadlines of turns: ten turns end in time, the eleventh does not."""
    look_count, deadline, now = 0, 0, NOW
    for _ in range(11):
        deadline = now + 600
        if not await schedule.schedule("g", deadline):
            await schedule.reschedule("g", now, deadline)
        for _ in range(40):
            now += 1
            if await schedule.list_due(now, 10):
                look_count += 1
                await schedule.reschedule("g", now, deadline)
    assert look_count <= 11
    assert await schedule.list_due(deadline - 1, 10) == []
    assert await schedule.list_due(deadline, 10) == ["g"]


async def test_rescheduling_a_game_that_is_not_due(schedule: DueQueue) -> None:
    await schedule.reschedule("never", NOW, None)
    for _ in range(2):
        await schedule.reschedule("later", NOW, 5000)
        assert (await schedule.list_due(4999, 10), await schedule.list_due(9999, 10)) == ([], ["later"])


async def test_postpone_backs_off_and_requires_a_due_game(store: GameStore, redis: Redis) -> None:
    backoff = Backoff(2.0, 10.0, jitter=0)
    await store.commit(creation(due_at=100))
    assert await store.due_games.postpone("g", 99, backoff) is None
    now, dates = 100, []
    for failures in range(1, 5):
        assert await store.due_games.postpone("g", now, backoff) == failures
        assert await store.due_games.postpone("g", now, backoff) is None  # as for a second instance
        while not await store.due_games.list_due(now, 10):
            now += 1
        dates.append(now)
    assert dates == [102, 106, 114, 124]
    assert 0 < await redis.ttl(keys.failures(keys.GAME_SCHEDULE, "g")) <= 2 * 10 + FAILURE_COUNT_TTL_S
    assert await store.due_games.postpone("nothing", now, backoff) is None


async def test_a_commit_moves_a_postponed_game_earlier(store: GameStore) -> None:
    await store.commit(creation(due_at=100))
    assert await store.due_games.postpone("g", 100, Backoff(50.0, 50.0, jitter=0)) == 1
    await store.commit(action(1, due_at=110))
    assert await store.due_games.list_due(110, 10) == ["g"]
