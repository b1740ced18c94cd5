"""One watched game in this process: how far its watchers have been told, and the one place that tells them."""

import asyncio
import logging
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from schemas.game import GameView
from service.games.errors import GameError
from service.games.port import StoredDiff

__all__ = ["Changed", "Feed", "News", "Position", "Replaced", "Subscriber", "follows"]

LOG = logging.getLogger(__name__)

UNREACHABLE = (OSError, RuntimeError)


class Position(NamedTuple):
    """A point in a game's history: two histories that share a version but not a past differ in the digest."""

    version: int
    digest: str


class Told(msgspec.Struct, kw_only=True, eq=False):
    """Something that all watchers of a game are told; `wire` is for whoever encodes it, so that it is done once."""

    game: str
    wire: dict[str, bytes] = {}


class Changed(Told, eq=False):
    """The next versions, without gap and in order."""

    diffs: Sequence[StoredDiff]

    @property
    def position(self) -> Position:
        """Where they end."""
        return Position(self.diffs[-1].version, self.diffs[-1].digest)


class Replaced(Told, eq=False):
    """The whole game, where what was told before is no part of its history."""

    digest: str
    view: GameView


News = Changed | Replaced


class Subscriber(Protocol):
    """Somebody who watches games. Neither method waits; both may raise OSError or RuntimeError, as connections do."""

    def deliver(self, news: News) -> None:
        """Take the news of a game."""

    def lose(self, game: str, error: GameError) -> None:
        """The game can be watched no longer, for this reason."""


def follows(position: Position, diffs: Sequence[StoredDiff]) -> bool:
    """Whether the diffs continue at a position, version by version and digest by digest.

    >>> follows(Position(4, "a"), [StoredDiff(5, "b", "a", b""), StoredDiff(6, "c", "b", b"")])
    True
    >>> follows(Position(4, "a"), [StoredDiff(6, "c", "b", b"")])
    False
    """
    version, digest = position
    for diff in diffs:
        if diff.version != version + 1 or diff.previous != digest:
            return False
        version, digest = diff.version, diff.digest
    return True


class Feed:
    """The watchers of one game, all of whom have been told everything up to `position`."""

    def __init__(self, game: str, position: Position) -> None:
        self.game = game
        self.position = position
        self.subscribers: dict[Subscriber, None] = {}
        self.behind = False
        """The log may hold more."""
        self.lost = False
        """The position is no part of the game's history (any more)."""
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
        self._tell(news)
        return True

    def replace(self, digest: str, view: GameView) -> None:
        """Begin anew from the whole game."""
        self.position = Position(view.version, digest)
        self.lost = False
        self.replacements += 1
        self._tell(Replaced(game=self.game, digest=digest, view=view))

    def end(self, error: GameError) -> None:
        """Tell all that there is nothing to watch, and let them go."""
        subscribers, self.subscribers = self.subscribers, {}
        for subscriber in subscribers:
            try:
                subscriber.lose(self.game, error)
            except UNREACHABLE as reason:
                LOG.info("a watcher of %s could not be reached: %s", self.game, reason)

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

    def _tell(self, news: News) -> None:
        """Nobody's trouble is another's: whoever cannot be reached is passed over, and leaves by its own care."""
        for subscriber in tuple(self.subscribers):
            try:
                subscriber.deliver(news)
            except UNREACHABLE as reason:
                LOG.info("a watcher of %s could not be reached: %s", news.game, reason)
