"""`StreamPosition`: how far a reader has come in a game's stream of diffs."""

from collections.abc import Sequence

import msgspec

from service.games.ports.game_store import StoredDiff

__all__ = ["StreamPosition"]


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
