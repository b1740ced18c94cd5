"""Clients of event streams, which build GAME from events alone."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import ClientResponse

from tests.web.app_server import Client
from tests.web.http_game import HTTPGame
from tests.web.watcher_client import RECEIVE_TIMEOUT_S, GameCopy, validate_message

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
        async with asyncio.timeout(RECEIVE_TIMEOUT_S):
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
