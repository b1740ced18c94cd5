"""The log of outages: a line for each cause, reminders at growing intervals while it lasts, and a line at its end."""

import logging
from time import monotonic

from service.games.ports.game_store import StoreUnavailable
from service.supervision import Backoff

__all__ = ["OutageLog"]

LINE_BACKOFF = Backoff(10.0, 600.0, jitter=0)
"""Between two lines about the same causes."""

CALM_BACKOFF = Backoff(10.0, 600.0, jitter=0)
"""How long nothing may fail before an outage ends that followed another one: a Redis that fails now and then has one
long outage, and does not fill the log. The first outage ends at once.
"""

FORGET_S = 60.0
"""An outage within this time of the last failure follows the one before."""


class OutageLog:
    """Logs the outages of a Redis that many callers use, so that none of them logs its own failures.

    Calls that succeed end none: during an outage reads may, and those of a Cluster's other primaries. The probe ends
    it, which writes to all of them. Without a logger nothing is logged: a command that ends with the first failure
    prints it.
    """

    def __init__(self, logger: logging.Logger | None) -> None:
        self.is_open = False
        """Whether there is an outage."""
        self._logger = logger
        self._outages = 0
        """How many followed each other."""
        self._failures = 0
        self._began_at = 0.0
        self._failed_at = float("-inf")
        """When a command failed last."""
        self._writable_at: float | None = None
        """When a probe first succeeded after that; None if none has."""
        self._causes: set[str] = set()
        """What lines have told of."""
        self._lines = 0
        self._next_line_at = 0.0

    def record_failure(self, error: StoreUnavailable) -> None:
        """Record that a command failed, and log it if the cause is new, or the last line old."""
        now = monotonic()
        if not self.is_open:
            self._outages = self._outages + 1 if now - self._failed_at < FORGET_S else 1
            self.is_open, self._began_at, self._failures, self._causes, self._lines = True, now, 0, set(), 0
        self._failures += 1
        self._failed_at, self._writable_at = now, None
        if self._logger is None or (error.cause in self._causes and now < self._next_line_at):
            return
        if self._causes:
            text = "Redis still fails commands after %s, %s until now: %s"
            self._logger.warning(text, format_duration(now - self._began_at), f"{self._failures:,}", error)
        else:
            text = "Redis fails commands, so requests get 503, and bots, deadlines and webhooks wait: %s"
            self._logger.warning(text, error)
        self._causes.add(error.cause)
        self._lines += 1
        self._next_line_at = now + LINE_BACKOFF.delay_s(self._lines)

    def record_writable(self, since: float) -> None:
        """Record that all primaries were writable for a probe that began at `since`, which may end the outage."""
        if not self.is_open or self._failed_at >= since:
            return
        self._writable_at = self._writable_at or since
        calm_s = CALM_BACKOFF.delay_s(self._outages - 1) if self._outages > 1 else 0.0
        if since - self._writable_at < calm_s:
            return
        self.is_open = False
        if self._logger is not None:
            text = "Redis takes writes again after %s, %s commands failed"
            self._logger.warning(text, format_duration(self._writable_at - self._began_at), f"{self._failures:,}")


def format_duration(seconds: float) -> str:
    """Return a duration in words.

    >>> format_duration(7.04), format_duration(296.2)
    ('7.0 s', '4 min 56 s')
    """
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f} min {rest:.0f} s" if minutes else f"{seconds:.1f} s"
