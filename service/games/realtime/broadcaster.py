"""Telling a game's watchers some at a time, so that thousands of them keep nobody else waiting."""

import asyncio
import logging
from collections.abc import Iterator
from itertools import islice
from operator import length_hint
from time import perf_counter
from typing import NamedTuple

from service.games.errors import GameError
from service.games.realtime.messages import ChannelMessage, DiffsMessage, SnapshotMessage, Subscriber, combine
from service.telemetry.metrics import DELIVERIES, ROUNDS

__all__ = ["BATCH_SIZE", "MAX_TICKS", "Broadcaster"]

LOG = logging.getLogger(__name__)

BATCH_SIZE = 25
MAX_TICKS = 40
"""In one tick of the event loop `AT_ONCE` watchers are told, and more where all would take more than `STEPS` ticks."""

CONNECTION_ERRORS = (OSError, RuntimeError)


class Broadcast(NamedTuple):
    """One way through a game's watchers."""

    remaining: Iterator[Subscriber]
    batch_size: int
    """How many of them are told in one tick."""
    message: ChannelMessage
    """What all those are told who know what came before it."""
    end_offset: int
    """How many pieces of news are known after it."""
    started_at: float | None
    """When, by `perf_counter`; None where one tick is enough."""


class Broadcaster:
    """The watchers of one game: each is told every piece of news, once and in order, but not all at the same moment.

    The first are told at once, and then as many in each tick of the event loop, so that whoever acts need not wait for
    thousands to be told. What comes meanwhile waits for the next round, and goes to each watcher together.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._offsets: dict[Subscriber, int] = {}
        """How many pieces of news each watcher has been told, or came after."""
        self._first_offset = 0
        """How many pieces everybody knows."""
        self._backlog: list[DiffsMessage | SnapshotMessage] = []
        """Those after that."""
        self._broadcast: Broadcast | None = None

    def __len__(self) -> int:
        """How many watch."""
        return len(self._offsets)

    def __iter__(self) -> Iterator[Subscriber]:
        """Whoever watches."""
        return iter(self._offsets)

    def __contains__(self, watcher: Subscriber) -> bool:
        """Whether this one watches."""
        return watcher in self._offsets

    def add(self, subscriber: Subscriber) -> None:
        """Tell this one, too, what comes from now on."""
        self._offsets[subscriber] = self._end_offset()

    def remove(self, subscriber: Subscriber) -> None:
        """Tell this one what it has still to be told, and then nothing more."""
        self.flush(subscriber)
        self._offsets.pop(subscriber, None)

    def broadcast(self, message: DiffsMessage | SnapshotMessage) -> None:
        """Tell everybody, in turn."""
        self._backlog.append(message)
        if self._broadcast is None:
            self._start_broadcast()

    def flush(self, subscriber: Subscriber) -> None:
        """Tell this one out of turn what it has still to be told."""
        known, end = self._offsets.get(subscriber), self._end_offset()
        if known is not None and known < end:
            self._offsets[subscriber] = end
            DELIVERIES.inc()
            try:
                subscriber.deliver(combine(self._game, self._backlog[known - self._first_offset :]))
            except Exception as error:  # noqa: BLE001 (nobody's trouble is another's)
                self._log_failure(error)

    def close(self, reason: GameError) -> None:
        """Let everybody go: whatever they have still to be told, and then that there is nothing to watch any more."""
        for watcher in [*self._offsets]:
            self.remove(watcher)
            try:
                watcher.end_subscription(self._game, reason)
            except Exception as error:  # noqa: BLE001 (nobody's trouble is another's)
                self._log_failure(error)

    def _end_offset(self) -> int:
        return self._first_offset + len(self._backlog)

    def _start_broadcast(self) -> None:
        watchers, news = [*self._offsets], combine(self._game, [*self._backlog])
        at_once = max(BATCH_SIZE, len(watchers) // MAX_TICKS)
        began = perf_counter() if len(watchers) > at_once else None
        self._broadcast = Broadcast(iter(watchers), at_once, news, self._end_offset(), began)
        self._deliver_batch(self._broadcast)

    def _deliver_batch(self, turn: Broadcast) -> None:
        """Tell the next ones. Some may have left meanwhile, or know the news already, or a part of it."""
        known, begin, end, news = self._offsets, self._first_offset, turn.end_offset, turn.message
        told = 0
        for watcher in islice(turn.remaining, turn.batch_size):
            has = known.get(watcher)
            if has == begin:
                known[watcher] = end
                told += 1
                try:
                    watcher.deliver(news)
                except Exception as error:  # noqa: BLE001 (nobody's trouble is another's)
                    self._log_failure(error)
            elif has is not None and has < end:
                self.flush(watcher)
        DELIVERIES.inc(told)
        if length_hint(turn.remaining):
            asyncio.get_running_loop().call_soon(self._deliver_batch, turn)
            return
        if turn.started_at is not None:
            ROUNDS.observe(perf_counter() - turn.started_at)
        del self._backlog[: end - begin]
        self._first_offset, self._broadcast = end, None
        if self._backlog:
            self._start_broadcast()

    def _log_failure(self, error: Exception) -> None:
        """Somebody could not be told: whoever cannot be reached leaves by its own care."""
        if isinstance(error, CONNECTION_ERRORS):
            LOG.info("a watcher of %s could not be reached: %s", self._game, error)
        else:
            LOG.error("a watcher of %s could not be told", self._game, exc_info=error)
