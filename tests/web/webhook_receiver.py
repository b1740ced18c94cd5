"""A webhook receiver, instances that deliver to it, and whoever registers webhooks over HTTP."""

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import time
from typing import Any, ClassVar, NamedTuple

from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestServer

from service.games.due_work import DueWorker, Wakeups
from service.games.ports import GameStore
from service.games.webhook_delivery import PENDING_DELAY_S, WebhookDeliverer
from service.web.limits import Limits
from service.web.outbound import open_webhook_sender
from tests.api_key_fixture import add_api_key, api_key_header
from tests.polling import TIMEOUT_S, in_background, wait_until
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, bearer_header, create_game

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
        async with (
            serve(store, limits, clock=timed, woken_webhooks=worker.wakeups) as client,
            in_background(worker.run()),
        ):
            yield (instance := WebhookInstance(client, deliverer, worker, timed))
    assert grown(before, "game_failures_total", work="webhooks") == instance.expected_failures


async def register_webhook(game: HTTPGame, url: str, token: str | None = None) -> Any:
    """Register a webhook for a game, by default with the owner token."""
    response = await game.post("/webhooks", {"url": url}, token)
    assert response.status == 201, await response.text()
    return await response.json()


OWNER_KINDS = ("game", "seat", "api_key")


class WebhookOwner:
    """A client that registers webhooks at an instance: at `path`, with `headers` that authorize it."""

    commands: ClassVar[Sequence[tuple[str, str]]] = (
        *(("GET", ""), ("DELETE", ""), ("POST", "/retry"), ("GET", "/deliveries")),
    )
    """Method and suffix of the path of each request about one webhook."""

    game: HTTPGame
    """A game that its webhooks report."""

    def __init__(
        self, instance: WebhookInstance, receiver: WebhookReceiver, path: str, headers: dict[str, str]
    ) -> None:
        self.instance = instance
        self.clock = instance.clock
        self.receiver = receiver
        self.path = path
        self.headers = headers

    async def request(self, method: str, path: str, body: Any = None, **headers: str) -> ClientResponse:
        """Send an authorized request."""
        return await self.instance.client.request(method, path, json=body, headers={**self.headers, **headers})

    async def send(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """Send an authorized request, check the status, and return the JSON."""
        response = await self.request(method, path, body)
        assert response.status == status, await response.text()
        return await response.json()

    async def register(self, **body: Any) -> dict[str, Any]:
        """Register a webhook, by default of the receiver, and deliver its challenge."""
        created: dict[str, Any] = await self.send("POST", self.path, {"url": self.receiver.url, **body}, 201)
        await self.join()
        return created

    async def command(self, webhook: dict[str, Any], command: str, body: Any = None, **headers: str) -> ClientResponse:
        """Send a command, such as `retry`, to a webhook."""
        return await self.request("POST", f"{self.path}/{webhook['id']}/{command}", body, **headers)

    async def send_command(self, webhook: dict[str, Any], command: str, body: Any = None, status: int = 200) -> Any:
        """Send a command to a webhook, check the status, and return the JSON."""
        return await self.send("POST", f"{self.path}/{webhook['id']}/{command}", body, status)

    async def delete(self, webhook: dict[str, Any]) -> ClientResponse:
        """Delete a webhook."""
        return await self.request("DELETE", f"{self.path}/{webhook['id']}")

    async def act(self, *games: HTTPGame) -> None:
        """Act in each of these games, and deliver that."""
        for game in games:
            await game.act_successfully()
        await self.join()

    async def join(self) -> None:
        """Wait until no delivery of the instance is in progress."""
        await self.instance.join()

    async def deliver(self) -> None:
        """Deliver everything that is due now."""
        await self.instance.deliver()

    async def deliver_all(self) -> None:
        """Deliver everything that is due: to the webhook of an API key, then what its games have kept until then."""
        await self.deliver()
        self.clock.offset_s += PENDING_DELAY_S + 1
        await self.deliver()

    async def read(self, webhook: dict[str, Any]) -> Any:
        """Read a webhook."""
        return await self.send("GET", f"{self.path}/{webhook['id']}")

    async def deliveries(self, webhook: dict[str, Any]) -> Any:
        """List the delivery attempts of a webhook, the newest first."""
        return (await self.send("GET", f"{self.path}/{webhook['id']}/deliveries"))["attempts"]

    async def message_deliveries(self, webhook: dict[str, Any]) -> list[dict[str, Any]]:
        """List the delivery attempts of a webhook after the creation of `game`, the newest first; no challenges."""
        return [one for one in await self.deliveries(webhook) if one["type"] != "challenge" and one["version"] > 1]


class KeyHolder(WebhookOwner):
    """The holder of an API key; with `game_options`, `register` creates the `game`, which webhooks then report."""

    commands = (*WebhookOwner.commands, ("PATCH", ""), ("POST", "/ping"), ("POST", "/rotate-secret"))

    def __init__(
        self,
        instance: WebhookInstance,
        receiver: WebhookReceiver,
        secret: str,
        game_options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(instance, receiver, "/v1/keys/me/webhooks", api_key_header(secret))
        self._game_options = game_options

    async def register(self, **body: Any) -> dict[str, Any]:
        """Register a webhook as any owner does; the receiver forgets that `game` was created."""
        created = await super().register(**body)
        if self._game_options is not None:
            self.game, self._game_options = await self.create_game(**self._game_options), None
            self.receiver.received.clear()
        return created

    async def create_game(self, **body: Any) -> HTTPGame:
        """Create a game with the key, and deliver that."""
        game = await create_game(self.instance.client, headers=self.headers, first_seat=0, **body)
        await self.join()
        return game


class GameOwner(WebhookOwner):
    """The owner of a game, or one of its seats."""

    def __init__(
        self, instance: WebhookInstance, receiver: WebhookReceiver, game: HTTPGame, seat: int | None = None
    ) -> None:
        token = game.owner_token if seat is None else game.seat_tokens[seat]
        super().__init__(instance, receiver, f"{game.path}/webhooks", bearer_header(token))
        self.game = game
        self.seat = seat


async def make_owner(
    kind: str, instance: WebhookInstance, receiver: WebhookReceiver, store: GameStore, **options: Any
) -> WebhookOwner:
    """Return the owner of a `game`, its `seat` 1, or the holder of an `api_key`, with a game that webhooks report.

    The game of an API key exists after the first registration.
    """
    if kind == "api_key":
        return KeyHolder(instance, receiver, await add_api_key(store), options)
    game = await create_game(instance.client, first_seat=0, **options)
    return GameOwner(instance, receiver, game, 1 if kind == "seat" else None)
