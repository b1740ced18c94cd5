"""What `south-seas serve` tells of itself: its log, its metrics, its traces. Wired here, for `service.main`."""

import os
import platform
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib.metadata import version
from logging import INFO, WARNING
from socket import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import web

from service.engine import COMPILED
from service.games.bots.table import Bots
from service.games.bots.workers import Workers
from service.games.webhooks.delivering import Deliverer
from service.settings import Settings
from service.store.measures import Measures
from service.supervision import Supervisor
from service.telemetry import logs
from service.telemetry.meters import Level, reading
from service.telemetry.metrics import BOT_PROCESSES, BOT_QUESTIONS, BUILD, HOOKS_LOOKING
from service.telemetry.runtime import collections_timed, watch_loop
from service.telemetry.starting import BadTracing, traced, wanted
from service.web.access_log import ACCESS
from service.web.listening import bind
from service.web.metrics_levels import levels
from service.web.serving import StartFailed

__all__ = ["Seen", "configure", "exposing_metrics", "observed"]


class Seen(NamedTuple):
    """The parts of an instance that are looked at."""

    app: web.Application
    workers: Workers
    bots: Bots
    deliverer: Deliverer
    measures: Measures
    supervisor: Supervisor


def configure(settings: Settings) -> None:
    """Set the log up. Raises StartFailed where traces are asked for in a way that is not known here."""
    logs.configure(settings.log_level, settings.log_format)
    ACCESS.setLevel(INFO if settings.access_log else WARNING)
    try:
        wanted(os.environ)
    except BadTracing as bad:
        raise StartFailed(str(bad)) from bad


@asynccontextmanager
async def exposing_metrics(settings: Settings) -> AsyncIterator[Sequence[socket]]:
    """Expose the metrics for the length of an `async with`; gives where, nowhere without a port for them.

    Raises StartFailed.
    """
    if settings.metrics_port is None:
        yield ()
        return
    # Only here, so that who exposes no metrics needs nothing for it.
    from service.web.metrics import exposing  # noqa: PLC0415

    sockets = bind(settings.metrics_host, settings.metrics_port)
    async with exposing(sockets):
        yield sockets


@asynccontextmanager
async def observed(settings: Settings, redis_url: str, seen: Seen) -> AsyncIterator[None]:
    """Watch an instance for the length of an `async with`. Raises StartFailed."""
    kind = _kind(settings, redis_url)

    def read() -> Iterator[Level]:
        yield from levels(seen.app)
        yield from seen.measures.levels()
        yield from seen.supervisor.levels()
        yield BOT_QUESTIONS.at(seen.workers.questions)
        yield BOT_PROCESSES.at(seen.workers.processes)
        yield from seen.bots.levels()
        yield HOOKS_LOOKING.at(len(seen.deliverer))
        engine = "compiled" if COMPILED else "python"
        yield BUILD.at(1, version("south-seas"), engine, platform.python_version(), kind)

    async with AsyncExitStack() as stack:
        try:
            stack.enter_context(traced(os.environ, version("south-seas")))
        except BadTracing as bad:
            raise StartFailed(str(bad)) from bad
        running = partial(seen.supervisor.running, required=False)
        await stack.enter_async_context(running("monitor", seen.measures.keep_measuring))
        if settings.metrics_port is not None:
            stack.enter_context(reading(read))
            stack.enter_context(collections_timed())
            await stack.enter_async_context(running("event-loop-lag", watch_loop))
        yield


def _kind(settings: Settings, url: str) -> str:
    """How Redis is deployed, as its URL says."""
    if settings.redis_url is None:
        return "embedded"
    scheme = urlsplit(url).scheme
    return next((kind for kind in ("sentinel", "cluster") if kind in scheme), "standalone")
