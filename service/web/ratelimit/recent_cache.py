"""A cache with a bound on its memory that forgets what was not used lately."""

from collections.abc import Callable
from typing import Generic, TypeVar

from service.web.client_ip import ClientID

__all__ = ["RecentCache"]

V = TypeVar("V")


class RecentCache(Generic[V]):
    """A dict that forgets entries unused for one to two windows, or earlier if it grows too large."""

    __slots__ = ("_clock", "_generation_started_at", "_max_generation_entries", "_older", "_window_s", "recent")

    def __init__(self, window_s: float, max_entries: int, clock: Callable[[], float]) -> None:
        self.recent: dict[ClientID, V] = {}
        """Entries used in this window. Hot paths read it directly before they call `get`."""
        self._older: dict[ClientID, V] = {}
        """Entries used in the window before, and not since."""
        self._window_s = window_s
        self._max_generation_entries = max_entries // 2
        self._clock = clock
        self._generation_started_at = clock()

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.recent) + len(self._older)

    def __contains__(self, key: ClientID) -> bool:
        """Return whether there is an entry, and mark it as used."""
        return key in self.recent or self.get(key) is not None

    def get(self, key: ClientID) -> V | None:
        """Return the value of a key and mark it as used; None if there is none."""
        value = self.recent.get(key)
        if value is None and self._older and (value := self._older.get(key)) is not None:
            self.put(key, value)
        return value

    def put(self, key: ClientID, value: V) -> None:
        """Store a value."""
        now = self._clock()
        if now - self._generation_started_at > self._window_s or len(self.recent) >= self._max_generation_entries:
            self.recent, self._older, self._generation_started_at = {}, self.recent, now
        self._older.pop(key, None)
        self.recent[key] = value
