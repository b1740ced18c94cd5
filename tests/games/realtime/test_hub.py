"""The hub delivers every diff once and in order, from any state, however it learns of it and whatever fails."""

import asyncio
from collections.abc import AsyncGenerator
from unittest.mock import Mock

import pytest
from redis.asyncio import Redis

from service.games import channel
from service.games import hub as hub_module
from service.games.channel import PAGE_SIZE, build_snapshot
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.hub import Hub
from service.games.ports import ChangeNotification, Revision, StoredDiff, StoreUnavailable
from service.games.tilesets import TileSetCatalogue
from tests.games.realtime.subscribers import (
    TILESETS,
    SnapshotSubscriber,
    UnreliableStore,
    VersionSubscriber,
    commit_and_publish,
    store_game,
    subscribe,
)
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import connect
from tests.store.commits import action, creation, diff, digest, load_record
from tests.telemetry.metric_samples import grown, read_samples


async def test_own_commits_are_published_without_reading_the_stream(hub: Hub, store: UnreliableStore) -> None:
    subscribers = [await subscribe(hub, store) for _ in range(3)]
    reads = store.reads
    for version in range(1, 5):
        await commit_and_publish(hub, store, commit := action(version))
        assert [subscriber.version for subscriber in subscribers] == [version + 1] * 3
        hub.publish_commit(commit)
        hub.publish_commit(action(version, "not followed"))
    await asyncio.sleep(0)  # a read would have begun
    assert store.reads == reads
    assert [subscriber.version for subscriber in subscribers] == [5] * 3


async def test_an_own_commit_after_unread_ones_causes_a_read(hub: Hub, store: UnreliableStore) -> None:
    subscriber = await subscribe(hub, store)
    await store.commit(action(1, count=3))
    await commit_and_publish(hub, store, action(4))
    assert subscriber.version == 1
    await hub.wait_for_version(subscriber, "g", 5)
    assert subscriber.version == 5


@pytest.mark.parametrize("deaf", (True, False))
async def test_remote_commits_are_read_when_notified_or_swept(hub: Hub, store: UnreliableStore, deaf: bool) -> None:
    store.is_deaf = deaf
    hub.start()
    subscriber = await subscribe(hub, store)
    for version in range(1, 6):
        await store.commit(action(version))
        await subscriber.wait_for_version(version + 1)


async def test_a_long_stream_is_read_page_by_page(hub: Hub, store: UnreliableStore) -> None:
    await store.commit(action(1, count=2 * PAGE_SIZE + 5))
    first = await subscribe(hub, store, since=1)
    second = await subscribe(hub, store, since=0)
    await first.wait_for_version(2 * PAGE_SIZE + 6)
    await second.wait_for_version(2 * PAGE_SIZE + 6)
    await commit_and_publish(hub, store, action(2 * PAGE_SIZE + 6))
    assert first.version == second.version == 2 * PAGE_SIZE + 7


@pytest.mark.parametrize(
    ("error", "level"),
    (
        (RuntimeError("the handler is closed"), "INFO"),
        (ConnectionResetError("gone"), "INFO"),
        (ValueError("a mistake"), "ERROR"),
    ),
)
async def test_one_failing_subscriber_does_not_affect_the_others(
    hub: Hub, store: UnreliableStore, redis: Redis, caplog: pytest.LogCaptureFixture, error: Exception, level: str
) -> None:
    caplog.set_level("INFO", "service.games.channel")

    def list_logged_levels() -> list[str]:
        return [record.levelname for record in caplog.records if "subscriber of game g" in record.getMessage()]

    hub.start()
    one = await subscribe(hub, store)
    failing = Mock()
    failing.deliver.side_effect = failing.end_subscription.side_effect = error
    await hub.subscribe(failing, "g", Revision(1, digest(1)))
    other = await subscribe(hub, store)
    await commit_and_publish(hub, store, action(1))
    assert one.version == other.version == 2
    assert list_logged_levels() == [level]
    await redis.flushall()
    await other.wait_for_error()
    assert list_logged_levels() == [level] * 2
    assert [type(error) for error in (*one.errors, *other.errors)] == [NoSuchGame, NoSuchGame]
    assert len(hub) == 0


