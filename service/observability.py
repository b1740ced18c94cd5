"""What `south-seas serve` tells of itself: its log, its metrics, its traces. Wired here, for `service.main`."""

import os
import platform
from asyncio import get_running_loop, sleep, to_thread
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib.metadata import version
from logging import INFO, WARNING
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import web
from prometheus_client import start_http_server

from service.engine import COMPILED
from service.games.bots.fair_queue import CLASS_LABELS
from service.games.bots.process_pool import BotProcessPool
from service.games.bots.registry import BotRegistry
from service.games.webhooks.dispatcher import WebhookDispatcher
from service.settings import Settings
from service.store.monitor import RedisMonitor
from service.supervision import Supervisor
from service.telemetry import logs
from service.telemetry.metrics import (
    BOT_DECISIONS_WAITING,
    BOT_POOL_DECISIONS,
    BOT_PROCESSES,
    BUILD,
    CONNECTIONS,
    GAME_CACHE_SIZE,
    GAMES_WATCHED,
    HTTP_IN_FLIGHT,
    LOOP_LAG,
    SUBSCRIPTIONS,
    UNSENT_BYTES,
    WEBHOOKS_IN_PROGRESS,
)
from service.telemetry.otel_config import TracingConfigError, is_tracing_configured, trace_if_configured
from service.web.access_log import ACCESS_LOGGER
from service.web.app_keys import CONTEXT, HUB
from service.web.connections.limiter import CONNECTION_LIMITER
from service.web.listeners import url_host
from service.web.request_metrics import IN_FLIGHT
from service.web.server import StartFailed
from service.web.websocket import streams

__all__ = ["ObservedParts", "configure_logging", "observe_instance", "serve_metrics"]

LOOP_LAG_INTERVAL_S = 0.1
"""Each look costs some 30 us."""


class ObservedParts(NamedTuple):
    """The parts of an instance that are looked at."""

    app: web.Application
    workers: BotProcessPool
    bots: BotRegistry
    deliverer: WebhookDispatcher
    measures: RedisMonitor
    supervisor: Supervisor


def configure_logging(settings: Settings) -> None:
    """Set the log up. Raises StartFailed where traces are asked for in a way that is not known here."""
    logs.configure_logging(settings.log_level, settings.log_format)
    ACCESS_LOGGER.setLevel(INFO if settings.access_log else WARNING)
    try:
        is_tracing_configured(os.environ)
    except TracingConfigError as bad:
        raise StartFailed(str(bad)) from bad


@asynccontextmanager
async def serve_metrics(host: str, port: int | None) -> AsyncIterator[str | None]:
    """Answer Prometheus for the length of an `async with`; gives where, None without a port for it.

    prometheus_client does so in threads of its own: also while the event loop is held up. Raises StartFailed.
    """
    if port is None:
        yield None
        return
    try:
        server, thread = await to_thread(start_http_server, port, host or "0.0.0.0")  # noqa: S104
    except OSError as error:
        raise StartFailed(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
    try:
        yield f"http://{url_host(host)}:{server.server_port}/metrics"
    finally:
        await to_thread(server.shutdown)
        server.server_close()
        thread.join()


@asynccontextmanager
async def observe_instance(settings: Settings, redis_url: str, seen: ObservedParts) -> AsyncIterator[None]:
    """Watch an instance for the length of an `async with`. Raises StartFailed."""
    async with AsyncExitStack() as stack:
        try:
            stack.enter_context(trace_if_configured(os.environ, version("south-seas")))
        except TracingConfigError as bad:
            raise StartFailed(str(bad)) from bad
        running = partial(seen.supervisor.running, required=False)
        await stack.enter_async_context(running("monitor", seen.measures.run))
        if settings.metrics_port is not None:
            _bind_gauges(seen)
            BUILD.info(
                {
                    "version": version("south-seas"),
                    "engine": "compiled" if COMPILED else "python",
                    "python": platform.python_version(),
                    "redis": _redis_kind(settings, redis_url),
                }
            )
            await stack.enter_async_context(running("event-loop-lag", measure_loop_lag))
        yield


def _bind_gauges(seen: ObservedParts) -> None:
    """Let the gauges of this instance be read when somebody asks, in a thread of its own."""
    app, workers, bots = seen.app, seen.workers, seen.bots
    hub, open_now = app[HUB], app[streams.STREAMS]
    for kind in ("socket", "stream"):
        CONNECTIONS.labels(kind).set_function(partial(open_now.count, kind))
    HTTP_IN_FLIGHT.set_function(lambda: IN_FLIGHT.count - len(open_now))
    UNSENT_BYTES.set_function(lambda: app[CONNECTION_LIMITER].send_buffers.total)
    GAMES_WATCHED.set_function(lambda: len(hub))
    SUBSCRIPTIONS.set_function(hub.count_subscriptions)
    GAME_CACHE_SIZE.set_function(lambda: len(app[CONTEXT].cache))
    BOT_POOL_DECISIONS.set_function(lambda: workers.pending_decisions)
    BOT_PROCESSES.set_function(lambda: workers.running_processes)
    for attended, name in enumerate(CLASS_LABELS):
        BOT_DECISIONS_WAITING.labels(name).set_function(partial(bots.queue_length, attended=bool(attended)))
    WEBHOOKS_IN_PROGRESS.set_function(lambda: len(seen.deliverer))
    seen.measures.register_gauges()


async def measure_loop_lag() -> None:
    """Until cancelled, sleep and see how late the event loop wakes it."""
    loop = get_running_loop()
    while True:
        due = loop.time() + LOOP_LAG_INTERVAL_S
        await sleep(LOOP_LAG_INTERVAL_S)
        LOOP_LAG.observe(max(0.0, loop.time() - due))


def _redis_kind(settings: Settings, url: str) -> str:
    """How Redis is deployed, as its URL says."""
    if settings.redis_url is None:
        return "embedded"
    scheme = urlsplit(url).scheme
    return next((kind for kind in ("sentinel", "cluster") if kind in scheme), "standalone")
