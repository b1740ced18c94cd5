"""Whoever joins a channel goes on from the state that they have, wherever the channel is by then."""

import asyncio

import pytest
from redis.asyncio import Redis

from service.games.errors import NoSuchGame
from service.games.realtime.hub import Hub
from service.games.realtime.recovery import decode_view, resolve_position
from service.games.realtime.stream_position import StreamPosition
from tests.games.realtime.subscribers import (
    TILESETS,
    SnapshotSubscriber,
    UnreliableStore,
    VersionSubscriber,
    stored_game,
    subscribe,
)
from tests.store.commits import action, creation, digest


async def test_who_joins_behind_or_before_the_feed_is_brought_to_it(
    hub: Hub, unreliable_store: UnreliableStore
) -> None:
    await unreliable_store.commit(creation())
    await unreliable_store.commit(action(1, count=4))
    ahead = await subscribe(hub, unreliable_store)
    behind = await subscribe(hub, unreliable_store, since=2)
    await unreliable_store.commit(action(5, count=2))  # unknown to the channel
    newest = await subscribe(hub, unreliable_store)
    for follower in (ahead, behind, newest):
        await follower.reach(7)


async def test_joining_in_the_middle_of_many_commits_misses_nothing(
    hub: Hub, unreliable_store: UnreliableStore
) -> None:
    hub.start()
    await unreliable_store.commit(creation())
    last = 300

    async def commit_all() -> None:
        for version in range(1, last):
            await unreliable_store.commit(commit := action(version))
            if version % 2:  # the other half are another instance's
                hub.publish_commit("g", commit.diffs)

    async with asyncio.TaskGroup() as group:
        committing = group.create_task(commit_all())
        joined: list[VersionSubscriber] = []
        while not committing.done():
            joined += await asyncio.gather(*(subscribe(hub, unreliable_store, since=since) for since in (0, 1, None)))
            if len(joined) % 2:
                hub.unsubscribe(joined[0], "g")
                joined = joined[1:]
    for follower in joined:
        await follower.reach(last)


@pytest.mark.parametrize(
    ("since", "known", "found"),
    (
        (None, None, None),
        (4, None, StreamPosition(4, digest(4))),
        (4, digest(4), StreamPosition(4, digest(4))),
        (4, digest(3), None),
        (5, None, None),
        (2, None, StreamPosition(2, digest(2))),
        (2, digest(2), StreamPosition(2, digest(2))),
        (2, digest(4), None),
        (0, None, StreamPosition(0, digest(0))),
    ),
)
async def test_a_watcher_goes_on_where_the_log_knows_its_state(
    unreliable_store: UnreliableStore, since: int | None, known: str | None, found: StreamPosition | None
) -> None:
    await unreliable_store.commit(creation())
    await unreliable_store.commit(action(1, count=3))
    loaded = await unreliable_store.load("g")
    assert loaded is not None
    assert await resolve_position(unreliable_store, "g", loaded, since, known) == found


async def test_nobody_joins_a_game_that_is_gone(hub: Hub, unreliable_store: UnreliableStore, redis: Redis) -> None:
    await unreliable_store.commit(creation())
    await subscribe(hub, unreliable_store)
    await redis.flushall()
    with pytest.raises(NoSuchGame):
        await hub.subscribe(VersionSubscriber(), "g", StreamPosition(2, digest(2)))


async def test_who_joins_with_another_past_gets_the_game_whole(hub: Hub, unreliable_store: UnreliableStore) -> None:
    game = await stored_game(unreliable_store)
    loaded = await unreliable_store.load(game)
    assert loaded is not None
    first = VersionSubscriber(1)
    await hub.subscribe(first, game, StreamPosition(1, loaded.digest))
    for past in (StreamPosition(1, digest(1)), StreamPosition(0, digest(0)), StreamPosition(7, digest(7))):
        other = SnapshotSubscriber()
        await hub.subscribe(other, game, past)
        (message,) = other.whole
        assert (message.digest, message.view) == (loaded.digest, decode_view(TILESETS, loaded))
        hub.unsubscribe(other, game)
    assert first.version == 1
