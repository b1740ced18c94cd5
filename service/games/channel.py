"""`Channel`: one followed game, the position up to which its subscribers are served, and its state of reading.

Messages go to its subscribers in batches that never block the event loop for long. Catching up reads the game's stream
from that position on, and publishes what is new. If the stream does not continue at the position, the game's history
was replaced, as by a failover that lost commits: then subscribers get the whole game.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import length_hint
from time import perf_counter
from typing import Protocol

import msgspec

from schemas.game import GameView
from service.engine import build_view
from service.games import ports
from service.games.access import AccessRecord
from service.games.due_work import record_failure
from service.games.errors import GameError, NoSuchGame, TileSetMissing
from service.games.repository import open_game
from service.games.tilesets import TileSetCatalogue
from service.supervision import Backoff, spawn
from service.telemetry.metrics import BROADCAST_DURATION, DELIVERIES, HISTORIES_REPLACED

LOG = logging.getLogger(__name__)

BATCH_SIZE = 25
MAX_TICKS = 40
"""Each tick of the event loop serves `BATCH_SIZE` subscribers, or more if all would take over `MAX_TICKS` ticks."""

CONNECTION_ERRORS = (OSError, RuntimeError)


class CachedEncoding(msgspec.Struct, kw_only=True, eq=False):
    """A message to all subscribers of a game; `encoded` holds its bytes per wire format, so each is made once."""

    game: str
    encoded: dict[str, bytes] = {}


class DiffsMessage(CachedEncoding, eq=False):
    """The next versions of a game, in order and without a gap."""

    diffs: Sequence[ports.StoredDiff]


class SnapshotMessage(CachedEncoding, eq=False):
    """The whole game, for subscribers whose state cannot be continued by diffs."""

    digest: bytes
    view: GameView


class MessageBatch(CachedEncoding, eq=False):
    """Several messages in order; each is encoded once, even when other subscribers got it by itself."""

    messages: Sequence[DiffsMessage | SnapshotMessage]


ChannelMessage = DiffsMessage | SnapshotMessage | MessageBatch


class Subscriber(Protocol):
    """A connection that follows games. No method blocks; each may raise OSError or RuntimeError."""

    def deliver(self, message: ChannelMessage) -> None:
        """Send a message of a game."""

    def end_subscription(self, game: str, error: GameError) -> None:
        """Report why the game can no longer be followed."""

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """End the subscription if its token is no longer valid in the game's access record."""


class Broadcast(msgspec.Struct, frozen=True):
    """One pass through a game's subscribers."""

    remaining: Iterator[Subscriber]
    batch_size: int
    """Subscribers served in one tick."""
    message: ChannelMessage
    """For every subscriber that has all messages before it."""
    end_offset: int
    """The offset of a subscriber that has received it."""
    started_at: float | None
    """By `perf_counter`; None if one tick is enough."""


