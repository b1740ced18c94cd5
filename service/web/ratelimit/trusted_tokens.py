"""Tokens that have opened something here lately, or were handed out here."""

from collections.abc import Callable

from service.web.ratelimit.recent_cache import RecentCache

__all__ = ["TrustedTokens"]

TTL_S = 3600.0

MAX_BYTES = 8 * 1024 * 1024

MAX_ENTRY_BYTES = 128
"""That one takes at most: its hash, and its share of a dict that has just grown."""


class TrustedTokens:
    """A set that forgets what was not used for one to two times `LATELY_S`, or sooner where there are too many.

    It holds the keys of tokens (`service.web.ratelimit.recent_cache.token_key`).
    """

    __slots__ = ("_cache",)

    def __init__(self, clock: Callable[[], float]) -> None:
        self._cache = RecentCache[bool](TTL_S, MAX_BYTES // MAX_ENTRY_BYTES, clock)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._cache)

    def __contains__(self, key: bytes) -> bool:
        """Whether it is known; it is then for another while."""
        return key in self._cache.recent or self._cache.get(key) is not None

    def add(self, key: bytes) -> None:
        """Know it from now on."""
        self._cache.put(key, True)  # noqa: FBT003 (a set is a table of nothing)
