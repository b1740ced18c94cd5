"""A scripted service: real HTTP and WebSockets, with the log of a real game."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web
from aiohttp.test_utils import TestServer

from schemas.problems import Problem
from service.json_patch import apply_patch

JsonObject = dict[str, Any]
Line = Callable[["Socket"], Awaitable[None]]


class Scripted:
    """Answers requests with `answers` in turn, else from `log`; plays `lines` for the sockets in turn."""

    def __init__(self, log: list[JsonObject]) -> None:
        self.log = log
        self.answers: deque[web.Response] = deque()
        self.lines: deque[Line] = deque()
        self.upgrades: deque[web.Response] = deque()
        """What is answered to the next upgrades, in place of a socket."""
        self.asked: list[web.Request] = []
        self.url = ""

    def state(self, version: int) -> JsonObject:
        """GAME as of a version."""
        document: Any = {}
        for diff in self.log[:version]:
            document = apply_patch(document, diff["patch"])
        game: JsonObject = document
        return game

    def digest(self, version: int) -> str:
        """Return the digest of a version."""
        return str(self.log[version - 1]["digest"])

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer anything."""
        self.asked.append(request)
        if request.path.endswith("/ws") and self.upgrades:
            return self.upgrades.popleft()
        if request.path.endswith("/ws"):
            socket = Socket(self, request)
            await socket.prepare(request)
            await self.lines.popleft()(socket)
            return socket
        if self.answers:
            return self.answers.popleft()
        if request.path.endswith("/diffs"):
            since = int(request.query["since"])
            last = self.log[-1]
            return _json({"version": last["version"], "digest": last["digest"], "diffs": self.log[since : since + 50]})
        return _json(self.state(len(self.log)))


class Socket(web.WebSocketResponse):
    """The service's end of a socket."""

    def __init__(self, script: Scripted, request: web.Request) -> None:
        super().__init__(autoping=True)
        self.script = script
        self.query = request.query

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self.send_str(msgspec.json.encode(message).decode())

    async def subscribed(self, version: int, *, recovered: bool) -> None:
        """Say what begins a subscription, and the snapshot where nothing was recovered."""
        await self.say(type="welcome", now="2026-01-01T00:00:00Z", ping_interval_ms=20_000, max_message_bytes=65_536)
        digest = self.script.digest(version)
        await self.say(type="subscribed", id=None, game="g", recovered=recovered, version=version, digest=digest)
        if not recovered:
            await self.snapshot(version)

    async def snapshot(self, version: int) -> None:
        """Say the whole GAME."""
        await self.say(type="snapshot", digest=self.script.digest(version), game=self.script.state(version))

    async def diffs(self, first: int, last: int) -> None:
        """Say the diffs of some versions."""
        for diff in self.script.log[first - 1 : last]:
            await self.say(**diff)

    async def heard(self) -> JsonObject:
        """Return the client's next message."""
        async with asyncio.timeout(5):
            message: JsonObject = await self.receive_json()
            return message

    async def stay(self) -> None:
        """Wait until the client leaves."""
        async for _ in self:
            pass


def refusing(what: Problem, **headers: str) -> web.Response:
    """Return a problem response."""
    body = msgspec.json.encode(what)
    return web.Response(status=what.status, body=body, content_type="application/problem+json", headers=headers)


def good(script: Scripted) -> web.Response:
    """GAME as it is in the end."""
    return _json(script.state(len(script.log)))


def _json(content: Any) -> web.Response:
    return web.Response(body=msgspec.json.encode(content), content_type="application/json")


@asynccontextmanager
async def scripted(log: list[JsonObject]) -> AsyncIterator[Scripted]:
    """Such a service on a port of its own."""
    script = Scripted(log)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", script.answer)
    async with TestServer(app) as server:
        script.url = str(server.make_url("/")).rstrip("/")
        yield script