class Broadcaster:
    """The subscribers of one game: each receives every message once and in order, but not all at the same moment.

    `broadcast` serves the first batch at once and the next ones in the following ticks, so that a commit does not wait
    for thousands of subscribers. Messages that arrive meanwhile form the next broadcast.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._offsets: dict[Subscriber, int] = {}
        """For each subscriber, the number of messages that it has received or that came before it."""
        self._first_offset = 0
        """Messages that every subscriber has received."""
        self._backlog: list[DiffsMessage | SnapshotMessage] = []
        """The messages after these."""
        self._current: Broadcast | None = None

    def __len__(self) -> int:
        """Return the number of subscribers."""
        return len(self._offsets)

    def __iter__(self) -> Iterator[Subscriber]:
        """Iterate over the subscribers."""
        return iter(self._offsets)

    def __contains__(self, subscriber: Subscriber) -> bool:
        """Return whether a connection is subscribed."""
        return subscriber in self._offsets

    def add(self, subscriber: Subscriber) -> None:
        """Add a subscriber, which receives messages from now on."""
        self._offsets[subscriber] = self._first_offset + len(self._backlog)

    def remove(self, subscriber: Subscriber) -> None:
        """Deliver what is still due to a subscriber, and remove it."""
        self.flush(subscriber)
        self._offsets.pop(subscriber, None)

    def broadcast(self, message: DiffsMessage | SnapshotMessage) -> None:
        """Deliver a message to all subscribers."""
        self._backlog.append(message)
        if self._current is None:
            self._deliver_batch()

    def flush(self, subscriber: Subscriber) -> None:
        """Deliver to one subscriber at once what it has not received yet."""
        offset, end = self._offsets.get(subscriber), self._first_offset + len(self._backlog)
        if offset is not None and offset < end:
            self._offsets[subscriber] = end
            DELIVERIES.inc()
            messages = self._backlog[offset - self._first_offset :]
            try:
                subscriber.deliver(MessageBatch(game=self._game, messages=messages))
            except Exception as error:  # noqa: BLE001  one failing subscriber does not affect the others
                self._log_failure(error)

    def close(self, reason: GameError) -> None:
        """Deliver what is still due, and end every subscription with this reason."""
        for subscriber in [*self._offsets]:
            self.remove(subscriber)
            try:
                subscriber.end_subscription(self._game, reason)
            except Exception as error:  # noqa: BLE001  one failing subscriber does not affect the others
                self._log_failure(error)

    def _deliver_batch(self) -> None:
        """Deliver to the next batch of subscribers; start a broadcast of the backlog if none is in progress.

        Since its start, subscribers may have left, or may have been flushed.
        """
        offsets, first, current = self._offsets, self._first_offset, self._current
        if current is None:
            current = self._current = self._start_broadcast()
        end, message = current.end_offset, current.message
        delivered = 0
        for subscriber in islice(current.remaining, current.batch_size):
            offset = offsets.get(subscriber)
            if offset == first:
                offsets[subscriber] = end
                delivered += 1
                try:
                    subscriber.deliver(message)
                except Exception as error:  # noqa: BLE001  one failing subscriber does not affect the others
                    self._log_failure(error)
            elif offset is not None and offset < end:
                self.flush(subscriber)
        DELIVERIES.inc(delivered)
        if length_hint(current.remaining):
            asyncio.get_running_loop().call_soon(self._deliver_batch)
            return
        if current.started_at is not None:
            BROADCAST_DURATION.observe(perf_counter() - current.started_at)
        del self._backlog[: end - first]
        self._first_offset, self._current = end, None
        if self._backlog:
            self._deliver_batch()

    def _start_broadcast(self) -> Broadcast:
        subscribers, messages = [*self._offsets], [*self._backlog]
        message = messages[0] if len(messages) == 1 else MessageBatch(game=self._game, messages=messages)
        batch_size = max(BATCH_SIZE, len(subscribers) // MAX_TICKS)
        started_at = perf_counter() if len(subscribers) > batch_size else None
        return Broadcast(iter(subscribers), batch_size, message, self._first_offset + len(messages), started_at)

    def _log_failure(self, error: Exception) -> None:
        """Log a failed delivery; a connection that is lost unsubscribes by itself."""
        if isinstance(error, CONNECTION_ERRORS):
            LOG.info("a subscriber of game %s has disconnected: %s", self._game, error)
        else:
            LOG.error("delivery to a subscriber of game %s failed", self._game, exc_info=error)


class Channel:
    """One game and its subscribers, which have received, or are about to, everything up to `position`."""

    def __init__(self, game: str, position: ports.Revision, last_revocation: str = "") -> None:
        self.game = game
        self.position = position
        self.last_revocation = last_revocation
        """The game's last known revocation; the tokens of the subscribers were checked since, or are about to be."""
        self.subscribers = Broadcaster(game)
        self.is_closed = False
        """No longer a channel of the hub: nobody subscribes any more, or the game does not exist."""
        self.is_behind = False
        """The stream may hold more."""
        self.has_diverged = False
        """The position is not, or no longer, part of the game's history."""
        self.snapshots = 0
        """How often subscribers were sent the whole game."""
        self.reader: asyncio.Task[None] | None = None
        """Reads the stream; started by `StreamReader.request_read`."""
        self._read_waiters: list[asyncio.Future[None]] = []

    def publish(self, diffs: Sequence[ports.StoredDiff]) -> bool:
        """Send subscribers the diffs that are new; return False, and send none, if they do not follow the position."""
        if self.has_diverged:
            return False
        position = self.position
        new = [diff for diff in diffs if diff.version > position.version]
        if not new:
            return True
        if not position.is_followed_by(new):
            return False
        self.position = ports.Revision(new[-1].version, new[-1].digest)
        self.subscribers.broadcast(DiffsMessage(game=self.game, diffs=new))
        return True

    def publish_snapshot(self, snapshot: SnapshotMessage) -> None:
        """Send subscribers the whole game, and continue from there."""
        self.position = ports.Revision(snapshot.view.version, snapshot.digest)
        self.has_diverged = False
        self.snapshots += 1
        self.subscribers.broadcast(snapshot)

    def compare(self, known: ports.Revision, stored: ports.Revision | None) -> bool:
        """Compare the stored position (None: no such game) with `known`, the channel's before the store was read.

        Return whether the stream must be read, because the channel is behind or has diverged.
        """
        if stored is None or known.conflicts_with(stored):
            self.has_diverged = True
        elif stored.version > self.position.version:
            self.is_behind = True
        return self.has_diverged or self.is_behind

    async def wait_for_read(self) -> None:
        """Wait until the next read of the stream has ended, with success or not."""
        waiter = asyncio.get_running_loop().create_future()
        self._read_waiters.append(waiter)
        await waiter

    def notify_read(self) -> None:
        """Wake everybody in `wait_for_read`."""
        if self._read_waiters:
            waiters, self._read_waiters = self._read_waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)


