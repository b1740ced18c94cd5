"""Around the handlers: each request gets an id, is checked by its head, measured and logged; errors become problems.

The access log has a line per request, and two per WebSocket and event stream. A line contains the route and never the
path or the query, so that nothing that a client wrote is logged, tokens least.
"""

import logging
import re
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from multidict import CIMultiDictProxy, istr

from service.games.errors import Malformed, ServiceError
from service.telemetry import tracing
from service.telemetry.counters import Histogram
from service.telemetry.logs import LOG_CONTEXT
from service.telemetry.metrics import HTTP_DURATION, UNTRUSTED_PROXY
from service.web.app import DRAINING, UNMATCHED, App, Handler, HttpRequest
from service.web.charge import Charge
from service.web.client_ip import FORWARDED_FOR
from service.web.common_headers import REQUEST_ID, is_valid_request_id, new_request_id
from service.web.connection import get_connection
from service.web.headers import MAX_LIST_ELEMENTS, MAX_LIST_LENGTH, options_response, prefers_media_type
from service.web.parsing import JSON, without_expectation
from service.web.problems import (
    EncodedBody,
    RateLimited,
    UnknownTransferCoding,
    error_response,
    http_exception_response,
)
from service.web.rate_limiter import RATE_LIMITER

if TYPE_CHECKING:
    from opentelemetry.trace import Span


SUPPORTED_VERSIONS = (HttpVersion11, HttpVersion10)
"""aiohttp's parser also knows 0.9 and 2.0."""

LIST_HEADERS = (
    hdrs.ACCEPT,
    hdrs.ACCEPT_ENCODING,
    hdrs.ACCEPT_LANGUAGE,
    hdrs.IF_MATCH,
    hdrs.IF_NONE_MATCH,
    istr("Prefer"),
    hdrs.SEC_WEBSOCKET_EXTENSIONS,
    hdrs.SEC_WEBSOCKET_PROTOCOL,
)
"""The lists that are parsed here or by aiohttp, but for Authorization, whose parsers have limits of their own."""

_IDENTITY = re.compile(r"[, \t]*(?:identity[, \t]*)?", re.IGNORECASE)
"""A list of no codings, or of the one that is none (RFC 9110, 8.4)."""


def check_head(request: HttpRequest) -> None:
    """Raise Malformed, EncodedBody or UnknownTransferCoding for what no handler could take."""
    headers = request.headers
    _check_lists(headers)
    if "token" in request.query_string and "token" in request.query:
        raise Malformed("URLs are stored and logged: send a token as Authorization: Bearer TOKEN", "token")
    if request.version not in SUPPORTED_VERSIONS:
        raise Malformed("send HTTP/1.1")
    codings = headers.getall(hdrs.CONTENT_ENCODING, None)
    if codings is not None and request.body_exists and _IDENTITY.fullmatch(",".join(codings)) is None:
        raise EncodedBody
    # Several lines never come here: aiohttp answers 400. As a list they may be legal (RFC 9110, 5.3), but they serve to
    # smuggle requests past a proxy (RFC 9112, 11.2), and the service knows no list of codings anyway.
    if hdrs.TRANSFER_ENCODING in headers and headers[hdrs.TRANSFER_ENCODING].lower() != "chunked":
        raise UnknownTransferCoding


def _check_lists(headers: CIMultiDictProxy[str]) -> None:
    """Raise Malformed if a list is longer than it may be."""
    for name in LIST_HEADERS:
        if name in headers and (
            len(text := ",".join(headers.getall(name))) > MAX_LIST_LENGTH or text.count(",") >= MAX_LIST_ELEMENTS
        ):
            raise Malformed(
                f"the header may have {MAX_LIST_LENGTH} characters and {MAX_LIST_ELEMENTS} elements, in all its lines",
                str(name),
            )


ACCESS_LOGGER = logging.getLogger("service.web.access")

StreamKind = Literal["socket", "stream"]


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
        self.request: HttpRequest | None = None
        """The request, once the application has it and its route is known."""

    @property
    def game(self) -> str | None:
        """Return the game that its path names, once its route is known."""
        if self.request is None or "/games/{id}" not in self.request.route:
            return None
        return self.request.match_info.get("id")


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
        **({} if charge.api_key is None else {"api_key": charge.api_key.name}),
    )


def log_stream(request: HttpRequest, kind: StreamKind, event: Literal["opened", "closed"], **fields: Any) -> None:
    """Log the opening or the end of a WebSocket or event stream."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        _log(request, f"{kind} {event} {request.route}", kind=kind, route=request.route, **fields)


def _log(request: web.BaseRequest, message: str, **fields: Any) -> None:
    """Log a line with these fields and the client's address, as the limits count it."""
    ACCESS_LOGGER.info("%s", message, extra={**fields, "address": get_connection(request).charge.account.client})


