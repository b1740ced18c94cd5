"""A log for warnings that every request repeats during an outage: at most one line per interval, with their number."""

import asyncio
import logging
from time import monotonic

__all__ = ["ThrottledLog"]

INTERVAL_S = 1.0


class ThrottledLog:
    """A log for one kind of warning. The first is logged at once; more within the interval share the next line."""

    def __init__(self, logger: logging.Logger, interval_s: float = INTERVAL_S) -> None:
        self._logger = logger
        self._interval_s = interval_s
        self._count = 0
        self._last = ""
        """The last warning, formatted at once: an error among its values would keep the frames of its traceback."""
        self._last_line_at = self._next_line_at = -interval_s
        """From when a warning is logged at once: an interval after the last line, or after the line that a timer will
        write.
        """

    def warning(self, text: str, *values: object) -> None:
        """Log a warning, or count it and log the last of its kind soon."""
        self._count += 1
        self._last = text % values
        rest_s = self._next_line_at - monotonic()
        if rest_s <= 0:
            self._write()
        elif rest_s <= self._interval_s:
            try:
                asyncio.get_running_loop().call_later(rest_s, self._flush)
            except RuntimeError:  # no event loop: the next warning counts this one
                return
            self._next_line_at += self._interval_s

    def _flush(self) -> None:
        if self._count:
            self._write()

    def _write(self) -> None:
        now = monotonic()
        if self._count > 1:
            interval_s = now - self._last_line_at
            self._logger.warning("%s (the last of %d within %.1f s)", self._last, self._count, interval_s)
        else:
            self._logger.warning("%s", self._last)
        self._count, self._last_line_at, self._next_line_at = 0, now, now + self._interval_s
