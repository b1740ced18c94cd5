"""`Channel`: one followed game, the position up to which its subscribers are served, and its state of reading."""

import asyncio
from collections.abc import Sequence

from service.games.ports.game_store import Revision, StoredDiff
from service.games.realtime.broadcaster import Broadcaster, DiffsMessage, SnapshotMessage

__all__ = ["Channel"]


class Channel:
    """One game and its subscribers, which have received, or are about to, everything up to `position`."""

    def __init__(self, game: str, position: Revision, last_revocation: str = "") -> None:
        self.game = game
        self.position = position
        self.last_revocation = last_revocation
        """The game's last known revocation; the tokens of the subscribers were checked since, or are about to be."""
        self.subscribers = Broadcaster(game)
        self.is_closed = False
        """No longer a channel of the hub: nobody subscribes any more, or the game does not exist."""
        self.is_behind = False
        """The stream may hold more."""
        self.has_diverged = False
        """The position is not, or no longer, part of the game's history."""
        self.snapshots = 0
        """How often subscribers were sent the whole game."""
        self.reader: asyncio.Task[None] | None = None
        """Reads the stream; started by `StreamReader.request_read`."""
        self._read_waiters: list[asyncio.Future[None]] = []

    def publish(self, diffs: Sequence[StoredDiff]) -> bool:
        """Send subscribers the diffs that are new; return False, and send none, if they do not follow the position."""
        if self.has_diverged:
            return False
        position = self.position
        new = [diff for diff in diffs if diff.version > position.version]
        if not new:
            return True
        if not position.is_followed_by(new):
            return False
        self.position = Revision(new[-1].version, new[-1].digest)
        self.subscribers.broadcast(DiffsMessage(game=self.game, diffs=new))
        return True

    def publish_snapshot(self, snapshot: SnapshotMessage) -> None:
        """Send subscribers the whole game, and continue from there."""
        self.position = Revision(snapshot.view.version, snapshot.digest)
        self.has_diverged = False
        self.snapshots += 1
        self.subscribers.broadcast(snapshot)

    def compare(self, known: Revision, stored: Revision | None) -> bool:
        """Compare the stored position (None: no such game) with `known`, the channel's before the store was read.

        Return whether the stream must be read, because the channel is behind or has diverged.
        """
        if stored is None or known.conflicts_with(stored):
            self.has_diverged = True
        elif stored.version > self.position.version:
            self.is_behind = True
        return self.has_diverged or self.is_behind

    async def wait_for_read(self) -> None:
        """Wait until the next read of the stream has ended, with success or not."""
        waiter = asyncio.get_running_loop().create_future()
        self._read_waiters.append(waiter)
        await waiter

    def notify_read(self) -> None:
        """Wake everybody in `wait_for_read`."""
        if self._read_waiters:
            waiters, self._read_waiters = self._read_waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)
