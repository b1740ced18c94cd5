"""The feeds of one process: every diff once and in order, whatever brings it and whatever fails in between."""

import asyncio

import pytest
from redis.asyncio import Redis

from service.games.errors import NoSuchGame, TileSetMissing
from service.games.ports import StoreUnavailable
from service.games.realtime import version_sweep
from service.games.realtime.hub import Hub
from service.games.realtime.recovery import decode_view
from service.games.realtime.stream_position import StreamPosition
from service.games.realtime.stream_reader import PAGE_SIZE
from service.games.tilesets import TileSetCatalogue
from tests.games.realtime.subscribers import (
    TILESETS,
    FailingSubscriber,
    SnapshotSubscriber,
    UnreliableStore,
    VersionSubscriber,
    stored_game,
    subscribe,
)
from tests.store.commits import action, creation, digest


async def test_own_commits_are_told_at_once_and_not_read(hub: Hub, unreliable_store: UnreliableStore) -> None:
    await unreliable_store.commit(creation())
    followers = [await subscribe(hub, unreliable_store) for _ in range(3)]
    reads = unreliable_store.reads
    for version in range(1, 5):
        await unreliable_store.commit(commit := action(version))
        hub.publish_commit("g", commit.diffs)
        assert [follower.version for follower in followers] == [version + 1] * 3
        hub.publish_commit("g", commit.diffs)
        hub.publish_commit("nobody watches this", commit.diffs)
    await asyncio.sleep(0.01)
    assert unreliable_store.reads == reads
    assert [follower.version for follower in followers] == [5] * 3


async def test_an_own_commit_on_others_that_are_not_read_yet_has_them_read(
    hub: Hub, unreliable_store: UnreliableStore
) -> None:
    await unreliable_store.commit(creation())
    follower = await subscribe(hub, unreliable_store)
    await unreliable_store.commit(action(1, count=3))
    await unreliable_store.commit(commit := action(4))
    hub.publish_commit("g", commit.diffs)
    assert follower.version == 1
    await hub.wait_for_version(follower, "g", 5)
    assert follower.version == 5


@pytest.mark.parametrize("deaf", (True, False))
async def test_others_commits_are_read_when_they_are_announced_or_swept(
    hub: Hub, unreliable_store: UnreliableStore, deaf: bool
) -> None:
    unreliable_store.deaf = deaf
    hub.start()
    await unreliable_store.commit(creation())
    follower = await subscribe(hub, unreliable_store)
    for version in range(1, 6):
        await unreliable_store.commit(action(version))
        await follower.reach(version + 1)


async def test_watchers_go_on_where_the_store_lacked_a_version_for_a_moment(
    hub: Hub, unreliable_store: UnreliableStore
) -> None:
    """They have version 2 of the history that is stored again: the whole game would tell them nothing."""
    await unreliable_store.commit(creation())
    follower = await subscribe(hub, unreliable_store)
    await unreliable_store.commit(commit := action(1))
    hub.publish_commit("g", commit.diffs)
    unreliable_store.deaf, unreliable_store.behind = True, 1
    hub.start()
    async with asyncio.timeout(10):
        while unreliable_store.behind:  # noqa: ASYNC110 (the sweep asks when it will)
            await asyncio.sleep(0.01)
    await unreliable_store.commit(action(2))
    await follower.reach(3)
    assert follower.lost == []


async def test_a_sweep_finds_whatever_many_games_have_changed(hub: Hub, unreliable_store: UnreliableStore) -> None:
    unreliable_store.deaf = True
    games = [f"g{number}" for number in range(2 * version_sweep.BATCH_SIZE + 50)]
    await asyncio.gather(*(unreliable_store.commit(creation(game)) for game in games))
    followers = await asyncio.gather(*(subscribe(hub, unreliable_store, game) for game in games))
    hub.start()
    await asyncio.gather(*(unreliable_store.commit(action(1, game)) for game in games))
    await asyncio.gather(*(follower.reach(2) for follower in followers))


