"""A subscriber continues from the state that it has, wherever the channel is by then."""

import asyncio

import pytest
from redis.asyncio import Redis

from service.games.channel import build_snapshot
from service.games.errors import NoSuchGame
from service.games.hub import Hub
from service.games.ports import Revision
from tests.games.realtime.subscribers import (
    TILESETS,
    SnapshotSubscriber,
    UnreliableStore,
    VersionSubscriber,
    store_game,
    subscribe,
)
from tests.store.commits import action, digest, load_record


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
                hub.publish_commit("g", commit.diffs)

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
