"""The tokens that the client of one WebSocket has presented, and whom a message is charged to."""

from typing import NamedTuple

from schemas.messages import ActMessage, Auth, ClientMessage, SeatMessage, Subscribe, Sync
from service.web.headers.bearer_tokens import make_token_id
from service.web.ratelimit.limiter import MessageInfo

__all__ = ["SessionTokens"]


class VerifiedToken(NamedTuple):
    """A token that its game accepts."""

    token: str
    key: bytes
    """Its hash, by which rate limits know it."""


class SessionTokens:
    """A token per game, and the upgrade request's own, which may be valid for any number of games."""

    __slots__ = ("_latest_key", "_max_tokens", "_verified", "upgrade_token")

    def __init__(self, max_tokens: int) -> None:
        self.upgrade_token: str | None = None
        """From the Authorization header; not verified."""
        self._verified: dict[str, VerifiedToken] = {}
        self._max_tokens = max_tokens
        self._latest_key: bytes | None = None
        """Of the token that was verified last."""

    def has_room(self, game: str) -> bool:
        """Return whether a token for this game can be stored."""
        return game in self._verified or len(self._verified) < self._max_tokens

    def add(self, game: str, token: str) -> None:
        """Store a token that its game accepts, if there is room."""
        self._latest_key = key = make_token_id(token)
        if self.has_room(game):
            self._verified[game] = VerifiedToken(token, key)

    def remove(self, game: str) -> None:
        """Remove a game's token, which was revoked."""
        self._verified.pop(game, None)

    def get_verified(self, game: str) -> str | None:
        """Return the token that this game has accepted."""
        verified = self._verified.get(game)
        return None if verified is None else verified.token

    def get(self, game: str) -> str | None:
        """Return the token that this game has accepted, or else the upgrade's."""
        verified = self._verified.get(game)
        return self.upgrade_token if verified is None else verified.token

    def message_info(self, message: ClientMessage) -> MessageInfo:
        """Return what the rate limiter needs to know of a message: whose it is."""
        match message:
            case ActMessage() | SeatMessage():
                verified = self._verified.get(message.game)
                key = None if verified is None else verified.key
                return MessageInfo(self.upgrade_token, key, message.game, message.key is not None)
            case Auth():
                return MessageInfo(token=message.token, game=message.game)
            case Subscribe() | Sync():
                verified = self._verified.get(message.game)
                key = self._latest_key if verified is None else verified.key
                return MessageInfo(self.upgrade_token, key, message.game)
            case _:
                return self.other_message_info()

    def other_message_info(self) -> MessageInfo:
        """Return the same for a message that names no game: a ping, or a malformed message."""
        return MessageInfo(self.upgrade_token, self._latest_key)
