"""WebSockets and event streams that follow games: each builds GAME from messages alone, or fails if they do not fit."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import jsonpatch
from aiohttp import ClientResponse, ClientWebSocketResponse, WSMsgType
from jsonschema_rs import Draft202012Validator

from service.games.diffs import canonical_body, next_digest
from service.web.streams import STREAMS
from service.web.websocket_connection import WebSocketConnection
from tests.polling import TIMEOUT_S
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame
from tools.openapi.asyncapi import make_asyncapi


@cache
def message_validator(tag: str) -> Draft202012Validator:
    """Return the validator of a message type, from the AsyncAPI document."""
    document = make_asyncapi()
    payload = document["components"]["messages"][tag]["payload"]
    return Draft202012Validator({**payload, "components": document["components"]})


@cache
def validate_message(text: str) -> str:
    """Validate a message, and return its type."""
    message = json.loads(text)
    tag: str = message["type"]
    message_validator(tag).validate(message)
    return tag


def client_transport(socket: ClientWebSocketResponse) -> asyncio.Transport:
    """Return the transport of a WebSocket."""
    connection = socket._response.connection
    assert connection is not None
    assert connection.transport is not None
    return connection.transport


def only_stream(client: Client) -> WebSocketConnection:
    """Return the only socket that is open, as the instance has it."""
    (stream,) = client.app[STREAMS]
    assert isinstance(stream, WebSocketConnection)
    return stream


class GameCopy:
    """A client's copy of one game; from another version than 0 on it has only the version and the digest."""

    def __init__(self, version: int = 0, digest: str | None = None) -> None:
        self.game: dict[str, Any] = {}
        self.version = version
        self.digest = digest
        self.versions: list[int] = []
        """Of the diffs, in order of arrival."""
        self.snapshots = 0

    def apply(self, message: dict[str, Any]) -> None:
        """Apply a `snapshot` or a `diff`."""
        if message["type"] == "snapshot":
            self.game, self.digest = message["game"], message["digest"]
            self.version = self.game["version"]
            self.snapshots += 1
            return
        assert message["version"] == self.version + 1
        if self.digest is not None:
            assert message["digest"] == next_digest(bytes.fromhex(self.digest), canonical_body(message)).hex()
        if self.game or not self.version:
            self.game = jsonpatch.apply_patch(self.game, message["patch"], in_place=False)
            assert self.game["version"] == message["version"]
        self.version, self.digest = message["version"], message["digest"]
        self.versions.append(self.version)


