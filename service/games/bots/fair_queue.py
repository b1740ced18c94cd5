"""Slots for bots' decisions: games in which a person waits come first, and within a class creators take turns.

A creator who has a thousand games waiting gets as many slots as one who has a single game. Work that runs is never
interrupted, so a part of the slots is closed to games without people, and their work is paced: after each decision
they pause, so that they get no more than their share of the time.
"""

import asyncio
from collections import OrderedDict, deque
from time import perf_counter
from typing import NamedTuple

from prometheus_client import Histogram

__all__ = ["ANONYMOUS", "FairQueue", "QueueFull", "Requester", "UnattendedLimits"]

MAX_WAITING = 1_000
"""Decisions of one class that may wait; then the creator that has most of them loses its latest one."""

CLASS_LABELS = ("unattended", "attended")
"""What metrics call games without people, and with them."""


class QueueFull(Exception):
    """Too many decisions wait, and this creator has the most of them: ask again later."""


class Requester(NamedTuple):
    """In whose name a slot is asked for."""

    creator: bytes = b""
    """Stands for whoever created the game; those who are not known are one."""
    attended: bool = True
    """Whether a person plays the game."""


ANONYMOUS = Requester()
"""The requester of games whose creator is not known."""


class UnattendedLimits(NamedTuple):
    """What games without people may have."""

    slots: int
    """At once."""
    time_share: float = 1.0
    """Of the time of all slots together, at most 1."""
    overhead_s: float = 0.0
    """What a decision takes besides its slot's time."""


class _RoundRobin:
    """Those of one class who wait: creators in turn, each one's in the order of their coming."""

    def __init__(self) -> None:
        self._creators: OrderedDict[bytes, deque[asyncio.Future[None]]] = OrderedDict()
        self.size = 0

    def add(self, creator: bytes, waiter: "asyncio.Future[None]") -> None:
        self._creators.setdefault(creator, deque()).append(waiter)
        self.size += 1

    def pop(self) -> "asyncio.Future[None]":
        """Take the next one; its creator's turn comes again after all others'."""
        creator, waiters = next(iter(self._creators.items()))
        waiter = waiters.popleft()
        self._creators.move_to_end(creator)
        self._remove_one(creator)
        return waiter

    def remove(self, creator: bytes, waiter: "asyncio.Future[None]") -> None:
        """Take out one who waits no longer, if it is there."""
        waiters = self._creators.get(creator)
        if waiters is not None and waiter in waiters:
            waiters.remove(waiter)
            self._remove_one(creator)

    def drop_latest(self) -> None:
        """Refuse the latest of the creator that has most."""
        creator, waiters = max(self._creators.items(), key=lambda one: len(one[1]))
        waiter = waiters.pop()
        self._remove_one(creator)
        if not waiter.done():
            waiter.set_exception(QueueFull())

    def _remove_one(self, creator: bytes) -> None:
        self.size -= 1
        if not self._creators[creator]:
            del self._creators[creator]


class FairQueue:
    """So many slots."""

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
        """When the next decision for a game without people may begin."""
        self._timer: asyncio.TimerHandle | None = None
        self._waiting = {True: _RoundRobin(), False: _RoundRobin()}
        self._wait_histograms = (
            None if wait_histogram is None else [wait_histogram.labels(name) for name in CLASS_LABELS]
        )

    @property
    def slots_in_use(self) -> int:
        """Slots that are taken."""
        return self._in_use

    def queue_length(self, *, attended: bool) -> int:
        """How many of a class wait."""
        return self._waiting[attended].size

    async def acquire(self, requester: Requester) -> float:
        """Take a slot as soon as it is this one's turn; gives when, for `release`. Raises QueueFull."""
        ring = self._waiting[requester.attended]
        if not ring.size and self._can_start(attended=requester.attended):
            self._take_slot(attended=requester.attended)
            return self._record_start(requester, 0.0)
        asked = perf_counter()
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ring.add(requester.creator, waiter)
        if ring.size > self._max_waiting:
            ring.drop_latest()
        self._dispatch()
        try:
            await waiter
        except asyncio.CancelledError:
            ring.remove(requester.creator, waiter)
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._return_slot(attended=requester.attended)  # it was this one's turn in the same moment
            raise
        return self._record_start(requester, perf_counter() - asked)

    def release(self, requester: Requester, started_at: float, ended_at: float | None = None) -> None:
        """Give a slot back that was taken at `began`; the work ended now, or earlier."""
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
        """Whether there is a slot for one of this class."""
        return self._in_use < self._slots and (attended or self._unattended_in_use < self._unattended_limits.slots)

    def _can_start(self, *, attended: bool) -> bool:
        """Whether one of this class may begin now."""
        return self._has_slot(attended=attended) and (attended or perf_counter() >= self._pause_ends_at)

    def _take_slot(self, *, attended: bool) -> None:
        self._in_use += 1
        self._unattended_in_use += not attended

    def _return_slot(self, *, attended: bool) -> None:
        self._in_use -= 1
        self._unattended_in_use -= not attended
        self._dispatch()

    def _dispatch(self) -> None:
        """Let all begin whose turn it is."""
        for attended in (True, False):
            ring = self._waiting[attended]
            while ring.size and self._can_start(attended=attended):
                waiter = ring.pop()
                if not waiter.done():
                    self._take_slot(attended=attended)
                    waiter.set_result(None)
        if self._waiting[False].size and self._timer is None and self._has_slot(attended=False):
            # only the pause keeps them, which may have ended in this moment
            pause_s = max(0.0, self._pause_ends_at - perf_counter())
            self._timer = asyncio.get_running_loop().call_later(pause_s, self._end_pause)

    def _end_pause(self) -> None:
        """Games without people have paused for long enough."""
        self._timer = None
        self._dispatch()
