"""A fair queue of slots for what takes long: attended games first, and within a class clients in turn.

A client with a thousand waiting games gets as many slots as one with a single game. Running work is never interrupted.
So unattended games may use only some of the slots, and pause after each decision, which limits them to their share of
the time.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

from service.telemetry.counters import Histogram

MAX_WAITING = 1_000
"""Number of requests of one class that may wait; beyond it, the client with the most loses its latest one."""

CLASS_LABELS = ("unattended", "attended")
"""Metric labels of unattended and attended games."""


class QueueFull(Exception):
    """Too many requests wait, and this client has the most of them. Retry later."""


class Requester(NamedTuple):
    """On whose behalf a slot is requested."""

    client: bytes = b""
    """A hash of the game's creator, the network that requests a picture, or a host; the unknown share the empty one."""
    attended: bool = True
    """Whether a person plays in the game, or looks at the picture."""


ANONYMOUS = Requester()
"""The requester of games whose creator is not known."""


class UnattendedLimits(NamedTuple):
    """The limits of unattended games."""

    slots: int
    """Number of slots that they may use at once."""
    time_share: float = 1.0
    """Share of the time of all slots together, at most 1."""
    overhead_s: float = 0.0
    """Time that a decision costs in addition to its slot's."""


@dataclass(eq=False)
class FairQueue:
    """A fixed number of slots, assigned fairly to attended and unattended games."""

    slots: int
    unattended_limits: UnattendedLimits | None = None
    max_waiting: int = MAX_WAITING
    wait_histogram: Histogram | None = None
    max_each: int | None = None
    """Slots that one requester may use at once."""

    def __post_init__(self) -> None:
        self._max_each = self.max_each or self.slots
        self._used: dict[Requester, int] = {}
        self._unattended_limits = self.unattended_limits or UnattendedLimits(self.slots)
        self._in_use = {True: 0, False: 0}
        """Slots in use by attended and by unattended games."""
        self._pause_ends_at = 0.0
        """When the next decision of an unattended game may start."""
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: dict[bool, OrderedDict[Requester, deque[asyncio.Future[None]]]] = {
            attended: OrderedDict() for attended in (True, False)
        }
        """The waiters of each class by requester, in order of arrival; the first requester is served next."""
        observed = self.wait_histogram
        self._wait_histograms = None if observed is None else [observed.labels(name) for name in CLASS_LABELS]

    @property
    def slots_in_use(self) -> int:
        """Return the number of slots in use."""
        return sum(self._in_use.values())

    def is_free(self, requester: Requester) -> bool:
        """Return whether a requester may use one more slot now."""
        return self._has_slot(attended=requester.attended) and self._used.get(requester, 0) < self._max_each

    def queue_length(self, *, attended: bool) -> int:
        """Return the number of waiters of a class."""
        return sum(map(len, self._waiting[attended].values()))

    def do_others_wait(self, requester: Requester) -> bool:
        """Return whether others wait for the slot of a requester."""
        classes = (True,) if requester.attended else (True, False)
        return any(self._waiting[attended].keys() - {requester} for attended in classes)

    @asynccontextmanager
    async def slot(self, requester: Requester) -> AsyncIterator[float]:
        """Hold a slot while the block runs; yields the start time. Raises QueueFull."""
        started_at = await self.acquire(requester)
        try:
            yield started_at
        finally:
            self.release(requester, started_at)

    async def acquire(self, requester: Requester) -> float:
        """Wait for a slot; return the start time, which `release` takes. Raises QueueFull."""
        requested_at = perf_counter()
        waiting = self._waiting[requester.attended]
        if not waiting and self._can_start(attended=requester.attended) and self.is_free(requester):
            self._take_slot(requester)
        else:
            await self._wait(requester, waiting)
        started_at = perf_counter()
        if self._wait_histograms is not None:
            self._wait_histograms[requester.attended].observe(started_at - requested_at)
        return started_at

    async def _wait(self, requester: Requester, waiting: OrderedDict[Requester, deque[asyncio.Future[None]]]) -> None:
        """Wait until a slot is assigned. Raises QueueFull."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.setdefault(requester, deque()).append(waiter)
        if self.queue_length(attended=requester.attended) > self.max_waiting:
            most = max(waiting, key=lambda one: len(waiting[one]))
            if not (latest := self._remove(most, -1)).done():
                latest.set_exception(QueueFull())
        self._dispatch()
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter in (waiters := waiting.get(requester, deque())):
                _ = self._remove(requester, waiters.index(waiter))
            elif not waiter.cancelled() and waiter.exception() is None:
                self._return_slot(requester)  # the slot was assigned in the same moment
            raise

    def release(self, requester: Requester, started_at: float, ended_at: float | None = None) -> None:
        """Return a slot that was acquired at `started_at`; `ended_at` is the end of the work, by default now."""
        if not requester.attended:
            share = self._unattended_limits
            work_s = (perf_counter() if ended_at is None else ended_at) - started_at + share.overhead_s
            self._pause_ends_at = max(self._pause_ends_at, started_at) + work_s / (share.time_share * self.slots)
        self._return_slot(requester)

    def _has_slot(self, *, attended: bool) -> bool:
        """Return whether a slot is free for this class."""
        return self.slots_in_use < self.slots and (attended or self._in_use[False] < self._unattended_limits.slots)

    def _can_start(self, *, attended: bool) -> bool:
        """Return whether a decision of this class may start now."""
        return self._has_slot(attended=attended) and (attended or perf_counter() >= self._pause_ends_at)

    def _take_slot(self, requester: Requester) -> None:
        self._in_use[requester.attended] += 1
        self._used[requester] = self._used.get(requester, 0) + 1

    def _return_slot(self, requester: Requester) -> None:
        """Return a slot; who came while it was in use is served before this requester is again."""
        self._in_use[requester.attended] -= 1
        if others := self._used.pop(requester) - 1:
            self._used[requester] = others
        if requester in (waiting := self._waiting[requester.attended]):
            waiting.move_to_end(requester)
        self._dispatch()

    def _dispatch(self) -> None:
        """Assign free slots to the next waiters."""
        for attended in (True, False):
            waiting = self._waiting[attended]
            while waiting and self._can_start(attended=attended):
                requester = next(filter(self.is_free, waiting), None)
                if requester is None:
                    break
                waiting.move_to_end(requester)
                if not (waiter := self._remove(requester, 0)).done():
                    self._take_slot(requester)
                    waiter.set_result(None)
        if self._timer is None and any(map(self.is_free, self._waiting[False])):
            # only the pause delays them, and it may have ended by now
            pause_s = max(0.0, self._pause_ends_at - perf_counter())
            self._timer = asyncio.get_running_loop().call_later(pause_s, self._end_pause)

    def _end_pause(self) -> None:
        """End the pause of unattended games."""
        self._timer = None
        self._dispatch()

    def _remove(self, requester: Requester, number: int) -> "asyncio.Future[None]":
        """Remove and return a waiter of a requester."""
        waiters = self._waiting[requester.attended][requester]
        waiter = waiters[number]
        del waiters[number]
        if not waiters:
            del self._waiting[requester.attended][requester]
        return waiter
