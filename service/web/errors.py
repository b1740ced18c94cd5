"""What the web side itself refuses, as types with data; `service.web.problems` maps them.

WebError
├── TooLarge               a body above the limit
├── UnsupportedMediaType   a body that does not call itself JSON
├── EncodedBody            a body with a Content-Encoding
├── NoSuchPiece            a tile set has no tile or ship of this id
├── NoSuchVersion          a game has no such version yet
├── DrawingFailed          a picture that was asked for could not be drawn
├── Busy                   too many pictures wait to be drawn, or too many games to be replayed
├── RateLimited            a client asks too often
├── TooManyOpen            a client, or a game, has as many sockets and event streams as it may have
├── OriginRefused          a page of this origin may not open sockets and event streams
├── NotReady               this instance is stopping
└── TaskFailing            a background task of this instance keeps failing
"""

from dataclasses import dataclass

__all__ = [
    "BackgroundTaskFailing",
    "BodyTooLarge",
    "EncodedBody",
    "NoSuchPiece",
    "NoSuchVersion",
    "OriginNotAllowed",
    "QueueFull",
    "RateLimited",
    "RenderingFailed",
    "ShuttingDown",
    "TooManyConnections",
    "UnsupportedMediaType",
    "WebError",
]


class WebError(Exception):
    """Base of what the web side refuses; nothing was changed."""


@dataclass(eq=False)
class BodyTooLarge(WebError):
    """The body has more than `limit` bytes."""

    limit: int


class UnsupportedMediaType(WebError):
    """The body is not sent as application/json."""


class EncodedBody(WebError):
    """The body is sent compressed, or otherwise encoded."""


@dataclass(eq=False)
class NoSuchPiece(WebError):
    """The path names no tile or ship of its set."""

    piece: str


@dataclass(eq=False)
class NoSuchVersion(WebError):
    """The game has not come to the version that is wanted."""

    requested: int
    latest: int


class QueueFull(WebError):
    """Too many wait for what takes long: to have a picture drawn, or a game replayed."""


class RenderingFailed(WebError):
    """A picture could not be drawn: it raised an error, took too long, or its process ended; says which."""


@dataclass(eq=False)
class RateLimited(WebError):
    """A client asks too often: its bucket of a policy is empty for `retry_after_s` seconds."""

    policy: str
    retry_after_s: int
    header: str
    """What `RateLimit-Policy` says of it."""


@dataclass(eq=False)
class TooManyConnections(WebError):
    """There are `most` open already, of what `what` names."""

    what: str
    limit: int


@dataclass(eq=False)
class OriginNotAllowed(WebError):
    """Pages of this origin may not open sockets and event streams here."""

    origin: str


class ShuttingDown(WebError):
    """The instance is about to stop: ask another one."""


@dataclass(eq=False)
class BackgroundTaskFailing(WebError):
    """A background task of this instance keeps failing: ask another one."""

    task: str
