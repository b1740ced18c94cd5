"""Watching games: this process's feeds, kept up with the store's log, whichever instance commits.

Three things say that a game has changed: this instance's own commits, which are told at once where they continue the
feed; the store's hints, which may be lost; and a sweep over the versions of all watched games. The log alone is the
truth: it is read from the feed's position on, and where it does not continue there, the watchers get the whole game.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing
from itertools import groupby

from schemas.game import GameView
from service.engine import view
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.game_failures import record_failure
from service.games.ports import Loaded, Store, StoredDiff, StoreUnavailable
from service.games.realtime.channel import Feed
from service.games.realtime.messages import Changed, Position, Replaced, Subscriber, TokenHolder, follows
from service.games.stored import access_of, game_of
from service.games.tilesets import TileSetCatalogue
from service.supervision import Backoff, SupervisedTask, Supervisor, spawn
from service.telemetry import clock, tracing
from service.telemetry.metrics import LAG, NOTIFICATIONS, REPLACED, SWEPT
from service.telemetry.throttled import ThrottledLog

__all__ = ["Watch"]

LOG = logging.getLogger(__name__)
_UNREAD, _UNSWEPT = ThrottledLog(LOG), ThrottledLog(LOG)

PAGE = 200
"""Diffs in one reading of a log."""

SWEEP_BATCH = 200
"""Games whose versions are asked for at once."""

READ_TIMEOUT_S = 10.0
"""A read that takes longer has failed and is tried again, so that a store that hangs keeps nobody waiting for ever."""

JOIN_TIMEOUT_S = 20.0
"""A watcher whom the log does not reach for so long is told that the store does not answer."""

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 1.0
"""Between attempts while the store does not answer: doubled each time."""

FAILED = Backoff(1.0, 60.0)
"""Pauses after any other failure of a game's feed."""


