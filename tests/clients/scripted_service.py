"""A scripted service: real HTTP and WebSockets that fail as scripted, with the log of a real game."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web
from aiohttp.test_utils import TestServer

from schemas.problems import Problem, problem
from service.json_patch import apply_patch
from south_seas import Subscription
from tests.polling import TIMEOUT_S

GAME_ID = "game-script"
WELCOME = {"type": "welcome", "now": "2026-01-01T00:00:00Z", "ping_interval_ms": 20_000, "max_message_bytes": 65_536}

JsonObject = dict[str, Any]
ConnectionScript = Callable[["ServerSocket"], Awaitable[None]]


class ScriptedService:
    """Responds with `responses` in turn, else from `log`; runs `connections` for the sockets in turn."""

    def __init__(self, log: list[JsonObject]) -> None:
        self.log = log
        self.responses: deque[web.Response] = deque()
        self.connections: deque[ConnectionScript] = deque()
        self.greetings: deque[JsonObject | None] = deque()
        """The first messages of the next sockets, in place of `welcome`; None for no message."""
        self.upgrade_responses: deque[web.Response] = deque()
        """The responses to the next upgrades, in place of a socket."""
        self.requests: list[web.Request] = []
        self.subscriptions: list[JsonObject] = []
        self.url = ""

    def state(self, version: int) -> JsonObject:
        """Return GAME as of a version."""
        document: Any = {}
        for diff in self.log[:version]:
            document = apply_patch(document, diff["patch"])
        game: JsonObject = document
        return game

    def digest(self, version: int) -> str:
        """Return the digest of a version."""
        return str(self.log[version - 1]["digest"])

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Respond to any request."""
        self.requests.append(request)
        await request.read()
        if request.path.endswith("/ws") and self.upgrade_responses:
            return self.upgrade_responses.popleft()
        if request.path.endswith("/ws"):
            socket = ServerSocket(self)
            await socket.prepare(request)
            greeting = self.greetings.popleft() if self.greetings else WELCOME
            if greeting is not None:
                await socket.send_message(**greeting)
            await self.connections.popleft()(socket)
            return socket
        if self.responses:
            return self.responses.popleft()
        if request.path.endswith("/diffs"):
            since = int(request.query["since"])
            last = self.log[-1]
            return _json({"version": last["version"], "digest": last["digest"], "diffs": self.log[since : since + 50]})
        return _json(self.state(len(self.log)))


class ServerSocket(web.WebSocketResponse):
    """The service's end of a socket."""

    def __init__(self, script: ScriptedService) -> None:
        super().__init__(autoping=True)
        self.script = script

    async def send_message(self, **message: Any) -> None:
        """Send a message."""
        await self.send_str(msgspec.json.encode(message).decode())

    async def send_subscribed(self, version: int, *, recovered: bool) -> None:
        """Send the messages that start a subscription, with a snapshot if nothing was recovered."""
        while (message := await self.receive_message())["type"] != "subscribe":
            pass
        self.script.subscriptions.append(message)
        digest = self.script.digest(version)
        await self.send_message(
            type="subscribed", id=None, game=GAME_ID, recovered=recovered, version=version, digest=digest
        )
        if not recovered:
            await self.send_snapshot(version)

    async def send_snapshot(self, version: int) -> None:
        """Send the whole GAME."""
        await self.send_message(type="snapshot", digest=self.script.digest(version), game=self.script.state(version))

    async def send_diffs(self, first: int, last: int) -> None:
        """Send the diffs of some versions."""
        for diff in self.script.log[first - 1 : last]:
            await self.send_message(**diff)

    async def receive_message(self) -> JsonObject:
        """Return the client's next message."""
        async with asyncio.timeout(TIMEOUT_S):
            message: JsonObject = await self.receive_json()
            return message

    async def wait_until_closed(self) -> None:
        """Wait until the client closes the connection."""
        async for _ in self:
            pass


def problem_response(document: Problem, **headers: str) -> web.Response:
    """Return a problem response."""
    body = msgspec.json.encode(document)
    return web.Response(status=document.status, body=body, content_type="application/problem+json", headers=headers)


