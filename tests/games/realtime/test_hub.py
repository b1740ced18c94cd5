"""The feeds of one process: every diff once and in order, whatever brings it and whatever fails in between."""

import asyncio

import pytest
from redis.asyncio import Redis

from service.games.errors import NoSuchGame, TileSetMissing
from service.games.ports import StoreUnavailable
from service.games.realtime.hub import PAGE, SWEEP_BATCH, Watch
from service.games.realtime.messages import Position
from service.games.tilesets import TileSetCatalogue
from tests.games.realtime.watchers import Beginner, Broken, Fickle, Follower, join, stored_game
from tests.store.commits import action, creation, digest


async def test_own_commits_are_told_at_once_and_not_read(watch: Watch, fickle: Fickle) -> None:
    await fickle.commit(creation())
    followers = [await join(watch, fickle) for _ in range(3)]
    reads = fickle.reads
    for version in range(1, 5):
        await fickle.commit(commit := action(version))
        watch.committed("g", commit.diffs)
        assert [follower.version for follower in followers] == [version + 1] * 3
        watch.committed("g", commit.diffs)
        watch.committed("nobody watches this", commit.diffs)
    await asyncio.sleep(0.01)
    assert fickle.reads == reads
    assert [follower.version for follower in followers] == [5] * 3


async def test_an_own_commit_on_others_that_are_not_read_yet_has_them_read(watch: Watch, fickle: Fickle) -> None:
    await fickle.commit(creation())
    follower = await join(watch, fickle)
    await fickle.commit(action(1, count=3))
    await fickle.commit(commit := action(4))
    watch.committed("g", commit.diffs)
    assert follower.version == 1
    await watch.reached(follower, "g", 5)
    assert follower.version == 5


@pytest.mark.parametrize("deaf", (True, False))
async def test_others_commits_are_read_when_they_are_announced_or_swept(
    watch: Watch, fickle: Fickle, deaf: bool
) -> None:
    fickle.deaf = deaf
    watch.start()
    await fickle.commit(creation())
    follower = await join(watch, fickle)
    for version in range(1, 6):
        await fickle.commit(action(version))
        await follower.reach(version + 1)


async def test_watchers_go_on_where_the_store_lacked_a_version_for_a_moment(watch: Watch, fickle: Fickle) -> None:
    """They have version 2 of the history that is stored again: the whole game would tell them nothing."""
    await fickle.commit(creation())
    follower = await join(watch, fickle)
    await fickle.commit(commit := action(1))
    watch.committed("g", commit.diffs)
    fickle.deaf, fickle.behind = True, 1
    watch.start()
    async with asyncio.timeout(10):
        while fickle.behind:  # noqa: ASYNC110 (the sweep asks when it will)
            await asyncio.sleep(0.01)
    await fickle.commit(action(2))
    await follower.reach(3)
    assert follower.lost == []


async def test_a_sweep_finds_whatever_many_games_have_changed(watch: Watch, fickle: Fickle) -> None:
    fickle.deaf = True
    games = [f"g{number}" for number in range(2 * SWEEP_BATCH + 50)]
    await asyncio.gather(*(fickle.commit(creation(game)) for game in games))
    followers = await asyncio.gather(*(join(watch, fickle, game) for game in games))
    watch.start()
    await asyncio.gather(*(fickle.commit(action(1, game)) for game in games))
    await asyncio.gather(*(follower.reach(2) for follower in followers))


async def test_a_long_log_is_read_page_by_page(watch: Watch, fickle: Fickle) -> None:
    await fickle.commit(creation())
    await fickle.commit(action(1, count=2 * PAGE + 5))
    first = await join(watch, fickle, since=1)
    second = await join(watch, fickle, since=0)
    await first.reach(2 * PAGE + 6)
    await second.reach(2 * PAGE + 6)
    await fickle.commit(commit := action(2 * PAGE + 6))
    watch.committed("g", commit.diffs)
    assert first.version == second.version == 2 * PAGE + 7


@pytest.mark.parametrize("error", (RuntimeError("the handler is closed"), ConnectionResetError("gone")))
async def test_one_watchers_trouble_is_nobody_elses(
    watch: Watch, fickle: Fickle, error: Exception, redis: Redis
) -> None:
    watch.start()
    await fickle.commit(creation())
    one = await join(watch, fickle)
    await watch.join(Broken(error), "g", Position(1, digest(1)))
    other = await join(watch, fickle)
    await fickle.commit(commit := action(1))
    watch.committed("g", commit.diffs)
    assert one.version == other.version == 2
    await redis.flushall()
    async with asyncio.timeout(5):
        while not other.lost:
            other.heard.clear()
            await other.heard.wait()
    assert [type(lost) for lost in (*one.lost, *other.lost)] == [NoSuchGame, NoSuchGame]
    assert len(watch) == 0


async def test_an_outage_of_the_store_is_outlasted(watch: Watch, fickle: Fickle) -> None:
    fickle.hint_failures = 3
    watch.start()
    await fickle.commit(creation())
    follower = await join(watch, fickle)
    for version in range(1, 4):
        await fickle.commit(action(version))
        fickle.failures = 5
        await follower.reach(version + 1)
    loaded = await fickle.load("g")
    assert loaded is not None
    fickle.failures = 3
    late = Follower(2)
    await watch.join(late, "g", Position(2, digest(2)))
    assert late.version == 4


async def test_with_its_last_watcher_a_feed_ends(watch: Watch, fickle: Fickle) -> None:
    await fickle.commit(creation())
    one, other = await join(watch, fickle), await join(watch, fickle)
    watch.leave(one, "g")
    assert len(watch) == 1
    watch.leave(one, "g")
    watch.leave(other, "g")
    watch.leave(other, "g")
    assert len(watch) == 0
    await fickle.commit(commit := action(1))
    watch.committed("g", commit.diffs)
    assert one.version == other.version == 1
    again = await join(watch, fickle)
    assert again.version == 2


async def test_reached_waits_for_nobody_who_does_not_watch(watch: Watch, fickle: Fickle) -> None:
    await fickle.commit(creation())
    await watch.reached(Follower(), "g", 99)
    follower = await join(watch, fickle)
    await watch.reached(Follower(), "g", 99)
    await watch.reached(follower, "g", 1)
    waiting = asyncio.create_task(watch.reached(follower, "g", 99))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    watch.leave(follower, "g")
    async with asyncio.timeout(1):
        await waiting


async def test_a_feed_whose_game_this_instance_cannot_show_ends(fickle: Fickle) -> None:
    game = await stored_game(fickle)
    watch = Watch(fickle, TileSetCatalogue([]), sweep_s=0.05)
    watch.start()
    beginner = Beginner()
    await watch.join(beginner, game, Position(5, digest(5)))
    async with asyncio.timeout(5):
        while not beginner.lost:
            beginner.heard.clear()
            await beginner.heard.wait()
    assert isinstance(beginner.lost[0], TileSetMissing)
    assert not len(watch)
    await watch.aclose()


async def test_a_snapshot_that_cannot_be_read_is_no_answer_of_the_store(watch: Watch, fickle: Fickle) -> None:
    await fickle.commit(creation())
    loaded = await fickle.load("g")
    assert loaded is not None
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        watch.view(loaded)
