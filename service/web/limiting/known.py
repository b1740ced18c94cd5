"""Tokens that have opened something here lately."""

from collections.abc import Callable

__all__ = ["Known"]

LATELY_S = 3600.0
MOST = 100_000


class Known:
    """A set that forgets what was not used for one to two times `LATELY_S`, or sooner where there are too many."""

    __slots__ = ("_began", "_clock", "_old", "_young")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._young: set[str] = set()
        self._old: set[str] = set()
        self._began = clock()

    def __contains__(self, token: str) -> bool:
        """Whether it is known; it is then for another while."""
        if token in self._young:
            return True
        if token not in self._old:
            return False
        self.add(token)
        return True

    def add(self, token: str) -> None:
        """Know it from now on."""
        now = self._clock()
        if now - self._began > LATELY_S or len(self._young) >= MOST:
            self._young, self._old, self._began = set(), self._young, now
        self._young.add(token)