def final_game_response(script: ScriptedService) -> web.Response:
    """Return the response with the final GAME."""
    return _json(script.state(len(script.log)))


def _json(content: Any) -> web.Response:
    return web.Response(body=msgspec.json.encode(content), content_type="application/json")


@asynccontextmanager
async def run_scripted_service(log: list[JsonObject]) -> AsyncIterator[ScriptedService]:
    """Run a scripted service on a port of its own."""
    script = ScriptedService(log)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", script.handle)
    async with TestServer(app) as server:
        script.url = str(server.make_url("/")).rstrip("/")
        yield script


async def _begin(messages: list[JsonObject], socket: ServerSocket, version: int) -> None:
    messages.append(await socket.receive_message())
    await socket.send_subscribed(version, recovered=version > 1)
    messages.append(socket.script.subscriptions[-1])


async def skip_a_diff(messages: list[JsonObject], socket: ServerSocket) -> None:
    """Skip a diff; then shut down, with a code that some libraries report for another."""
    await _begin(messages, socket, 1)
    await socket.send_diffs(2, 3)
    await socket.send_diffs(5, 5)
    messages.append(await socket.receive_message())
    await socket.send_diffs(6, 7)
    await socket.send_snapshot(7)
    await socket.send_message(type="closing", retry_after_ms=50)
    await socket.close(code=1002)


async def send_unknown_content(messages: list[JsonObject], socket: ServerSocket) -> None:
    """Send unknown messages and events, and earlier diffs; then close because the client is too slow."""
    await _begin(messages, socket, 7)
    await socket.send_message(type="advertisement", text="new tiles!")
    storm = {"type": "storm", "x": 0}
    await socket.send_message(**{**socket.script.log[7], "events": [storm], "mood": "calm"})
    await socket.send_diffs(7, 9)
    await socket.close(code=4429)


async def report_unavailable(messages: list[JsonObject], socket: ServerSocket) -> None:
    """Report that the store was unavailable for the `auth`, without which the game is not found for the `subscribe`.

    The latter comes after the client has subscribed again. Then close because the client missed a pong.
    """
    await _begin(messages, socket, 9)
    await socket.send_diffs(10, 10)
    failed = {"type": "error", "id": messages[-1]["id"], "game": GAME_ID}
    await socket.send_message(**failed, problem=problem("store_unavailable", "away", retry_after_s=0))
    await _begin(messages, socket, 10)
    await socket.send_message(**failed, problem=problem("not_found", "private"))
    await socket.send_diffs(11, 11)
    await socket.close(code=4408)


async def close_without_welcome(socket: ServerSocket) -> None:
    """Close as another application does, to which messages are nothing that it knows."""
    await socket.close(code=1008)


async def report_missing_game(messages: list[JsonObject], socket: ServerSocket) -> None:
    """Close because the game does not exist."""
    messages.extend([await socket.receive_message(), await socket.receive_message()])
    await socket.close(code=4404)


async def read_versions(game: Subscription, last: int) -> list[int]:
    """Return the versions of all diffs up to `last`; assert that each matches its state."""
    versions = []
    async with asyncio.timeout(TIMEOUT_S):
        async for diff in game:
            assert (diff.version, diff.digest) == (game.version, game.digest)
            versions.append(diff.version)
            if diff.version == last:
                break
    return versions


def send_and_close(
    first: int, last: int, code: int | None, *, is_recovered: bool = True, **message: Any
) -> ConnectionScript:
    """Return a script that sends some diffs, and closes with a code; without one it stays open."""

    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(first, recovered=is_recovered and first > 1)
        await socket.send_diffs(first + 1, last)
        if message:
            await socket.send_message(**message)
        await (socket.wait_until_closed() if code is None else socket.close(code=code))

    return connection


def send_and_stay(first: int, last: int, **message: Any) -> ConnectionScript:
    """Return a script that sends some diffs, and stays open."""
    return send_and_close(first, last, None, **message)
