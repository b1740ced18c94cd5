"""The service's clock, for countdowns that do not depend on the device's."""

import math
import time
from datetime import UTC, datetime

__all__ = ["ServerClock"]

PRECISION_S = 1.0
"""The service tells its time in whole seconds."""


class ServerClock:
    """An estimate of the service's time: each response narrows it down, and before the first it is the device's."""

    def __init__(self) -> None:
        self._min_offset_s = -math.inf
        self._max_offset_s = math.inf
        """What to add to `time.monotonic()`: at least, and at most."""

    def now(self) -> datetime:
        """Return the time of the service, in UTC."""
        return datetime.fromtimestamp(time.monotonic() + self._offset_s(), UTC)

    def seconds_left(self, deadline: str) -> float:
        """Return the seconds until a time of the service, as `turn.deadline`; 0 if it has passed."""
        return max(0.0, (datetime.fromisoformat(deadline) - self.now()).total_seconds())

    def observe(self, server_time: datetime, sent_at: float, received_at: float) -> None:
        """Take the time that a response tells, and when it was requested and received by `time.monotonic()`.

        A time that contradicts earlier ones replaces them: the device slept, or a clock was set.
        """
        min_offset_s, max_offset_s = (
            server_time.timestamp() - received_at,
            server_time.timestamp() + PRECISION_S - sent_at,
        )
        if min_offset_s <= self._max_offset_s and max_offset_s >= self._min_offset_s:
            min_offset_s = max(min_offset_s, self._min_offset_s)
            max_offset_s = min(max_offset_s, self._max_offset_s)
        self._min_offset_s, self._max_offset_s = min_offset_s, max_offset_s

    def _offset_s(self) -> float:
        if math.isinf(self._min_offset_s):
            return time.time() - time.monotonic()
        return (self._min_offset_s + self._max_offset_s) / 2
