"""The shared clock: that of Redis, as far as this process knows the offset of its own.

All deadlines of games are on it, so instances agree on them whatever their own clocks say. Each commit carries its
time by this clock, so that other instances can tell how late they deliver it.

It is wrong by at most half of a round trip, and advances with the monotonic clock. Until it is measured, and if it
cannot be, it is the process's own clock.
"""

import time
from typing import NamedTuple

__all__ = ["ClockOffset", "CommitStamp", "make_stamp", "now", "now_us", "parse_stamp", "set_offset"]


_STARTED_AT_S = time.time() - time.monotonic()


class ClockOffset(NamedTuple):
    """How far the shared clock is ahead of this process's, and the possible error, in seconds."""

    ahead_s: float
    error_s: float
    local_epoch_s: float = _STARTED_AT_S
    """The process's clock at the measurement less its monotonic clock; by default, at its start."""


class CommitStamp(NamedTuple):
    """The time of a commit, in Unix microseconds by the shared clock, and its span, empty for none."""

    sent_us: int
    traceparent: str


_offset = ClockOffset(0.0, 0.0)


def set_offset(measured: ClockOffset) -> None:
    """Set the measured offset."""
    global _offset  # noqa: PLW0603 (there is one clock)
    _offset = measured


def now() -> float:
    """Return the time of the shared clock, in Unix seconds."""
    return _offset.local_epoch_s + _offset.ahead_s + time.monotonic()


def now_us() -> int:
    """Return the time of the shared clock, in Unix microseconds."""
    return int(now() * 1e6)


def make_stamp(traceparent: str) -> str:
    """Return the stamp of a commit that is sent now.

    >>> parse_stamp(make_stamp("").encode()).traceparent
    ''
    """
    return f"{now_us()} {traceparent}" if traceparent else str(now_us())


def parse_stamp(meta: bytes) -> CommitStamp | None:
    """Return the stamp that a commit carries; None if it has none or an unreadable one.

    >>> parse_stamp(b"1763800000123456 00-7a-b-01")
    CommitStamp(sent_us=1763800000123456, traceparent='00-7a-b-01')
    >>> parse_stamp(b""), parse_stamp(b"soon")
    (None, None)
    """
    sent, _, traceparent = meta.partition(b" ")
    return CommitStamp(int(sent), traceparent.decode("ascii", "replace")) if sent.isdigit() else None
