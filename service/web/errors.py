"""Errors of the web layer, as types with data, each with the code and the text of its problem."""

from dataclasses import dataclass

from service.games.errors import ServiceError

__all__ = [
    "BackgroundTaskFailing",
    "BodyTooLarge",
    "EncodedBody",
    "NoSuchPiece",
    "NoSuchVersion",
    "OriginNotAllowed",
    "RateLimited",
    "RenderingFailed",
    "ShuttingDown",
    "TargetTooLong",
    "TooManyConnections",
    "TooManyWaiting",
    "UnknownTransferCoding",
    "UnsupportedMediaType",
    "UpgradeRequired",
    "WebError",
]


class WebError(ServiceError):
    """Base of the web layer's errors; nothing was changed."""


@dataclass(eq=False)
class BodyTooLarge(WebError, code="too_large", text="the body may have at most {limit} bytes"):
    """The body has more than `limit` bytes."""

    limit: int


@dataclass(eq=False)
class TargetTooLong(WebError, code="uri_too_long", text="path and query may have at most {limit} bytes"):
    """Path and query have more than `limit` bytes."""

    limit: int


class UnsupportedMediaType(WebError, code="unsupported_media_type", text="send Content-Type: application/json"):
    """The Content-Type is not application/json."""


class UpgradeRequired(WebError, code="upgrade_required", text="upgrade to WebSocket version 13"):
    """The upgrade is to another version of WebSocket than 13."""


class EncodedBody(WebError, code="unsupported_media_type", text="send the body without a Content-Encoding"):
    """The body has another Content-Encoding than identity."""


class UnknownTransferCoding(WebError, code="not_implemented", text="send the body with no transfer coding but chunked"):
    """The body has another transfer coding than chunked (RFC 9112, 6.1)."""


@dataclass(eq=False)
class NoSuchPiece(WebError, code="not_found", text="the tile set has no {piece}"):
    """The tile set has no tile or ship with this id."""

    piece: str


@dataclass(eq=False)
class NoSuchVersion(WebError, code="not_found", text="the game has no version {requested}: the latest is {latest}"):
    """The game has not reached the requested version."""

    requested: int
    latest: int


class TooManyWaiting(WebError, code="rate_limited", text="too many requests wait for a picture or a replay: retry"):
    """Too many requests wait for a picture to be drawn or a game to be replayed."""

    retry_after_s = 1


class RenderingFailed(
    WebError,
    code="store_unavailable",
    text="this picture could not be drawn: retry later, or request another size or region",
):
    """A picture could not be drawn; the message says why."""

    retry_after_s = 60
    """The renderer does not try it before."""


@dataclass(eq=False)
class RateLimited(WebError, code="rate_limited", text="over the limit of {policy}: retry later"):
    """A client sends too many requests: its bucket of a policy is empty for `retry_after_s` seconds."""

    policy: str
    retry_after_s: int
    header: str
    """The value of `RateLimit-Policy`."""


@dataclass(eq=False)
class TooManyConnections(
    WebError, code="rate_limited", text="{limit} {what} are already open: close one or retry later"
):
    """As many connections as `limit` are open; `what` names what they are."""

    retry_after_s = 10
    """A connection may have been closed by then."""

    what: str
    limit: int


@dataclass(eq=False)
class OriginNotAllowed(WebError, code="origin_refused", text="pages of {origin} may not open sockets or event streams"):
    """Pages of this origin may not open sockets or event streams."""

    origin: str


class ShuttingDown(WebError, code="draining", text="this instance is shutting down"):
    """The instance is shutting down."""

    retry_after_s = 1


@dataclass(eq=False)
class BackgroundTaskFailing(
    WebError, code="instance_unavailable", text="the background task {task} of this instance keeps failing"
):
    """A background task of this instance keeps failing."""

    retry_after_s = 1

    task: str
