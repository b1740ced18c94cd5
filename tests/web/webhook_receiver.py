"""A server that webhooks are sent to, and instances of the service that send them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from time import time
from typing import Any, NamedTuple

from aiohttp import web
from aiohttp.test_utils import TestServer

from service.games.ports import GameStore
from service.games.webhooks.dispatcher import WebhookDispatcher
from service.web.limits import Limits
from service.web.outbound.webhook_sender import open_webhook_sender
from tests.web.app_server import Client, serve
from tests.web.http_game import Table, bearer

LOCAL = Limits(webhooks_allow_private=True, webhook_timeout_s=0.5)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Received(NamedTuple):
    """A message as it came."""

    headers: dict[str, str]
    body: bytes
    message: dict[str, Any]

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def version(self) -> int:
        found: int = self.message["data"]["version"]
        return found


def repeat(message: dict[str, Any]) -> web.Response:
    """The right answer to a challenge."""
    return web.json_response({"challenge": message["challenge"]})


@web.middleware
async def taking_challenges(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """For servers of webhooks that are about something else: challenges are answered rightly."""
    message = await request.json()
    return repeat(message) if message["type"] == "challenge" else await handler(request)


class Receiver:
    """Keeps what it gets; answers the statuses of `answers` in turn, then 204. It takes every challenge."""

    def __init__(self) -> None:
        self.url = ""
        self.received: list[Received] = []
        self.answers: list[int] = []
        self.challenges: list[Received] = []
        self.answer_challenge: Callable[[dict[str, Any]], web.Response] = repeat

    @property
    def versions(self) -> list[int]:
        return [one.version for one in self.received]

    async def receive(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(headers, body, await request.json())
        if received.message["type"] == "challenge":
            self.challenges.append(received)
            return self.answer_challenge(received.message)
        self.received.append(received)
        status = self.answers.pop(0) if self.answers else 204
        return web.Response(status=status, headers={"Location": self.url} if 300 <= status < 400 else {})


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A server for webhooks on this machine."""
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/hook", receiver.receive)
    async with TestServer(app) as server:
        receiver.url = str(server.make_url("/hook"))
        yield receiver


class Later:
    """The time, moved on by as much as a test wants."""

    def __init__(self) -> None:
        self.moved = 0.0

    def __call__(self) -> float:
        return time() + self.moved


class Instance(NamedTuple):
    """The service with its deliveries."""

    client: Client
    deliverer: WebhookDispatcher

    async def deliver(self) -> None:
        """Deliver everything that is due now."""
        await self.deliverer.dispatch_due()
        await self.deliverer.join()


@asynccontextmanager
async def instance(
    store: GameStore, clock: Later | None = None, delays_s: Sequence[float] = (5, 30), limits: Limits = LOCAL
) -> AsyncIterator[Instance]:
    """An instance that looks at webhooks after its own commits, and when it is told to."""
    timed = clock or Later()
    async with open_webhook_sender(limits) as send:
        deliverer = WebhookDispatcher(store, send, timed, retry_delays_s=delays_s, random_fraction=lambda: 0.5)
        async with serve(store, limits, timed, deliverer.dispatch) as client:
            yield Instance(client, deliverer)
        await deliverer.aclose()


async def register(table: Table, url: str, **asked: Any) -> dict[str, Any]:
    """Register a webhook for a game."""
    response = await table.client.post(
        f"{table.path}/webhooks", json={"url": url, **asked}, headers=bearer(table.owner)
    )
    assert response.status == 201, await response.text()
    created: dict[str, Any] = await response.json()
    return created


async def log_of(table: Table, hook: dict[str, Any]) -> list[dict[str, Any]]:
    """What was tried of a webhook, the newest first; without challenges."""
    return [one for one in await attempts_of(table, hook) if one["type"] != "challenge"]


async def attempts_of(table: Table, hook: dict[str, Any]) -> list[dict[str, Any]]:
    """What was tried of a webhook, the newest first."""
    attempts: list[dict[str, Any]] = (await table.json(f"/webhooks/{hook['id']}/deliveries"))["attempts"]
    return attempts


async def read(table: Table, hook: dict[str, Any]) -> dict[str, Any]:
    """A webhook as its owner sees it."""
    told: dict[str, Any] = await table.json(f"/webhooks/{hook['id']}")
    return told
