"""Serving the application: listening, the protocol, `/metrics`, and stopping without failed requests.

On the first signal /readyz answers 503 and everything else is served for `drain_time_s`. Then the sockets are closed,
spread over `close_window_s`, the listeners close and the handlers finish. On a second signal the server stops at once.

`/metrics` has a port of its own.
"""

import asyncio
import atexit
import errno
import gc
import logging
import os
import re
import resource
import signal
import socket
import sys
import time
from asyncio import Event
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from types import FrameType
from typing import Any

from aiohttp import hdrs, web
from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder

from service.games.errors import Malformed
from service.supervision import Supervisor, spawn
from service.web.accounts import Accounts
from service.web.app import DRAINING, LIMITS, SUPERVISOR, App, HttpRequest
from service.web.connection import CANCEL_TIMEOUT_S
from service.web.connection_limiter import CONNECTION_LIMITER, ConnectionLimiter, run_timeout_sweep
from service.web.handling import ProblemServer
from service.web.limits import Limits
from service.web.response_heads import CommonHeaders, WholeResponse
from service.web.streams import CLOSE_TIMEOUT_S
from service.web.websocket import close_streams

LOG = logging.getLogger(__name__)


class ProblemRunner(web.ServerRunner):
    """Runs an application with a ProblemServer; one that is measured counts, traces and logs its requests."""

    def __init__(self, app: App, finish_s: float, *, is_measured: bool = True) -> None:
        self._problem_server = ProblemServer(app, finish_s, is_measured=is_measured)
        super().__init__(self._problem_server)
        self._app = app
        self._lifespans = AsyncExitStack()

    async def setup(self) -> None:
        """Start the application."""
        for lifespan in self._app.lifespans:
            await self._lifespans.enter_async_context(lifespan(self._app))
        await super().setup()

    async def shutdown(self) -> None:
        """End what the application has open, as long as its connections are."""
        for end in self._app.on_shutdown:
            await end(self._app)

    async def cleanup(self) -> None:
        """Stop listening, let handlers finish within their timeout, and end the application."""
        await super().cleanup()
        await self._lifespans.aclose()

    def force_shutdown(self) -> None:
        """Let handlers finish within `CANCEL_TIMEOUT_S`."""
        self._problem_server.finish_s = CANCEL_TIMEOUT_S


SHUTDOWN_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class ShutdownSignal:
    """A request to stop, and a second one to stop at once."""

    def __init__(self) -> None:
        self.requested = asyncio.Event()
        self.forced = asyncio.Event()

    def request(self) -> None:
        """Request the stop; force it on the second call."""
        (self.forced if self.requested.is_set() else self.requested).set()