EVENT_STREAM = "text/event-stream"

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

INTERNAL_ERROR = 500
DISCONNECTED = 0
"""Stands for the status of a request whose client has disconnected."""
STREAMED = -1
"""Stands for the status of a WebSocket or event stream."""


def report_untrusted_proxy(request: web.BaseRequest) -> None:
    """Count a rejected request if its client may be a proxy with many clients behind it, and log the first."""
    connection = get_connection(request)
    proxies = connection.limiter.proxies
    if connection.client is None or FORWARDED_FOR not in request.headers:
        return
    UNTRUSTED_PROXY.inc()
    if not proxies.has_warned:
        proxies.has_warned = True
        logging.getLogger(__name__).warning(
            "%s is limited as one client, but forwards for others: if it is your proxy, add it to --trusted-proxies",
            connection.client,
        )


class InFlight:
    """The number of current requests, with WebSockets and event streams that are open."""

    count = 0


IN_FLIGHT = InFlight()


class Middleware:
    """What an application's requests go through before its handler; without a rate limiter it has no limits."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._find = app.router.find
        self._rate_limiter = app.get(RATE_LIMITER)

    async def measure(self, request: HttpRequest) -> web.StreamResponse:
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
                _record_request(request, status, perf_counter() - started_at)
            context.request = None  # cancelled timers keep references to this context

    async def _trace(self, request: HttpRequest, context: RequestContext) -> web.StreamResponse:
        """Respond to a request in a span, the client's being its parent if it names one."""
        with tracing.span(request.method, "server", request.headers) as span:
            status = INTERNAL_ERROR
            try:
                response = await self.respond(request, context)
                status = response.status
            finally:
                _describe_span(span, context, request, status)
            return response

    async def respond(self, request: HttpRequest, context: RequestContext | None = None) -> web.StreamResponse:
        """Return the response to a request, with the common headers; errors become problems."""
        connection, rate_limiter = get_connection(request), self._rate_limiter
        if connection.client is None:  # a trusted proxy
            client = connection.limiter.proxies.forwarded_client(connection.peer_address, request.headers)
            connection.charge = Charge(connection.limiter.accounts.get(client))
        if hdrs.EXPECT in request.headers:
            request = without_expectation(request)
        try:
            try:
                check_head(request)
                if context is not None:
                    context.request = request
                response = await self._route(request)(request)
            finally:  # what has no route is charged too: unknown paths, OPTIONS, files
                if rate_limiter is not None and not connection.charge.is_admitted:
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
            connection.limiter.common_headers.add_to(response)
        return response

    def _route(self, request: HttpRequest) -> Handler:
        """Return the handler of a request, which gets its route. Raises HTTPNotFound, HTTPMethodNotAllowed."""
        found = self._find(request.rel_url.path_safe)
        if found is None:
            raise web.HTTPNotFound
        resource, parameters = found
        handler = resource.handlers.get(request.method)
        if handler is None:
            raise web.HTTPMethodNotAllowed(request.method, resource.handlers)
        request.route, request.match_info = resource.path, parameters
        return handler


def _may_stream(request: HttpRequest) -> bool:
    """Return whether a request may be for a WebSocket or event stream, which last longer than any trace."""
    return hdrs.UPGRADE in request.headers or prefers_media_type(request, EVENT_STREAM, JSON)


def _is_stream(response: web.StreamResponse) -> bool:
    """Return whether a response is a WebSocket or event stream."""
    return isinstance(response, web.WebSocketResponse) or response.content_type == EVENT_STREAM


def _record_request(request: HttpRequest, status: int, seconds: float) -> None:
    """Observe and log a finished request; status 0 stands for a client that has disconnected."""
    route = request.route
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


def _describe_span(span: "Span", context: RequestContext, request: HttpRequest, status: int) -> None:
    """Name a span by OpenTelemetry's conventions for HTTP."""
    if (route := request.route) != UNMATCHED:
        span.update_name(f"{request.method} {route}")
        span.set_attribute("http.route", route)
    span.set_attribute("http.request.method", request.method if request.method in METHODS else "_OTHER")
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("url.scheme", request.scheme)
    span.set_attribute("url.path", request.path)
    span.set_attribute("south_seas.request_id", context.request_id or "")
    if (game := context.game) is not None:
        span.set_attribute("south_seas.game", game)
