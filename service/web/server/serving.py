"""Running the application until it is asked to stop, and stopping it without failed requests.

On the first signal /readyz answers 503 and everything else is served for `drain_time_s`. Then the sockets are closed,
spread over `close_window_s`, the listeners close and the handlers finish. On a second signal the server stops at once.
"""

import asyncio
import gc
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from socket import socket
from types import FrameType
from typing import Any

from aiohttp import web

from service.supervision import spawn
from service.web.app_keys import DRAINING, LIMITS
from service.web.limits import Limits
from service.web.routes.websocket import close_streams
from service.web.server.runner import ProblemRunner
from service.web.streaming.registry import CLOSE_TIMEOUT_S

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

GC_THRESHOLD = 50_000
"""Young collections are rare, since the objects of a request form no cycles."""

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
    app: web.Application, sockets: Sequence[socket], stop: ShutdownSignal, ready: Callable[[], None]
) -> None:
    """Listen, call `ready`, and serve until `stop` is requested, by a signal or otherwise."""
    runner = ProblemRunner(app, HANDLER_TIMEOUT_S)
    await runner.setup()
    try:
        asyncio.get_running_loop().set_exception_handler(exit_without_memory)
        # Before accepting connections, which would have to wait some 0.1 s for the collection.
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, 20, 100)
        for listener in sockets:
            await web.SockSite(runner, listener, backlog=BACKLOG).start()
        with handle_signals(stop, max_stop_s(app[LIMITS])):
            ready()
            await _wait_until_drained(app, stop)
    finally:
        if stop.forced.is_set():
            runner.force_shutdown()
        await runner.cleanup()
    logger.info("stopped: all connections are closed")


def max_stop_s(limits: Limits) -> float:
    """Return after how many seconds a stop ends the process, whatever it still does."""
    return limits.drain_time_s + limits.close_window_s + CLOSE_TIMEOUT_S + 1 + HANDLER_TIMEOUT_S + EXIT_TIMEOUT_S


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


async def _wait_until_drained(app: web.Application, stop: ShutdownSignal) -> None:
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
