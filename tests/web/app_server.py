"""The application on a store, served in this process on a real port."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import time
from typing import Any, cast
from unittest.mock import Mock

from aiohttp import web
from aiohttp.test_utils import BaseTestServer, TestClient, make_mocked_request

from service.games.bots.registry import BotRegistry, built_in_registry
from service.games.due_work import Wakeups
from service.games.hub import Hub
from service.games.ports import GameStore, RateLimit
from service.games.repository import Context
from service.games.tilesets import load_catalogue
from service.web.app import HUB, App, HttpRequest
from service.web.assembly import make_app
from service.web.connection import ClientConnection
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.limits import Limits
from service.web.server import ProblemRunner
from service.web.streams import STREAMS
from tests.openapi.validation import validate_responses
from tests.polling import TIMEOUT_S, wait_until
from tests.server_process import sharing_workers

TILESETS = load_catalogue(None)
DEFAULT_LIMITS = Limits()
AMPLE_TIME = RateLimit(3_600_000, 10)
"""So much of the event loop's time that no test uses it up, however slow the machine is."""


class AppServer(BaseTestServer):
    """A server of the application with the runner of `south-seas serve`."""

    def __init__(self, app: App) -> None:
        super().__init__()
        self.app = app

    async def _make_runner(self, **kwargs: Any) -> web.BaseRunner:
        del kwargs
        return ProblemRunner(self.app, 60.0)


class Client(TestClient[web.BaseRequest, None]):
    """A client of the application."""

    @property
    def app(self) -> App:  # type: ignore[override]  # aiohttp has another application in mind
        """Return the application."""
        return cast("AppServer", self.server).app

    @property
    def connections(self) -> list[ClientConnection]:
        """Return the open connections of its instance."""
        return cast("list[ClientConnection]", [*self.app[CONNECTION_LIMITER].connections])


def mocked_request(*head: Any, match_info: Any = None, app: Any = None, **parts: Any) -> HttpRequest:
    """Return an HttpRequest without a connection; other parts as aiohttp's `make_mocked_request` takes them."""
    mocked = make_mocked_request(*head, **parts)
    request = HttpRequest(mocked._message, mocked.content, mocked.protocol, mocked.writer, mocked.task, Mock())
    request.app, request.match_info = app, match_info or {}
    return request


class FrozenClock:
    """A clock that moves only when a test sets it."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        """Unix seconds."""

    def __call__(self) -> float:
        return self.now


class TurnCounter:
    """Counts the turns of the event loop."""

    def __init__(self) -> None:
        self.count = 0
        self._schedule()

    def _schedule(self) -> None:
        self.count += 1
        self._next = asyncio.get_running_loop().call_soon(self._schedule)

    def stop(self) -> None:
        self._next.cancel()


@asynccontextmanager
async def serve(store: GameStore, limits: Limits = DEFAULT_LIMITS, **options: Any) -> AsyncIterator[Client]:
    """Serve an instance on `store`, and yield a client that validates every response; options as of `instance`.

    Bots move in the request before them, however busy the machine is.
    """
    async with (
        instance(store, limits, **options) as app,
        Client(AppServer(app), trace_configs=[validate_responses()]) as client,
    ):
        yield client


@asynccontextmanager
async def instance(
    store: GameStore,
    limits: Limits = DEFAULT_LIMITS,
    clock: Callable[[], float] = time,
    woken_webhooks: Wakeups | None = None,
    bots: BotRegistry | None = None,
    bot_budget_s: float = TIMEOUT_S,
) -> AsyncIterator[App]:
    """Make the application of an instance, and run its hub.

    Requests' time is limited, and sockets are pinged soon, only if the test says so.
    """
    if limits.rate_time == DEFAULT_LIMITS.rate_time:
        limits = limits._replace(rate_time=AMPLE_TIME)
    if limits.ping_interval_s == DEFAULT_LIMITS.ping_interval_s:
        limits = limits._replace(ping_interval_s=3600.0)
    hub = Hub(store, TILESETS, limits.sweep_interval_s)
    context = Context(
        store=store,
        tilesets=TILESETS,
        clock=clock,
        on_committed=hub.publish_commit,
        woken_webhooks=Wakeups() if woken_webhooks is None else woken_webhooks,
        bots=bots or built_in_registry(),
        bot_budget_s=bot_budget_s,
    )
    hub.start()
    try:
        app = make_app(context, hub, limits)
        app.lifespans.append(sharing_workers)
        yield app
    finally:
        await hub.aclose()


async def wait_until_no_streams(client: Client) -> None:
    """Wait until no WebSocket or event stream is open, and no game is watched."""
    await wait_until(lambda: not len(client.app[HUB]) + len(client.app[STREAMS]))
