"""Serving the application so that errors outside of handlers are problem documents too.

aiohttp answers malformed HTTP and unexpected exceptions in plain text, in one method of its protocol. The server and
the runner here exist to install a protocol that overrides it.
"""

import asyncio
import logging
import re

from aiohttp import web

from schemas.problems import problem
from service.telemetry.log_context import LOG_CONTEXT
from service.telemetry.metrics import HTTP_MALFORMED
from service.web.connections.limiter import CONNECTION_LIMITER
from service.web.connections.protocol import ClientConnection
from service.web.middleware.access_log import UNMATCHED_ROUTE, log_request
from service.web.middleware.error_handling import handle_errors
from service.web.middleware.request_metrics import REQUEST_ID, measure_requests, record_route
from service.web.middleware.security_headers import API_HEADERS
from service.web.problems import problem_response
from service.web.responses import EXPOSED_HEADERS

LOG = logging.getLogger(__name__)

FORCED_HANDLER_TIMEOUT_S = 0.1

MAX_TARGET_BYTES = 2_048
"""Bytes of a request's target: the router takes quadratic time for many slashes, and each parameter takes time."""

MAX_HEADERS = 64
"""Headers of one request; browsers and proxies send about half as many."""

LINGER_TIMEOUT_S = 2.0
"""How long the rest of a body may still arrive after its response."""

READ_BUFFER_BYTES = 16_384
"""Bytes of a body that wait for its handler, at most twice as many."""


_QUOTED_BYTES = re.compile(r"""\s*(?<!\w)(?:bytearray\()?b['"]([^:?\n]{0,80}).*""", re.DOTALL)
"""What aiohttp's message quotes of the request, and the line with a caret below it."""


def _describe_malformed(message: str) -> str:
    """Return aiohttp's message in one line, with the part of the request that is malformed.

    A header's value and a query string are left out: they may hold a token, and clients log what they receive.
    """
    one_line = _QUOTED_BYTES.sub(lambda quoted: " " + quoted[1].rstrip("'\""), message)
    return " ".join(one_line.split())


class ProblemProtocol(ClientConnection):
    """A connection whose errors are problem documents."""

    __slots__ = ()

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Return the response to malformed HTTP (400), or to an unexpected exception (500), which is logged.

        Raises ConnectionError if the response has begun or the client has disconnected.
        """
        if isinstance(exc, ConnectionError):
            raise exc
        if status < 500:
            HTTP_MALFORMED.inc()
            log_request(request, UNMATCHED_ROUTE, status, 0.0)
            document = problem("malformed", _describe_malformed(message or "this is not HTTP"))
        else:
            LOG.error("%s %s failed", request.method, request.path, exc_info=exc)
            document = problem("internal", "internal server error")
        if request.writer.output_size > 0:
            raise ConnectionError("the response has already begun")
        response = problem_response(
            document,
            {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": EXPOSED_HEADERS, **API_HEADERS},
        )
        if status >= 500 and (context := LOG_CONTEXT.get()) is not None and context.request_id is not None:
            response.headers[REQUEST_ID] = context.request_id
        response.force_close()
        self.finish_request(request, response)
        return response


class ProblemServer(web.Server):
    """A server that makes a ProblemProtocol for each connection."""

    def __init__(self, app: web.Application, server: web.Server) -> None:
        super().__init__(
            measure_requests(handle_errors(app, record_route(server.request_handler))),
            request_factory=server.request_factory,
        )
        self._limiter = app[CONNECTION_LIMITER]

    def __call__(self) -> web.RequestHandler:
        """Return the protocol of a new connection."""
        return ProblemProtocol(
            self,
            limiter=self._limiter,
            loop=asyncio.get_running_loop(),
            access_log=None,
            max_line_size=MAX_TARGET_BYTES,
            max_headers=MAX_HEADERS,
            # aiohttp inflates bodies that nobody reads, even after the response. Compressed bodies are rejected (415)
            # before they are read, so this can go when aiohttp stops doing so.
            auto_decompress=False,
            lingering_time=LINGER_TIMEOUT_S,
            read_bufsize=READ_BUFFER_BYTES,
        )


class ProblemRunner(web.AppRunner):
    """An application runner with a ProblemServer."""

    def __init__(self, app: web.Application, finish_s: float) -> None:
        super().__init__(app)
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
        self._problem_server = ProblemServer(self.app, server)

    async def shutdown(self) -> None:
        """Let handlers finish within their timeout."""
        if self._problem_server is not None:
            self._problem_server.pre_shutdown()
        await super().shutdown()
        if self._problem_server is not None:
            await self._problem_server.shutdown(self._handler_timeout_s)

    def force_shutdown(self) -> None:
        """Let handlers finish within `FORCED_HANDLER_TIMEOUT_S`."""
        self._handler_timeout_s = FORCED_HANDLER_TIMEOUT_S
