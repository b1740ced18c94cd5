"""The tokens that one socket has shown, and what that means to whoever limits clients."""

from typing import NamedTuple

from schemas.messages import ActMessage, Auth, ClientMessage, SeatMessage, Subscribe, Sync
from service.web.ratelimit import costs
from service.web.ratelimit.bounded_tables import token_key
from service.web.ratelimit.limiter import Said

__all__ = ["SocketTokens"]


class Proved(NamedTuple):
    """A token that has opened its game."""

    token: str
    key: bytes
    """Stands for it where clients are limited."""


class SocketTokens:
    """Those that were shown for one game each, and that of the upgrade, which is for whichever games know it."""

    __slots__ = ("_latest", "_most", "_proved", "of_upgrade")

    def __init__(self, most: int) -> None:
        self.of_upgrade: str | None = None
        """From the Authorization header; nobody may know it."""
        self._proved: dict[str, Proved] = {}
        self._most = most
        self._latest: bytes | None = None
        """The key of the last that was proved."""

    def has_room(self, game: str) -> bool:
        """Whether a token for this game may be kept."""
        return game in self._proved or len(self._proved) < self._most

    def prove(self, game: str, token: str) -> None:
        """Keep a token for a game that knows it, where there is room."""
        key = token_key(token)
        self._latest = key
        if self.has_room(game):
            self._proved[game] = Proved(token, key)

    def forget(self, game: str) -> None:
        """Keep no token for this game any more: it has ended."""
        self._proved.pop(game, None)

    def own(self, game: str) -> str | None:
        """The token that was shown for this game."""
        proved = self._proved.get(game)
        return None if proved is None else proved.token

    def best(self, game: str) -> str | None:
        """That one, or else the upgrade's."""
        return self.own(game) or self.of_upgrade

    def said(self, message: ClientMessage) -> Said:
        """Who says a message, and what it costs."""
        match message:
            case ActMessage() | SeatMessage():
                proved = self._proved.get(message.game)
                if proved is not None:
                    return Said(key=proved.key, writes=True, keyed=message.key is not None)
                return Said(token=self.of_upgrade, game=message.game, writes=True, keyed=message.key is not None)
            case Auth():
                return Said(token=message.token, game=message.game, tokens=costs.AUTH_MESSAGE)
            case Subscribe() | Sync():
                proved = self._proved.get(message.game)
                key = self._latest if proved is None else proved.key
                return Said(self.of_upgrade, key, message.game, tokens=costs.SUBSCRIBE_MESSAGE)
            case _:
                return self.other()

    def other(self) -> Said:
        """Who says what names no game: pings, and what is malformed."""
        return Said(self.of_upgrade, self._latest)
