"""A webhook receiver, and instances of the service that deliver to it."""

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import time
from typing import Any, NamedTuple

from aiohttp import web
from aiohttp.test_utils import TestServer

from service.games.due_work import DueWorker, Wakeups
from service.games.ports import GameStore
from service.games.webhook_delivery import WebhookDeliverer
from service.web.limits import Limits
from service.web.outbound import open_webhook_sender
from tests.polling import TIMEOUT_S, in_background, wait_until
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame

NEVER_S = 1e9

LOCAL_LIMITS = Limits(webhooks_allow_private=True, webhook_timeout_s=TIMEOUT_S)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class ReceivedMessage(NamedTuple):
    """A received webhook message."""

    headers: dict[str, str]
    body: bytes
    message: dict[str, Any]

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def version(self) -> int:
        version: int = self.message["data"]["version"]
        return version


def repeat_challenge(message: dict[str, Any]) -> web.Response:
    """Return the response that passes a challenge."""
    return web.json_response({"challenge": message["challenge"]})


class WebhookReceiver:
    """Records messages; responds with `statuses` in turn, then 204, or as `respond` does; passes every challenge."""

    def __init__(self) -> None:
        self.url = ""
        self.received: list[ReceivedMessage] = []
        self.statuses: list[int] = []
        self.challenges: list[ReceivedMessage] = []
        self.respond: Callable[[web.Request], Awaitable[web.StreamResponse]] | None = None
        self.challenge_response: Callable[[dict[str, Any]], web.Response] = repeat_challenge

    @property
    def versions(self) -> list[int]:
        return [one.version for one in self.received]

    @property
    def versions_by_game(self) -> dict[str, list[int]]:
        versions = defaultdict[str, list[int]](list)
        for one in self.received:
            if one.message["type"] != "ping":
                versions[one.message["data"]["game"]].append(one.version)
        return dict(versions)

    async def receive(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = ReceivedMessage(headers, body, await request.json())
        if received.message["type"] == "challenge":
            self.challenges.append(received)
            return self.challenge_response(received.message)
        self.received.append(received)
        if self.respond is not None:
            return await self.respond(request)
        status = self.statuses.pop(0) if self.statuses else 204
        return web.Response(status=status, headers={"Location": self.url} if 300 <= status < 400 else {})


@asynccontextmanager
async def run_receiver() -> AsyncIterator[WebhookReceiver]:
    """Run a webhook receiver on localhost."""
    receiver = WebhookReceiver()
    app = web.Application()
    app.router.add_post("/hook", receiver.receive)
    async with TestServer(app) as server:
        receiver.url = str(server.make_url("/hook"))
        yield receiver


class OffsetClock:
    """The time plus an offset that a test sets."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self.offset_s = 0.0
        self._clock = clock

    def __call__(self) -> float:
        return self._clock() + self.offset_s


@dataclass
class WebhookInstance:
    """An instance of the service with its deliveries of webhooks."""

    client: Client
    deliverer: WebhookDeliverer
    worker: DueWorker
    clock: OffsetClock
    expected_failures: int = 0
    """Failures of the service itself; they are only logged, and the delivery is repeated."""

    async def deliver(self) -> None:
        """Deliver everything that is due now."""
        self.worker.wakeups.add(*await self.worker.list_due())
        await self.join()

    async def join(self) -> None:
        """Wait until no delivery of the instance is in progress."""
        await wait_until(lambda: not self.worker.wakeups and not self.worker.in_progress, 60)


@asynccontextmanager
async def run_instance(
    store: GameStore,
    clock: OffsetClock | None = None,
    delays_s: Sequence[float] = (5, 30),
    limits: Limits = LOCAL_LIMITS,
) -> AsyncIterator[WebhookInstance]:
    """Run an instance that delivers webhooks after its own commits and on request."""
    timed, before = clock or OffsetClock(), read_samples()
    async with open_webhook_sender(limits) as send:
        deliverer = WebhookDeliverer(store, send, timed, retry_delays_s=delays_s, random_fraction=lambda: 0.5)
        worker = deliverer.worker(Wakeups(), NEVER_S)
        async with serve(store, limits, timed, worker.wakeups) as client, in_background(worker.run()):
            yield (instance := WebhookInstance(client, deliverer, worker, timed))
    assert grown(before, "game_failures_total", work="webhooks") == instance.expected_failures


async def register_webhook(game: HTTPGame, url: str, token: str | None = None) -> dict[str, Any]:
    """Register a webhook for a game, by default with the owner token."""
    response = await game.post("/webhooks", {"url": url}, token)
    assert response.status == 201, await response.text()
    created: dict[str, Any] = await response.json()
    return created
