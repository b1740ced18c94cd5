"""The shared clock: that of Redis, as far as this process knows the offset of its own; and the timestamps of the API.

All deadlines of games are on it, so instances agree on them whatever their own clocks say. Each
notification carries the time of its commit by this clock, so that other instances can tell how late they deliver it.

It is wrong by at most half of a round trip, and advances with the monotonic clock. Until it is measured, and if it
cannot be, it is the process's own clock.
"""

import math
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

DAY_S = 86_400

_STARTED_AT_S = time.time() - time.monotonic()


class ClockOffset(NamedTuple):
    """How far the shared clock is ahead of this process's, and the possible error, in seconds."""

    ahead_s: float
    error_s: float
    local_epoch_s: float = _STARTED_AT_S
    """The process's clock at the measurement less its monotonic clock; by default, at its start."""


STEP_S = 60.0
"""Redis' clock steps if it advances by so much more or less than both of this process's clocks."""

_offset = ClockOffset(0.0, math.inf)
_step_began_at = math.inf


def set_offset(measured: ClockOffset) -> None:
    """Set the measured offset, where Redis' clock has stepped only once that has lasted for STEP_S.

    So no deadline is set by a clock that is wrong for a moment.
    """
    global _offset, _step_began_at  # noqa: PLW0603 (there is one clock)
    step_s = measured.ahead_s - _offset.ahead_s
    since_start_s = step_s + measured.local_epoch_s - _offset.local_epoch_s
    has_stepped = _offset.error_s < math.inf and min(abs(step_s), abs(since_start_s)) >= STEP_S
    _step_began_at = min(_step_began_at, time.monotonic()) if has_stepped else math.inf
    if not has_stepped or time.monotonic() - _step_began_at >= STEP_S:
        _offset = measured


def now() -> float:
    """Return the time of the shared clock, in Unix seconds."""
    return _offset.local_epoch_s + _offset.ahead_s + time.monotonic()


@lru_cache(maxsize=4)
def timestamp(seconds: int) -> str:
    """Format Unix seconds: UTC, whole seconds, `Z`; cached, because all actions of a second have the same."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache(maxsize=1024)
def unix_seconds(at: str) -> int:
    """Parse a timestamp. Raises ValueError."""
    return int(datetime.fromisoformat(at).timestamp())
