"""Who registers webhooks over HTTP: a game's owner, one of its seats, or the holder of an API key for all its games."""

from collections.abc import Sequence
from typing import Any, ClassVar

from aiohttp import ClientResponse

from service.games.ports import GameStore
from service.games.webhook_delivery import PENDING_DELAY_S
from tests.api_key_fixture import add_api_key, api_key_header
from tests.web.http_game import HTTPGame, bearer_header, create_game
from tests.web.webhook_receiver import WebhookInstance, WebhookReceiver

OWNER_KINDS = ("game", "seat", "api_key")


class WebhookOwner:
    """A client that registers webhooks at an instance: at `path`, with `headers` that authorize it."""

    commands: ClassVar[Sequence[tuple[str, str]]] = (
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/retry"),
        ("GET", "/deliveries"),
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

    async def read(self, webhook: dict[str, Any]) -> dict[str, Any]:
        """Read a webhook."""
        read: dict[str, Any] = await self.send("GET", f"{self.path}/{webhook['id']}")
        return read

    async def deliveries(self, webhook: dict[str, Any]) -> list[dict[str, Any]]:
        """List the delivery attempts of a webhook, the newest first."""
        attempts: list[dict[str, Any]] = (await self.send("GET", f"{self.path}/{webhook['id']}/deliveries"))["attempts"]
        return attempts

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
