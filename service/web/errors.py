"""Errors of the web layer, as types with data; `service.web.problems` maps them to problems.

WebError
├── BodyTooLarge            the body exceeds the limit
├── TargetTooLong           path and query exceed the limit
├── UnsupportedMediaType    the Content-Type is not JSON
├── UpgradeRequired         the upgrade is to another WebSocket version than 13
├── EncodedBody             the body has another Content-Encoding than identity
├── UnknownTransferCoding   the body has another transfer coding than chunked
├── NoSuchPiece             the tile set has no tile or ship with this id
├── NoSuchVersion           the game has not reached this version
├── RenderingFailed         a picture could not be drawn
├── QueueFull               too many requests wait for a picture or a replay
├── RateLimited             a client sends too many requests
├── TooManyConnections      a client or a game has too many sockets and event streams
├── OriginNotAllowed        pages of this origin may not open sockets or event streams
├── ShuttingDown            the instance is shutting down
└── BackgroundTaskFailing   a background task of this instance keeps failing
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
    "TargetTooLong",
    "TooManyConnections",
    "UnknownTransferCoding",
    "UnsupportedMediaType",
    "UpgradeRequired",
    "WebError",
]


class WebError(Exception):
    """Base of the web layer's errors; nothing was changed."""


@dataclass(eq=False)
class BodyTooLarge(WebError):
    """The body has more than `limit` bytes."""

    limit: int


@dataclass(eq=False)
class TargetTooLong(WebError):
    """Path and query have more than `limit` bytes."""

    limit: int


class UnsupportedMediaType(WebError):
    """The Content-Type is not application/json."""


class UpgradeRequired(WebError):
    """The upgrade is to another version of WebSocket than 13."""


class EncodedBody(WebError):
    """The body has another Content-Encoding than identity."""


class UnknownTransferCoding(WebError):
    """The body has another transfer coding than chunked (RFC 9112, 6.1)."""


@dataclass(eq=False)
class NoSuchPiece(WebError):
    """The tile set has no tile or ship with this id."""

    piece: str


@dataclass(eq=False)
class NoSuchVersion(WebError):
    """The game has not reached the requested version."""

    requested: int
    latest: int


class QueueFull(WebError):
    """Too many requests wait for a picture to be drawn or a game to be replayed."""


class RenderingFailed(WebError):
    """A picture could not be drawn; the message says why."""


@dataclass(eq=False)
class RateLimited(WebError):
    """A client sends too many requests: its bucket of a policy is empty for `retry_after_s` seconds."""

    policy: str
    retry_after_s: int
    header: str
    """The value of `RateLimit-Policy`."""


@dataclass(eq=False)
class TooManyConnections(WebError):
    """As many connections as `limit` are open; `what` names what they are."""

    what: str
    limit: int


@dataclass(eq=False)
class OriginNotAllowed(WebError):
    """Pages of this origin may not open sockets or event streams."""

    origin: str


class ShuttingDown(WebError):
    """The instance is shutting down."""


@dataclass(eq=False)
class BackgroundTaskFailing(WebError):
    """A background task of this instance keeps failing."""

    task: str
