"""Games that the scheduler of this instance shall look at now, without waiting until the store is asked again.

It is a short cut only: each is due in the store too, where any instance finds it.
"""

import asyncio

__all__ = ["Wakeups"]

MAX_GAMES = 1_000
"""More are found in the store."""


class Wakeups:
    """The games, each once."""

    def __init__(self) -> None:
        self._games: dict[str, None] = {}
        self._added = asyncio.Event()

    def add(self, game: str) -> None:
        """Have a game looked at."""
        if len(self._games) < MAX_GAMES:
            self._games[game] = None
            self._added.set()

    def take(self) -> list[str]:
        """All that were added since the last time."""
        games = [*self._games]
        self._games.clear()
        self._added.clear()
        return games

    async def wait(self, timeout_s: float) -> None:
        """Wait until there is one, or for so long."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._added.wait()
        except TimeoutError:
            pass
