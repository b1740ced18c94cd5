"""How many deliveries one instance has under way, so that servers that hang do not hold up those that answer.

Hosts are of three kinds. A prompt one answered within a second the last time. One that hangs did not; a prompt answer
makes it one of the third kind, which nothing good or bad is known of lately. Prompt hosts share most slots, fairly by
site. All others get one slot each. A delivery that takes longer than a second counts as hanging from then on: it no
longer takes a place that a prompt or an unknown host could have. Where too many hang, the oldest is given up.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import Enum
from typing import NamedTuple, Self

from service.games.webhooks.sites import host_of_url, site_of_host

__all__ = ["DeliverySlot", "DeliverySlots", "HostStatus", "SlotLimits"]

MAX_HOSTS = 10_000
"""Hosts that something is known of; those not used for longest are forgotten."""


class HostStatus(Enum):
    """What is known of a host."""

    RESPONSIVE = "prompt"
    UNKNOWN = "unknown"
    SLOW = "hanging"


class SlotLimits(NamedTuple):
    """How many deliveries there may be at once."""

    responsive: int = 64
    """At hosts that answer."""
    responsive_shared: int = 48
    """Of these, those that sites share that have one already; the rest is for sites that have none."""
    responsive_per_site: int = 16
    """Of one site, when few others need any."""
    unknown: int = 32
    unknown_per_site: int = 4
    slow: int = 16
    """At hosts that hung the last time, when one more of them starts."""
    slow_per_site: int = 2
    all_slow: int = 64
    """Of all that hang, started so or not; when there are more, the one that has taken longest is given up."""
    slow_after_s: float = 1.0
    """How long a prompt answer may take."""
    slow_memory_s: float = 600.0
    """How long a host that hung gets one slot at most."""


class DeliverySlots:
    """One instance's."""

    def __init__(self, limits: SlotLimits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or SlotLimits()
        self._clock = clock
        self._hosts: dict[str, tuple[HostStatus, float | None]] = {}
        """What is known of each, and when it hung; the one that was used last at the end."""
        self._slow: dict[DeliverySlot, None] = {}
        """Deliveries that take too long, since the longest first."""
        self._at_host: Counter[str] = Counter()
        self._at_site = {kind: Counter[str]() for kind in HostStatus}

    def __len__(self) -> int:
        """How many are taken."""
        return self._at_host.total()

    def in_use(self, kind: HostStatus) -> int:
        """How many are taken of a kind."""
        return self._at_site[kind].total()

    def host_status(self, url: str) -> HostStatus:
        """What is known of a URL's host."""
        return self._hosts.get(host_of_url(url), (HostStatus.UNKNOWN, None))[0]

    def acquire(self, url: str) -> "DeliverySlot | None":
        """Take a slot for a delivery; None where there is none for this host now."""
        host = host_of_url(url)
        slot = DeliverySlot(self, host, site_of_host(host), self.host_status(url))
        if not self._has_room(slot):
            return None
        self.count(slot, 1)
        return slot

    def count(self, slot: "DeliverySlot", change: int) -> None:
        """Count a slot, or no longer."""
        for counter, key in ((self._at_host, slot.host), (self._at_site[slot.status], slot.site)):
            counter[key] += change
            if not counter[key]:
                del counter[key]

    def record_host(self, host: str, kind: HostStatus) -> HostStatus:
        """Remember how a host answered, and give what it counts as: one that hung lately not as prompt at once."""
        _, hung_at = self._hosts.pop(host, (HostStatus.UNKNOWN, None))
        if kind is HostStatus.SLOW:
            hung_at = self._clock()
        elif kind is HostStatus.RESPONSIVE and hung_at is not None:
            if self._clock() - hung_at < self.limits.slow_memory_s:
                kind = HostStatus.UNKNOWN
            else:
                hung_at = None
        self._hosts[host] = kind, hung_at
        if len(self._hosts) > MAX_HOSTS:
            del self._hosts[next(iter(self._hosts))]
        return kind

    def add_slow(self, slot: "DeliverySlot") -> None:
        """Note that a delivery takes too long, and give up another one where too many do."""
        self._slow[slot] = None
        if len(self._slow) > self.limits.all_slow:
            oldest = next(iter(self._slow))
            del self._slow[oldest]
            oldest.abort()

    def remove_slow(self, slot: "DeliverySlot") -> None:
        """Note that it takes no longer."""
        self._slow.pop(slot, None)

    def _has_room(self, slot: "DeliverySlot") -> bool:
        limits, of_site = self.limits, self._at_site[slot.status][slot.site]
        if slot.status is HostStatus.RESPONSIVE:
            sites, used = self._at_site[HostStatus.RESPONSIVE], self.in_use(HostStatus.RESPONSIVE)
            share = min(limits.responsive_per_site, max(1, limits.responsive_shared // max(1, len(sites))))
            return used < (limits.responsive_shared if of_site else limits.responsive) and of_site < share
        most, most_of_site = (
            (limits.unknown, limits.unknown_per_site)
            if slot.status is HostStatus.UNKNOWN
            else (limits.slow, limits.slow_per_site)
        )
        return not self._at_host[slot.host] and of_site < most_of_site and self.in_use(slot.status) < most


class DeliverySlot:
    """One delivery's, until it is released at the end of its `with`."""

    __slots__ = ("_is_slow", "_slots", "_timeout", "host", "site", "status")

    def __init__(self, slots: DeliverySlots, host: str, site: str, kind: HostStatus) -> None:
        self._slots = slots
        self._is_slow = False
        self._timeout: asyncio.Timeout | None = None
        self.host = host
        self.site = site
        self.status = kind

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._slots.count(self, -1)

    @asynccontextmanager
    async def track_response(self) -> AsyncIterator[None]:
        """Send within this: what takes too long counts as hanging from then on. Raises TimeoutError when given up."""
        self._is_slow = False
        timer = asyncio.get_running_loop().call_later(self._slots.limits.slow_after_s, self._on_slow)
        try:
            async with asyncio.timeout(None) as self._timeout:
                yield
        finally:
            timer.cancel()
            self._slots.remove_slow(self)
            self._timeout = None

    def abort(self) -> None:
        """End what is being sent."""
        if self._timeout is not None:
            self._timeout.reschedule(asyncio.get_running_loop().time())

    def record_response(self) -> None:
        """Learn that there was an answer, whatever it said."""
        if not self._is_slow:
            self._set_status(self._slots.record_host(self.host, HostStatus.RESPONSIVE))

    def record_failure(self) -> None:
        """Learn that there was none, and that it was no matter of time."""
        if self.status is HostStatus.RESPONSIVE:
            self._set_status(self._slots.record_host(self.host, HostStatus.UNKNOWN))

    def record_timeout(self) -> None:
        """Learn that there was none in time."""
        self._is_slow = True
        self._set_status(self._slots.record_host(self.host, HostStatus.SLOW))

    def _on_slow(self) -> None:
        self.record_timeout()
        self._slots.add_slow(self)

    def _set_status(self, kind: HostStatus) -> None:
        self._slots.count(self, -1)
        self.status = kind
        self._slots.count(self, 1)
