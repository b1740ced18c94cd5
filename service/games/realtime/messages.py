"""What a subscriber gets, and what it has to offer for that."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from schemas.game import GameView
from service.games.access import AccessRecord
from service.games.errors import GameError
from service.games.ports.game_store import StoredDiff


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


class Subscriber(Protocol):
    """A connection that follows games. No method blocks; each may raise OSError or RuntimeError."""

    def deliver(self, message: ChannelMessage) -> None:
        """Send a message of a game."""

    def end_subscription(self, game: str, error: GameError) -> None:
        """Report why the game can no longer be followed."""

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """End the subscription if its token is no longer valid in the game's access record."""
