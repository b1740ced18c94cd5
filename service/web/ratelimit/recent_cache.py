"""Tables of clients, each with a bound: what was not used of late is forgotten, and sooner where there is more.

What a table is keyed by has a bound of its own: the normal form of an address, or the hash of a token, and never what a
client wrote.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import Generic, TypeVar

__all__ = ["RecentTable", "Subject", "stored_name", "token_key"]

V = TypeVar("V")

Subject = str | bytes
"""Whom a bucket is for: an address or a network in its normal form, or the key of a token."""

HASH_BYTES = 16


def token_key(token: str) -> bytes:
    """What stands for a token: its hash, since a copy of memory should open nothing, and tokens may be long."""
    return blake2b(token.encode(), digest_size=HASH_BYTES, person=b"token").digest()


def stored_name(subject: Subject) -> str:
    """What stands for a client in the store: a hash, since a copy of the store should name nobody."""
    if isinstance(subject, bytes):
        return subject.hex()
    return blake2b(subject.encode(), digest_size=HASH_BYTES, person=b"address").hexdigest()


class RecentTable(Generic[V]):
    """A dict that forgets what was not used for one to two windows, or sooner where it would grow too large."""

    __slots__ = ("_began", "_clock", "_most", "_old", "_window_s", "young")

    def __init__(self, window_s: float, max_entries: int, clock: Callable[[], float]) -> None:
        self.young: dict[Subject, V] = {}
        """What was used in this window; who looks here first need not call `get`."""
        self._old: dict[Subject, V] = {}
        """What was used in the window before, and not since."""
        self._window_s = window_s
        self._most = max_entries // 2
        """Entries of one generation."""
        self._clock = clock
        self._began = clock()

    def __len__(self) -> int:
        """How many there are."""
        return len(self.young) + len(self._old)

    def get(self, key: Subject) -> V | None:
        """What is kept under a key; it is then for another while."""
        value = self.young.get(key)
        if value is None and self._old and (value := self._old.get(key)) is not None:
            self.put(key, value)
        return value

    def put(self, key: Subject, value: V) -> None:
        """Keep this from now on."""
        now = self._clock()
        if now - self._began > self._window_s or len(self.young) >= self._most:
            self.young, self._old, self._began = {}, self.young, now
        self._old.pop(key, None)
        self.young[key] = value
