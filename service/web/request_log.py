"""What is recorded of each request: its log context, its line in the access log, its duration and its span.

The access log has a line per request, and two per WebSocket and event stream. A line contains the route and never the
path or the query, so that nothing that a client wrote is logged, tokens least.
"""

import logging
from typing import TYPE_CHECKING, Any, Literal

from aiohttp import hdrs, web
from prometheus_client import Histogram

from service.telemetry.metrics import HTTP_DURATION
from service.web.common_headers import is_valid_request_id, new_request_id
from service.web.connections.protocol import get_connection
from service.web.headers.negotiation import prefers_media_type
from service.web.parsing import JSON

__all__ = [
    "ACCESS_LOGGER",
    "EVENT_STREAM",
    "IN_FLIGHT",
    "UNMATCHED_ROUTE",
    "RequestContext",
    "StreamKind",
    "describe_span",
    "is_stream",
    "log_request",
    "log_stream",
    "may_stream",
    "record_request",
]

if TYPE_CHECKING:
    from opentelemetry.trace import Span


ACCESS_LOGGER = logging.getLogger("service.web.access")

UNMATCHED_ROUTE = "unmatched"
"""The route of all unknown paths."""

EVENT_STREAM = "text/event-stream"

StreamKind = Literal["socket", "stream"]

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class InFlight:
    """The number of current requests, with WebSockets and event streams that are open."""

    count = 0


IN_FLIGHT = InFlight()


class RequestContext:
    """The log context of a request."""

    __slots__ = ("request", "request_id")

    def __init__(self, client_request_id: str | None = None) -> None:
        self.request_id: str | None = (
            client_request_id
            if client_request_id is not None and is_valid_request_id(client_request_id)
            else new_request_id()
        )
        """The client's, if it is safe in log lines and headers."""
        self.request: web.Request | None = None
        """The request, once the application has it and its route is known."""

    @property
    def game(self) -> str | None:
        """Return the game that its path names, once its route is known."""
        if self.request is None or "/games/{id}" not in _get_route(self.request):
            return None
        return self.request.match_info.get("id")


def may_stream(request: web.Request) -> bool:
    """Return whether a request may be for a WebSocket or event stream, which last longer than any trace."""
    return hdrs.UPGRADE in request.headers or prefers_media_type(request, EVENT_STREAM, JSON)


def is_stream(response: web.StreamResponse) -> bool:
    """Return whether a response is a WebSocket or event stream."""
    return isinstance(response, web.WebSocketResponse) or response.content_type == EVENT_STREAM


def record_request(context: RequestContext, request: web.Request, status: int, seconds: float) -> None:
    """Observe and log a finished request; status 0 stands for a client that has disconnected."""
    route = _get_route(context.request)
    key = request.method, route, status // 100
    duration = _DURATIONS.get(key)
    if duration is None:
        method = request.method if request.method in METHODS else "other"
        duration = HTTP_DURATION.labels(method, route, f"{status // 100}xx" if status else "disconnected")
        if method == request.method:
            _DURATIONS[key] = duration
    duration.observe(seconds)
    log_request(request, route, status, seconds)


_DURATIONS: dict[tuple[str, str, int], Histogram] = {}


def log_request(request: web.BaseRequest, route: str, status: int, seconds: float) -> None:
    """Log an answered request; status 0 stands for a client that has disconnected."""
    if not ACCESS_LOGGER.isEnabledFor(logging.INFO):
        return
    charge = get_connection(request).charge
    _log(
        request,
        f"{request.method} {route} {status}",
        method=request.method,
        route=route,
        status=status,
        milliseconds=round(seconds * 1e3, 3),
        **({} if charge is None or charge.api_key is None else {"api_key": charge.api_key.name}),
    )


def log_stream(request: web.Request, kind: StreamKind, event: Literal["opened", "closed"], **fields: Any) -> None:
    """Log the opening or the end of a WebSocket or event stream."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        route = _get_route(request)
        _log(request, f"{kind} {event} {route}", kind=kind, route=route, **fields)


def _log(request: web.BaseRequest, message: str, **fields: Any) -> None:
    """Log a line with these fields and the client's address, as the limits count it."""
    ACCESS_LOGGER.info("%s", message, extra={**fields, "address": get_connection(request).address})


def _get_route(request: web.Request | None) -> str:
    """Return the template of the matched path."""
    resource = None if request is None else request.match_info.route.resource
    return UNMATCHED_ROUTE if resource is None else resource.canonical


def describe_span(span: "Span", context: RequestContext, request: web.Request, status: int) -> None:
    """Name a span by OpenTelemetry's conventions for HTTP."""
    if (route := _get_route(context.request)) != UNMATCHED_ROUTE:
        span.update_name(f"{request.method} {route}")
        span.set_attribute("http.route", route)
    span.set_attribute("http.request.method", request.method if request.method in METHODS else "_OTHER")
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("url.scheme", request.scheme)
    span.set_attribute("url.path", request.path)
    span.set_attribute("south_seas.request_id", context.request_id or "")
    if (game := context.game) is not None:
        span.set_attribute("south_seas.game", game)
