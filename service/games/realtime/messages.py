"""What the watchers of a game are told."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from schemas.game import GameView
from service.games.access import AccessRecord
from service.games.errors import GameError
from service.games.ports import StoredDiff

__all__ = [
    "ChannelMessage",
    "DiffsMessage",
    "MessageBatch",
    "SnapshotMessage",
    "StreamPosition",
    "Subscriber",
    "TokenHolder",
    "combine",
    "follows",
]


class StreamPosition(NamedTuple):
    """A point in a game's history: two histories that share a version but not a past differ in the digest."""

    version: int
    digest: str


class CachedEncoding(msgspec.Struct, kw_only=True, eq=False):
    """Something that all watchers of a game are told; `wire` is for whoever encodes it, so that it is done once."""

    game: str
    encoded: dict[str, bytes] = {}


class DiffsMessage(CachedEncoding, eq=False):
    """The next versions, without gap and in order."""

    diffs: Sequence[StoredDiff]

    @property
    def position(self) -> StreamPosition:
        """Where they end."""
        return StreamPosition(self.diffs[-1].version, self.diffs[-1].digest)


class SnapshotMessage(CachedEncoding, eq=False):
    """The whole game, where what was told before is no part of its history."""

    digest: str
    view: GameView


class MessageBatch(CachedEncoding, eq=False):
    """Several of these, one after another; each is encoded once, also where some are told it alone."""

    messages: Sequence[DiffsMessage | SnapshotMessage]


ChannelMessage = DiffsMessage | SnapshotMessage | MessageBatch


@runtime_checkable
class TokenHolder(Protocol):
    """A subscriber who may watch a game by a token, and by none that has ended."""

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """Go on only if the token is still one of the game's, which says who may now."""


class Subscriber(Protocol):
    """Somebody who watches games. Neither method waits; both may raise OSError or RuntimeError, as connections do."""

    def deliver(self, message: ChannelMessage) -> None:
        """Take the news of a game."""

    def end_subscription(self, game: str, error: GameError) -> None:
        """The game can be watched no longer, for this reason."""


def combine(game: str, messages: Sequence[DiffsMessage | SnapshotMessage]) -> ChannelMessage:
    """The same as one: itself where it is one only."""
    return messages[0] if len(messages) == 1 else MessageBatch(game=game, messages=messages)


def follows(position: StreamPosition, diffs: Sequence[StoredDiff]) -> bool:
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
