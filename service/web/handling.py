"""The way of a request from aiohttp's parser to its route and back, and what is recorded of it.

Each request gets an id, is checked, charged, measured and logged, and errors become problems. aiohttp answers malformed
HTTP and unexpected exceptions in plain text, in one method of its protocol, which is overridden here.

The access log has a line per request, and two per WebSocket and event stream. A line contains the route and never the
path or the query, so that nothing that a client wrote is logged, tokens least.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.http import RawRequestMessage
from aiohttp.web_protocol import ERROR
from multidict import CIMultiDict, CIMultiDictProxy

from service.games.commands.create import ID_LENGTH
from service.games.errors import ServiceError
from service.i18n import Language
from service.telemetry import tracing
from service.telemetry.counters import Histogram
from service.telemetry.logs import LOG_CONTEXT
from service.telemetry.metrics import HTTP_DURATION, HTTP_MALFORMED
from service.web import problems
from service.web.app import DRAINING, NO_ROUTE, UNMATCHED, App, Handler, HttpRequest, Terms
from service.web.connection import ClientConnection, get_connection
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.headers import negotiate_language, options_response, prefers_media_type
from service.web.parsing import EVENT_STREAM, JSON, check_head, without_expectation
from service.web.rate_limiter import RATE_LIMITER
from service.web.response_heads import REQUEST_ID, add_base_path, is_valid_request_id, new_request_id

if TYPE_CHECKING:
    from opentelemetry.trace import Span


ACCESS_LOGGER = logging.getLogger("service.web.access")


class RequestContext:
    """The log context of a request."""

    __slots__ = ("request", "request_id")

    def __init__(self, client_request_id: str | None = None) -> None:
        is_valid = client_request_id is not None and is_valid_request_id(client_request_id)
        self.request_id = client_request_id if is_valid else new_request_id()
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
    log_access(
        request,
        f"{request.method} {route} {status}",
        method=request.method,
        route=route,
        status=status,
        milliseconds=round(seconds * 1e3, 3),
        **({} if charge.api_key is None else {"api_key": charge.api_key.name}),
    )


def log_access(request: web.BaseRequest, message: str, **fields: Any) -> None:
    """Log a line with these fields and the client's address, as the limits count it."""
    ACCESS_LOGGER.info("%s", message, extra={**fields, "address": get_connection(request).charge.account.client})


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

INTERNAL_ERROR = 500
DISCONNECTED = 0
"""Stands for the status of a request whose client has disconnected."""
STREAMED = -1
"""Stands for the status of a WebSocket or event stream."""


class InFlight:
    """The number of current requests, with WebSockets and event streams that are open."""

    count = 0


IN_FLIGHT = InFlight()


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


def _language(request: web.BaseRequest) -> Language:
    return negotiate_language(request.headers.getall(hdrs.ACCEPT_LANGUAGE, ()))


async def _raise(error: ServiceError, _request: HttpRequest) -> web.StreamResponse:
    raise error


_GAME_ID = re.compile(rf"/+[A-Za-z0-9]{{{ID_LENGTH}}}(?![A-Za-z0-9-])")
"""An id as games have it, in a link that may be damaged."""

UNPARSED = ERROR._replace(version=HttpVersion11, headers=CIMultiDictProxy(CIMultiDict()))
"""Stands for a request that aiohttp cannot parse."""