async def test_subscribers_survive_an_outage_of_the_store(hub: Hub, store: UnreliableStore) -> None:
    store.notification_failures = 3
    hub.start()
    subscriber = await subscribe(hub, store)
    for version in range(1, 4):
        await store.commit(action(version))
        store.failures = 5
        await subscriber.wait_for_version(version + 1)
    store.failures = 3
    late = VersionSubscriber(2)
    await hub.subscribe(late, "g", Revision(2, digest(2)))
    assert late.version == 4


async def test_the_last_subscriber_closes_the_channel(hub: Hub, store: UnreliableStore) -> None:
    one, other = await subscribe(hub, store), await subscribe(hub, store)
    hub.unsubscribe(one, "g")
    assert len(hub) == 1
    hub.unsubscribe(one, "g")
    hub.unsubscribe(other, "g")
    hub.unsubscribe(other, "g")
    assert (len(hub), store.change_notifications._games) == (0, set())
    await commit_and_publish(hub, store, action(1))
    assert one.version == other.version == 1
    assert (await subscribe(hub, store)).version == 2


async def test_who_waits_for_a_version_is_served_out_of_turn(
    hub: Hub, store: UnreliableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "BATCH_SIZE", 1)
    subscribers = [await subscribe(hub, store) for _ in range(3)]
    await commit_and_publish(hub, store, action(1))
    await hub.wait_for_version(subscribers[2], "g", 2)
    assert [subscriber.version for subscriber in subscribers] == [2, 1, 2]


async def test_wait_for_version_returns_at_once_for_others_than_subscribers(hub: Hub, store: UnreliableStore) -> None:
    await hub.wait_for_version(VersionSubscriber(), "g", 99)
    subscriber = await subscribe(hub, store)
    await hub.wait_for_version(VersionSubscriber(), "g", 99)
    await hub.wait_for_version(subscriber, "g", 1)
    reads = store.reads
    waiting = asyncio.create_task(hub.wait_for_version(subscriber, "g", 99))
    await wait_until(lambda: store.reads > reads + 1)
    assert not waiting.done()
    hub.unsubscribe(subscriber, "g")
    async with asyncio.timeout(TIMEOUT_S):
        await waiting


@pytest.fixture
async def hanging(store: UnreliableStore, monkeypatch: pytest.MonkeyPatch) -> UnreliableStore:
    """Return a store with the game `g`, whose stream can never be read."""
    monkeypatch.setattr(store, "load_diffs", lambda *_: asyncio.Event().wait())
    return store


async def test_a_subscription_that_times_out_leaves_nothing_behind(
    hub: Hub, hanging: UnreliableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "SUBSCRIBE_TIMEOUT_S", 0.02)
    with pytest.raises(StoreUnavailable, match="not read within"):
        await hub.subscribe(VersionSubscriber(), "g", Revision(1, digest(1)))
    assert (len(hub), hanging.change_notifications._games) == (0, set())


async def test_aclose_ends_subscriptions_and_reads_in_progress(hub: Hub, hanging: UnreliableStore) -> None:
    subscribing = asyncio.create_task(hub.subscribe(VersionSubscriber(), "g", Revision(1, digest(1))))
    await wait_until(lambda: len(hub))
    async with asyncio.timeout(TIMEOUT_S):
        await hub.aclose()
        await subscribing
    assert (len(hub), hanging.change_notifications._games) == (0, set())


async def test_a_commit_of_another_instance_invalidates_the_cache(store: UnreliableStore, redis_url: str) -> None:
    invalidated = asyncio.Queue[tuple[str, int]]()
    hub = Hub(store, TILESETS, 1000.0, lambda game, version: invalidated.put_nowait((game, version)))
    hub.start()
    await subscribe(hub, store)
    await wait_until(lambda: store.change_notifications.count_own_subscribers("g"))
    async with connect(redis_url) as other, asyncio.timeout(TIMEOUT_S):
        await other.commit(action(1))
        assert await invalidated.get() == ("g", 2)
    await hub.aclose()


