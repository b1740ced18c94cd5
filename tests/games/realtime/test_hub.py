"""The hub delivers every diff once and in order, however it learns of it and whatever fails in between."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from redis.asyncio import Redis

from service.games import hub as hub_module
from service.games.channel import PAGE_SIZE
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.hub import Hub
from service.games.ports import ChangeNotification, Revision, StoredDiff, StoreUnavailable
from service.games.tilesets import TileSetCatalogue
from service.store.game_store import connect
from tests.games.realtime.subscribers import (
    TILESETS,
    FailingSubscriber,
    SnapshotSubscriber,
    UnreliableStore,
    VersionSubscriber,
    commit_and_publish,
    store_game,
    subscribe,
)
from tests.polling import wait_until
from tests.store.commits import action, diff, digest
from tests.telemetry.metric_samples import grown, read_samples


async def test_own_commits_are_published_without_reading_the_stream(hub: Hub, store: UnreliableStore) -> None:
    subscribers = [await subscribe(hub, store) for _ in range(3)]
    reads = store.reads
    for version in range(1, 5):
        await commit_and_publish(hub, store, commit := action(version))
        assert [subscriber.version for subscriber in subscribers] == [version + 1] * 3
        hub.publish_commit("g", commit.diffs)
        hub.publish_commit("not followed", commit.diffs)
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
async def test_remote_commits_are_read_after_a_notification_or_a_sweep(
    hub: Hub, store: UnreliableStore, deaf: bool
) -> None:
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
    hub: Hub,
    store: UnreliableStore,
    redis: Redis,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    level: str,
) -> None:
    caplog.set_level("INFO", "service.games.channel")

    def list_logged_levels() -> list[str]:
        return [record.levelname for record in caplog.records if "subscriber of game g" in record.getMessage()]

    hub.start()
    one = await subscribe(hub, store)
    await hub.subscribe(FailingSubscriber(error), "g", Revision(1, digest(1)))
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
    assert (len(hub), store._notifications._games) == (0, set())
    await commit_and_publish(hub, store, action(1))
    assert one.version == other.version == 1
    again = await subscribe(hub, store)
    assert again.version == 2


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
    async with asyncio.timeout(20):
        await waiting


@pytest.fixture
async def hanging(store: UnreliableStore, monkeypatch: pytest.MonkeyPatch) -> UnreliableStore:
    """Return a store with the game `g`, whose stream can never be read."""

    async def hang(game: str, since: int, limit: int) -> list[StoredDiff]:
        del game, since, limit
        never: asyncio.Future[list[StoredDiff]] = asyncio.get_running_loop().create_future()
        return await never

    monkeypatch.setattr(store, "load_diffs", hang)
    return store


async def test_a_subscription_that_times_out_leaves_nothing_behind(
    hub: Hub, hanging: UnreliableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "SUBSCRIBE_TIMEOUT_S", 0.02)
    with pytest.raises(StoreUnavailable, match="not read within"):
        await hub.subscribe(VersionSubscriber(), "g", Revision(1, digest(1)))
    assert (len(hub), hanging._notifications._games) == (0, set())


async def test_aclose_ends_subscriptions_and_reads_in_progress(hub: Hub, hanging: UnreliableStore) -> None:
    subscribing = asyncio.create_task(hub.subscribe(VersionSubscriber(), "g", Revision(1, digest(1))))
    await wait_until(lambda: len(hub))
    async with asyncio.timeout(10):
        await hub.aclose()
        await subscribing
    assert (len(hub), hanging._notifications._games) == (0, set())


async def test_a_commit_of_another_instance_invalidates_the_cache(store: UnreliableStore, redis_url: str) -> None:
    invalidated = asyncio.Queue[tuple[str, int]]()
    hub = Hub(store, TILESETS, 1000.0, lambda game, version: invalidated.put_nowait((game, version)))
    hub.start()
    await subscribe(hub, store)
    await wait_until(lambda: store._notifications.count_own_subscribers("g"))
    async with connect(redis_url) as other, asyncio.timeout(10):
        await other.commit(action(1))
        assert await invalidated.get() == ("g", 2)
    await hub.aclose()


@pytest.mark.parametrize(
    ("notification", "reads", "invalidated"),
    (
        (ChangeNotification("g", None), 1, []),
        (ChangeNotification("g", 1), 0, [("g", 1)]),
        (ChangeNotification("g", 2), 1, [("g", 2)]),
        (ChangeNotification("g", 2, diffs=[diff(2)]), 0, [("g", 2)]),
        (ChangeNotification("g", 3, diffs=[diff(2), diff(3)]), 0, [("g", 3)]),
        (ChangeNotification("g", 3, diffs=[diff(3)]), 1, [("g", 3)]),
        (ChangeNotification("g", 2, diffs=[StoredDiff(2, digest(2), digest(9), b"")]), 1, [("g", 2)]),
        (ChangeNotification("not followed", 2), 0, [("not followed", 2)]),
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