class Watch:
    """All games watched in this process. `start` it inside the event loop, and `aclose` it.

    `outdate` is called with each game that another instance has changed, as far as one hears, and its version.
    """

    def __init__(
        self,
        store: Store,
        tilesets: TileSetCatalogue,
        sweep_s: float = 1.0,
        outdate: Callable[[str, int], None] = lambda _game, _version: None,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._store = store
        self._tilesets = tilesets
        self._sweep_s = sweep_s
        self._outdate = outdate
        self._supervisor = supervisor or Supervisor()
        self._feeds: dict[str, Feed] = {}
        self._tasks: list[SupervisedTask] = []
        self._rechecks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Listen to the store's hints and sweep, until `aclose`."""
        start = self._supervisor.start
        self._tasks = [start("realtime-notifications", self._listen), start("realtime-sweep", self._sweep)]

    async def aclose(self) -> None:
        """Let every watcher go, without a word, and end all tasks."""
        reading = [*self._rechecks, *(feed.task for feed in self._feeds.values() if feed.task is not None)]
        for feed in [*self._feeds.values()]:
            self._drop(feed)
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, *map(self._supervisor.stop, self._tasks), return_exceptions=True)

    def __len__(self) -> int:
        """How many games are watched."""
        return len(self._feeds)

    def subscriptions(self) -> int:
        """How many watchers there are, each once for each game that it watches."""
        return sum(len(feed.watchers) for feed in [*self._feeds.values()])

    def watchers(self, game: str) -> int:
        """How many watch a game."""
        feed = self._feeds.get(game)
        return 0 if feed is None else len(feed.watchers)

    def committed(self, game: str, diffs: Sequence[StoredDiff]) -> bool:
        """Tell at once what this instance has committed, without asking the store; whether somebody was told."""
        feed = self._feeds.get(game)
        if feed is None:
            return False
        with tracing.span("deliver"):
            told = feed.offer(diffs)
        if not told:
            self._read_soon(feed)
        return told

    def tokens_ended(self, game: str) -> None:
        """Send those away who watch a game by a token that has ended."""
        feed = self._feeds.get(game)
        if feed is not None:
            task = spawn("realtime-tokens", self._recheck(feed))
            self._rechecks.add(task)
            task.add_done_callback(self._rechecks.discard)

    async def _recheck(self, feed: Feed) -> None:
        """Let everybody's token be looked at again; lasts as long as an outage."""
        failures = 0
        while self._feeds.get(feed.game) is feed:
            try:
                async with asyncio.timeout(READ_TIMEOUT_S):
                    loaded = await self._store.load(feed.game)
                access = None if loaded is None else access_of(loaded)
            except Exception as error:  # noqa: BLE001  one failing game must not end what the others' watchers get
                failures += 1
                await asyncio.sleep(_pause_s(feed, error, failures))
                continue
            if access is not None:
                for watcher in [*feed.watchers]:
                    if isinstance(watcher, TokenHolder):
                        watcher.recheck(feed.game, access)
            return

    async def find(self, game: str, loaded: Loaded, since: int | None, digest: str | None) -> Position | None:
        """Where a watcher who has version `since` goes on from; None where only the whole game helps.

        That is: without `since`, in the future, before what the log holds, or with a digest of another history.
        """
        if since is None or since > loaded.version:
            return None
        if since == loaded.version:
            return Position(since, loaded.digest) if digest in (None, loaded.digest) else None
        following = await self._store.diffs(game, since, 1)
        if not following or following[0].version != since + 1 or digest not in (None, following[0].previous):
            return None
        return Position(since, following[0].previous)

    async def join(self, subscriber: Subscriber, game: str, position: Position) -> None:
        """Tell `subscriber` all that came after `position`, and from then on everything, once and in order.

        Raises NoSuchGame or TileSetMissing, or StoreUnavailable where that takes too long: then `subscriber` is told
        nothing more, and shall ask again.
        """
        try:
            async with asyncio.timeout(JOIN_TIMEOUT_S):
                await self._join(subscriber, game, position)
        except TimeoutError:
            self.leave(subscriber, game)
            raise StoreUnavailable(f"game {game} was not read within {JOIN_TIMEOUT_S} s") from None

    async def _join(self, subscriber: Subscriber, game: str, position: Position) -> None:
        while True:
            feed = self._feeds.get(game)
            if feed is None:
                feed = self._feeds[game] = Feed(game, position)
                self._store.follow(game)
                feed.watchers.enter(subscriber)
                self._read_soon(feed)
                await feed.attempt()
                return
            if feed.position == position and not feed.lost:
                feed.watchers.enter(subscriber)
                return
            try:
                position = await self._approach(subscriber, feed, position)
            except StoreUnavailable:
                await asyncio.sleep(LONGEST_PAUSE_S)

    def leave(self, subscriber: Subscriber, game: str) -> Position | None:
        """Tell `subscriber` nothing more of this game, and give up to where it was told; None if it was not watching.

        A feed without watchers ends.
        """
        feed = self._feeds.get(game)
        if feed is None or subscriber not in feed.watchers:
            return None
        feed.watchers.leave(subscriber)
        if not feed.watchers:
            self._drop(feed)
        return feed.position

    async def reached(self, subscriber: Subscriber, game: str, version: int) -> None:
        """Wait until `subscriber` was told this version, if it watches the game and the version is still to come.

        Raises StoreUnavailable where that takes too long.
        """
        feed = self._feeds.get(game)
        if feed is None:
            return
        if subscriber in feed.watchers and feed.position.version < version:
            try:
                async with asyncio.timeout(JOIN_TIMEOUT_S):
                    await self._reach(subscriber, feed, version)
            except TimeoutError:
                raise StoreUnavailable(f"game {game} was not read within {JOIN_TIMEOUT_S} s") from None
        feed.watchers.catch_up(subscriber)

    async def _reach(self, subscriber: Subscriber, feed: Feed, version: int) -> None:
        replacements = feed.replacements
        while (
            subscriber in feed.watchers
            and feed.position.version < version
            and feed.replacements == replacements
            and self._feeds.get(feed.game) is feed
        ):
            self._read_soon(feed)
            await feed.attempt()

    def view(self, loaded: Loaded) -> GameView:
        """GAME of what was loaded; raises TileSetMissing, Unreadable."""
        game = game_of(loaded)
        return view(self._tilesets.of_game(game.tileset).tables, game)

    async def _approach(self, subscriber: Subscriber, feed: Feed, position: Position) -> Position:
        """Tell a newcomer what lies between its position and the feed's; gives where it is then."""
        before = feed.position
        diffs = await self._store.diffs(feed.game, position.version, PAGE)
        if diffs and follows(position, diffs):
            news = Changed(game=feed.game, diffs=diffs)
            subscriber.deliver(news)
            feed.offer(diffs)
            return news.position
        loaded = await self._store.load(feed.game)
        if loaded is None:
            raise NoSuchGame(feed.game)
        now = Position(loaded.version, loaded.digest)
        if feed.judge(before, now):
            self._read_soon(feed)
            await feed.attempt()
        if diffs or now.version < position.version or (now.version == position.version and now != position):
            subscriber.deliver(Replaced(game=feed.game, digest=loaded.digest, view=self.view(loaded)))
            return now
        return position

    def _read_soon(self, feed: Feed) -> None:
        feed.behind = True
        if feed.task is None or feed.task.done():
            feed.task = spawn("realtime-feed", self._keep_up(feed))

    async def _keep_up(self, feed: Feed) -> None:
        """Read until the log holds no more, the only task that does so for this feed; lasts as long as an outage."""
        failures = 0
        try:
            while feed.watchers and (feed.behind or feed.lost):
                feed.behind = False
                try:
                    async with asyncio.timeout(READ_TIMEOUT_S):
                        await (self._begin_anew(feed) if feed.lost else self._read(feed))
                except Exception as error:  # noqa: BLE001  one failing game must not end what the others' watchers get
                    failures += 1
                    feed.behind = True
                    feed.attempted()
                    await asyncio.sleep(_pause_s(feed, error, failures))
                else:
                    failures = 0
                    feed.attempted()
        finally:
            feed.attempted()

    async def _read(self, feed: Feed) -> None:
        diffs = await self._store.diffs(feed.game, feed.position.version, PAGE)
        if not _tell(feed, diffs):
            feed.lost = True
        elif len(diffs) == PAGE:
            feed.behind = True
        else:
            feed.current = True

    async def _begin_anew(self, feed: Feed) -> None:
        loaded = await self._store.load(feed.game)
        if loaded is None:
            self._end(feed, NoSuchGame(feed.game))
            return
        if await self.find(feed.game, loaded, *feed.position) is not None:
            # A primary that was promoted had less for a moment: the commit that it lacked was sent again.
            feed.lost, feed.behind = False, True
            return
        try:
            whole = self.view(loaded)
        except TileSetMissing as unknown:
            self._end(feed, unknown)
            return
        LOG.warning("game %s has another history now: its watchers get it whole", feed.game)
        REPLACED.inc()
        feed.replace(loaded.digest, whole)
        feed.behind = True

    def _end(self, feed: Feed, error: NoSuchGame | TileSetMissing) -> None:
        self._drop(feed)
        feed.watchers.end(error)

    def _drop(self, feed: Feed) -> None:
        if self._feeds.get(feed.game) is feed:
            del self._feeds[feed.game]
            self._store.unfollow(feed.game)
        feed.attempted()

    async def _listen(self) -> None:
        while True:
            try:
                async with aclosing(self._store.hints()) as hints:
                    async for hint in hints:
                        NOTIFICATIONS.inc()
                        if hint.version is not None:
                            self._outdate(hint.game, hint.version)
                        if hint.ends_tokens:
                            self.tokens_ended(hint.game)
                        feed = self._feeds.get(hint.game)
                        if feed is not None and (hint.version is None or hint.version > feed.position.version):
                            self._read_soon(feed)
            except StoreUnavailable as unavailable:
                LOG.warning("the store gives no hints: %s", unavailable)
            await asyncio.sleep(LONGEST_PAUSE_S)

    async def _sweep(self) -> None:
        """Ask for the versions of all watched games in each `sweep_s`, batch by batch."""
        while True:
            games = [*self._feeds]
            batches = [games[begin : begin + SWEEP_BATCH] for begin in range(0, len(games), SWEEP_BATCH)]
            for batch in batches or [[]]:
                await asyncio.sleep(self._sweep_s / (len(batches) or 1))
                try:
                    async with asyncio.timeout(READ_TIMEOUT_S):
                        await self._compare(batch)
                except (StoreUnavailable, TimeoutError) as unavailable:
                    _UNSWEPT.warning("the watched games' versions cannot be read: %s", unavailable)

    async def _compare(self, games: Sequence[str]) -> None:
        before = {game: (feed, feed.position) for game in games if (feed := self._feeds.get(game)) is not None}
        found = await self._store.versions([*before])
        for (feed, position), now in zip(before.values(), found, strict=True):
            if feed.judge(position, None if now is None else Position(*now)):
                if feed.task is None or feed.task.done():
                    SWEPT.inc()
                self._read_soon(feed)