@pytest.mark.parametrize(
    ("notification", "reads", "invalidated"),
    (
        (ChangeNotification("g"), 1, []),
        (ChangeNotification("g", [diff(1)]), 0, [("g", 1)]),
        (ChangeNotification("g", [diff(2)]), 0, [("g", 2)]),
        (ChangeNotification("g", [diff(2), diff(3)]), 0, [("g", 3)]),
        (ChangeNotification("g", [diff(3)]), 1, [("g", 3)]),
        (ChangeNotification("g", [StoredDiff(2, digest(2), digest(9), "", b"")]), 1, [("g", 2)]),
        (ChangeNotification("not followed", [diff(2)]), 0, [("not followed", 2)]),
    ),
)
async def test_a_notification_causes_a_read_unless_its_diffs_follow(
    store: UnreliableStore,
    monkeypatch: pytest.MonkeyPatch,
    notification: ChangeNotification,
    reads: int,
    invalidated: list[tuple[str, int]],
) -> None:
    received, calls = asyncio.Queue[ChangeNotification](), list[tuple[str, int]]()

    async def notifications() -> AsyncGenerator[ChangeNotification]:
        while True:
            yield await received.get()

    monkeypatch.setattr(store, "notifications", notifications)
    hub = Hub(store, TILESETS, 1000.0, lambda game, version: calls.append((game, version)))
    hub.start()
    await subscribe(hub, store)
    reads_before, before = store.reads, read_samples()
    received.put_nowait(notification)
    await wait_until(lambda: grown(before, "redis_notifications_total") == 1)
    await asyncio.sleep(0)  # a read would have begun
    assert (store.reads - reads_before, calls) == (reads, invalidated)
    await hub.aclose()


async def test_a_channel_whose_tile_set_is_missing_is_closed(store: UnreliableStore) -> None:
    game = await store_game(store)
    hub = Hub(store, TileSetCatalogue([]), sweep_interval_s=0.05)
    hub.start()
    beginner = SnapshotSubscriber()
    await hub.subscribe(beginner, game, Revision(5, digest(5)))
    assert isinstance(await beginner.wait_for_error(), TileSetMissing)
    assert not len(hub)
    await hub.aclose()


async def test_subscribers_behind_or_ahead_of_the_channel_are_brought_level(hub: Hub, store: UnreliableStore) -> None:
    await store.commit(action(1, count=4))
    ahead = await subscribe(hub, store)
    behind = await subscribe(hub, store, since=2)
    await store.commit(action(5, count=2))  # unknown to the channel
    newest = await subscribe(hub, store)
    for subscriber in (ahead, behind, newest):
        await subscriber.wait_for_version(7)


async def test_subscribing_during_commits_misses_nothing(hub: Hub, store: UnreliableStore) -> None:
    hub.start()
    last = 300

    async def commit_all() -> None:
        for version in range(1, last):
            await store.commit(commit := action(version))
            if version % 2:  # the other half are another instance's
                hub.publish_commit(commit)

    async with asyncio.TaskGroup() as group:
        committing = group.create_task(commit_all())
        joined: list[VersionSubscriber] = []
        while not committing.done():
            joined += await asyncio.gather(*(subscribe(hub, store, since=since) for since in (0, 1, None)))
            if len(joined) % 2:
                hub.unsubscribe(joined[0], "g")
                joined = joined[1:]
    for subscriber in joined:
        await subscriber.wait_for_version(last)


async def test_a_game_that_is_gone_cannot_be_subscribed_to(hub: Hub, store: UnreliableStore, redis: Redis) -> None:
    await subscribe(hub, store)
    await redis.flushall()
    with pytest.raises(NoSuchGame):
        await hub.subscribe(VersionSubscriber(), "g", Revision(2, digest(2)))


async def test_a_subscriber_of_another_history_gets_a_snapshot(hub: Hub, store: UnreliableStore) -> None:
    game = await store_game(store)
    loaded = await load_record(store, game)
    first = VersionSubscriber(1)
    await hub.subscribe(first, game, Revision(1, loaded.revision.digest))
    for past in (Revision(1, digest(1)), Revision(0, digest(9)), Revision(7, digest(7))):
        other = SnapshotSubscriber()
        await hub.subscribe(other, game, past)
        (message,) = other.snapshots
        assert (message.digest, message.view) == (loaded.revision.digest, build_snapshot(TILESETS, "g", loaded).view)
        hub.unsubscribe(other, game)
    assert first.version == 1