PAGE_SIZE = 200
"""Diffs per read of a stream."""

READ_TIMEOUT_S = 10.0
"""A read that takes longer counts as failed and is retried, so that a store that hangs blocks no channel for ever."""

UNAVAILABLE_BACKOFF = Backoff(0.05, 1.0, jitter=0)
"""Between attempts while the store does not respond."""

FAILURE_BACKOFF = Backoff(1.0, 60.0)
"""Between attempts after any other error."""


@dataclass(frozen=True)
class StreamReader:
    """Keeps channels up to date; each has at most one task that reads its stream."""

    store: ports.GameStore
    tilesets: TileSetCatalogue
    close: Callable[[Channel], None]
    """Removes a channel from the hub."""

    def request_read(self, channel: Channel) -> None:
        """Read a channel's stream soon; `Channel.wait_for_read` waits for that."""
        channel.is_behind = True
        if channel.reader is None or channel.reader.done():
            channel.reader = spawn("realtime-reader", self._read_stream(channel))

    async def _read_stream(self, channel: Channel) -> None:
        """Read until the stream holds no more; retry for as long as the channel is open."""
        failures = 0
        try:
            while (channel.is_behind or channel.has_diverged) and not channel.is_closed:
                channel.is_behind = False
                try:
                    async with asyncio.timeout(READ_TIMEOUT_S):
                        if channel.has_diverged:
                            await self._resynchronize(channel)
                        else:
                            diffs = await self.store.load_diffs(channel.game, channel.position.version, PAGE_SIZE)
                            _publish(channel, diffs)
                except Exception as error:  # noqa: BLE001  one game that fails does not affect the others
                    failures += 1
                    channel.is_behind = True
                    channel.notify_read()
                    await asyncio.sleep(record_read_failure(channel.game, error, failures))
                else:
                    failures = 0
                    channel.notify_read()
        finally:
            channel.notify_read()

    async def _resynchronize(self, channel: Channel) -> None:
        """Continue after a break in the history: from the position if it is valid again, else with the whole game."""
        game, (version, digest) = channel.game, channel.position
        record = await self.store.load_since(game, version)
        if record is None:
            self.close(channel)
            channel.subscribers.close(NoSuchGame(game))
            return
        if record.resume_from(digest) is not None:
            # A promoted primary lacked a commit for a moment, and the commit was then retried.
            channel.has_diverged, channel.is_behind = False, True
            return
        try:
            snapshot = build_snapshot(self.tilesets, game, record)
        except TileSetMissing as error:
            self.close(channel)
            channel.subscribers.close(error)
            return
        LOG.warning("the history of game %s was replaced: sending its subscribers the whole game", game)
        HISTORIES_REPLACED.inc()
        channel.publish_snapshot(snapshot)
        channel.is_behind = True


def build_snapshot(tilesets: TileSetCatalogue, game: str, record: ports.StoredGame) -> SnapshotMessage:
    """Build the message that sends the whole game. Raises TileSetMissing, UnreadableGame."""
    view = build_view(*open_game(tilesets, record))
    return SnapshotMessage(game=game, digest=record.revision.digest, view=view)


def record_read_failure(game: str, error: Exception, failures: int) -> float:
    """Log that a game could not be read, unless the store is unavailable; return the seconds until the next attempt."""
    if isinstance(error, (ports.StoreUnavailable, TimeoutError)) and not isinstance(error, ports.UnreadableGame):
        return UNAVAILABLE_BACKOFF.delay_s(failures)
    record_failure("realtime", game, error, "its subscribers wait")
    return FAILURE_BACKOFF.delay_s(failures)


def _publish(channel: Channel, diffs: Sequence[ports.StoredDiff]) -> None:
    """Publish a page of the stream, and note what is to be read next."""
    if not channel.publish(diffs):
        channel.has_diverged = True
    elif len(diffs) == PAGE_SIZE:
        channel.is_behind = True