async def test_a_long_log_is_read_page_by_page(hub: Hub, unreliable_store: UnreliableStore) -> None:
    await unreliable_store.commit(creation())
    await unreliable_store.commit(action(1, count=2 * PAGE_SIZE + 5))
    first = await subscribe(hub, unreliable_store, since=1)
    second = await subscribe(hub, unreliable_store, since=0)
    await first.reach(2 * PAGE_SIZE + 6)
    await second.reach(2 * PAGE_SIZE + 6)
    await unreliable_store.commit(commit := action(2 * PAGE_SIZE + 6))
    hub.publish_commit("g", commit.diffs)
    assert first.version == second.version == 2 * PAGE_SIZE + 7


@pytest.mark.parametrize("error", (RuntimeError("the handler is closed"), ConnectionResetError("gone")))
async def test_one_watchers_trouble_is_nobody_elses(
    hub: Hub, unreliable_store: UnreliableStore, error: Exception, redis: Redis
) -> None:
    hub.start()
    await unreliable_store.commit(creation())
    one = await subscribe(hub, unreliable_store)
    await hub.subscribe(FailingSubscriber(error), "g", StreamPosition(1, digest(1)))
    other = await subscribe(hub, unreliable_store)
    await unreliable_store.commit(commit := action(1))
    hub.publish_commit("g", commit.diffs)
    assert one.version == other.version == 2
    await redis.flushall()
    async with asyncio.timeout(5):
        while not other.lost:
            other.heard.clear()
            await other.heard.wait()
    assert [type(lost) for lost in (*one.lost, *other.lost)] == [NoSuchGame, NoSuchGame]
    assert len(hub) == 0


async def test_an_outage_of_the_store_is_outlasted(hub: Hub, unreliable_store: UnreliableStore) -> None:
    unreliable_store.hint_failures = 3
    hub.start()
    await unreliable_store.commit(creation())
    follower = await subscribe(hub, unreliable_store)
    for version in range(1, 4):
        await unreliable_store.commit(action(version))
        unreliable_store.failures = 5
        await follower.reach(version + 1)
    loaded = await unreliable_store.load("g")
    assert loaded is not None
    unreliable_store.failures = 3
    late = VersionSubscriber(2)
    await hub.subscribe(late, "g", StreamPosition(2, digest(2)))
    assert late.version == 4


async def test_with_its_last_watcher_a_feed_ends(hub: Hub, unreliable_store: UnreliableStore) -> None:
    await unreliable_store.commit(creation())
    one, other = await subscribe(hub, unreliable_store), await subscribe(hub, unreliable_store)
    hub.unsubscribe(one, "g")
    assert len(hub) == 1
    hub.unsubscribe(one, "g")
    hub.unsubscribe(other, "g")
    hub.unsubscribe(other, "g")
    assert len(hub) == 0
    await unreliable_store.commit(commit := action(1))
    hub.publish_commit("g", commit.diffs)
    assert one.version == other.version == 1
    again = await subscribe(hub, unreliable_store)
    assert again.version == 2


async def test_reached_waits_for_nobody_who_does_not_watch(hub: Hub, unreliable_store: UnreliableStore) -> None:
    await unreliable_store.commit(creation())
    await hub.wait_for_version(VersionSubscriber(), "g", 99)
    follower = await subscribe(hub, unreliable_store)
    await hub.wait_for_version(VersionSubscriber(), "g", 99)
    await hub.wait_for_version(follower, "g", 1)
    waiting = asyncio.create_task(hub.wait_for_version(follower, "g", 99))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    hub.unsubscribe(follower, "g")
    async with asyncio.timeout(1):
        await waiting


async def test_a_feed_whose_game_this_instance_cannot_show_ends(unreliable_store: UnreliableStore) -> None:
    game = await stored_game(unreliable_store)
    hub = Hub(unreliable_store, TileSetCatalogue([]), sweep_interval_s=0.05)
    hub.start()
    beginner = SnapshotSubscriber()
    await hub.subscribe(beginner, game, StreamPosition(5, digest(5)))
    async with asyncio.timeout(5):
        while not beginner.lost:
            beginner.heard.clear()
            await beginner.heard.wait()
    assert isinstance(beginner.lost[0], TileSetMissing)
    assert not len(hub)
    await hub.aclose()


async def test_a_snapshot_that_cannot_be_read_is_no_answer_of_the_store(unreliable_store: UnreliableStore) -> None:
    await unreliable_store.commit(creation())
    loaded = await unreliable_store.load("g")
    assert loaded is not None
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        decode_view(TILESETS, loaded)
