"""A clock that all instances share: Redis's, as far as this process knows how far its own is off.

It is the time of all games: a deadline that one instance sets is kept by another, whatever their own clocks say. With
each commit goes when it was sent, by that clock, so that another instance can tell how late it delivers it. It is wrong
by at most half of a round trip, and in between it goes on by a clock that nobody sets. Until it was measured, and where
it cannot be, the process's own clock stands for it.
"""

import time
from typing import NamedTuple

__all__ = ["ClockOffset", "CommitStamp", "get_offset", "make_stamp", "now", "now_us", "parse_stamp", "set_offset"]


_STARTED_AT_S = time.time() - time.monotonic()


class ClockOffset(NamedTuple):
    """How far the shared clock is ahead of this process's, and how wrong that may be; seconds."""

    ahead_s: float
    error_s: float
    local_epoch_s: float = _STARTED_AT_S
    """What the process's clock said then, less what the monotonic one did; by itself, from when the process began."""


class CommitStamp(NamedTuple):
    """What a commit carries: when it was sent, in Unix microseconds by the shared clock, and its span, if any."""

    sent_us: int
    traceparent: str


_offset = ClockOffset(0.0, 0.0)


def set_offset(measured: ClockOffset) -> None:
    """Take this for the shared clock's from now on."""
    global _offset  # noqa: PLW0603 (there is one clock)
    _offset = measured


def get_offset() -> ClockOffset:
    """What is taken for it."""
    return _offset


def now() -> float:
    """The shared clock, in Unix seconds."""
    return _offset.local_epoch_s + _offset.ahead_s + time.monotonic()


def now_us() -> int:
    """The same in microseconds."""
    return int(now() * 1e6)


def make_stamp(traceparent: str) -> str:
    """What a commit that is sent now carries.

    >>> read(stamp("").encode()).traceparent
    ''
    """
    return f"{now_us()} {traceparent}" if traceparent else str(now_us())


def parse_stamp(meta: bytes) -> CommitStamp | None:
    """What a commit carried; None where it carried nothing, as those of before, or nothing that can be read.

    >>> read(b"1763800000123456 00-7a-b-01")
    Stamp(sent_us=1763800000123456, traceparent='00-7a-b-01')
    >>> read(b""), read(b"soon")
    (None, None)
    """
    sent, _, traceparent = meta.partition(b" ")
    return CommitStamp(int(sent), traceparent.decode("ascii", "replace")) if sent.isdigit() else None
