"""Whoever joins a feed goes on from the state that they have, wherever the feed is by then."""

import asyncio

import pytest
from redis.asyncio import Redis

from service.games.errors import NoSuchGame
from service.games.realtime.hub import Watch
from service.games.realtime.messages import Position
from tests.games.realtime.watchers import Beginner, Fickle, Follower, join, stored_game
from tests.store.commits import action, creation, digest


async def test_who_joins_behind_or_before_the_feed_is_brought_to_it(watch: Watch, fickle: Fickle) -> None:
    await fickle.commit(creation())
    await fickle.commit(action(1, count=4))
    ahead = await join(watch, fickle)
    behind = await join(watch, fickle, since=2)
    await fickle.commit(action(5, count=2))  # unknown to the feed
    newest = await join(watch, fickle)
    for follower in (ahead, behind, newest):
        await follower.reach(7)


async def test_joining_in_the_middle_of_many_commits_misses_nothing(watch: Watch, fickle: Fickle) -> None:
    watch.start()
    await fickle.commit(creation())
    last = 300

    async def commit_all() -> None:
        for version in range(1, last):
            await fickle.commit(commit := action(version))
            if version % 2:  # the other half are another instance's
                watch.committed("g", commit.diffs)

    async with asyncio.TaskGroup() as group:
        committing = group.create_task(commit_all())
        joined: list[Follower] = []
        while not committing.done():
            joined += await asyncio.gather(*(join(watch, fickle, since=since) for since in (0, 1, None)))
            if len(joined) % 2:
                watch.leave(joined[0], "g")
                joined = joined[1:]
    for follower in joined:
        await follower.reach(last)


@pytest.mark.parametrize(
    ("since", "known", "found"),
    (
        (None, None, None),
        (4, None, Position(4, digest(4))),
        (4, digest(4), Position(4, digest(4))),
        (4, digest(3), None),
        (5, None, None),
        (2, None, Position(2, digest(2))),
        (2, digest(2), Position(2, digest(2))),
        (2, digest(4), None),
        (0, None, Position(0, digest(0))),
    ),
)
async def test_a_watcher_goes_on_where_the_log_knows_its_state(
    watch: Watch, fickle: Fickle, since: int | None, known: str | None, found: Position | None
) -> None:
    await fickle.commit(creation())
    await fickle.commit(action(1, count=3))
    loaded = await fickle.load("g")
    assert loaded is not None
    assert await watch.find("g", loaded, since, known) == found


async def test_nobody_joins_a_game_that_is_gone(watch: Watch, fickle: Fickle, redis: Redis) -> None:
    await fickle.commit(creation())
    await join(watch, fickle)
    await redis.flushall()
    with pytest.raises(NoSuchGame):
        await watch.join(Follower(), "g", Position(2, digest(2)))


async def test_who_joins_with_another_past_gets_the_game_whole(watch: Watch, fickle: Fickle) -> None:
    game = await stored_game(fickle)
    loaded = await fickle.load(game)
    assert loaded is not None
    first = Follower(1)
    await watch.join(first, game, Position(1, loaded.digest))
    for past in (Position(1, digest(1)), Position(0, digest(0)), Position(7, digest(7))):
        other = Beginner()
        await watch.join(other, game, past)
        (news,) = other.whole
        assert (news.digest, news.view) == (loaded.digest, watch.view(loaded))
        watch.leave(other, game)
    assert first.version == 1
