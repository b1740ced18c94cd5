"""The games that clients of this process follow, kept up to date whichever instance commits.

A channel learns of a commit in three ways: from this instance's own commits, which are published at once if they follow
the channel's position; from the store's notifications, which may be lost; and from a sweep over the versions of all
followed games. A notification brings its diffs; if they do not follow, and after the sweep, the game's stream is read,
which alone is authoritative.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from service.games.channel import (
    PAGE_SIZE,
    READ_TIMEOUT_S,
    Channel,
    DiffsMessage,
    StreamReader,
    Subscriber,
    build_snapshot,
    record_read_failure,
)
from service.games.errors import NoSuchGame
from service.games.ports import Change, GameStore, Revision, StoredDiff, StoreUnavailable
from service.games.tilesets import TileSetCatalogue
from service.supervision import SupervisedTask, Supervisor, spawn
from service.telemetry import clock
from service.telemetry.metrics import DELIVERY_LAG, MISSED_NOTIFICATIONS, NOTIFICATIONS

LOG = logging.getLogger(__name__)

SUBSCRIBE_TIMEOUT_S = 20.0
"""A subscriber that the stream does not reach for so long gets `store_unavailable`."""

SWEEP_BATCH_SIZE = 200
"""Games whose versions are read with one pipeline."""

RETRY_INTERVAL_S = 1.0
"""Between attempts to subscribe, or to receive notifications, while the store does not respond."""


@dataclass(eq=False)
class Hub:
    """All followed games of this process. Call `start` inside the event loop, and `aclose` at the end.

    `invalidate_cache` is called with the game and version of each commit that another instance announces.
    """

    store: GameStore
    tilesets: TileSetCatalogue
    sweep_interval_s: float = 1.0
    invalidate_cache: Callable[[str, int], None] = lambda _game, _version: None
    supervisor: Supervisor = field(default_factory=Supervisor)

    def __post_init__(self) -> None:
        self.channels: dict[str, Channel] = {}
        """By game; the store sends notifications of exactly these games."""
        self._reader = StreamReader(self.store, self.tilesets, self._close_channel)
        self._tasks: list[SupervisedTask] = []
        self.token_checks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Receive notifications and sweep, until `aclose`."""
        start = self.supervisor.start
        self._tasks = [
            start("realtime-notifications", self._receive_notifications),
            start("realtime-sweep", self._sweep),
        ]

    async def aclose(self) -> None:
        """Remove all channels, without a message to their subscribers, and end all tasks."""
        channels = [*self.channels.values()]
        running = [*self.token_checks, *(channel.reader for channel in channels if channel.reader is not None)]
        for channel in channels:
            self._close_channel(channel)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, *map(self.supervisor.stop, self._tasks), return_exceptions=True)

    def __len__(self) -> int:
        """Return the number of followed games."""
        return len(self.channels)

    def count_subscriptions(self) -> int:
        """Return the number of subscriptions; a connection counts once for each game that it follows."""
        return sum(len(channel.subscribers) for channel in [*self.channels.values()])

    def count_subscribers(self, game: str) -> int:
        """Return the number of a game's subscribers."""
        channel = self.channels.get(game)
        return 0 if channel is None else len(channel.subscribers)

    def publish_commit(self, change: Change) -> bool:
        """Publish this instance's own commit without reading the store; return whether subscribers got it."""
        channel = self.channels.get(change.stored.id)
        return channel is not None and self._publish(channel, change.diffs, revokes_token=change.revokes_token)

    def _publish(self, channel: Channel, diffs: Sequence[StoredDiff], *, revokes_token: bool) -> bool:
        """Publish a change; have the stream read, and return False, if it does not follow the channel's position.

        If it revokes a token, have every subscriber check its own.
        """
        if revokes_token:
            self._start_token_check(channel)
        is_published = channel.publish(diffs)
        if not is_published:
            self._reader.request_read(channel)
        return is_published

    def _start_token_check(self, channel: Channel) -> None:
        task = spawn("realtime-tokens", self._recheck_tokens(channel))
        self.token_checks.add(task)
        task.add_done_callback(self.token_checks.discard)

    async def subscribe(self, subscriber: Subscriber, game: str, position: Revision, last_revocation: str = "") -> None:
        """Send a subscriber everything after `position`, once and in order, until `unsubscribe`.

        `last_revocation` is that of the record with which the subscriber's token was checked. If a token was revoked
        since, it is checked again: at once if the channel knows of that, else by the next sweep.

        Raises NoSuchGame, TileSetMissing, or StoreUnavailable if that takes too long; then it is not subscribed.
        """
        try:
            async with asyncio.timeout(SUBSCRIBE_TIMEOUT_S):
                channel = await self._subscribe(subscriber, game, position, last_revocation)
        except TimeoutError:
            self.unsubscribe(subscriber, game)
            raise StoreUnavailable(f"game {game} was not read within {SUBSCRIBE_TIMEOUT_S} s") from None
        if channel.last_revocation != last_revocation:
            self._start_token_check(channel)

    async def _subscribe(self, subscriber: Subscriber, game: str, position: Revision, last_revocation: str) -> Channel:
        while True:
            channel = self.channels.get(game)
            if channel is None:
                channel = self.channels[game] = Channel(game, position, last_revocation)
                self.store.subscribe(game)
                channel.subscribers.add(subscriber)
                self._reader.request_read(channel)
                await channel.wait_for_read()
                return channel
            if channel.position == position and not channel.has_diverged:
                channel.subscribers.add(subscriber)
                return channel
            try:
                position = await self._replay_missed(subscriber, channel, position)
            except StoreUnavailable:
                await asyncio.sleep(RETRY_INTERVAL_S)

    def _close_channel(self, channel: Channel) -> None:
        """Remove a channel, and wake everybody who waits for it."""
        if not channel.is_closed:
            channel.is_closed = True
            del self.channels[channel.game]
            self.store.unsubscribe(channel.game)
        channel.notify_read()

    async def _replay_missed(self, subscriber: Subscriber, channel: Channel, position: Revision) -> Revision:
        """Send a new subscriber a part of what lies between its position and the channel's; return its new position."""
        game, known = channel.game, channel.position
        diffs = await self.store.load_diffs(game, position.version, PAGE_SIZE)
        if diffs and position.is_followed_by(diffs):
            subscriber.deliver(DiffsMessage(game=game, diffs=diffs))
            channel.publish(diffs)
            return Revision(diffs[-1].version, diffs[-1].digest)
        record = await self.store.load_since(game, position.version)
        if record is None:
            raise NoSuchGame(game)
        if channel.compare(known, record.revision):
            self._reader.request_read(channel)
            await channel.wait_for_read()
        if record.resume_from(position.digest) is None:
            subscriber.deliver(build_snapshot(self.tilesets, game, record))
            return record.revision
        return position

    def unsubscribe(self, subscriber: Subscriber, game: str) -> Revision | None:
        """Stop sending a game to a subscriber; return the position it has reached, or None if it was not subscribed.

        The last subscriber closes the channel.
        """
        channel = self.channels.get(game)
        if channel is None or subscriber not in channel.subscribers:
            return None
        channel.subscribers.remove(subscriber)
        if not channel.subscribers:
            self._close_channel(channel)
        return channel.position

    async def wait_for_version(self, subscriber: Subscriber, game: str, version: int) -> None:
        """Wait until a subscriber was sent this version; return at once if it is not subscribed.

        Raises StoreUnavailable if that takes too long.
        """
        channel = self.channels.get(game)
        if channel is None:
            return
        if channel.position.version < version and subscriber in channel.subscribers:
            try:
                async with asyncio.timeout(SUBSCRIBE_TIMEOUT_S):
                    await self._wait_for_version(subscriber, channel, version)
            except TimeoutError:
                raise StoreUnavailable(f"game {game} was not read within {SUBSCRIBE_TIMEOUT_S} s") from None
        channel.subscribers.flush(subscriber)

    async def _wait_for_version(self, subscriber: Subscriber, channel: Channel, version: int) -> None:
        snapshots = channel.snapshots
        while (
            subscriber in channel.subscribers
            and channel.position.version < version
            and channel.snapshots == snapshots
            and not channel.is_closed
        ):
            self._reader.request_read(channel)
            await channel.wait_for_read()

    async def _receive_notifications(self) -> None:
        """Publish the diffs that notifications bring; have the stream read where they do not follow."""
        while True:
            try:
                async with aclosing(self.store.notifications()) as notifications:
                    async for game, diffs, revokes_token, sent_us in notifications:
                        NOTIFICATIONS.inc()
                        if diffs:
                            self.invalidate_cache(game, diffs[-1].version)
                        if (channel := self.channels.get(game)) is None:
                            continue
                        if not diffs:
                            self._reader.request_read(channel)
                        version = channel.position.version
                        self._publish(channel, diffs, revokes_token=revokes_token)
                        if channel.position.version > version:
                            _REMOTE_LAG.observe(max(0.0, clock.now() - sent_us / 1e6))
            except StoreUnavailable as error:
                LOG.warning("cannot receive notifications: %s", error)
            await asyncio.sleep(RETRY_INTERVAL_S)

    async def _sweep(self) -> None:
        """Compare all games with the store once per interval, in batches spread over it."""
        while True:
            games = [*self.channels]
            batches = [games[start : start + SWEEP_BATCH_SIZE] for start in range(0, len(games), SWEEP_BATCH_SIZE)]
            for batch in batches or [[]]:
                await asyncio.sleep(self.sweep_interval_s / max(1, len(batches)))
                with suppress(StoreUnavailable, TimeoutError):  # the next sweep tries again
                    async with asyncio.timeout(READ_TIMEOUT_S):
                        await self._compare_versions(batch)

    async def _compare_versions(self, games: Sequence[str]) -> None:
        """Have the streams of games read that are behind the store, or not part of its history."""
        channels = [channel for game in games if (channel := self.channels.get(game)) is not None]
        known = [channel.position for channel in channels]
        versions = await self.store.load_versions([channel.game for channel in channels])
        for channel, position, stored in zip(channels, known, versions, strict=True):
            revision, last_revocation = stored or (None, channel.last_revocation)
            if last_revocation != channel.last_revocation:
                channel.last_revocation = last_revocation
                self._start_token_check(channel)
            if channel.compare(position, revision):
                if channel.reader is None or channel.reader.done():
                    MISSED_NOTIFICATIONS.inc()
                self._reader.request_read(channel)

    async def _recheck_tokens(self, channel: Channel) -> None:
        """Load the game's access record, and let each subscriber check its token; retry until that succeeds."""
        failures = 0
        while not channel.is_closed:
            try:
                async with asyncio.timeout(READ_TIMEOUT_S):
                    record = await self.store.load(channel.game)
                if record is None:
                    return
                access = record.access
            except Exception as error:  # noqa: BLE001  one game that fails does not affect the others
                failures += 1
                await asyncio.sleep(record_read_failure(channel.game, error, failures))
                continue
            channel.last_revocation = record.last_revocation
            for subscriber in [*channel.subscribers]:
                subscriber.recheck_token(channel.game, access)
            return


_REMOTE_LAG = DELIVERY_LAG.labels("remote")
