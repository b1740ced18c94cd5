"""Serving the application so that errors outside of handlers are problem documents too.

aiohttp answers malformed HTTP and unexpected exceptions in plain text, in one method of its protocol. The server and
the runner here exist to install a protocol that overrides it.
"""

import asyncio
import logging
from typing import Any

from aiohttp import HttpVersion11, web
from aiohttp.http import RawRequestMessage
from aiohttp.http_exceptions import (
    BadHttpMethod,
    BadStatusLine,
    InvalidHeader,
    InvalidURLError,
    LineTooLong,
    PayloadEncodingError,
)
from aiohttp.web_protocol import ERROR

from schemas.problems import Problem, problem
from service.telemetry.logs import LOG_CONTEXT
from service.telemetry.metrics import HTTP_MALFORMED
from service.web.access_log import UNMATCHED_ROUTE, RequestContext, log_request
from service.web.connections.limiter import CONNECTION_LIMITER
from service.web.connections.protocol import CANCEL_TIMEOUT_S, LINGER_TIMEOUT_S, ClientConnection, get_connection
from service.web.connections.request_reader import MAX_HEAD_BYTES
from service.web.errors import TargetTooLong
from service.web.middleware import Handler, Middleware
from service.web.problems import problem_response, to_problem

LOG = logging.getLogger(__name__)

MAX_TARGET_BYTES = 2_048
"""Bytes of a request's target: the router takes quadratic time for many slashes, and each parameter takes time."""

MAX_HEADERS = 64
"""Headers of one request; browsers and proxies send about half as many."""

UNPARSED = ERROR._replace(version=HttpVersion11)
"""Stands for a request that aiohttp cannot parse."""

READ_BUFFER_BYTES = 16_384
"""Bytes of a body that wait for its handler, at most twice as many."""


MAX_FIELD_BYTES = 8_190
"""Bytes of a header; another number than that of the target, by which the two are told apart."""

_MALFORMED: tuple[tuple[type[Exception], str], ...] = (
    (InvalidHeader, "a header is malformed"),
    (InvalidURLError, "the target of the request is malformed"),
    (BadHttpMethod, "the method is unknown, or this is not HTTP: TLS ends at a proxy"),
    (BadStatusLine, "the request line is malformed"),
    (PayloadEncodingError, "the body is not encoded correctly"),
)
"""What a client is told for a type of aiohttp's errors, whose own messages quote the request, tokens too."""

_NOT_HTTP = (
    f"this is not HTTP/1.1: check the header lines, of which {MAX_HEADERS} may come, Host, Content-Length, "
    "Transfer-Encoding, and the body's chunks"
)
"""The same for any other."""


def _describe_malformed(error: BaseException | None, head_bytes: int) -> Problem:
    """Return the problem for an error of aiohttp's parser, in a head of so many bytes."""
    if isinstance(error, LineTooLong):
        _, limit, *_ = error.args
        if limit == MAX_TARGET_BYTES:
            return to_problem(TargetTooLong(MAX_TARGET_BYTES))
        return problem("malformed", f"a header may have at most {MAX_FIELD_BYTES} bytes")
    if head_bytes >= MAX_HEAD_BYTES:
        return problem("malformed", f"the request line and the headers may have {MAX_HEAD_BYTES} bytes together")
    for kind, detail in _MALFORMED:
        if isinstance(error, kind):
            return problem("malformed", detail)
    return problem("malformed", _NOT_HTTP)


class ProblemProtocol(ClientConnection):
    """A connection whose errors are problem documents."""

    __slots__ = ()

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
            document = _describe_malformed(exc, self.requests.received_bytes)
            log_request(request, UNMATCHED_ROUTE, document.status, 0.0)
        else:
            LOG.error("%s %s failed", request.method, request.path, exc_info=exc)
            document = problem("internal", "internal server error")
        if request.writer.output_size > 0:
            raise ConnectionError("the response has already begun")
        response = problem_response(document)
        self.limiter.common_headers.add_to(response.headers)
        response.force_close()
        return response


class ProblemServer(web.Server):
    """A server that makes a ProblemProtocol for each connection."""

    def __init__(self, app: web.Application, server: web.Server, *, is_measured: bool) -> None:
        middleware = Middleware(app, server.request_handler)
        handle: Handler = middleware.measure if is_measured else middleware.respond
        super().__init__(
            lambda request: get_connection(request).loop_time.measure(handle(request)),
            request_factory=self._build_request,
        )
        self._factory = server.request_factory
        self._limiter = app[CONNECTION_LIMITER]

    def _build_request(self, message: RawRequestMessage, *parts: Any) -> web.BaseRequest:
        """Return a request; a status line names the version that the service speaks (RFC 9110, 6.2)."""
        return self._factory(UNPARSED if message is ERROR else message, *parts)

    def __call__(self) -> web.RequestHandler:
        """Return the protocol of a new connection."""
        return ProblemProtocol(
            self,
            limiter=self._limiter,
            loop=asyncio.get_running_loop(),
            access_log=None,
            max_line_size=MAX_TARGET_BYTES,
            max_headers=MAX_HEADERS,
            max_field_size=MAX_FIELD_BYTES,
            # aiohttp inflates bodies that nobody reads, even after the response. Compressed bodies are rejected (415)
            # before they are read, so this can go when aiohttp stops doing so.
            auto_decompress=False,
            lingering_time=LINGER_TIMEOUT_S,
            read_bufsize=READ_BUFFER_BYTES,
        )


class ProblemRunner(web.AppRunner):
    """An application runner with a ProblemServer; one that is measured counts, traces and logs its requests."""

    def __init__(self, app: web.Application, finish_s: float, *, is_measured: bool = True) -> None:
        super().__init__(app)
        self._is_measured = is_measured
        self._handler_timeout_s = finish_s
        self._problem_server: ProblemServer | None = None

    @property
    def server(self) -> web.Server | None:
        """Return the server."""
        return self._problem_server

    async def setup(self) -> None:
        """Start the application."""
        await super().setup()
        server = super().server
        assert server is not None  # noqa: S101  it is set up
        self._problem_server = ProblemServer(self.app, server, is_measured=self._is_measured)

    async def shutdown(self) -> None:
        """Let handlers finish within their timeout."""
        if self._problem_server is not None:
            self._problem_server.pre_shutdown()
        await super().shutdown()
        if self._problem_server is not None:
            await self._problem_server.shutdown(self._handler_timeout_s)

    def force_shutdown(self) -> None:
        """Let handlers finish within `CANCEL_TIMEOUT_S`."""
        self._handler_timeout_s = CANCEL_TIMEOUT_S
