"""Around the application: each request gets an id, is measured and may be traced, and its errors become problems.

It is no middleware of aiohttp's, because one and a signal would add about 10 us to each response.
"""

import re
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from multidict import CIMultiDictProxy, istr

from service.games.errors import Malformed, ServiceError
from service.telemetry import tracing
from service.telemetry.logs import LOG_CONTEXT
from service.web.app_keys import DRAINING
from service.web.common_headers import REQUEST_ID
from service.web.connections.limiter import warn_of_untrusted_proxy
from service.web.connections.protocol import get_connection
from service.web.errors import EncodedBody, RateLimited, UnknownTransferCoding
from service.web.headers.negotiation import MAX_LIST_ELEMENTS, MAX_LIST_LENGTH, join_lines
from service.web.parsing import without_expectation
from service.web.problems import error_response, format_allow_header, http_exception_response
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.request_log import IN_FLIGHT, RequestContext, describe_span, is_stream, may_stream, record_request

SUPPORTED_VERSIONS = (HttpVersion11, HttpVersion10)
"""aiohttp's parser also knows 0.9 and 2.0."""

REQUESTED_HEADERS = istr("Access-Control-Request-Headers")
REQUESTED_METHOD = istr("Access-Control-Request-Method")
PREFLIGHT_MAX_AGE_S = 7200

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

MAX_PATH_PARTS = 16
"""More than any route has: aiohttp looks a path up again for each of its parts."""

INTERNAL_ERROR = 500
DISCONNECTED = 0
"""Stands for the status of a request whose client has disconnected."""
STREAMED = -1
"""Stands for the status of a WebSocket or event stream."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header or a method."""
_IDENTITY = re.compile(r"[, \t]*(?:identity[, \t]*)?", re.IGNORECASE)
"""A list of no codings, or of the one that is none (RFC 9110, 8.4)."""

Handler = Callable[[Any], Awaitable[web.StreamResponse]]
"""Handles a `web.Request`; aiohttp declares a wider type."""


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
            if not tracing.is_enabled() or may_stream(request):
                response = await self.respond(request, context)
            else:
                response = await self._trace(request, context)
            if self._app[DRAINING].is_set() and not response.prepared:
                response.force_close()
            status = response.status if isinstance(response, web.Response) or not is_stream(response) else STREAMED
        except ConnectionError:
            status = STREAMED if may_stream(request) else DISCONNECTED
            raise
        else:
            return response
        finally:
            IN_FLIGHT.count -= 1
            if status != STREAMED:
                record_request(context, request, status, perf_counter() - started_at)
            context.request = None  # cancelled timers keep references to this context

    async def _trace(self, request: web.Request, context: RequestContext) -> web.StreamResponse:
        """Respond to a request in a span, the client's being its parent if it names one."""
        with tracing.span(request.method, "server", request.headers) as span:
            status = INTERNAL_ERROR
            try:
                response = await self.respond(request, context)
                status = response.status
            finally:
                describe_span(span, context, request, status)
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
                _check_head(request)
                if context is not None:
                    context.request = request
                response = await self._handle(request)
            finally:  # what has no route is charged too: unknown paths, OPTIONS, files
                if rate_limiter is not None and connection.charge is None:
                    await rate_limiter.admit(request)
        except ServiceError as error:
            response = error_response(error, request)
            if isinstance(error, RateLimited):
                warn_of_untrusted_proxy(request)
        except web.HTTPException as error:
            response = (
                options_response(request, error) if request.method == "OPTIONS" else http_exception_response(error)
            )
        if rate_limiter is not None:
            rate_limiter.settle(request, response)
        if not response.prepared:
            connection.limiter.common_headers.add_to(response.headers)
        return response


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


def _check_head(request: web.Request) -> None:
    """Raise HTTPNotFound, Malformed, EncodedBody or UnknownTransferCoding for what no handler could take."""
    headers = request.headers
    _check_lists(headers)
    if request.rel_url.path_safe.count("/") > MAX_PATH_PARTS:
        raise web.HTTPNotFound
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


def options_response(request: web.Request, error: web.HTTPException) -> web.Response:
    """Return the response to OPTIONS, also for the preflight of a browser's request to another origin.

    Pages may send any header: their tracing, for example, adds `baggage` to each request. `*` would not allow
    Authorization (Fetch, 4.8), so the preflight lists those that it was asked for. It is answered for unknown paths and
    methods too, so that the page can read the problem of the request itself.
    """
    allowed = format_allow_header(error.allowed_methods) if isinstance(error, web.HTTPMethodNotAllowed) else ""
    method = request.headers.get(REQUESTED_METHOD, "")
    if not allowed and not method:
        return http_exception_response(error)
    methods = [allowed, *(_NAME.findall(method)[:1] if method not in allowed.split(", ") else [])]
    headers = {
        "Access-Control-Allow-Methods": ", ".join(filter(None, methods)),
        "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
    }
    if allowed:
        headers["Allow"] = allowed
    if requested := _NAME.findall(join_lines(request.headers.getall(REQUESTED_HEADERS, ()))):
        headers["Access-Control-Allow-Headers"] = ", ".join(requested)
    return web.Response(status=204, headers=headers)
