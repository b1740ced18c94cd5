"""The feeds of one process: every diff once and in order, whatever brings it and whatever fails in between."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from service.engine import encode
from service.games import watch as watch_module
from service.games.errors import GameError, NoSuchGame, TileSetMissing
from service.games.feed import Feed
from service.games.news import Changed, News, Position, Replaced
from service.games.port import Loaded, StoredDiff, StoreUnavailable
from service.games.tilesets import TileSetCatalogue, load_catalogue
from service.games.watch import PAGE, SWEEP_BATCH, Watch
from service.store.store import RedisStore
from tests.games.logs import new_game
from tests.store.commits import action, creation, diff, digest

TILESETS = load_catalogue(None)


class Follower:
    """A watcher that fails where what it is told does not continue."""

    def __init__(self, since: int = 1) -> None:
        self.version = since
        self.lost: list[GameError] = []
        self.heard = asyncio.Event()

    def deliver(self, news: News) -> None:
        """Take diffs."""
        assert isinstance(news, Changed)
        for one in news.diffs:
            assert one == diff(self.version + 1)
            self.version += 1
        self.heard.set()

    def lose(self, game: str, error: GameError) -> None:
        """Take the end."""
        del game
        self.lost.append(error)
        self.heard.set()

    async def reach(self, version: int) -> None:
        """Wait for a version."""
        async with asyncio.timeout(5):
            while self.version < version:
                self.heard.clear()
                await self.heard.wait()
        assert self.version == version


class Broken(Follower):
    """A watcher whose connection raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def deliver(self, news: News) -> None:
        """Fail."""
        del news
        raise self.error

    def lose(self, game: str, error: GameError) -> None:
        """Fail."""
        del game, error
        raise self.error


class Fickle(RedisStore):
    """A store that counts what is read of it, and may be deaf or out of reach."""

    reads = 0
    failures = 0
    deaf = False
    hint_failures = 0

    async def diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """The log."""
        self.reads += 1
        self._check()
        return await super().diffs(game, since, limit)

    async def load(self, game: str, key: str | None = None) -> Loaded | None:
        """The game."""
        self._check()
        return await super().load(game, key)

    async def versions(self, games: Sequence[str]) -> list[tuple[int, str] | None]:
        """The versions."""
        self._check()
        return await super().versions(games)

    async def hints(self) -> Any:
        """Announcements, unless it is deaf."""
        if self.hint_failures:
            self.hint_failures -= 1
            raise StoreUnavailable("no hints")
        if self.deaf:
            await asyncio.Event().wait()
        async for game in super().hints():
            yield game

    def _check(self) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("out of reach")


@pytest.fixture
def fickle(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> Fickle:
    monkeypatch.setattr(watch_module, "LONGEST_PAUSE_S", 0.02)
    return Fickle(store._redis, store._batches)


@pytest.fixture
async def watch(fickle: Fickle) -> AsyncIterator[Watch]:
    """It neither listens nor sweeps before it is started."""
    found = Watch(fickle, TILESETS, sweep_s=0.05)
    yield found
    await found.aclose()


async def join(watch: Watch, store: RedisStore, game: str = "g", since: int | None = None) -> Follower:
    """A watcher from this version on, or from the game's version now."""
    loaded = await store.load(game)
    assert loaded is not None
    version = loaded.version if since is None else since
    position = await watch.find(game, loaded, version, None)
    assert position is not None
    follower = Follower(version)
    await watch.join(follower, game, position)
    return follower


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


@pytest.mark.parametrize("error", (RuntimeError("the handler is closed"), ConnectionResetError("gone")))
async def test_one_watchers_trouble_is_nobody_elses(watch: Watch, fickle: Fickle, error: Exception) -> None:
    watch.start()
    await fickle.commit(creation())
    one = await join(watch, fickle)
    await watch.join(Broken(error), "g", Position(1, digest(1)))
    other = await join(watch, fickle)
    await fickle.commit(commit := action(1))
    watch.committed("g", commit.diffs)
    assert one.version == other.version == 2
    await fickle._redis.flushall()
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


async def test_nobody_joins_a_game_that_is_gone(watch: Watch, fickle: Fickle) -> None:
    await fickle.commit(creation())
    await join(watch, fickle)
    await fickle._redis.flushall()
    with pytest.raises(NoSuchGame):
        await watch.join(Follower(), "g", Position(2, digest(2)))


class Beginner(Follower):
    """A watcher that takes a whole game, too."""

    def __init__(self) -> None:
        super().__init__()
        self.whole: list[Replaced] = []

    def deliver(self, news: News) -> None:
        """Take anything."""
        if isinstance(news, Replaced):
            self.whole.append(news)
        self.heard.set()


async def stored_game(store: RedisStore) -> str:
    """A real game; gives its id."""
    game, log = new_game("whole")
    await store.commit(creation(game.id, snapshot=encode(game), diffs=log))
    return game.id


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


def test_a_feed_refuses_what_does_not_continue() -> None:
    feed, follower = Feed("g", Position(3, digest(3))), Follower(3)
    feed.watchers.enter(follower)
    assert not feed.offer([diff(5)])
    assert not feed.offer([StoredDiff(4, digest(4), "another past", b"")])
    assert not feed.offer([diff(4), diff(6)])
    assert feed.offer([diff(2), diff(3)])
    assert follower.version == 3
    assert feed.offer([diff(3), diff(4), diff(5)])
    assert (follower.version, feed.position) == (5, Position(5, digest(5)))


@pytest.mark.parametrize(
    ("now", "lost", "behind"),
    (
        (None, True, False),
        (Position(2, digest(2)), True, False),
        (Position(3, "another past"), True, False),
        (Position(3, digest(3)), False, False),
        (Position(4, digest(4)), False, True),
    ),
)
def test_a_feed_is_held_against_the_store(now: Position | None, lost: bool, behind: bool) -> None:
    feed = Feed("g", Position(3, digest(3)))
    assert feed.judge(feed.position, now) == (lost or behind)
    assert (feed.lost, feed.behind) == (lost, behind)
