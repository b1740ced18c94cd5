"""The concurrency limit of an instance's deliveries, so that slow servers do not delay responsive ones.

A host is responsive if it answered within a second the last time, slow if it did not, and otherwise unknown. Responsive
hosts share most slots, fairly by site. All others get one slot each. A delivery that takes longer than a second turns
its host slow at once, which frees the slot for a responsive or unknown host. When too many deliveries are slow, the
oldest is aborted.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import Enum, auto
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple, Self
from urllib.parse import urlsplit

SHARED_SUFFIXES = frozenset({"ac", "co", "com", "edu", "gov", "net", "or", "org"})
"""Second-level domains of country domains under which anybody registers names, such as co.uk."""

IPV4_BITS, IPV6_BITS = 24, 48
"""Prefix lengths of the networks that one owner often has in full."""


def site_of_url(url: str) -> str:
    """Return the site of a URL's server.

    >>> site_of_url("https://a.b.example.org:8080/hook"), site_of_url("https://[2001:db8:1:2::3]/")
    ('example.org', '2001:db8:1::/48')
    """
    return site_of_host(host_of_url(url))


def host_of_url(url: str) -> str:
    """Return the host name or address of a URL, in lower case."""
    return (urlsplit(url).hostname or "").rstrip(".")


def site_of_host(host: str) -> str:
    """Return the site of a host: its registered domain, by a heuristic, or its address's network.

    >>> site_of_host("bot.example.co.uk"), site_of_host("192.0.2.1"), site_of_host("localhost")
    ('example.co.uk', '192.0.2.0/24', 'localhost')
    """
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        labels = host.split(".")
        shared = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SHARED_SUFFIXES
        return ".".join(labels[-3 if shared else -2 :])
    return network_of_address(address)


def network_of_address(address: IPv4Address | IPv6Address) -> str:
    """Return the network that stands for an address."""
    bits = IPV4_BITS if isinstance(address, IPv4Address) else IPV6_BITS
    return str(ip_network((address, bits), strict=False))


MAX_HOSTS = 10_000
"""Number of hosts that are remembered; the least recently used are dropped."""


class HostStatus(Enum):
    """How a host responded lately."""

    RESPONSIVE = auto()
    UNKNOWN = auto()
    SLOW = auto()


class SlotLimits(NamedTuple):
    """The maximum numbers of concurrent deliveries."""

    responsive: int = 64
    """To responsive hosts."""
    responsive_shared: int = 48
    """Of these, the slots shared by sites that have one already; the rest is for sites without any."""
    responsive_per_site: int = 16
    """To the responsive hosts of one site, while few others need slots."""
    unknown: int = 32
    unknown_per_site: int = 4
    slow: int = 16
    """To slow hosts, counted when one more delivery starts."""
    slow_per_site: int = 2
    all_slow: int = 64
    """That are slow, however they started; beyond it, the one that has taken longest is aborted."""
    slow_after_s: float = 1.0
    """Duration after which a delivery counts as slow."""
    slow_memory_s: float = 600.0
    """Duration for which a host that was slow gets one slot at most."""


class DeliverySlots:
    """The slots of one instance."""

    def __init__(self, limits: SlotLimits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or SlotLimits()
        self._clock = clock
        self._hosts: dict[str, tuple[HostStatus, float | None]] = {}
        """Status of each host and when it was last slow; the most recently used is last."""
        self._in_use: set[DeliverySlot] = set()
        self._slow: dict[DeliverySlot, None] = {}
        """Slow deliveries, the longest first."""

    def host_status(self, url: str) -> HostStatus:
        """Return the status of a URL's host."""
        return self._hosts.get(host_of_url(url), (HostStatus.UNKNOWN, None))[0]

    def acquire(self, url: str) -> "DeliverySlot | None":
        """Acquire a slot for a delivery; None if its host gets none now."""
        host = host_of_url(url)
        slot = DeliverySlot(self, host, site_of_host(host), self.host_status(url))
        if not self._has_room(slot):
            return None
        self._in_use.add(slot)
        return slot

    def release(self, slot: "DeliverySlot") -> None:
        """Return a slot."""
        self._in_use.discard(slot)

    def record_host(self, host: str, status: HostStatus) -> HostStatus:
        """Record how a host responded, and return its status: one that was slow lately is unknown first."""
        _, slow_at = self._hosts.pop(host, (HostStatus.UNKNOWN, None))
        now = self._clock()
        if status is HostStatus.SLOW:
            slow_at = now
        elif status is HostStatus.RESPONSIVE and slow_at is not None and now - slow_at < self.limits.slow_memory_s:
            status = HostStatus.UNKNOWN
        self._hosts[host] = status, slow_at
        if len(self._hosts) > MAX_HOSTS:
            del self._hosts[next(iter(self._hosts))]
        return status

    def add_slow(self, slot: "DeliverySlot") -> None:
        """Record that a delivery is slow, and abort the oldest one if there are too many."""
        self._slow[slot] = None
        if len(self._slow) > self.limits.all_slow:
            oldest = next(iter(self._slow))
            del self._slow[oldest]
            oldest.abort()

    def remove_slow(self, slot: "DeliverySlot") -> None:
        """Record that a delivery is no longer slow."""
        self._slow.pop(slot, None)

    def _has_room(self, new: "DeliverySlot") -> bool:
        limits, alike = self.limits, [slot for slot in self._in_use if slot.status is new.status]
        sites = Counter(slot.site for slot in alike)
        of_site = sites[new.site]
        if new.status is HostStatus.RESPONSIVE:
            share = min(limits.responsive_per_site, max(1, limits.responsive_shared // max(1, len(sites))))
            return len(alike) < (limits.responsive_shared if of_site else limits.responsive) and of_site < share
        if any(slot.host == new.host for slot in self._in_use):
            return False
        if new.status is HostStatus.UNKNOWN:
            return of_site < limits.unknown_per_site and len(alike) < limits.unknown
        return of_site < limits.slow_per_site and len(alike) < limits.slow


class DeliverySlot:
    """The slot of one delivery; leaving its `with` block releases it."""

    _timeout: asyncio.Timeout
    """Of the delivery that is tracked."""

    def __init__(self, slots: DeliverySlots, host: str, site: str, status: HostStatus) -> None:
        self._slots = slots
        self._is_slow = False
        self.host = host
        self.site = site
        self.status = status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._slots.release(self)

    @asynccontextmanager
    async def track_response(self) -> AsyncIterator[None]:
        """Send within this block: a delivery that takes long turns slow. Raises TimeoutError when aborted."""
        self._is_slow = False
        timer = asyncio.get_running_loop().call_later(self._slots.limits.slow_after_s, self._on_slow)
        try:
            async with asyncio.timeout(None) as self._timeout:
                yield
        finally:
            timer.cancel()
            self._slots.remove_slow(self)

    def abort(self) -> None:
        """Abort the delivery, which is tracked."""
        self._timeout.reschedule(asyncio.get_running_loop().time())

    def record_response(self) -> None:
        """Record that the host responded, with any status."""
        if not self._is_slow:
            self.status = self._slots.record_host(self.host, HostStatus.RESPONSIVE)

    def record_failure(self) -> None:
        """Record that the host failed, but not by a timeout."""
        if self.status is HostStatus.RESPONSIVE:
            self.status = self._slots.record_host(self.host, HostStatus.UNKNOWN)

    def record_timeout(self) -> None:
        """Record that the host did not respond in time."""
        self._is_slow = True
        self.status = self._slots.record_host(self.host, HostStatus.SLOW)

    def _on_slow(self) -> None:
        self.record_timeout()
        self._slots.add_slow(self)
