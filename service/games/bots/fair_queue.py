"""A fair queue of slots for bots' decisions: attended games first, and within a class one creator after the other.

A creator with a thousand waiting games gets as many slots as one with a single game. Running decisions are never
interrupted. So unattended games may use only some of the slots, and pause after each decision, which limits them to
their share of the time.
"""

import asyncio
from collections import OrderedDict, deque
from time import perf_counter
from typing import NamedTuple

from prometheus_client import Histogram

__all__ = ["ANONYMOUS", "FairQueue", "QueueFull", "Requester", "UnattendedLimits"]

MAX_WAITING = 1_000
"""Number of decisions of one class that may wait; beyond it, the creator with the most loses its latest one."""

CLASS_LABELS = ("unattended", "attended")
"""Metric labels of unattended and attended games."""


class QueueFull(Exception):
    """Too many decisions wait, and this creator has the most of them. Retry later."""


class Requester(NamedTuple):
    """On whose behalf a slot is requested."""

    creator: bytes = b""
    """A hash of the game's creator; all unknown creators share the empty one."""
    attended: bool = True
    """Whether a person plays in the game."""


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


class _RoundRobin:
    """The waiters of one class: creators in turn, each creator's in order of arrival."""

    def __init__(self) -> None:
        self._creators: OrderedDict[bytes, deque[asyncio.Future[None]]] = OrderedDict()
        self.size = 0

    def add(self, creator: bytes, waiter: "asyncio.Future[None]") -> None:
        self._creators.setdefault(creator, deque()).append(waiter)
        self.size += 1

    def pop(self) -> "asyncio.Future[None]":
        """Remove and return the next waiter, and move its creator to the end."""
        creator, waiters = next(iter(self._creators.items()))
        waiter = waiters.popleft()
        self._creators.move_to_end(creator)
        self._decrement(creator)
        return waiter

    def remove(self, creator: bytes, waiter: "asyncio.Future[None]") -> None:
        """Remove a waiter if it is there."""
        waiters = self._creators.get(creator)
        if waiters is not None and waiter in waiters:
            waiters.remove(waiter)
            self._decrement(creator)

    def drop_latest(self) -> None:
        """Fail the latest waiter of the creator with the most."""
        creator, waiters = max(self._creators.items(), key=lambda item: len(item[1]))
        waiter = waiters.pop()
        self._decrement(creator)
        if not waiter.done():
            waiter.set_exception(QueueFull())

    def _decrement(self, creator: bytes) -> None:
        self.size -= 1
        if not self._creators[creator]:
            del self._creators[creator]


class FairQueue:
    """A fixed number of slots, assigned fairly to attended and unattended games."""

    def __init__(
        self,
        slots: int,
        unattended_limits: UnattendedLimits | None = None,
        max_waiting: int = MAX_WAITING,
        wait_histogram: Histogram | None = None,
    ) -> None:
        self._slots = slots
        self._unattended_limits = unattended_limits or UnattendedLimits(slots)
        self._max_waiting = max_waiting
        self._in_use = self._unattended_in_use = 0
        self._pause_ends_at = 0.0
        """When the next decision of an unattended game may start."""
        self._timer: asyncio.TimerHandle | None = None
        self._waiting = {True: _RoundRobin(), False: _RoundRobin()}
        self._wait_histograms = (
            None if wait_histogram is None else [wait_histogram.labels(name) for name in CLASS_LABELS]
        )

    @property
    def slots_in_use(self) -> int:
        """Return the number of slots in use."""
        return self._in_use

    def queue_length(self, *, attended: bool) -> int:
        """Return the number of waiters of a class."""
        return self._waiting[attended].size

    async def acquire(self, requester: Requester) -> float:
        """Wait for a slot; return the start time, which `release` takes. Raises QueueFull."""
        waiting = self._waiting[requester.attended]
        if not waiting.size and self._can_start(attended=requester.attended):
            self._take_slot(attended=requester.attended)
            return self._record_start(requester, 0.0)
        queued_at = perf_counter()
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.add(requester.creator, waiter)
        if waiting.size > self._max_waiting:
            waiting.drop_latest()
        self._dispatch()
        try:
            await waiter
        except asyncio.CancelledError:
            waiting.remove(requester.creator, waiter)
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._return_slot(attended=requester.attended)  # the slot was assigned in the same moment
            raise
        return self._record_start(requester, perf_counter() - queued_at)

    def release(self, requester: Requester, started_at: float, ended_at: float | None = None) -> None:
        """Return a slot that was acquired at `started_at`; `ended_at` is the end of the work, by default now."""
        if not requester.attended:
            share = self._unattended_limits
            work_s = (perf_counter() if ended_at is None else ended_at) - started_at + share.overhead_s
            self._pause_ends_at = max(self._pause_ends_at, started_at) + work_s / (share.time_share * self._slots)
        self._return_slot(attended=requester.attended)

    def _record_start(self, requester: Requester, waited_s: float) -> float:
        if self._wait_histograms is not None:
            self._wait_histograms[requester.attended].observe(waited_s)
        return perf_counter()

    def _has_slot(self, *, attended: bool) -> bool:
        """Return whether a slot is free for this class."""
        return self._in_use < self._slots and (attended or self._unattended_in_use < self._unattended_limits.slots)

    def _can_start(self, *, attended: bool) -> bool:
        """Return whether a decision of this class may start now."""
        return self._has_slot(attended=attended) and (attended or perf_counter() >= self._pause_ends_at)

    def _take_slot(self, *, attended: bool) -> None:
        self._in_use += 1
        self._unattended_in_use += not attended

    def _return_slot(self, *, attended: bool) -> None:
        self._in_use -= 1
        self._unattended_in_use -= not attended
        self._dispatch()

    def _dispatch(self) -> None:
        """Assign free slots to the next waiters."""
        for attended in (True, False):
            waiting = self._waiting[attended]
            while waiting.size and self._can_start(attended=attended):
                waiter = waiting.pop()
                if not waiter.done():
                    self._take_slot(attended=attended)
                    waiter.set_result(None)
        if self._waiting[False].size and self._timer is None and self._has_slot(attended=False):
            # only the pause delays them, and it may have ended by now
            pause_s = max(0.0, self._pause_ends_at - perf_counter())
            self._timer = asyncio.get_running_loop().call_later(pause_s, self._end_pause)

    def _end_pause(self) -> None:
        """End the pause of unattended games."""
        self._timer = None
        self._dispatch()
