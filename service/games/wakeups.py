"""Games that this instance's scheduler processes at once, without waiting for its next query of the store.

This is an optimization: each game is due in the store too, where any instance gets it.
"""

import asyncio
from contextlib import suppress

__all__ = ["Wakeups"]

MAX_GAMES = 1_000
"""Further games wait for the next query."""


class Wakeups:
    """A set of games to process."""

    def __init__(self) -> None:
        self._games: dict[str, None] = {}
        self._added = asyncio.Event()

    def add(self, game: str) -> None:
        """Add a game."""
        if len(self._games) < MAX_GAMES:
            self._games[game] = None
            self._added.set()

    def take(self) -> list[str]:
        """Remove and return all games."""
        games = [*self._games]
        self._games.clear()
        self._added.clear()
        return games

    async def wait(self, timeout_s: float) -> None:
        """Wait until there is a game, or until the timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._added.wait()
