"""Running the application until it is told to stop, and stopping it without a failed request.

On SIGTERM or SIGINT: /readyz answers 503 and everything else is served for `drain_s`; then sockets are told and closed,
spread over `close_spread_s`; then the listener closes and the handlers finish. A second signal stops at once.
"""

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress

from aiohttp import web

from service.web.keys import DRAINING, LIMITS
from service.web.runner import Runner
from service.web.sockets import close_sockets

logger = logging.getLogger(__name__)

GC_THRESHOLD = 50_000
"""Collections of young objects are rare: what a request makes, no cycle holds."""

FINISH_S = 10.0
"""How long handlers may take to finish after the listener has closed."""


class StartFailed(Exception):
    """The instance cannot start; says why in one line."""


@asynccontextmanager
async def running(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run `work` beside the body, and cancel it at the end; that it failed is logged at once and raised at the end."""
    task = asyncio.create_task(work)
    task.add_done_callback(_tell_failure)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.critical("a background task failed", exc_info=error)


async def run(app: web.Application, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Listen, call `ready` with the URL, and serve until SIGTERM or SIGINT. Raises StartFailed."""
    runner = Runner(app, access_log=None, shutdown_timeout=FINISH_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise StartFailed(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, 20, 100)
        ready(_url(runner, host))
        await _stopped(app)
    finally:
        await runner.cleanup()


async def _stopped(app: web.Application) -> None:
    """Return when a signal has come and everybody has been given the time to go elsewhere."""
    loop = asyncio.get_running_loop()
    first, second = asyncio.Event(), asyncio.Event()

    def heard() -> None:
        (second if first.is_set() else first).set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, heard)
    try:
        await first.wait()
        logger.info("stopping: not ready any more, still serving for %g s", app[LIMITS].drain_s)
        app[DRAINING].set()
        with suppress(TimeoutError):
            async with asyncio.timeout(app[LIMITS].drain_s):
                await second.wait()
        if not second.is_set():
            await close_sockets(app)
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def _url(runner: web.AppRunner, host: str) -> str:
    """Where it listens really: the port may have been chosen by the system."""
    port = runner.addresses[0][1]
    shown = "127.0.0.1" if host in ("0.0.0.0", "") else f"[{host}]" if ":" in host else host  # noqa: S104 (compared)
    return f"http://{shown}:{port}"
