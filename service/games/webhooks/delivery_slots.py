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

from service.games.webhooks.sites import host_of, site_of

__all__ = ["Kind", "Slot", "SlotLimits", "Slots"]

MAX_HOSTS = 10_000
"""Hosts that something is known of; those not used for longest are forgotten."""


class Kind(Enum):
    """What is known of a host."""

    PROMPT = "prompt"
    UNKNOWN = "unknown"
    HANGING = "hanging"


class SlotLimits(NamedTuple):
    """How many deliveries there may be at once."""

    prompt: int = 64
    """At hosts that answer."""
    shared: int = 48
    """Of these, those that sites share that have one already; the rest is for sites that have none."""
    prompt_site: int = 16
    """Of one site, when few others need any."""
    unknown: int = 32
    unknown_site: int = 4
    hanging: int = 16
    """At hosts that hung the last time, when one more of them starts."""
    hanging_site: int = 2
    all_hanging: int = 64
    """Of all that hang, started so or not; when there are more, the one that has taken longest is given up."""
    prompt_s: float = 1.0
    """How long a prompt answer may take."""
    forgive_s: float = 600.0
    """How long a host that hung gets one slot at most."""


class Slots:
    """One instance's."""

    def __init__(self, limits: SlotLimits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or SlotLimits()
        self._clock = clock
        self._hosts: dict[str, tuple[Kind, float | None]] = {}
        """What is known of each, and when it hung; the one that was used last at the end."""
        self._late: dict[Slot, None] = {}
        """Deliveries that take too long, since the longest first."""
        self._at_host: Counter[str] = Counter()
        self._at_site = {kind: Counter[str]() for kind in Kind}

    def __len__(self) -> int:
        """How many are taken."""
        return self._at_host.total()

    def taken(self, kind: Kind) -> int:
        """How many are taken of a kind."""
        return self._at_site[kind].total()

    def kind_of(self, url: str) -> Kind:
        """What is known of a URL's host."""
        return self._hosts.get(host_of(url), (Kind.UNKNOWN, None))[0]

    def take(self, url: str) -> "Slot | None":
        """Take a slot for a delivery; None where there is none for this host now."""
        host = host_of(url)
        slot = Slot(self, host, site_of(host), self.kind_of(url))
        if not self._has_room(slot):
            return None
        self.count(slot, 1)
        return slot

    def count(self, slot: "Slot", change: int) -> None:
        """Count a slot, or no longer."""
        for counter, key in ((self._at_host, slot.host), (self._at_site[slot.kind], slot.site)):
            counter[key] += change
            if not counter[key]:
                del counter[key]

    def learn(self, host: str, kind: Kind) -> Kind:
        """Remember how a host answered, and give what it counts as: one that hung lately not as prompt at once."""
        _, hung_at = self._hosts.pop(host, (Kind.UNKNOWN, None))
        if kind is Kind.HANGING:
            hung_at = self._clock()
        elif kind is Kind.PROMPT and hung_at is not None:
            if self._clock() - hung_at < self.limits.forgive_s:
                kind = Kind.UNKNOWN
            else:
                hung_at = None
        self._hosts[host] = kind, hung_at
        if len(self._hosts) > MAX_HOSTS:
            del self._hosts[next(iter(self._hosts))]
        return kind

    def hang(self, slot: "Slot") -> None:
        """Note that a delivery takes too long, and give up another one where too many do."""
        self._late[slot] = None
        if len(self._late) > self.limits.all_hanging:
            oldest = next(iter(self._late))
            del self._late[oldest]
            oldest.give_up()

    def end(self, slot: "Slot") -> None:
        """Note that it takes no longer."""
        self._late.pop(slot, None)

    def _has_room(self, slot: "Slot") -> bool:
        limits, of_site = self.limits, self._at_site[slot.kind][slot.site]
        if slot.kind is Kind.PROMPT:
            sites, used = self._at_site[Kind.PROMPT], self.taken(Kind.PROMPT)
            share = min(limits.prompt_site, max(1, limits.shared // max(1, len(sites))))
            return used < (limits.shared if of_site else limits.prompt) and of_site < share
        most, most_of_site = (
            (limits.unknown, limits.unknown_site)
            if slot.kind is Kind.UNKNOWN
            else (limits.hanging, limits.hanging_site)
        )
        return not self._at_host[slot.host] and of_site < most_of_site and self.taken(slot.kind) < most


class Slot:
    """One delivery's, until it is released at the end of its `with`."""

    __slots__ = ("_late", "_slots", "_timeout", "host", "kind", "site")

    def __init__(self, slots: Slots, host: str, site: str, kind: Kind) -> None:
        self._slots = slots
        self._late = False
        self._timeout: asyncio.Timeout | None = None
        self.host = host
        self.site = site
        self.kind = kind

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._slots.count(self, -1)

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Send within this: what takes too long counts as hanging from then on. Raises TimeoutError when given up."""
        self._late = False
        timer = asyncio.get_running_loop().call_later(self._slots.limits.prompt_s, self._take_long)
        try:
            async with asyncio.timeout(None) as self._timeout:
                yield
        finally:
            timer.cancel()
            self._slots.end(self)
            self._timeout = None

    def give_up(self) -> None:
        """End what is being sent."""
        if self._timeout is not None:
            self._timeout.reschedule(asyncio.get_running_loop().time())

    def answer(self) -> None:
        """Learn that there was an answer, whatever it said."""
        if not self._late:
            self._become(self._slots.learn(self.host, Kind.PROMPT))

    def fail(self) -> None:
        """Learn that there was none, and that it was no matter of time."""
        if self.kind is Kind.PROMPT:
            self._become(self._slots.learn(self.host, Kind.UNKNOWN))

    def hang(self) -> None:
        """Learn that there was none in time."""
        self._late = True
        self._become(self._slots.learn(self.host, Kind.HANGING))

    def _take_long(self) -> None:
        self.hang()
        self._slots.hang(self)

    def _become(self, kind: Kind) -> None:
        self._slots.count(self, -1)
        self.kind = kind
        self._slots.count(self, 1)
