"""Clients that watch: each keeps GAME by what it is told alone, and fails where that does not fit."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import jsonpatch
from aiohttp import ClientWebSocketResponse, WSMsgType
from jsonschema_rs import Draft202012Validator

from schemas.diffs import canonical_body, next_digest
from service.web.openapi.asyncapi import make_asyncapi
from tests.web.app_server import Client

WITHIN_S = 8.0
"""Whatever is to come comes within this time."""


@cache
def described(tag: str) -> Draft202012Validator:
    """What the AsyncAPI document says of a message."""
    document = make_asyncapi()
    payload = document["components"]["messages"][tag]["payload"]
    return Draft202012Validator({**payload, "components": document["components"]})


@cache
def decoded(text: str) -> str:
    """The type of a message that is as the document says."""
    message = json.loads(text)
    tag: str = message["type"]
    described(tag).validate(message)
    return tag


class Keeper:
    """What a client keeps of one game."""

    def __init__(self) -> None:
        self.game: dict[str, Any] = {}
        self.version = 0
        self.digest: str | None = None
        self.versions: list[int] = []
        """Of the diffs, as they came."""
        self.snapshots = 0

    def take(self, message: dict[str, Any]) -> None:
        """Keep what a `snapshot` or a `diff` says."""
        if message["type"] == "snapshot":
            self.game, self.digest = message["game"], message["digest"]
            self.version = self.game["version"]
            self.snapshots += 1
            return
        assert message["version"] == self.version + 1
        if self.digest is not None:
            assert message["digest"] == next_digest(self.digest, canonical_body(message))
        self.game = jsonpatch.apply_patch(self.game, message["patch"], in_place=False)
        self.version, self.digest = message["version"], message["digest"]
        assert self.game["version"] == self.version
        self.versions.append(self.version)


class Line:
    """One open socket, from the client's side."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.kept: dict[str, Keeper] = {}

    async def say(self, message: dict[str, Any] | str) -> None:
        """Send a message."""
        await self.socket.send_str(message if isinstance(message, str) else json.dumps(message))

    async def hear(self, tag: str | None = None) -> dict[str, Any]:
        """The next message, of this type; what it says of a game is kept."""
        async with asyncio.timeout(WITHIN_S):
            heard = await self.socket.receive()
        assert heard.type is WSMsgType.TEXT, heard
        found = decoded(heard.data)
        message: dict[str, Any] = json.loads(heard.data)
        assert tag in (None, found), heard.data
        if found == "snapshot":
            self.keeper(message["game"]["id"]).take(message)
        if found == "diff":
            self.keeper(message["game"]).take(message)
        return message

    async def ask(self, message: dict[str, Any] | str, tag: str) -> dict[str, Any]:
        """Send a message, and hear its answer, which comes next."""
        await self.say(message)
        return await self.hear(tag)

    async def refused(self, message: dict[str, Any] | str, code: str) -> dict[str, Any]:
        """Send a message, and hear that it is refused so."""
        error = await self.ask(message, "error")
        assert error["problem"]["code"] == code, error
        return error

    async def subscribe(self, game: str, **more: Any) -> dict[str, Any]:
        """Subscribe, and hear the answer and, where nothing is recovered, the snapshot."""
        subscribed = await self.ask({"type": "subscribe", "game": game, **more}, "subscribed")
        if not subscribed["recovered"]:
            await self.hear("snapshot")
        return subscribed

    async def reach(self, game: str, version: int) -> Keeper:
        """Hear diffs and snapshots until the game has this version."""
        while self.keeper(game).version < version:
            message = await self.hear()
            assert message["type"] in {"diff", "snapshot"}, message
        return self.keeper(game)

    async def nothing(self) -> None:
        """Everything that was sent has been heard."""
        assert (await self.ask({"type": "ping", "id": "nothing"}, "pong"))["id"] == "nothing"

    async def closed(self) -> int:
        """Hear the rest, and the code of the close."""
        async with asyncio.timeout(WITHIN_S):
            while (await self.socket.receive()).type is WSMsgType.TEXT:
                pass
        assert self.socket.close_code is not None
        return self.socket.close_code

    def keeper(self, game: str) -> Keeper:
        """What is kept of a game."""
        return self.kept.setdefault(game, Keeper())


@asynccontextmanager
async def connected(
    client: Client, path: str = "/v1/ws", token: str | None = None, **options: Any
) -> AsyncIterator[Line]:
    """A socket that has been welcomed."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with client.ws_connect(path, headers=headers, **options) as socket:
        line = Line(socket)
        await line.hear("welcome")
        yield line


@asynccontextmanager
async def watching(client: Client, game: str, query: str = "", token: str | None = None) -> AsyncIterator[Line]:
    """A socket of one game, at the beginning of its subscription."""
    async with connected(client, f"/v1/games/{game}/ws{query}", token) as line:
        subscribed = await line.hear("subscribed")
        if not subscribed["recovered"]:
            await line.hear("snapshot")
        yield line
