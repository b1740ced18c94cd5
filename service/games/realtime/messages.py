"""What a channel sends to its subscribers."""

from collections.abc import Sequence

import msgspec

from schemas.game import GameView
from service.games.ports.game_store import StoredDiff

__all__ = ["ChannelMessage", "DiffsMessage", "MessageBatch", "SnapshotMessage"]


class CachedEncoding(msgspec.Struct, kw_only=True, eq=False):
    """A message to all subscribers of a game; `encoded` holds its bytes per wire format, so each is made once."""

    game: str
    encoded: dict[str, bytes] = {}


class DiffsMessage(CachedEncoding, eq=False):
    """The next versions of a game, in order and without a gap."""

    diffs: Sequence[StoredDiff]


class SnapshotMessage(CachedEncoding, eq=False):
    """The whole game, for subscribers whose state cannot be continued by diffs."""

    digest: str
    view: GameView


class MessageBatch(CachedEncoding, eq=False):
    """Several messages in order; each is encoded once, even when other subscribers got it by itself."""

    messages: Sequence[DiffsMessage | SnapshotMessage]


ChannelMessage = DiffsMessage | SnapshotMessage | MessageBatch
