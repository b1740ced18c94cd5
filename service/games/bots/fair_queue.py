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

__all__ = ["Claim", "FairQueue", "QueueFull", "Share"]

MAX_WAITING = 1_000
"""Decisions of one class that may wait; then the creator that has most of them loses its latest one."""

CLASSES = ("unattended", "attended")
"""What metrics call games without people, and with them."""


class QueueFull(Exception):
    """Too many decisions wait, and this creator has the most of them: ask again later."""


class Claim(NamedTuple):
    """In whose name a slot is asked for."""

    creator: bytes = b""
    """Stands for whoever created the game; those who are not known are one."""
    attended: bool = True
    """Whether a person plays the game."""


class Share(NamedTuple):
    """What games without people may have."""

    slots: int
    """At once."""
    time: float = 1.0
    """Of the time of all slots together, at most 1."""
    overhead_s: float = 0.0
    """What a decision takes besides its slot's time."""


class _Ring:
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
        self._shrink(creator)
        return waiter

    def remove(self, creator: bytes, waiter: "asyncio.Future[None]") -> None:
        """Take out one who waits no longer, if it is there."""
        waiters = self._creators.get(creator)
        if waiters is not None and waiter in waiters:
            waiters.remove(waiter)
            self._shrink(creator)

    def drop_latest(self) -> None:
        """Refuse the latest of the creator that has most."""
        creator, waiters = max(self._creators.items(), key=lambda one: len(one[1]))
        waiter = waiters.pop()
        self._shrink(creator)
        if not waiter.done():
            waiter.set_exception(QueueFull())

    def _shrink(self, creator: bytes) -> None:
        self.size -= 1
        if not self._creators[creator]:
            del self._creators[creator]


class FairQueue:
    """So many slots."""

    def __init__(
        self,
        slots: int,
        unattended: Share | None = None,
        max_waiting: int = MAX_WAITING,
        waits: Histogram | None = None,
    ) -> None:
        self._slots = slots
        self._share = unattended or Share(slots)
        self._max_waiting = max_waiting
        self._taken = self._unattended = 0
        self._opens_at = 0.0
        """When the next decision for a game without people may begin."""
        self._timer: asyncio.TimerHandle | None = None
        self._rings = {True: _Ring(), False: _Ring()}
        self._waits = None if waits is None else [waits.labels(name) for name in CLASSES]

    @property
    def taken(self) -> int:
        """Slots that are taken."""
        return self._taken

    def waiting(self, *, attended: bool) -> int:
        """How many of a class wait."""
        return self._rings[attended].size

    async def acquire(self, claim: Claim) -> float:
        """Take a slot as soon as it is this one's turn; gives when, for `release`. Raises QueueFull."""
        ring = self._rings[claim.attended]
        if not ring.size and self._is_open(attended=claim.attended):
            self._take(attended=claim.attended)
            return self._begin(claim, 0.0)
        asked = perf_counter()
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ring.add(claim.creator, waiter)
        if ring.size > self._max_waiting:
            ring.drop_latest()
        self._dispatch()
        try:
            await waiter
        except asyncio.CancelledError:
            ring.remove(claim.creator, waiter)
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._give_back(attended=claim.attended)  # it was this one's turn in the same moment
            raise
        return self._begin(claim, perf_counter() - asked)

    def release(self, claim: Claim, began: float, ended: float | None = None) -> None:
        """Give a slot back that was taken at `began`; the work ended now, or earlier."""
        if not claim.attended:
            share = self._share
            work_s = (perf_counter() if ended is None else ended) - began + share.overhead_s
            self._opens_at = max(self._opens_at, began) + work_s / (share.time * self._slots)
        self._give_back(attended=claim.attended)

    def _begin(self, claim: Claim, waited_s: float) -> float:
        if self._waits is not None:
            self._waits[claim.attended].observe(waited_s)
        return perf_counter()

    def _is_free(self, *, attended: bool) -> bool:
        """Whether there is a slot for one of this class."""
        return self._taken < self._slots and (attended or self._unattended < self._share.slots)

    def _is_open(self, *, attended: bool) -> bool:
        """Whether one of this class may begin now."""
        return self._is_free(attended=attended) and (attended or perf_counter() >= self._opens_at)

    def _take(self, *, attended: bool) -> None:
        self._taken += 1
        self._unattended += not attended

    def _give_back(self, *, attended: bool) -> None:
        self._taken -= 1
        self._unattended -= not attended
        self._dispatch()

    def _dispatch(self) -> None:
        """Let all begin whose turn it is."""
        for attended in (True, False):
            ring = self._rings[attended]
            while ring.size and self._is_open(attended=attended):
                waiter = ring.pop()
                if not waiter.done():
                    self._take(attended=attended)
                    waiter.set_result(None)
        if self._rings[False].size and self._timer is None and self._is_free(attended=False):
            # only the pause keeps them, which may have ended in this moment
            pause_s = max(0.0, self._opens_at - perf_counter())
            self._timer = asyncio.get_running_loop().call_later(pause_s, self._wake)

    def _wake(self) -> None:
        """Games without people have paused for long enough."""
        self._timer = None
        self._dispatch()