class ProblemProtocol(ClientConnection):
    """A connection whose errors are problem documents."""

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Return the response to malformed HTTP (4xx), or to an unexpected exception (500), which is logged.

        Raises ConnectionError if the response has begun or the client has disconnected.
        """
        del message
        if isinstance(exc, ConnectionError):
            raise exc
        if status < 500:
            HTTP_MALFORMED.inc()
            LOG_CONTEXT.set(RequestContext())
            document = problems.describe_malformed(exc)
            log_request(request, UNMATCHED, document.status, 0.0)
        else:
            logging.getLogger(__name__).error("%s %s failed", request.method, request.path, exc_info=exc)
            document = problems.to_problem(RuntimeError(), language=_language(request))
        if request.writer.output_size > 0:
            raise ConnectionError("the response has already begun")
        response = problems.problem_response(document)
        self.limiter.common_headers.add_to(response)
        response.force_close()
        return response


class ProblemServer(web.Server):
    """A server that makes a ProblemProtocol for each connection, and hands each request to the handler of its route.

    Without a rate limiter it has no limits; one that is not measured neither counts nor logs its requests.
    """

    def __init__(self, app: App, finish_s: float, *, is_measured: bool) -> None:
        self._app = app
        self._find = app.router.find
        self._rate_limiter = app.get(RATE_LIMITER)
        self._limiter = app[CONNECTION_LIMITER]
        self.finish_s = finish_s
        """How long handlers may take to finish."""
        self._handle = self.measure if is_measured else self.respond
        super().__init__(self._charge, request_factory=self._build_request)

    def __call__(self) -> web.RequestHandler:
        """Return the protocol of a new connection."""
        return ProblemProtocol(
            self,
            limiter=self._limiter,
            loop=asyncio.get_running_loop(),
            access_log=None,
            max_line_size=problems.MAX_TARGET_BYTES,
            max_headers=problems.MAX_HEADERS,
            max_field_size=problems.MAX_FIELD_BYTES,
            # aiohttp inflates bodies that nobody reads, even after the response. Compressed bodies are rejected (415)
            # before they are read, so this can go when aiohttp stops doing so.
            auto_decompress=False,
            read_bufsize=(self._limiter.limits.max_body_bytes + 1) // 2,  # aiohttp holds twice as much: a whole body
        )

    def _build_request(self, message: RawRequestMessage, payload: Any, *parts: Any) -> HttpRequest:
        """Return the next request; a status line names the version that the service speaks (RFC 9110, 6.2)."""
        protocol, writer, task = parts
        loop = asyncio.get_running_loop()
        if message is ERROR:
            message = UNPARSED
        base_path = self._limiter.limits.base_path
        if base_path:
            message = self._remove_base_path(message, base_path)
        elif protocol.client is None:
            base_path = self._limiter.proxies.forwarded_base_path(message.headers)
        request = HttpRequest(message, payload, protocol, writer, task, loop)
        request.app, request.base_path = self._app, base_path
        get_connection(request).begin_request(request)
        return request

    def _remove_base_path(self, message: RawRequestMessage, base_path: str) -> RawRequestMessage:
        """Return a request's head without a base path that no proxy has removed.

        A path may begin like it: what is no path without it keeps it. Below `/games` only a game's id may stand.
        """
        path = message.url.raw_path
        rest = path.removeprefix(base_path) or "/"
        if rest == path or not rest.startswith("/"):
            return message
        is_own = self._find(path) is not None and (base_path != "/games" or _GAME_ID.match(rest))
        if is_own and self._find(rest) is None:
            return message
        return message._replace(url=message.url.with_path(rest, encoded=True, keep_query=True))

    def _charge(self, request: Any) -> Awaitable[web.StreamResponse]:
        """Handle a request, and charge the time of the event loop that it takes."""
        return get_connection(request).loop_time.measure(self._handle(request))

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
            if self._app[DRAINING].is_set():
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
            connection.charge.account = connection.limiter.accounts.get(client)
        if connection.charge.account.is_busy():
            await connection.charge.account.take_turn("requests")
        request = without_expectation(request)
        try:
            handler, terms = self._route(request)
            if context is not None:
                context.request = request
            if rate_limiter is not None:
                await rate_limiter.admit(request, terms)
            check_head(request)
            response = await handler(request)
        except ServiceError as error:
            if request.method == "OPTIONS" and isinstance(error, problems.NoSuchPath | problems.MethodNotAllowed):
                response = options_response(request, error)
            else:
                response = problems.error_response(error, request, _language(request))
            if isinstance(error, problems.RateLimited):
                connection.limiter.proxies.report_untrusted(connection.client, request.headers)
        if rate_limiter is not None:
            rate_limiter.settle(request, response)
        if not response.prepared:
            connection.limiter.common_headers.add_to(response)
            add_base_path(response, request.base_path)
        return response

    def _route(self, request: HttpRequest) -> tuple[Handler, Terms]:
        """Return the handler of a request, which gets its route, and its terms; without a route, what raises why."""
        path = request.rel_url.path_safe or "/"
        found = self._find(path)
        if found is None:
            return partial(_raise, problems.NoSuchPath(self._app.router.suggest(path))), NO_ROUTE
        resource, parameters = found
        handling = resource.handlers.get(request.method)
        if handling is None:
            allowed = ", ".join(sorted(resource.handlers.keys() | {"OPTIONS"}))  # which every path allows
            hint = self._app.router.suggest_method(request.method, resource.path)
            return partial(_raise, problems.MethodNotAllowed(request.method, allowed, hint)), NO_ROUTE
        request.route, request.match_info = resource.path, parameters
        return handling

    async def shutdown(self, _timeout: float | None = None) -> None:
        """Let handlers finish, and close all connections."""
        await super().shutdown(self.finish_s)