class WatcherClient:
    """The client of one WebSocket."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.copies: dict[str, GameCopy] = {}

    async def send(self, message: dict[str, Any] | str) -> None:
        """Send a message."""
        await self.socket.send_str(message if isinstance(message, str) else json.dumps(message))

    async def receive(self, tag: str | None = None) -> dict[str, Any]:
        """Return the next message, which must be of this type, and apply it to its game's copy."""
        async with asyncio.timeout(TIMEOUT_S):
            frame = await self.socket.receive()
        assert frame.type is WSMsgType.TEXT, frame
        received = validate_message(frame.data)
        message: dict[str, Any] = json.loads(frame.data)
        assert tag in (None, received), frame.data
        if received == "snapshot":
            self.copy_of(message["game"]["id"]).apply(message)
        if received == "diff":
            self.copy_of(message["game"]).apply(message)
        return message

    async def request(self, message: dict[str, Any] | str, tag: str) -> dict[str, Any]:
        """Send a message, and return its reply, which must come next."""
        await self.send(message)
        return await self.receive(tag)

    async def request_error(self, message: dict[str, Any] | str, code: str) -> dict[str, Any]:
        """Send a message, and return the error in reply, which must have this code."""
        error = await self.request(message, "error")
        assert error["problem"]["code"] == code, error
        return error

    async def receive_action(self, game: HTTPGame) -> None:
        """Make a move over HTTP, and receive its diff."""
        await game.act_successfully()
        await self.receive("diff")

    async def request_change(self, message: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Send a command, and return the diff and the acknowledgement that it gets."""
        return await self.request(message, "diff"), await self.receive("ack")

    async def subscribe(self, game: str, **more: Any) -> dict[str, Any]:
        """Subscribe, and receive the reply and, unless it is recovered, the snapshot."""
        subscribed = await self.request({"type": "subscribe", "game": game, **more}, "subscribed")
        if not subscribed["recovered"]:
            await self.receive("snapshot")
        return subscribed

    async def receive_until(self, game: str, version: int) -> GameCopy:
        """Receive diffs and snapshots until the game has this version."""
        while self.copy_of(game).version < version:
            message = await self.receive()
            assert message["type"] in {"diff", "snapshot"}, message
        return self.copy_of(game)

    async def expect_nothing(self) -> None:
        """Check that no message is left to receive."""
        assert (await self.request({"type": "ping", "id": "nothing"}, "pong"))["id"] == "nothing"

    async def receive_close(self) -> int:
        """Receive the remaining messages, and return the close code."""
        async with asyncio.timeout(TIMEOUT_S):
            while (await self.socket.receive()).type is WSMsgType.TEXT:
                pass
        assert self.socket.close_code is not None
        return self.socket.close_code

    def copy_of(self, game: str) -> GameCopy:
        """Return the copy of a game."""
        return self.copies.setdefault(game, GameCopy())


@asynccontextmanager
async def connect_watcher(
    client: Client, path: str = "/v1/ws", token: str | None = None, **options: Any
) -> AsyncIterator[WatcherClient]:
    """Open a WebSocket and receive the welcome."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with client.ws_connect(path, headers=headers, **options) as socket:
        watcher = WatcherClient(socket)
        await watcher.receive("welcome")
        yield watcher


@asynccontextmanager
async def watch_game(
    client: Client, game: str, query: str = "", token: str | None = None, **options: Any
) -> AsyncIterator[WatcherClient]:
    """Open a WebSocket of one game, and receive the first messages of the subscription."""
    async with connect_watcher(client, f"/v1/games/{game}/ws{query}", token, **options) as watcher:
        subscribed = await watcher.receive("subscribed")
        if not subscribed["recovered"]:
            await watcher.receive("snapshot")
        yield watcher


EVENT_STREAM = "text/event-stream"


class EventStreamClient:
    """The client of one event stream."""

    def __init__(self, response: ClientResponse) -> None:
        self.response = response
        self.copy = GameCopy()
        self.last_event_id = ""

    async def read_block(self) -> list[str]:
        """Return the lines of the next block, none at the end."""
        lines: list[str] = []
        async with asyncio.timeout(TIMEOUT_S):
            while line := (await self.response.content.readline()).decode().removesuffix("\n"):
                lines.append(line)
        return lines

    async def receive(self, tag: str | None = None) -> dict[str, Any]:
        """Return the next event, which must be of this type."""
        first, second = await self.read_block()
        assert first.startswith("id: ")
        assert second.startswith("data: ")
        text = second.removeprefix("data: ")
        assert tag in (None, validate_message(text))
        message: dict[str, Any] = json.loads(text)
        self.copy.apply(message)
        self.last_event_id = first.removeprefix("id: ")
        assert self.last_event_id == f"{self.copy.version}-{self.copy.digest}"
        return message

    async def receive_action(self, game: HTTPGame) -> None:
        """Make a move over HTTP, and receive its diff."""
        await game.act_successfully()
        await self.receive("diff")


@asynccontextmanager
async def open_event_stream(
    client: Client, game: str, query: str = "", **headers: str
) -> AsyncIterator[EventStreamClient]:
    """Open an event stream."""
    path = f"/v1/games/{game}/diffs{query}"
    async with client.get(path, headers={"Accept": EVENT_STREAM, **headers}) as response:
        assert response.status == 200, await response.text()
        yield EventStreamClient(response)
