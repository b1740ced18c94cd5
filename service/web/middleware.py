"""Around the application: each request gets an id, is measured, logged and may be traced; its errors become problems.

It is no middleware of aiohttp's, because one and a signal would add about 10 us to each response.
"""

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aiohttp import hdrs, web
from prometheus_client import Histogram

from service.games.errors import ServiceError
from service.telemetry import tracing
from service.telemetry.logs import LOG_CONTEXT
from service.telemetry.metrics import HTTP_DURATION
from service.web.access_log import UNMATCHED_ROUTE, RequestContext, get_route, log_request
from service.web.app_keys import DRAINING
from service.web.common_headers import REQUEST_ID
from service.web.connections.limiter import report_untrusted_proxy
from service.web.connections.protocol import get_connection
from service.web.errors import RateLimited
from service.web.head_checks import check_head
from service.web.headers.negotiation import prefers_media_type
from service.web.origins import options_response
from service.web.parsing import JSON, without_expectation
from service.web.problems import error_response, http_exception_response
from service.web.ratelimit.limiter import RATE_LIMITER

if TYPE_CHECKING:
    from opentelemetry.trace import Span

__all__ = ["EVENT_STREAM", "IN_FLIGHT", "Handler", "Middleware"]

EVENT_STREAM = "text/event-stream"

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


class Middleware:
    """What an application's requests go through before its handler; without a rate limiter it has no limits."""

    def __init__(self, app: web.Application, handle: Handler) -> None:
        self._app = app
        self._handle = handle
        self._rate_limiter = app.get(RATE_LIMITER)

    async def measure(self, request: web.Request) -> web.StreamResponse:
        """Respond to a request, and time, trace and log it."""
        context = RequestContext(request.headers.get(REQUEST_ID))
        LOG_CONTEXT.set(context)
        IN_FLIGHT.count += 1
        started_at, status = perf_counter(), INTERNAL_ERROR
        try:
            if not tracing.is_enabled() or _may_stream(request):
                response = await self.respond(request, context)
            else:
                response = await self._trace(request, context)
            if self._app[DRAINING].is_set() and not response.prepared:
                response.force_close()
            status = response.status if isinstance(response, web.Response) or not _is_stream(response) else STREAMED
        except ConnectionError:
            status = STREAMED if _may_stream(request) else DISCONNECTED
            raise
        else:
            return response
        finally:
            IN_FLIGHT.count -= 1
            if status != STREAMED:
                _record_request(context, request, status, perf_counter() - started_at)
            context.request = None  # cancelled timers keep references to this context

    async def _trace(self, request: web.Request, context: RequestContext) -> web.StreamResponse:
        """Respond to a request in a span, the client's being its parent if it names one."""
        with tracing.span(request.method, "server", request.headers) as span:
            status = INTERNAL_ERROR
            try:
                response = await self.respond(request, context)
                status = response.status
            finally:
                _describe_span(span, context, request, status)
            return response

    async def respond(self, request: web.Request, context: RequestContext | None = None) -> web.StreamResponse:
        """Return the response to a request, with the common headers; errors become problems."""
        connection, rate_limiter = get_connection(request), self._rate_limiter
        connection.charge = None
        if connection.client is None:  # a trusted proxy
            proxies, proxy = connection.limiter.proxies, connection.peer_address
            connection.address = proxies.forwarded_client(proxy, request.headers)
        if hdrs.EXPECT in request.headers:
            request = without_expectation(request)
        try:
            try:
                check_head(request)
                if context is not None:
                    context.request = request
                response = await self._handle(request)
            finally:  # what has no route is charged too: unknown paths, OPTIONS, files
                if rate_limiter is not None and connection.charge is None:
                    await rate_limiter.admit(request)
        except ServiceError as error:
            response = error_response(error, request)
            if isinstance(error, RateLimited):
                report_untrusted_proxy(request)
        except web.HTTPException as error:
            response = (
                options_response(request, error) if request.method == "OPTIONS" else http_exception_response(error)
            )
        if rate_limiter is not None:
            rate_limiter.settle(request, response)
        if not response.prepared:
            connection.limiter.common_headers.add_to(response.headers)
        return response


def _may_stream(request: web.Request) -> bool:
    """Return whether a request may be for a WebSocket or event stream, which last longer than any trace."""
    return hdrs.UPGRADE in request.headers or prefers_media_type(request, EVENT_STREAM, JSON)


def _is_stream(response: web.StreamResponse) -> bool:
    """Return whether a response is a WebSocket or event stream."""
    return isinstance(response, web.WebSocketResponse) or response.content_type == EVENT_STREAM


def _record_request(context: RequestContext, request: web.Request, status: int, seconds: float) -> None:
    """Observe and log a finished request; status 0 stands for a client that has disconnected."""
    route = get_route(context.request)
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


def _describe_span(span: "Span", context: RequestContext, request: web.Request, status: int) -> None:
    """Name a span by OpenTelemetry's conventions for HTTP."""
    if (route := get_route(context.request)) != UNMATCHED_ROUTE:
        span.update_name(f"{request.method} {route}")
        span.set_attribute("http.route", route)
    span.set_attribute("http.request.method", request.method if request.method in METHODS else "_OTHER")
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("url.scheme", request.scheme)
    span.set_attribute("url.path", request.path)
    span.set_attribute("south_seas.request_id", context.request_id or "")
    if (game := context.game) is not None:
        span.set_attribute("south_seas.game", game)
