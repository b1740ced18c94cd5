"""Telling a game's watchers some at a time, so that thousands of them keep nobody else waiting."""

import asyncio
import logging
from collections.abc import Iterator
from itertools import islice
from operator import length_hint
from time import perf_counter
from typing import NamedTuple

from service.games.errors import GameError
from service.games.realtime.messages import Changed, News, Replaced, Subscriber, together
from service.telemetry.metrics import DELIVERIES, ROUNDS

__all__ = ["AT_ONCE", "STEPS", "Telling"]

LOG = logging.getLogger(__name__)

AT_ONCE = 25
STEPS = 40
"""In one tick of the event loop `AT_ONCE` watchers are told, and more where all would take more than `STEPS` ticks."""

UNREACHABLE = (OSError, RuntimeError)


class Round(NamedTuple):
    """One way through a game's watchers."""

    waiting: Iterator[Subscriber]
    at_once: int
    """How many of them are told in one tick."""
    news: News
    """What all those are told who know what came before it."""
    end: int
    """How many pieces of news are known after it."""
    began: float | None
    """When, by `perf_counter`; None where one tick is enough."""


class Telling:
    """The watchers of one game: each is told every piece of news, once and in order, but not all at the same moment.

    The first are told at once, and then as many in each tick of the event loop, so that whoever acts need not wait for
    thousands to be told. What comes meanwhile waits for the next round, and goes to each watcher together.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._known: dict[Subscriber, int] = {}
        """How many pieces of news each watcher has been told, or came after."""
        self._begin = 0
        """How many pieces everybody knows."""
        self._news: list[Changed | Replaced] = []
        """Those after that."""
        self._round: Round | None = None

    def __len__(self) -> int:
        """How many watch."""
        return len(self._known)

    def __iter__(self) -> Iterator[Subscriber]:
        """Whoever watches."""
        return iter(self._known)

    def __contains__(self, watcher: Subscriber) -> bool:
        """Whether this one watches."""
        return watcher in self._known

    def enter(self, watcher: Subscriber) -> None:
        """Tell this one, too, what comes from now on."""
        self._known[watcher] = self._end()

    def leave(self, watcher: Subscriber) -> None:
        """Tell this one what it has still to be told, and then nothing more."""
        self.catch_up(watcher)
        self._known.pop(watcher, None)

    def tell(self, news: Changed | Replaced) -> None:
        """Tell everybody, in turn."""
        self._news.append(news)
        if self._round is None:
            self._begin_round()

    def catch_up(self, watcher: Subscriber) -> None:
        """Tell this one out of turn what it has still to be told."""
        known, end = self._known.get(watcher), self._end()
        if known is not None and known < end:
            self._known[watcher] = end
            DELIVERIES.inc()
            try:
                watcher.deliver(together(self._game, self._news[known - self._begin :]))
            except Exception as error:  # noqa: BLE001 (nobody's trouble is another's)
                self._passed_over(error)

    def end(self, reason: GameError) -> None:
        """Let everybody go: whatever they have still to be told, and then that there is nothing to watch any more."""
        for watcher in [*self._known]:
            self.leave(watcher)
            try:
                watcher.lose(self._game, reason)
            except Exception as error:  # noqa: BLE001 (nobody's trouble is another's)
                self._passed_over(error)

    def _end(self) -> int:
        return self._begin + len(self._news)

    def _begin_round(self) -> None:
        watchers, news = [*self._known], together(self._game, [*self._news])
        at_once = max(AT_ONCE, len(watchers) // STEPS)
        began = perf_counter() if len(watchers) > at_once else None
        self._round = Round(iter(watchers), at_once, news, self._end(), began)
        self._go_on(self._round)

    def _go_on(self, turn: Round) -> None:
        """Tell the next ones. Some may have left meanwhile, or know the news already, or a part of it."""
        known, begin, end, news = self._known, self._begin, turn.end, turn.news
        told = 0
        for watcher in islice(turn.waiting, turn.at_once):
            has = known.get(watcher)
            if has == begin:
                known[watcher] = end
                told += 1
                try:
                    watcher.deliver(news)
                except Exception as error:  # noqa: BLE001 (nobody's trouble is another's)
                    self._passed_over(error)
            elif has is not None and has < end:
                self.catch_up(watcher)
        DELIVERIES.inc(told)
        if length_hint(turn.waiting):
            asyncio.get_running_loop().call_soon(self._go_on, turn)
            return
        if turn.began is not None:
            ROUNDS.observe(perf_counter() - turn.began)
        del self._news[: end - begin]
        self._begin, self._round = end, None
        if self._news:
            self._begin_round()

    def _passed_over(self, error: Exception) -> None:
        """Somebody could not be told: whoever cannot be reached leaves by its own care."""
        if isinstance(error, UNREACHABLE):
            LOG.info("a watcher of %s could not be reached: %s", self._game, error)
        else:
            LOG.error("a watcher of %s could not be told", self._game, exc_info=error)
