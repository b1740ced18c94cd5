"""Tokens that opened a game on this instance lately, or were issued by it."""

from collections.abc import Callable

from service.web.ratelimit.recent_cache import RecentCache

__all__ = ["TrustedTokens"]

TTL_S = 3600.0

MAX_BYTES = 8 * 1024 * 1024

MAX_ENTRY_BYTES = 128
"""Memory of an entry, at most: the hash, and its share of a dict that has just grown."""


class TrustedTokens:
    """A set of token hashes that forgets those unused for one to two `TTL_S`, or earlier if there are too many."""

    __slots__ = ("_cache",)

    def __init__(self, clock: Callable[[], float]) -> None:
        self._cache = RecentCache[bool](TTL_S, MAX_BYTES // MAX_ENTRY_BYTES, clock)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self._cache)

    def __contains__(self, key: bytes) -> bool:
        """Return whether a token is trusted, and mark it as used."""
        return key in self._cache.recent or self._cache.get(key) is not None

    def add(self, key: bytes) -> None:
        """Trust a token."""
        self._cache.put(key, True)  # noqa: FBT003 (a set is a table of nothing)