@contextmanager
def handle_signals(stop: ShutdownSignal, timeout_s: float) -> Iterator[None]:
    """Request the stop on SIGTERM and SIGINT while the block runs; end the process where it takes over `timeout_s`.

    The handlers are Python's and not the event loop's, so that they run even while one callback never returns.
    """
    loop = asyncio.get_running_loop()

    def request(_number: int, _frame: FrameType | None) -> None:
        if not stop.requested.is_set():
            signal.signal(signal.SIGALRM, _exit_at_once)
            signal.setitimer(signal.ITIMER_REAL, timeout_s)
            atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)  # nothing is left but to free the memory
        loop.call_soon_threadsafe(stop.request)

    previous = {number: signal.signal(number, request) for number in SHUTDOWN_SIGNALS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _exit_at_once(_number: int, _frame: FrameType | None) -> None:
    """End the process. SIGALRM's default action would not end one that is the first of its container."""
    os.write(2, b"south-seas: stopping takes too long: the process ends at once\n")
    os._exit(1)


def exit_without_memory(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """End the process if the event loop itself has no memory left, else handle an exception as by default.

    uvloop would try the same callback again without end, and neither serve nor stop: another process starts afresh.
    """
    if isinstance(context.get("exception"), MemoryError):
        os.write(2, b"south-seas: out of memory: the process ends at once\n")
        os._exit(1)
    loop.default_exception_handler(context)


logger = logging.getLogger(__name__)

GC_THRESHOLD = 5_000
"""Objects of a young collection: one takes some 4 ms, and is rare, since the objects of a request form no cycles."""

RESERVED_FILES = 100
"""Open files for other purposes than clients' connections."""

BACKLOG = 1024
"""Connections that may wait to be accepted; the system's own limit may be lower."""

HANDLER_TIMEOUT_S = 10.0
"""Timeout of handlers after the listeners have closed."""

EXIT_TIMEOUT_S = 10.0
"""After them, the time for the background tasks and the embedded server to end."""


class StartFailed(Exception):
    """The instance cannot start; the message says why in one line."""


async def run_server(
    app: App, sockets: Sequence[socket.socket], stop: ShutdownSignal, ready: Callable[[], None]
) -> None:
    """Listen, call `ready`, and serve until `stop` is requested, by a signal or otherwise."""
    runner = ProblemRunner(app, HANDLER_TIMEOUT_S)
    await runner.setup()
    try:
        asyncio.get_running_loop().set_exception_handler(exit_without_memory)
        # Before accepting connections, which would have to wait some 0.1 s for the collection.
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, 100, 200)
        for listener in sockets:
            await web.SockSite(runner, listener, backlog=BACKLOG).start()
        stop_s = app[LIMITS].drain_time_s + app[LIMITS].close_window_s + CLOSE_TIMEOUT_S + 1 + HANDLER_TIMEOUT_S
        with handle_signals(stop, stop_s + EXIT_TIMEOUT_S):
            ready()
            await _wait_until_drained(app, stop)
    finally:
        if stop.forced.is_set():
            runner.force_shutdown()
        await runner.cleanup()
    logger.info("stopped: all connections are closed")


def raise_open_files_limit() -> int:
    """Raise the soft limit on open files to the hard limit, and return how many connections of clients it allows.

    The usual 1,024 are too few. The soft limit exists for `select`, which is not used here. If the system refuses, the
    limit stays.
    """
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if limit == resource.RLIM_INFINITY else max(0, limit - RESERVED_FILES)


async def _wait_until_drained(app: App, stop: ShutdownSignal) -> None:
    """Return when a stop was requested and clients had time to leave, or when the stop is forced."""
    await stop.requested.wait()
    if not stop.forced.is_set():
        logger.info("stopping: /readyz answers 503, everything else is served for %g s", app[LIMITS].drain_time_s)
    app[DRAINING].set()
    with suppress(TimeoutError):
        async with asyncio.timeout(app[LIMITS].drain_time_s):
            await stop.forced.wait()
    closing, forced = spawn("close-sockets", close_streams(app)), spawn("hurry", stop.forced.wait())
    await asyncio.wait({closing, forced}, return_when=asyncio.FIRST_COMPLETED)
    closing.cancel()
    forced.cancel()


ALL_ADDRESSES = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}  # noqa: S104  bound only where a setting asks for it
LOOPBACK_ADDRESSES = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}

BOTH_FAMILIES = {"::": ALL_ADDRESSES, "localhost": LOOPBACK_ADDRESSES}
"""The addresses of hosts that mean IPv4 and IPv6 alike, whatever the machine's resolver has for them."""

NO_SUCH_FAMILY = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}
"""Errors of an address whose family the machine does not have."""

MAX_KERNEL_UNSENT_BYTES = 65_536
"""Bytes that the kernel buffers per connection before it takes no more; by default megabytes, which nobody counts."""

Address = tuple[socket.AddressFamily, str]


