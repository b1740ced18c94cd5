"""Tables of clients, each with a bound: what was not used of late is forgotten, and sooner where there is more.

What a table is keyed by has a bound of its own: the normal form of an address, or the hash of a token, and never what a
client wrote.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from service.web.ratelimit.subjects import Subject

__all__ = ["RecentCache"]

V = TypeVar("V")


class RecentCache(Generic[V]):
    """A dict that forgets what was not used for one to two windows, or sooner where it would grow too large."""

    __slots__ = ("_clock", "_generation_started_at", "_max_generation_entries", "_older", "_window_s", "recent")

    def __init__(self, window_s: float, max_entries: int, clock: Callable[[], float]) -> None:
        self.recent: dict[Subject, V] = {}
        """What was used in this window; who looks here first need not call `get`."""
        self._older: dict[Subject, V] = {}
        """What was used in the window before, and not since."""
        self._window_s = window_s
        self._max_generation_entries = max_entries // 2
        """Entries of one generation."""
        self._clock = clock
        self._generation_started_at = clock()

    def __len__(self) -> int:
        """How many there are."""
        return len(self.recent) + len(self._older)

    def get(self, key: Subject) -> V | None:
        """What is kept under a key; it is then for another while."""
        value = self.recent.get(key)
        if value is None and self._older and (value := self._older.get(key)) is not None:
            self.put(key, value)
        return value

    def put(self, key: Subject, value: V) -> None:
        """Keep this from now on."""
        now = self._clock()
        if now - self._generation_started_at > self._window_s or len(self.recent) >= self._max_generation_entries:
            self.recent, self._older, self._generation_started_at = {}, self.recent, now
        self._older.pop(key, None)
        self.recent[key] = value
