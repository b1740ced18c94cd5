"""What the web side itself refuses, as types with data; `service.web.problems` maps them.

WebError
├── TooLarge               a body above the limit
├── UnsupportedMediaType   a body that does not call itself JSON
├── NoSuchPiece            a tile set has no tile or ship of this id
├── NoSuchVersion          a game has no such version yet
├── Busy                   too many pictures wait to be drawn
└── NotReady               this instance is stopping
"""

__all__ = ["Busy", "NoSuchPiece", "NoSuchVersion", "NotReady", "TooLarge", "UnsupportedMediaType", "WebError"]


class WebError(Exception):
    """Base of what the web side refuses; nothing was changed."""


class TooLarge(WebError):
    """The body has more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class UnsupportedMediaType(WebError):
    """The body is not sent as application/json."""


class NoSuchPiece(WebError):
    """The path names no tile or ship of its set."""

    def __init__(self, piece: str) -> None:
        super().__init__(piece)
        self.piece = piece


class NoSuchVersion(WebError):
    """The game has not come to this version."""

    def __init__(self, version: int, latest: int) -> None:
        super().__init__(version, latest)
        self.version = version
        self.latest = latest


class Busy(WebError):
    """Too many pictures wait to be drawn."""


class NotReady(WebError):
    """The instance is about to stop: ask another one."""