def _pause_s(feed: Feed, error: Exception, failures: int) -> float:
    """Record that a feed could not be read; gives how long to wait before it is read again."""
    if isinstance(error, (StoreUnavailable, TimeoutError)):
        _UNREAD.warning("game %s cannot be read: %s", feed.game, str(error) or f"no answer within {READ_TIMEOUT_S} s")
        return Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S, jitter=0).pause_s(failures)
    record_failure("realtime", feed.game, error, "its watchers wait")
    return FAILED.pause_s(failures)


def _tell(feed: Feed, diffs: Sequence[StoredDiff]) -> bool:
    """Offer what was read of the log, and see how late that is; what a new watcher had missed before is not late."""
    stamps = [clock.read(diff.meta) for diff in diffs]
    told = _tell_traced(feed, diffs, stamps) if diffs and tracing.on() else feed.offer(diffs)
    if told and feed.current:
        now = clock.now_us()
        for stamp in stamps:
            if stamp is not None:
                _ELSEWHERE.observe(max(0, now - stamp.sent_us) / 1e6)
    return told


def _tell_traced(feed: Feed, diffs: Sequence[StoredDiff], stamps: Sequence[clock.Stamp | None]) -> bool:
    """Offer each commit's diffs in its trace."""
    parents = ["" if stamp is None else stamp.traceparent for stamp in stamps]
    for parent, part in groupby(zip(parents, diffs, strict=True), lambda one: one[0]):
        news = [diff for _, diff in part]
        if not parent:
            told = feed.offer(news)
        else:
            with tracing.span("deliver", "consumer", parent, {"south_seas.game": feed.game}):
                told = feed.offer(news)
        if not told:
            return False
    return True


_ELSEWHERE = LAG.labels("elsewhere")