@pytest.mark.parametrize(
    ("since", "client_digest", "position"),
    (
        (None, None, None),
        (4, None, Revision(4, digest(4))),
        (4, digest(4), Revision(4, digest(4))),
        (4, digest(3), None),
        (5, None, None),
        (2, None, Revision(2, digest(2))),
        (2, digest(2), Revision(2, digest(2))),
        (2, digest(4), None),
        (0, None, Revision(0, digest(0))),
    ),
)
async def test_a_client_resumes_from_a_state_in_the_stream(
    store: UnreliableStore, since: int | None, client_digest: bytes | None, position: Revision | None
) -> None:
    await store.commit(action(1, count=3))
    assert (await load_record(store, since=since)).resume_from(client_digest) == position


async def test_an_unreadable_snapshot_raises_store_unavailable(store: UnreliableStore) -> None:
    loaded = await load_record(store)
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        build_snapshot(TILESETS, "g", loaded)


async def test_a_sweep_finds_changes_of_many_games(hub: Hub, store: UnreliableStore) -> None:
    store.is_deaf = True
    games = [f"g{number}" for number in range(2 * hub_module.SWEEP_BATCH_SIZE + 50)]
    await asyncio.gather(*(store.commit(creation(game)) for game in games))
    subscribers = await asyncio.gather(*(subscribe(hub, store, game) for game in games))
    hub.start()
    await asyncio.gather(*(store.commit(action(1, game)) for game in games))
    await asyncio.gather(*(subscriber.wait_for_version(2) for subscriber in subscribers))


async def test_a_version_that_is_missing_for_a_moment_causes_no_snapshot(hub: Hub, store: UnreliableStore) -> None:
    """Subscribers have version 2 already, and the history is the same: a snapshot would add nothing."""
    subscriber = await subscribe(hub, store)
    await commit_and_publish(hub, store, action(1))
    store.is_deaf, store.stale_answers = True, 1
    hub.start()
    await wait_until(lambda: not store.stale_answers)
    await store.commit(action(2))
    await subscriber.wait_for_version(3)
    assert subscriber.errors == []


async def test_a_notified_revocation_needs_no_sweep(store: UnreliableStore, redis_url: str) -> None:
    hub = Hub(store, TILESETS, 1000.0)
    hub.start()
    await hub.subscribe(subscriber := VersionSubscriber(1), "g", Revision(1, digest(1)))
    await wait_until(lambda: store.change_notifications.count_own_subscribers("g"))
    async with connect(redis_url) as other, asyncio.timeout(TIMEOUT_S):
        await other.commit(action(1, revokes_token=True))
        await subscriber.has_rechecked.wait()
    await wait_until(lambda: not hub.token_checks)
    await hub.aclose()


async def test_a_token_check_is_repeated_until_the_game_is_read_or_nobody_is_subscribed(
    hub: Hub, store: UnreliableStore
) -> None:
    await hub.subscribe(subscriber := VersionSubscriber(1), "g", Revision(1, digest(1)))
    store.failures = 2
    hub.publish_commit(action(1, diffs=[], revokes_token=True))
    await wait_until(subscriber.has_rechecked.is_set)
    subscriber.has_rechecked.clear()
    store.failures = many = 1_000_000
    hub.publish_commit(action(1, diffs=[], revokes_token=True))
    await wait_until(lambda: store.failures < many)
    hub.unsubscribe(subscriber, "g")
    await wait_until(lambda: not hub.token_checks)
    assert not subscriber.has_rechecked.is_set()


async def test_a_sweep_finds_a_revocation_whose_notification_was_lost(hub: Hub, store: UnreliableStore) -> None:
    store.is_deaf = True
    before, after = VersionSubscriber(1), VersionSubscriber(2)
    await hub.subscribe(before, "g", Revision(1, digest(1)))
    hub.start()
    await store.commit(action(1, revokes_token=True))
    await wait_until(before.has_rechecked.is_set)
    await before.wait_for_version(2)
    record = await load_record(store)
    await hub.subscribe(after, "g", Revision(2, digest(2)), record.last_revocation)
    assert not after.has_rechecked.is_set()
    await hub.subscribe(late := VersionSubscriber(2), "g", Revision(2, digest(2)))
    await wait_until(late.has_rechecked.is_set)
