"""The fuzz target: an instance with a real Redis, in a thread of this process, whose resources can be counted."""

import asyncio
import gc
import json
import logging
import threading
import time
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import uvloop
from aiohttp import web
from redis.asyncio import Redis

from service.games.ports import SendResult
from service.games.scheduler import make_scheduler
from service.games.webhook_delivery import WebhookDeliverer
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore, connect
from service.web.app import CONTEXT, HUB, SUPERVISOR, App
from service.web.limits import Limits
from service.web.server import ProblemRunner
from service.web.streams import STREAMS
from service.web.websocket_connection import WebSocketConnection
from tests.web.app_server import instance

T = TypeVar("T")

REDIS_TASKS = ("redis-pipeline", "pubsub-subscribe")
"""Tasks of connections to Redis: at most one for each, started when it is first needed, or needed again."""

RELEASE_TIMEOUT_S = 15.0
"""How long the instance may take to release the resources of a closed socket."""

START_TIMEOUT_S = 30.0
REQUEST_TIMEOUT_S = 30.0

LIMITS = Limits(sweep_interval_s=0.2, rate_limits=False)


class ResourceCounts(NamedTuple):
    """The resources of an instance that clients use."""

    connections: int
    watched_games: int
    tasks: int


class HTTPResponse(NamedTuple):
    """A response."""

    status: int
    headers: Message
    data: bytes

    @property
    def kind(self) -> str:
        """The type of the body."""
        return self.headers.get_content_type()

    def json(self) -> Any:
        """Decode the body."""
        return json.loads(self.data)


class ErrorRecorder(logging.Handler):
    """Records the errors that the service logs, outside of the main thread, in which other tests run."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Record an error with its traceback."""
        if record.thread != threading.main_thread().ident:
            self.lines.append(self.format(record))


class Target:
    """The instance."""

    def __init__(self, redis_url: str) -> None:
        self.redis_url = redis_url
        self.host = "127.0.0.1"
        self.port = 0
        self.errors = ErrorRecorder()
        self.app: App
        self.store: RedisStore
        self.redis: Redis
        """A plain client of its Redis."""
        self._loop: asyncio.AbstractEventLoop
        self._ready = threading.Event()
        self._stop: asyncio.Event
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="subject")

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://{self.host}:{self.port}"

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the instance's event loop, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(RELEASE_TIMEOUT_S)

    def count_resources(self) -> ResourceCounts:
        """Return the resources in use now."""
        return self.call(self._count_resources())

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HTTPResponse:
        """Send one request, with a body in JSON unless it is None."""
        connection = HTTPConnection(self.host, self.port, timeout=REQUEST_TIMEOUT_S)
        try:
            sent = None if body is None else json.dumps(body)
            authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
            connection.request(
                method, path, sent, {"Content-Type": "application/json", **authorization, **(headers or {})}
            )
            response = connection.getresponse()
            return HTTPResponse(response.status, response.headers, response.read())
        finally:
            connection.close()

    def create_game(self, players: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
        """Create a game, and return it with its tokens."""
        response = self.request("POST", "/v1/games", {"players": players, **options})
        assert response.status == 201, response
        created: dict[str, Any] = response.json()
        return created

    def check(self) -> None:
        """Raise AssertionError if the service has logged an error since the last check."""
        lines, self.errors.lines = self.errors.lines, []
        assert not lines, "the service logged:\n" + "\n".join(lines)

    def wait_until_released(self, before: ResourceCounts) -> None:
        """Wait until no more resources are in use than before. Raise AssertionError after a timeout."""
        until = time.monotonic() + RELEASE_TIMEOUT_S
        while any(count > count_before for count, count_before in zip(self.count_resources(), before, strict=True)):
            assert time.monotonic() < until, f"before: {before}, now: {self.count_resources()}: {self._tasks()}"
            time.sleep(0.02)
        self.check()

    def count_connections(self) -> int:
        """Return the number of WebSocket connections in memory."""
        gc.collect()
        return sum(isinstance(value, WebSocketConnection) for value in gc.get_objects())

    def wait_until_collected(self, before: int) -> None:
        """Wait until no more connections are in memory than before. Raise AssertionError after a timeout."""
        until = time.monotonic() + RELEASE_TIMEOUT_S
        while (count := self.count_connections()) > before:
            assert time.monotonic() < until, f"{count - before} closed sockets are still in memory"
            time.sleep(0.5)

    def start(self) -> None:
        """Start the thread, and return when the instance listens."""
        logging.getLogger().addHandler(self.errors)
        self._thread.start()
        assert self._ready.wait(START_TIMEOUT_S), "the instance does not start"
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Stop the thread, and raise its exception if it failed."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(START_TIMEOUT_S)
        logging.getLogger().removeHandler(self.errors)
        if self._failure is not None:
            raise self._failure

    def _serve(self) -> None:
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                self._loop = runner.get_loop()
                runner.run(self._run_service())
        except BaseException as failure:  # noqa: BLE001  `start` or `stop` raises it in the other thread
            self._failure = failure
            self._ready.set()

    async def _run_service(self) -> None:
        self._stop = asyncio.Event()
        async with AsyncExitStack() as stack:
            self.store = await stack.enter_async_context(connect(self.redis_url))
            self.redis = await stack.enter_async_context(Redis.from_url(self.redis_url))
            self.app = await stack.enter_async_context(instance(self.store, LIMITS))
            supervisor, context = self.app[SUPERVISOR], self.app[CONTEXT]
            webhooks = WebhookDeliverer(self.store, _discard_webhook, time.time).worker(context.woken_webhooks)
            await stack.enter_async_context(supervisor.running("scheduler", make_scheduler(context).run))
            await stack.enter_async_context(supervisor.running("webhooks", webhooks.run))
            runner = ProblemRunner(self.app, 1.0)
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            site = web.TCPSite(runner, self.host, 0)
            await site.start()
            self.port = runner.addresses[0][1]
            self._ready.set()
            await self._stop.wait()
            runner.force_shutdown()

    async def _count_resources(self) -> ResourceCounts:
        tasks = [task for task in asyncio.all_tasks() if task.get_name() not in REDIS_TASKS]
        return ResourceCounts(len(self.app[STREAMS]), len(self.app[HUB]), len(tasks))

    def _tasks(self) -> list[str]:
        async def names() -> list[str]:
            return [repr(task.get_coro()) for task in asyncio.all_tasks()]

        return self.call(names())


async def _discard_webhook(
    url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
) -> SendResult:
    """Send nothing, and return a result that depends on the URL's length."""
    del headers
    status = (200, 204, 500, 410, None)[len(url) % 5]
    response = msgspec.json.encode({"challenge": msgspec.json.decode(body)["challenge"]}) if challenge else b""
    return SendResult(status, None if status in (200, 204) else "status", 1, response)


@contextmanager
def start_target(data_dir: Path) -> Iterator[Target]:
    """Start an instance with its own Redis. Fail at the end if it logged an internal error."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        server = runner.run(stack.enter_async_context(embedded_server(data_dir)))
        try:
            target = Target(server.url)
            target.start()
            try:
                yield target
                target.check()
            finally:
                target.stop()
        finally:
            runner.run(stack.aclose())
