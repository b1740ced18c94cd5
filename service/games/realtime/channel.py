"""One watched game in this process: how far its watchers have been told, and the one place that tells them."""

import asyncio
from collections.abc import Sequence

from schemas.game import GameView
from service.games.ports import StoredDiff
from service.games.realtime.broadcaster import Broadcaster
from service.games.realtime.messages import DiffsMessage, SnapshotMessage, StreamPosition, follows

__all__ = ["Channel"]


class Channel:
    """One game and its watchers, all of whom are told everything up to `position`."""

    def __init__(self, game: str, position: StreamPosition) -> None:
        self.game = game
        self.position = position
        self.subscribers = Broadcaster(game)
        self.is_behind = False
        """The log may hold more."""
        self.has_diverged = False
        """The position is no part of the game's history (any more)."""
        self.is_caught_up = False
        """The log was read to its end once: what comes now is new, and not what a watcher had missed before."""
        self.snapshots = 0
        """How often the position was set anew."""
        self.reader: asyncio.Task[None] | None = None
        """The one that reads the log."""
        self._waiters: list[asyncio.Future[None]] = []

    def publish(self, diffs: Sequence[StoredDiff]) -> bool:
        """Tell what of `diffs` is new. False where that does not continue at the position; then nothing is told."""
        if self.has_diverged:
            return False
        fresh = [diff for diff in diffs if diff.version > self.position.version]
        if not fresh:
            return True
        if not follows(self.position, fresh):
            return False
        news = DiffsMessage(game=self.game, diffs=fresh)
        self.position = news.position
        self.subscribers.broadcast(news)
        return True

    def publish_snapshot(self, digest: str, view: GameView) -> None:
        """Begin anew from the whole game."""
        self.position = StreamPosition(view.version, digest)
        self.has_diverged = False
        self.snapshots += 1
        self.subscribers.broadcast(SnapshotMessage(game=self.game, digest=digest, view=view))

    def compare(self, known: StreamPosition, stored: StreamPosition | None) -> bool:
        """Hold what the store says now against the position from before it was asked; whether there is more to do."""
        if stored is None or stored.version < known.version or (stored.version == known.version and stored != known):
            self.has_diverged = True
        elif stored.version > self.position.version:
            self.is_behind = True
        return self.has_diverged or self.is_behind

    async def wait_for_read(self) -> None:
        """Wait until the log was read once more, or could not be."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    def notify_read(self) -> None:
        """Wake those who wait."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
