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
from service.games.ports import GameRecord, GameStore, StoredDiff, StoreUnavailable
from service.games.realtime.channel import Channel
from service.games.realtime.messages import (
    DiffsMessage,
    SnapshotMessage,
    StreamPosition,
    Subscriber,
    TokenHolder,
    follows,
)
from service.games.repository import decode_game, read_access
from service.games.tilesets import TileSetCatalogue
from service.supervision import Backoff, SupervisedTask, Supervisor, spawn
from service.telemetry import clock, tracing
from service.telemetry.metrics import LAG, NOTIFICATIONS, REPLACED, SWEPT
from service.telemetry.throttled import ThrottledLog

__all__ = ["Hub"]

LOG = logging.getLogger(__name__)
_UNREAD, _UNSWEPT = ThrottledLog(LOG), ThrottledLog(LOG)

PAGE_SIZE = 200
"""Diffs in one reading of a log."""

SWEEP_BATCH_SIZE = 200
"""Games whose versions are asked for at once."""

READ_TIMEOUT_S = 10.0
"""A read that takes longer has failed and is tried again, so that a store that hangs keeps nobody waiting for ever."""

SUBSCRIBE_TIMEOUT_S = 20.0
"""A watcher whom the log does not reach for so long is told that the store does not answer."""

MIN_RETRY_INTERVAL_S = 0.05
MAX_RETRY_INTERVAL_S = 1.0
"""Between attempts while the store does not answer: doubled each time."""

FAILURE_BACKOFF = Backoff(1.0, 60.0)
"""Pauses after any other failure of a game's feed."""


