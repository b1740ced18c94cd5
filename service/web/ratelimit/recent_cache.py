"""Tables of clients, each with a bound: what was not used of late is forgotten, and sooner where there is more.

What a table is keyed by has a bound of its own: the normal form of an address, or the hash of a token, and never what a
client wrote.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import Generic, TypeVar

__all__ = ["RecentCache", "Subject", "bucket_key", "hash_token"]

V = TypeVar("V")

Subject = str | bytes
"""Whom a bucket is for: an address or a network in its normal form, or the key of a token."""

HASH_BYTES = 16


def hash_token(token: str) -> bytes:
    """What stands for a token: its hash, since a copy of memory should open nothing, and tokens may be long."""
    return blake2b(token.encode(), digest_size=HASH_BYTES, person=b"token").digest()


def bucket_key(subject: Subject) -> str:
    """What stands for a client in the store: a hash, since a copy of the store should name nobody."""
    if isinstance(subject, bytes):
        return subject.hex()
    return blake2b(subject.encode(), digest_size=HASH_BYTES, person=b"address").hexdigest()


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
