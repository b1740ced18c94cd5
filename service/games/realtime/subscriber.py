"""What a connection implements to subscribe to games."""

from typing import Protocol, runtime_checkable

from service.games.access import AccessRecord
from service.games.errors import GameError
from service.games.realtime.messages import ChannelMessage

__all__ = ["Subscriber", "TokenHolder"]


class Subscriber(Protocol):
    """A connection that follows games. Neither method blocks; both may raise OSError or RuntimeError."""

    def deliver(self, message: ChannelMessage) -> None:
        """Send a message of a game."""

    def end_subscription(self, game: str, error: GameError) -> None:
        """Report why the game can no longer be followed."""


@runtime_checkable
class TokenHolder(Protocol):
    """A subscriber whose right to follow a game depends on a token, which may be revoked."""

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """End the subscription if its token is no longer valid in the game's access record."""
