"""The log of outages: a line when one begins, others at growing intervals while it lasts, and one at its end."""

import logging
from time import monotonic

from service.supervision import Backoff

__all__ = ["OutageLog"]

LINE_BACKOFF = Backoff(10.0, 600.0, jitter=0)
"""Between two lines about failures."""

CALM_S = 2.0
"""An outage ends when nothing has failed for so long: while it lasts, some calls may succeed."""

FORGET_S = 60.0
"""A new outage of the same cause within this time of the last one continues its growing intervals, so that a store that
fails now and then does not fill the log.
"""


class OutageLog:
    """Logs the outages of one service that many callers use, so that none of them logs its own failures.

    Without a logger nothing is logged: a command that ends with the first failure prints it.
    """

    def __init__(
        self, logger: logging.Logger | None, service: str, failing: str, recovered: str, consequence: str
    ) -> None:
        self.is_open = False
        """Whether there is an outage."""
        self._logger = logger
        self._service = service
        self._failing = failing
        """What the log says of it during an outage."""
        self._recovered = recovered
        """And at its end."""
        self._consequence = consequence
        self._failures = 0
        self._began_at = 0.0
        self._available_since: float | None = None
        """When the first call succeeded after the last failure; None if none has."""
        self._ended_at = -FORGET_S
        self._next_line_at = 0.0
        self._lines = 0
        self._cause = ""
        """What the last outage began with."""
        self._is_logged = False
        """Whether a line has told of this outage."""

    def record_failure(self, reason: str) -> None:
        """Record that a call failed, and log it unless the last line is recent."""
        now = monotonic()
        if not self.is_open:
            self.is_open, self._began_at, self._failures, self._is_logged = True, now, 0, False
            if reason != self._cause or now - self._ended_at >= FORGET_S:
                self._lines, self._next_line_at = 0, now
            self._cause = reason
        self._failures += 1
        self._available_since = None
        if now < self._next_line_at or self._logger is None:
            return
        self._lines += 1
        self._next_line_at = now + LINE_BACKOFF.delay_s(self._lines)
        if self._is_logged:
            text = "%s still %s after %s, %s commands failed: %s"
            arguments = (format_duration(now - self._began_at), f"{self._failures:,}", reason)
            self._logger.warning(text, self._service, self._failing, *arguments)
        else:
            self._logger.warning("%s %s, so %s: %s", self._service, self._failing, self._consequence, reason)
        self._is_logged = True

    def record_success(self) -> None:
        """Record that a call succeeded; while nothing fails for CALM_S, this ends the outage."""
        if not self.is_open:
            return
        now = monotonic()
        if self._available_since is None:
            self._available_since = now
        if now - self._available_since < CALM_S:
            return
        self.is_open, self._ended_at = False, now
        if self._is_logged and self._logger is not None:
            text = "%s %s after %s, %s commands failed"
            arguments = (format_duration(self._available_since - self._began_at), f"{self._failures:,}")
            self._logger.warning(text, self._service, self._recovered, *arguments)


def format_duration(seconds: float) -> str:
    """Return a duration in words.

    >>> format_duration(7.04), format_duration(296.2)
    ('7.0 s', '4 min 56 s')
    """
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f} min {rest:.0f} s" if minutes else f"{seconds:.1f} s"
