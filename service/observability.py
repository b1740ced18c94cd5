"""The log, metrics and traces of `south-seas serve`."""

import os
import platform
from asyncio import get_running_loop, sleep
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from logging import INFO, WARNING

from service.engine import COMPILED
from service.fair_queue import CLASS_LABELS
from service.games.bots.registry import BotRegistry
from service.games.due_work import DueWorker
from service.release import REVISION, VERSION
from service.settings import Settings
from service.store.connection import parse_url
from service.store.game_store import RedisStore
from service.telemetry import logs, metrics
from service.telemetry.tracing import trace_if_configured
from service.web.app import CONTEXT, HUB, SUPERVISOR, App
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.handling import ACCESS_LOGGER, IN_FLIGHT
from service.web.streams import STREAMS

LOOP_LAG_INTERVAL_S = 0.1
"""Each measurement costs some 30 µs."""


def configure_logging(settings: Settings) -> None:
    """Configure the log and the access log."""
    logs.configure_logging(settings.log_level.upper(), settings.log_format)
    ACCESS_LOGGER.setLevel(INFO if settings.access_log else WARNING)


@asynccontextmanager
async def observe_instance(
    settings: Settings, app: App, store: RedisStore, scheduler: DueWorker, webhooks: DueWorker
) -> AsyncIterator[None]:
    """Measure and trace an instance while the block runs. Raises TracingConfigError."""
    async with AsyncExitStack() as stack:
        stack.enter_context(trace_if_configured(os.environ, VERSION))
        running = partial(app[SUPERVISOR].running, required=False)
        await stack.enter_async_context(running("monitor", store.monitor.run))
        await stack.enter_async_context(running("redis-health", store.health.run))
        if settings.metrics_port is not None:
            _bind_gauges(app, app[CONTEXT].bots)
            metrics.DUE_GAMES_IN_PROGRESS.set_function(lambda: len(scheduler.in_progress))
            metrics.WEBHOOKS_IN_PROGRESS.set_function(lambda: len(webhooks.in_progress))
            store.monitor.register_gauges()
            metrics.BUILD.info(
                {
                    "version": VERSION,
                    "revision": REVISION,
                    "engine": "compiled" if COMPILED else "python",
                    "python": platform.python_version(),
                    "redis": "embedded" if settings.redis_url is None else parse_url(settings.redis_url).topology,
                }
            )
            await stack.enter_async_context(running("event-loop-lag", measure_loop_lag))
        yield


def _bind_gauges(app: App, bots: BotRegistry) -> None:
    """Bind the gauges of this instance."""
    hub, open_streams, pool = app[HUB], app[STREAMS], bots.process_pool
    for kind in ("socket", "stream"):
        metrics.CONNECTIONS.labels(kind).set_function(partial(open_streams.count, kind))
    metrics.HTTP_IN_FLIGHT.set_function(lambda: IN_FLIGHT.count - len(open_streams))
    metrics.UNSENT_BYTES.set_function(lambda: app[CONNECTION_LIMITER].send_buffers.total)
    metrics.GAMES_WATCHED.set_function(lambda: len(hub))
    metrics.SUBSCRIPTIONS.set_function(hub.count_subscriptions)
    metrics.GAME_CACHE_SIZE.set_function(lambda: len(app[CONTEXT].cache))
    if pool is not None:
        metrics.BOT_POOL_DECISIONS.set_function(lambda: pool.pending_decisions)
        metrics.BOT_PROCESSES.set_function(lambda: pool.running_processes)
    for attended, name in enumerate(CLASS_LABELS):
        metrics.BOT_DECISIONS_WAITING.labels(name).set_function(partial(bots.queue_length, attended=bool(attended)))


async def measure_loop_lag() -> None:
    """Measure how late the event loop resumes a task, until cancelled."""
    loop = get_running_loop()
    while True:
        due_at = loop.time() + LOOP_LAG_INTERVAL_S
        await sleep(LOOP_LAG_INTERVAL_S)
        metrics.LOOP_LAG.observe(max(0.0, loop.time() - due_at))
