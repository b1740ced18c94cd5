"""`StreamPosition`: where a subscriber of a game is, and what it missed."""

from collections.abc import Sequence

import msgspec

from service.engine import build_view
from service.games.ports.game_store import GameRecord, GameStore, StoredDiff
from service.games.realtime.messages import SnapshotMessage
from service.games.repository import decode_with_index
from service.games.tilesets import TileSetCatalogue

__all__ = [
    "StreamPosition",
    "build_snapshot",
    "resolve_position",
]


class StreamPosition(msgspec.Struct, frozen=True):
    """A version of a game and its digest; the digest tells apart histories that share a version."""

    version: int
    digest: str

    def is_followed_by(self, diffs: Sequence[StoredDiff]) -> bool:
        """Return whether diffs continue from here without a gap, by their versions and their previous digests.

        >>> StreamPosition(4, "a").is_followed_by([StoredDiff(5, "b", "a", b""), StoredDiff(6, "c", "b", b"")])
        True
        >>> StreamPosition(4, "a").is_followed_by([StoredDiff(6, "c", "b", b"")])
        False
        """
        version, digest = self.version, self.digest
        for diff in diffs:
            if diff.version != version + 1 or diff.previous != digest:
                return False
            version, digest = diff.version, diff.digest
        return True

    def conflicts_with(self, stored: "StreamPosition") -> bool:
        """Return whether the stored game is behind this position, or has another digest at the same version."""
        return stored.version < self.version or (stored.version == self.version and stored != self)


async def resolve_position(
    store: GameStore, game: str, record: GameRecord, since: int | None, digest: str | None
) -> StreamPosition | None:
    """Return where a client that has version `since` continues, or None if it needs the whole game.

    It needs it without `since`, if `since` is in the future or before the beginning of the stream, and if `digest` is
    not that version's.
    """
    if since is None or since > record.version:
        return None
    if since == record.version:
        return StreamPosition(since, record.digest) if digest in (None, record.digest) else None
    following = await store.load_diffs(game, since, 1)
    if not following or following[0].version != since + 1 or digest not in (None, following[0].previous):
        return None
    return StreamPosition(since, following[0].previous)


def build_snapshot(tilesets: TileSetCatalogue, game: str, record: GameRecord) -> SnapshotMessage:
    """Build the message that sends the whole game. Raises TileSetMissing, UnreadableGame."""
    return SnapshotMessage(game=game, digest=record.digest, view=build_view(*decode_with_index(tilesets, record)))
