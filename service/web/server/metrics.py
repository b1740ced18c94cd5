"""The server of `/metrics` for Prometheus, on a port of its own."""

import asyncio
import time
from asyncio import Event
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import hdrs, web
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, REGISTRY, generate_latest
from prometheus_client.openmetrics import exposition as openmetrics

from service.supervision import Supervisor
from service.web.app_keys import DRAINING, SUPERVISOR
from service.web.connections.limiter import CONNECTION_LIMITER, ConnectionLimiter, run_timeout_sweep
from service.web.limits import Limits
from service.web.server.listeners import bind, format_listening_url
from service.web.server.runner import ProblemRunner

__all__ = ["serve_metrics"]

LIMITS = Limits(rate_limits=False, max_connections=16)
"""A Prometheus needs one connection."""

MAX_TIME_SHARE = 0.1
"""Share of the event loop's time that is spent on metrics, however many scrapes there are."""

OPENMETRICS = "application/openmetrics-text"

FINISH_TIMEOUT_S = 1.0


@asynccontextmanager
async def serve_metrics(host: str, port: int | None) -> AsyncIterator[str | None]:
    """Serve metrics while the block runs; yields their URL, None without a port. Raises StartFailed."""
    if port is None:
        yield None
        return
    sockets = await asyncio.to_thread(bind, host, port)
    runner = ProblemRunner(_make_app(), FINISH_TIMEOUT_S, is_measured=False)
    await runner.setup()
    try:
        for listener in sockets:
            await web.SockSite(runner, listener).start()
        yield f"{format_listening_url(sockets, host)}/metrics"
    finally:
        await runner.cleanup()


def _make_app() -> web.Application:
    app = web.Application()
    app[DRAINING] = Event()
    app[SUPERVISOR] = Supervisor()
    app[CONNECTION_LIMITER] = ConnectionLimiter(LIMITS)
    app.cleanup_ctx.append(run_timeout_sweep)
    app.router.add_get("/metrics", Scraper().respond)
    return app


class Scraper:
    """Responds to scrapes, with the last text if it is of just now."""

    def __init__(self) -> None:
        self._texts: dict[str, bytes] = {}
        """The last text in each format."""
        self._next_at = 0.0
        """When new ones may be made."""

    async def respond(self, request: web.Request) -> web.Response:
        """Return the metrics, as OpenMetrics if the client accepts that."""
        is_open = OPENMETRICS in request.headers.get(hdrs.ACCEPT, "")
        media_type = openmetrics.CONTENT_TYPE_LATEST if is_open else CONTENT_TYPE_PLAIN_0_0_4
        started_at = time.monotonic()
        if started_at >= self._next_at:
            self._texts.clear()
        if media_type not in self._texts:
            self._texts[media_type] = (
                openmetrics.generate_latest(REGISTRY) if is_open else generate_latest(REGISTRY)  # type: ignore[no-untyped-call]  # it has no types
            )
            ended_at = time.monotonic()
            self._next_at = max(self._next_at, ended_at) + (ended_at - started_at) * (1 / MAX_TIME_SHARE - 1)
        return web.Response(body=self._texts[media_type], headers={hdrs.CONTENT_TYPE: media_type})
