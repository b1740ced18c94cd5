"""The tokens that one socket has shown, and what that means to whoever limits clients."""

from typing import NamedTuple

from schemas.messages import ActMessage, Auth, ClientMessage, SeatMessage, Subscribe, Sync
from service.web.ratelimit import costs
from service.web.ratelimit.limiter import MessageInfo
from service.web.ratelimit.recent_cache import hash_token

__all__ = ["SocketTokens"]


class VerifiedToken(NamedTuple):
    """A token that has opened its game."""

    token: str
    key: bytes
    """Stands for it where clients are limited."""


class SocketTokens:
    """Those that were shown for one game each, and that of the upgrade, which is for whichever games know it."""

    __slots__ = ("_latest", "_most", "_verified", "upgrade_token")

    def __init__(self, most: int) -> None:
        self.upgrade_token: str | None = None
        """From the Authorization header; nobody may know it."""
        self._verified: dict[str, VerifiedToken] = {}
        self._most = most
        self._latest: bytes | None = None
        """The key of the last that was proved."""

    def has_room(self, game: str) -> bool:
        """Whether a token for this game may be kept."""
        return game in self._verified or len(self._verified) < self._most

    def add(self, game: str, token: str) -> None:
        """Keep a token for a game that knows it, where there is room."""
        key = hash_token(token)
        self._latest = key
        if self.has_room(game):
            self._verified[game] = VerifiedToken(token, key)

    def remove(self, game: str) -> None:
        """Keep no token for this game any more: it has ended."""
        self._verified.pop(game, None)

    def of_game(self, game: str) -> str | None:
        """The token that was shown for this game."""
        proved = self._verified.get(game)
        return None if proved is None else proved.token

    def for_game(self, game: str) -> str | None:
        """That one, or else the upgrade's."""
        return self.of_game(game) or self.upgrade_token

    def said(self, message: ClientMessage) -> MessageInfo:
        """Who says a message, and what it costs."""
        match message:
            case ActMessage() | SeatMessage():
                proved = self._verified.get(message.game)
                if proved is not None:
                    return MessageInfo(key=proved.key, writes=True, keyed=message.key is not None)
                return MessageInfo(
                    token=self.upgrade_token, game=message.game, writes=True, keyed=message.key is not None
                )
            case Auth():
                return MessageInfo(token=message.token, game=message.game, tokens=costs.AUTH_MESSAGE)
            case Subscribe() | Sync():
                proved = self._verified.get(message.game)
                key = self._latest if proved is None else proved.key
                return MessageInfo(self.upgrade_token, key, message.game, tokens=costs.SUBSCRIBE_MESSAGE)
            case _:
                return self.other()

    def other(self) -> MessageInfo:
        """Who says what names no game: pings, and what is malformed."""
        return MessageInfo(self.upgrade_token, self._latest)
