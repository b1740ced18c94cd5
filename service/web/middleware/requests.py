"""Around the application: each request gets an id, is measured, and may be traced and logged.

The access log has a line per request, and two per WebSocket and event stream. A line contains the route and never the
path or the query, so that nothing that a client wrote is logged, tokens least.
"""

import logging
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from aiohttp import hdrs, web
from prometheus_client import Histogram

from service.telemetry import tracing
from service.telemetry.logs import LOG_CONTEXT, is_valid_request_id, new_request_id
from service.telemetry.metrics import HTTP_DURATION
from service.web.app_keys import API_KEY
from service.web.common_headers import REQUEST_ID
from service.web.connections.protocol import get_connection
from service.web.headers.negotiation import prefers_media_type
from service.web.parsing import JSON

__all__ = [
    "ACCESS_LOGGER",
    "EVENT_STREAM",
    "IN_FLIGHT",
    "UNMATCHED_ROUTE",
    "Handler",
    "RequestContext",
    "StreamKind",
    "log_request",
    "log_stream",
    "measure_requests",
    "record_route",
]

if TYPE_CHECKING:
    from opentelemetry.trace import Span


ACCESS_LOGGER = logging.getLogger("service.web.access")

UNMATCHED_ROUTE = "unmatched"
"""The route of all unknown paths."""

EVENT_STREAM = "text/event-stream"

StreamKind = Literal["socket", "stream"]

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

INTERNAL_ERROR = 500
DISCONNECTED = 0
"""Stands for the status of a request whose client has disconnected."""
STREAMED = -1
"""Stands for the status of a WebSocket or event stream."""

Handler = Callable[[Any], Awaitable[web.StreamResponse]]
"""Handles a `web.Request`; aiohttp declares a wider type."""


class InFlight:
    """The number of current requests, with WebSockets and event streams that are open."""

    count = 0


IN_FLIGHT = InFlight()


class RequestContext:
    """The log context of a request."""

    __slots__ = ("request", "request_id")

    def __init__(self, request_id: str) -> None:
        self.request_id: str | None = request_id
        self.request: web.Request | None = None
        """The request, once the application has it and its route is known."""

    @property
    def route(self) -> str:
        """Return the template of its path."""
        return UNMATCHED_ROUTE if self.request is None else _get_route(self.request)

    @property
    def game(self) -> str | None:
        """Return the game that its path names, once its route is known."""
        if self.request is None or "/games/{id}" not in self.route:
            return None
        return self.request.match_info.get("id")


def record_route(handle: Handler) -> Handler:
    """Wrap the application's handler to record that a request reached it; one rejected earlier has no route.

    A middleware would cost some 4 µs, because aiohttp then adds one of its own.
    """

    def respond(request: web.Request) -> Awaitable[web.StreamResponse]:
        context = LOG_CONTEXT.get()
        if type(context) is RequestContext:
            context.request = request
        return handle(request)

    return respond


def measure_requests(handle: Handler) -> Handler:
    """Wrap a handler to time, trace and log its requests."""

    async def respond(request: web.Request) -> web.StreamResponse:
        request_id = request.headers.get(REQUEST_ID)
        context = RequestContext(
            request_id if request_id is not None and is_valid_request_id(request_id) else new_request_id()
        )
        LOG_CONTEXT.set(context)
        IN_FLIGHT.count += 1
        started_at, status = perf_counter(), INTERNAL_ERROR
        try:
            if not tracing.is_enabled() or may_stream(request):
                response = await handle(request)
            else:
                response = await _trace(request, handle, context)
            status = STREAMED if _is_stream(response) else response.status
        except ConnectionError:
            status = STREAMED if may_stream(request) else DISCONNECTED
            raise
        else:
            return response
        finally:
            IN_FLIGHT.count -= 1
            if status != STREAMED:
                _record(request, context.route, status, perf_counter() - started_at)
            context.request = None  # cancelled timers keep references to this context

    return respond


def may_stream(request: web.Request) -> bool:
    """Return whether a request may be for a WebSocket or event stream, which last longer than any trace."""
    return hdrs.UPGRADE in request.headers or prefers_media_type(request, EVENT_STREAM, JSON)


def _is_stream(response: web.StreamResponse) -> bool:
    return not isinstance(response, web.Response) and (
        isinstance(response, web.WebSocketResponse) or response.content_type == EVENT_STREAM
    )


def _record(request: web.Request, route: str, status: int, seconds: float) -> None:
    """Observe and log a finished request."""
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
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        key = request.get(API_KEY)
        _log(
            request,
            f"{request.method} {route} {status}",
            method=request.method,
            route=route,
            status=status,
            milliseconds=round(seconds * 1e3, 3),
            **({} if key is None else {"api_key": key.name}),
        )


def log_stream(request: web.Request, kind: StreamKind, event: Literal["opened", "closed"], **fields: Any) -> None:
    """Log the opening or the end of a WebSocket or event stream."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        route = _get_route(request)
        _log(request, f"{kind} {event} {route}", kind=kind, route=route, **fields)


def _log(request: web.BaseRequest, message: str, **fields: Any) -> None:
    """Log a line with these fields and the client's address, as the limits count it."""
    ACCESS_LOGGER.info("%s", message, extra={**fields, "address": get_connection(request).address})


def _get_route(request: web.Request) -> str:
    """Return the template of the matched path."""
    resource = request.match_info.route.resource
    return UNMATCHED_ROUTE if resource is None else resource.canonical


async def _trace(request: web.Request, handle: Handler, context: RequestContext) -> web.StreamResponse:
    """Handle a request in a span, the client's being its parent if it names one."""
    with tracing.span(request.method, "server", request.headers) as span:
        status = INTERNAL_ERROR
        try:
            response = await handle(request)
            status = response.status
        finally:
            _describe(span, request, context, status)
        return response


def _describe(span: "Span", request: web.Request, context: RequestContext, status: int) -> None:
    """Name a span by OpenTelemetry's conventions for HTTP."""
    if (route := context.route) != UNMATCHED_ROUTE:
        span.update_name(f"{request.method} {route}")
        span.set_attribute("http.route", route)
    span.set_attribute("http.request.method", request.method if request.method in METHODS else "_OTHER")
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("url.scheme", request.scheme)
    span.set_attribute("url.path", request.path)
    span.set_attribute("south_seas.request_id", context.request_id or "")
    if (game := context.game) is not None:
        span.set_attribute("south_seas.game", game)
