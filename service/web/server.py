"""Running the application until it is told to stop, and stopping it without a failed request.

Told to stop: /readyz answers 503 and everything else is served for `drain_s`; then sockets are told and closed, spread
over `close_spread_s`; then the listener closes and the handlers finish. Told to hurry, it stops at once.
"""

import asyncio
import gc
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from socket import socket

from aiohttp import web

from service.supervision import spawn
from service.web.app_keys import DRAINING, LIMITS
from service.web.rlimits import allow_many_sockets
from service.web.routes.websocket import close_streams
from service.web.runner import Runner
from service.web.shutdown import Stop, stopping_on_signals

logger = logging.getLogger(__name__)

GC_THRESHOLD = 50_000
"""Collections of young objects are rare: what a request makes, no cycle holds."""

BACKLOG = 1024
"""Connections that may wait until they are accepted; the system's own limit may be lower."""

FINISH_S = 10.0
"""How long handlers may take to finish after the listener has closed."""


class StartFailed(Exception):
    """The instance cannot start; says why in one line."""


async def run(app: web.Application, sockets: Sequence[socket], stop: Stop, ready: Callable[[], None]) -> None:
    """Listen, call `ready`, and serve until `stop` is told, by a signal or by whoever else has it."""
    runner = Runner(app, FINISH_S)
    await runner.setup()
    try:
        # Before it accepts: a collection takes some 0.1 s, and whoever is accepted would wait for that.
        allow_many_sockets()
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, 20, 100)
        for listening in sockets:
            await web.SockSite(runner, listening, backlog=BACKLOG).start()
        with stopping_on_signals(stop):
            ready()
            await _stopped(app, stop)
    finally:
        if stop.hurry.is_set():
            runner.hurry()
        await runner.cleanup()


async def _stopped(app: web.Application, stop: Stop) -> None:
    """Return when it has been told and everybody has been given the time to go elsewhere, or when there is none."""
    await stop.told.wait()
    if not stop.hurry.is_set():
        logger.info("stopping: not ready any more, still serving for %g s", app[LIMITS].drain_s)
    app[DRAINING].set()
    with suppress(TimeoutError):
        async with asyncio.timeout(app[LIMITS].drain_s):
            await stop.hurry.wait()
    leaving, hurried = spawn("close-sockets", close_streams(app)), spawn("hurry", stop.hurry.wait())
    await asyncio.wait({leaving, hurried}, return_when=asyncio.FIRST_COMPLETED)
    leaving.cancel()
    hurried.cancel()