class Hub:
    """All games watched in this process. `start` it inside the event loop, and `aclose` it.

    `outdate` is called with each game that another instance has changed, as far as one hears, and its version.
    """

    def __init__(
        self,
        store: GameStore,
        tilesets: TileSetCatalogue,
        sweep_interval_s: float = 1.0,
        invalidate_cache: Callable[[str, int], None] = lambda _game, _version: None,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._store = store
        self._tilesets = tilesets
        self._sweep_interval_s = sweep_interval_s
        self._invalidate_cache = invalidate_cache
        self._supervisor = supervisor or Supervisor()
        self._channels: dict[str, Channel] = {}
        self._tasks: list[SupervisedTask] = []
        self._token_checks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Listen to the store's hints and sweep, until `aclose`."""
        start = self._supervisor.start
        self._tasks = [
            start("realtime-notifications", self._receive_notifications),
            start("realtime-sweep", self._sweep_versions),
        ]

    async def aclose(self) -> None:
        """Let every watcher go, without a word, and end all tasks."""
        reading = [*self._token_checks, *(feed.reader for feed in self._channels.values() if feed.reader is not None)]
        for feed in [*self._channels.values()]:
            self._remove_channel(feed)
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, *map(self._supervisor.stop, self._tasks), return_exceptions=True)

    def __len__(self) -> int:
        """How many games are watched."""
        return len(self._channels)

    def count_subscriptions(self) -> int:
        """How many watchers there are, each once for each game that it watches."""
        return sum(len(feed.subscribers) for feed in [*self._channels.values()])

    def count_subscribers(self, game: str) -> int:
        """How many watch a game."""
        feed = self._channels.get(game)
        return 0 if feed is None else len(feed.subscribers)

    def publish_commit(self, game: str, diffs: Sequence[StoredDiff]) -> bool:
        """Tell at once what this instance has committed, without asking the store; whether somebody was told."""
        feed = self._channels.get(game)
        if feed is None:
            return False
        with tracing.span("deliver"):
            told = feed.publish(diffs)
        if not told:
            self._request_read(feed)
        return told

    def recheck_tokens(self, game: str) -> None:
        """Send those away who watch a game by a token that has ended."""
        feed = self._channels.get(game)
        if feed is not None:
            task = spawn("realtime-tokens", self._recheck_tokens(feed))
            self._token_checks.add(task)
            task.add_done_callback(self._token_checks.discard)

    async def _recheck_tokens(self, feed: Channel) -> None:
        """Let everybody's token be looked at again; lasts as long as an outage."""
        failures = 0
        while self._channels.get(feed.game) is feed:
            try:
                async with asyncio.timeout(READ_TIMEOUT_S):
                    loaded = await self._store.load(feed.game)
                access = None if loaded is None else read_access(loaded)
            except Exception as error:  # noqa: BLE001  one failing game must not end what the others' watchers get
                failures += 1
                await asyncio.sleep(_pause_s(feed, error, failures))
                continue
            if access is not None:
                for watcher in [*feed.subscribers]:
                    if isinstance(watcher, TokenHolder):
                        watcher.recheck_token(feed.game, access)
            return

    async def resolve_position(
        self, game: str, loaded: GameRecord, since: int | None, digest: str | None
    ) -> StreamPosition | None:
        """Where a watcher who has version `since` goes on from; None where only the whole game helps.

        That is: without `since`, in the future, before what the log holds, or with a digest of another history.
        """
        if since is None or since > loaded.version:
            return None
        if since == loaded.version:
            return StreamPosition(since, loaded.digest) if digest in (None, loaded.digest) else None
        following = await self._store.load_diffs(game, since, 1)
        if not following or following[0].version != since + 1 or digest not in (None, following[0].previous):
            return None
        return StreamPosition(since, following[0].previous)

    async def subscribe(self, subscriber: Subscriber, game: str, position: StreamPosition) -> None:
        """Tell `subscriber` all that came after `position`, and from then on everything, once and in order.

        Raises NoSuchGame or TileSetMissing, or StoreUnavailable where that takes too long: then `subscriber` is told
        nothing more, and shall ask again.
        """
        try:
            async with asyncio.timeout(SUBSCRIBE_TIMEOUT_S):
                await self._subscribe(subscriber, game, position)
        except TimeoutError:
            self.unsubscribe(subscriber, game)
            raise StoreUnavailable(f"game {game} was not read within {SUBSCRIBE_TIMEOUT_S} s") from None

    async def _subscribe(self, subscriber: Subscriber, game: str, position: StreamPosition) -> None:
        while True:
            feed = self._channels.get(game)
            if feed is None:
                feed = self._channels[game] = Channel(game, position)
                self._store.subscribe(game)
                feed.subscribers.add(subscriber)
                self._request_read(feed)
                await feed.wait_for_read()
                return
            if feed.position == position and not feed.has_diverged:
                feed.subscribers.add(subscriber)
                return
            try:
                position = await self._replay_missed(subscriber, feed, position)
            except StoreUnavailable:
                await asyncio.sleep(MAX_RETRY_INTERVAL_S)

    def unsubscribe(self, subscriber: Subscriber, game: str) -> StreamPosition | None:
        """Tell `subscriber` nothing more of this game, and give up to where it was told; None if it was not watching.

        A feed without watchers ends.
        """
        feed = self._channels.get(game)
        if feed is None or subscriber not in feed.subscribers:
            return None
        feed.subscribers.remove(subscriber)
        if not feed.subscribers:
            self._remove_channel(feed)
        return feed.position

    async def wait_for_version(self, subscriber: Subscriber, game: str, version: int) -> None:
        """Wait until `subscriber` was told this version, if it watches the game and the version is still to come.

        Raises StoreUnavailable where that takes too long.
        """
        feed = self._channels.get(game)
        if feed is None:
            return
        if subscriber in feed.subscribers and feed.position.version < version:
            try:
                async with asyncio.timeout(SUBSCRIBE_TIMEOUT_S):
                    await self._wait_for_version(subscriber, feed, version)
            except TimeoutError:
                raise StoreUnavailable(f"game {game} was not read within {SUBSCRIBE_TIMEOUT_S} s") from None
        feed.subscribers.flush(subscriber)

    async def _wait_for_version(self, subscriber: Subscriber, feed: Channel, version: int) -> None:
        replacements = feed.snapshots
        while (
            subscriber in feed.subscribers
            and feed.position.version < version
            and feed.snapshots == replacements
            and self._channels.get(feed.game) is feed
        ):
            self._request_read(feed)
            await feed.wait_for_read()

    def decode_view(self, loaded: GameRecord) -> GameView:
        """GAME of what was loaded; raises TileSetMissing, Unreadable."""
        game = decode_game(loaded)
        return view(self._tilesets.get_for_game(game.tileset).tables, game)

    async def _replay_missed(self, subscriber: Subscriber, feed: Channel, position: StreamPosition) -> StreamPosition:
        """Tell a newcomer what lies between its position and the feed's; gives where it is then."""
        before = feed.position
        diffs = await self._store.load_diffs(feed.game, position.version, PAGE_SIZE)
        if diffs and follows(position, diffs):
            news = DiffsMessage(game=feed.game, diffs=diffs)
            subscriber.deliver(news)
            feed.publish(diffs)
            return news.position
        loaded = await self._store.load(feed.game)
        if loaded is None:
            raise NoSuchGame(feed.game)
        now = StreamPosition(loaded.version, loaded.digest)
        if feed.compare(before, now):
            self._request_read(feed)
            await feed.wait_for_read()
        if diffs or now.version < position.version or (now.version == position.version and now != position):
            subscriber.deliver(SnapshotMessage(game=feed.game, digest=loaded.digest, view=self.decode_view(loaded)))
            return now
        return position

    def _request_read(self, feed: Channel) -> None:
        feed.is_behind = True
        if feed.reader is None or feed.reader.done():
            feed.reader = spawn("realtime-feed", self._read_stream(feed))

    async def _read_stream(self, feed: Channel) -> None:
        """Read until the log holds no more, the only task that does so for this feed; lasts as long as an outage."""
        failures = 0
        try:
            while feed.subscribers and (feed.is_behind or feed.has_diverged):
                feed.is_behind = False
                try:
                    async with asyncio.timeout(READ_TIMEOUT_S):
                        await (self._resynchronize(feed) if feed.has_diverged else self._read_page(feed))
                except Exception as error:  # noqa: BLE001  one failing game must not end what the others' watchers get
                    failures += 1
                    feed.is_behind = True
                    feed.notify_read()
                    await asyncio.sleep(_pause_s(feed, error, failures))
                else:
                    failures = 0
                    feed.notify_read()
        finally:
            feed.notify_read()

    async def _read_page(self, feed: Channel) -> None:
        diffs = await self._store.load_diffs(feed.game, feed.position.version, PAGE_SIZE)
        if not _publish(feed, diffs):
            feed.has_diverged = True
        elif len(diffs) == PAGE_SIZE:
            feed.is_behind = True
        else:
            feed.is_caught_up = True

    async def _resynchronize(self, feed: Channel) -> None:
        loaded = await self._store.load(feed.game)
        if loaded is None:
            self._close_channel(feed, NoSuchGame(feed.game))
            return
        if await self.resolve_position(feed.game, loaded, *feed.position) is not None:
            # A primary that was promoted had less for a moment: the commit that it lacked was sent again.
            feed.has_diverged, feed.is_behind = False, True
            return
        try:
            whole = self.decode_view(loaded)
        except TileSetMissing as unknown:
            self._close_channel(feed, unknown)
            return
        LOG.warning("game %s has another history now: its watchers get it whole", feed.game)
        REPLACED.inc()
        feed.publish_snapshot(loaded.digest, whole)
        feed.is_behind = True

    def _close_channel(self, feed: Channel, error: NoSuchGame | TileSetMissing) -> None:
        self._remove_channel(feed)
        feed.subscribers.close(error)

    def _remove_channel(self, feed: Channel) -> None:
        if self._channels.get(feed.game) is feed:
            del self._channels[feed.game]
            self._store.unsubscribe(feed.game)
        feed.notify_read()

    async def _receive_notifications(self) -> None:
        while True:
            try:
                async with aclosing(self._store.notifications()) as hints:
                    async for hint in hints:
                        NOTIFICATIONS.inc()
                        if hint.version is not None:
                            self._invalidate_cache(hint.game, hint.version)
                        if hint.revokes_token:
                            self.recheck_tokens(hint.game)
                        feed = self._channels.get(hint.game)
                        if feed is not None and (hint.version is None or hint.version > feed.position.version):
                            self._request_read(feed)
            except StoreUnavailable as unavailable:
                LOG.warning("the store gives no hints: %s", unavailable)
            await asyncio.sleep(MAX_RETRY_INTERVAL_S)

    async def _sweep_versions(self) -> None:
        """Ask for the versions of all watched games in each `sweep_s`, batch by batch."""
        while True:
            games = [*self._channels]
            batches = [games[begin : begin + SWEEP_BATCH_SIZE] for begin in range(0, len(games), SWEEP_BATCH_SIZE)]
            for batch in batches or [[]]:
                await asyncio.sleep(self._sweep_interval_s / (len(batches) or 1))
                try:
                    async with asyncio.timeout(READ_TIMEOUT_S):
                        await self._compare_versions(batch)
                except (StoreUnavailable, TimeoutError) as unavailable:
                    _UNSWEPT.warning("the watched games' versions cannot be read: %s", unavailable)

    async def _compare_versions(self, games: Sequence[str]) -> None:
        before = {game: (feed, feed.position) for game in games if (feed := self._channels.get(game)) is not None}
        found = await self._store.load_versions([*before])
        for (feed, position), now in zip(before.values(), found, strict=True):
            if feed.compare(position, None if now is None else StreamPosition(*now)):
                if feed.reader is None or feed.reader.done():
                    SWEPT.inc()
                self._request_read(feed)


