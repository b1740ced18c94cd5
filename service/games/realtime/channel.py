"""One watched game in this process: how far its watchers have been told, and the one place that tells them."""

import asyncio
from collections.abc import Sequence

from schemas.game import GameView
from service.games.ports import StoredDiff
from service.games.realtime.broadcaster import Telling
from service.games.realtime.messages import Changed, Position, Replaced, follows

__all__ = ["Feed"]


class Feed:
    """One game and its watchers, all of whom are told everything up to `position`."""

    def __init__(self, game: str, position: Position) -> None:
        self.game = game
        self.position = position
        self.watchers = Telling(game)
        self.behind = False
        """The log may hold more."""
        self.lost = False
        """The position is no part of the game's history (any more)."""
        self.current = False
        """The log was read to its end once: what comes now is new, and not what a watcher had missed before."""
        self.replacements = 0
        """How often the position was set anew."""
        self.task: asyncio.Task[None] | None = None
        """The one that reads the log."""
        self._waiters: list[asyncio.Future[None]] = []

    def offer(self, diffs: Sequence[StoredDiff]) -> bool:
        """Tell what of `diffs` is new. False where that does not continue at the position; then nothing is told."""
        if self.lost:
            return False
        fresh = [diff for diff in diffs if diff.version > self.position.version]
        if not fresh:
            return True
        if not follows(self.position, fresh):
            return False
        news = Changed(game=self.game, diffs=fresh)
        self.position = news.position
        self.watchers.tell(news)
        return True

    def replace(self, digest: str, view: GameView) -> None:
        """Begin anew from the whole game."""
        self.position = Position(view.version, digest)
        self.lost = False
        self.replacements += 1
        self.watchers.tell(Replaced(game=self.game, digest=digest, view=view))

    def judge(self, before: Position, now: Position | None) -> bool:
        """Hold what the store says now against the position from before it was asked; whether there is more to do."""
        if now is None or now.version < before.version or (now.version == before.version and now != before):
            self.lost = True
        elif now.version > self.position.version:
            self.behind = True
        return self.lost or self.behind

    async def attempt(self) -> None:
        """Wait until the log was read once more, or could not be."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    def attempted(self) -> None:
        """Wake those who wait."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
