"""Messages of one game, and their fan-out to its subscribers in batches that never block the event loop for long."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import length_hint
from time import perf_counter
from typing import Protocol

import msgspec

from schemas.game import GameView
from service.games.access import AccessRecord
from service.games.errors import GameError
from service.games.ports.game_store import StoredDiff
from service.telemetry.metrics import BROADCAST_DURATION, DELIVERIES

__all__ = [
    "BATCH_SIZE",
    "MAX_TICKS",
    "Broadcaster",
    "CachedEncoding",
    "ChannelMessage",
    "DiffsMessage",
    "MessageBatch",
    "SnapshotMessage",
    "Subscriber",
]

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

    diffs: Sequence[StoredDiff]


class SnapshotMessage(CachedEncoding, eq=False):
    """The whole game, for subscribers whose state cannot be continued by diffs."""

    digest: str
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
