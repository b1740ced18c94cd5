"""Warnings of which each request brings one while something is out of order: one line a second, with their number."""

import asyncio
import logging
from time import monotonic

__all__ = ["ThrottledLog"]

INTERVAL_S = 1.0


class ThrottledLog:
    """Warnings of one kind. The first is logged at once; those that follow within a second share a line after it."""

    def __init__(self, logger: logging.Logger, interval_s: float = INTERVAL_S) -> None:
        self._logger = logger
        self._interval_s = interval_s
        self._written_at = -interval_s
        self._count = 0
        self._last: tuple[str, tuple[object, ...]] = ("", ())
        self._flushed_at = -interval_s
        """When a timer writes what has not been written yet."""

    def warning(self, text: str, *values: object) -> None:
        """Log this, or count it and log the last of its kind soon."""
        self._count += 1
        self._last = (text, values)
        now = monotonic()
        if now - self._written_at >= self._interval_s:
            self._write(now)
        elif self._flushed_at < now:
            self._flush_later(now)

    def _flush_later(self, now: float) -> None:
        rest_s = self._written_at + self._interval_s - now
        try:
            asyncio.get_running_loop().call_later(rest_s, self._flush)
        except RuntimeError:  # no event loop: the next warning tells of this one
            return
        self._flushed_at = now + rest_s

    def _flush(self) -> None:
        if not self._count:
            return
        now = monotonic()
        if now - self._written_at >= 0.9 * self._interval_s:
            self._write(now)
        else:  # a warning after the second was written by itself, just before
            self._flush_later(now)

    def _write(self, now: float) -> None:
        text, values = self._last
        if self._count > 1:
            text, values = f"{text} (the last of %d within %.1f s)", (*values, self._count, now - self._written_at)
        self._logger.warning(text, *values)
        self._count, self._written_at = 0, now