def _pause_s(feed: Channel, error: Exception, failures: int) -> float:
    """Record that a feed could not be read; gives how long to wait before it is read again."""
    if isinstance(error, (StoreUnavailable, TimeoutError)):
        _UNREAD.warning("game %s cannot be read: %s", feed.game, str(error) or f"no answer within {READ_TIMEOUT_S} s")
        return Backoff(MIN_RETRY_INTERVAL_S, MAX_RETRY_INTERVAL_S, jitter=0).pause_s(failures)
    record_failure("realtime", feed.game, error, "its watchers wait")
    return FAILURE_BACKOFF.pause_s(failures)


def _publish(feed: Channel, diffs: Sequence[StoredDiff]) -> bool:
    """Offer what was read of the log, and see how late that is; what a new watcher had missed before is not late."""
    stamps = [clock.read(diff.meta) for diff in diffs]
    told = _publish_traced(feed, diffs, stamps) if diffs and tracing.on() else feed.publish(diffs)
    if told and feed.is_caught_up:
        now = clock.now_us()
        for stamp in stamps:
            if stamp is not None:
                _ELSEWHERE.observe(max(0, now - stamp.sent_us) / 1e6)
    return told


def _publish_traced(feed: Channel, diffs: Sequence[StoredDiff], stamps: Sequence[clock.Stamp | None]) -> bool:
    """Offer each commit's diffs in its trace."""
    parents = ["" if stamp is None else stamp.traceparent for stamp in stamps]
    for parent, part in groupby(zip(parents, diffs, strict=True), lambda one: one[0]):
        news = [diff for _, diff in part]
        if not parent:
            told = feed.publish(news)
        else:
            with tracing.span("deliver", "consumer", parent, {"south_seas.game": feed.game}):
                told = feed.publish(news)
        if not told:
            return False
    return True


_ELSEWHERE = LAG.labels("elsewhere")