def bind(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for each address of the host that the machine has, all on one port; 0 is any free one.

    Raises StartFailed.
    """
    if not host:
        raise StartFailed("the host to listen on is empty; :: means all addresses")
    with ExitStack() as opened:
        bound: list[socket.socket] = []
        missing: OSError | None = None
        try:
            for family, address in _resolve(host, port):
                endpoint = address, bound[0].getsockname()[1] if bound else port
                try:
                    listener = opened.enter_context(socket.create_server(endpoint, family=family, backlog=BACKLOG))
                except OSError as error:
                    if error.errno not in NO_SUCH_FAMILY:
                        raise
                    missing = error
                    continue
                if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # Linux and macOS; accepted connections have it too
                    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_KERNEL_UNSENT_BYTES)
                bound.append(listener)
            if missing is not None and not bound:
                raise missing
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                reason = f"{os.strerror(error.errno)}; choose another --port"
            raise StartFailed(f"cannot listen on {host}:{port}: {reason}") from error
        opened.pop_all()
    return bound


def format_listening_url(sockets: Sequence[socket.socket], host: str) -> str:
    """Return the URL of the listeners for clients on this machine, with the real port."""
    first = sockets[0]
    address, port = first.getsockname()[:2]
    if host in BOTH_FAMILIES or address == ALL_ADDRESSES[first.family]:
        host = LOOPBACK_ADDRESSES[first.family]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _resolve(host: str, port: int) -> list[Address]:
    if host in BOTH_FAMILIES:
        return [*BOTH_FAMILIES[host].items()]
    results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, str(address[0])) for family, *_, address in results))


METRICS_LIMITS = Limits(rate_limits=False, max_connections=16)
"""A Prometheus needs one connection."""

MAX_TIME_SHARE = 0.1
"""Share of the event loop's time that is spent on metrics, however many scrapes there are."""

_PUBLIC_NAME = re.compile(r".*\.(?!(internal|local|localhost|svc)$)[a-z][a-z\d-]*", re.IGNORECASE)
"""A name that somebody may have registered: it has a dot and no end of local names."""

FINISH_TIMEOUT_S = 1.0


@asynccontextmanager
async def serve_metrics(host: str, port: int | None) -> AsyncIterator[str | None]:
    """Serve metrics while the block runs; yields their URL, None without a port. Raises StartFailed."""
    if port is None:
        yield None
        return
    sockets = await asyncio.to_thread(bind, host, port)
    runner = ProblemRunner(_make_app(host), FINISH_TIMEOUT_S, is_measured=False)
    await runner.setup()
    try:
        for listener in sockets:
            await web.SockSite(runner, listener).start()
        yield f"{format_listening_url(sockets, host)}/metrics"
    finally:
        await runner.cleanup()


def _make_app(host: str) -> App:
    app = App()
    app[DRAINING] = Event()
    app[SUPERVISOR] = Supervisor()
    app[CONNECTION_LIMITER] = ConnectionLimiter(Accounts(METRICS_LIMITS))
    app[CONNECTION_LIMITER].common_headers = CommonHeaders(METRICS_LIMITS, for_pages=False)
    app.lifespans.append(run_timeout_sweep)
    app.router.add(("GET", "HEAD"), "/metrics", Scraper(host).respond)
    return app


class Scraper:
    """Responds to scrapes, with the last text if it is of just now."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._texts: dict[str, tuple[bytes, str]] = {}
        """The last text in each format, and its media type with parameters."""
        self._next_at = 0.0
        """When new ones may be made."""

    async def respond(self, request: HttpRequest) -> web.Response:
        """Return the metrics, as OpenMetrics if the client accepts that.

        Raises Malformed for a public name, which a web page can have pointed here (DNS rebinding).
        """
        name = request.url.host or ""
        if name != self._host and _PUBLIC_NAME.fullmatch(name):
            raise Malformed("metrics have an address or a local name; --metrics-host names another", "Host")
        encode, media_type = choose_encoder(request.headers.get(hdrs.ACCEPT, ""))
        text_format = media_type.partition(";")[0]
        started_at = time.monotonic()
        if started_at >= self._next_at:
            self._texts.clear()
        if text_format not in self._texts:
            self._texts[text_format] = encode(REGISTRY), media_type
            ended_at = time.monotonic()
            self._next_at = max(self._next_at, ended_at) + (ended_at - started_at) * (1 / MAX_TIME_SHARE - 1)
        text, media_type = self._texts[text_format]
        return WholeResponse(body=text, headers={hdrs.CONTENT_TYPE: media_type})
