"""Watchers by WebSocket and by event stream, who come back to where they were."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import msgspec

from tests.chaos.client_context import ClientContext, SessionState
from tests.chaos.history import Connected, ContractViolation, Disconnected, ReconnectRequested
from tests.chaos.replica import Replica

__all__ = ["SocketSubscriber", "StreamSubscriber"]

HEARTBEAT_S = 1.0
"""A socket whose pings are not answered within half of this time is given up."""

CONNECT_TIMEOUT_S = 4.0
RECONNECT_DELAY_S = 0.2
"""The longest wait before coming back, where nobody asked for more."""

SILENCE_TIMEOUT_S = 20.0
"""An event stream has a comment every 15 s."""

CONNECTION_ERRORS = (aiohttp.ClientError, TimeoutError, OSError)


class _Subscriber:
    """Watches a game until it is over, over one connection after the other."""

    def __init__(self, world: ClientContext, table: SessionState, client: str, game: str) -> None:
        self.world = world
        self.table = table
        self.client = client
        self.copy = Replica(world.history, client, game)
        self._chance = random.Random(f"{client}")
        self._patience_s = 0.0

    async def run(self) -> None:
        """Watch until there is no more to hear, or until cancelled."""
        try:
            while self.waits:
                await self._watch()
        finally:
            self.copy.record()

    @property
    def waits(self) -> bool:
        """Whether there is more to hear."""
        return not (self.copy.is_finished and self.table.over)

    async def _watch(self) -> None:
        """Watch over one connection, and wait before the next."""
        self._patience_s = self._chance.uniform(0, RECONNECT_DELAY_S)
        try:
            why = await self._connection()
        except CONNECTION_ERRORS as error:
            why = str(error) or type(error).__name__
        if self.waits:
            self.world.history.add(Disconnected(client=self.client, reason=why))
            await asyncio.sleep(self._patience_s)

    async def _connection(self) -> str:
        """Listen until the connection ends, or the game; says why it ended."""
        raise NotImplementedError


class SocketSubscriber(_Subscriber):
    """Watches a game by WebSocket until it is over."""

    def __init__(
        self, world: ClientContext, table: SessionState, client: str, game: str, token: str | None = None
    ) -> None:
        super().__init__(world, table, client, game)
        self.socket: aiohttp.ClientWebSocketResponse | None = None
        self.changed = asyncio.Condition()
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    async def _connection(self) -> str:
        """Listen until the connection ends, or the game; says why it ended."""
        try:
            return await self._listen()
        except aiohttp.WSServerHandshakeError as error:
            self._check_refusal(error.status)
            return f"refused with {error.status}"
        finally:
            self.socket = None

    async def _listen(self) -> str:
        url = f"{self.world.url}/v1/games/{self.copy.game}/ws"
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            socket = await self.world.session.ws_connect(
                url, params=self.copy.resume_point, headers=self._headers, heartbeat=HEARTBEAT_S
            )
        async with socket:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    await self.on_message(msgspec.json.decode(message.data), socket)
                    if not self.waits:
                        return "over"
            code = socket.close_code
        if code is not None and code >= 4000 and code not in (4408, 4429):
            self.world.history.add(ContractViolation(client=self.client, detail=f"closed with {code}"))
        return f"closed with {code}"

    async def on_message(self, message: dict[str, Any], socket: aiohttp.ClientWebSocketResponse) -> None:
        """Take a message."""
        match message["type"]:
            case "subscribed":
                self.socket = socket
                self.world.history.add(Connected(client=self.client))
            case "diff" | "snapshot":
                self.copy.handle(message)
            case "closing":
                self._patience_s = message["retry_after_ms"] / 1000
                self.world.history.add(ReconnectRequested(client=self.client, retry_after_ms=message["retry_after_ms"]))
            case _:
                pass
        async with self.changed:
            self.changed.notify_all()

    def _check_refusal(self, status: int) -> None:
        """Record a violation unless the status means that the service is busy."""
        if status not in (502, 503, 504):
            self.world.history.add(
                ContractViolation(client=self.client, detail=f"the upgrade was refused with {status}")
            )


class StreamSubscriber(_Subscriber):
    """Watches a game by server-sent events until it is over."""

    def __init__(self, world: ClientContext, table: SessionState, client: str, game: str) -> None:
        super().__init__(world, table, client, game)
        self._last_id = ""

    async def _connection(self) -> str:
        """Listen until the stream ends, or the game; says why it ended."""
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": self._last_id} if self._last_id else {})
        url = f"{self.world.url}/v1/games/{self.copy.game}/diffs"
        timeout = aiohttp.ClientTimeout(sock_connect=CONNECT_TIMEOUT_S, sock_read=SILENCE_TIMEOUT_S)
        async with self.world.session.get(url, headers=headers, timeout=timeout) as response:
            if response.status != 200:
                if response.status not in (502, 503, 504):
                    self.world.history.add(
                        ContractViolation(client=self.client, detail=f"the stream began with {response.status}")
                    )
                return f"refused with {response.status}"
            self.world.history.add(Connected(client=self.client))
            async for event in _events(response):
                self._on_event(event)
                if not self.waits:
                    return "over"
        return "the stream ended"

    def _on_event(self, event: dict[str, str]) -> None:
        if "retry" in event:
            self._patience_s = int(event["retry"]) / 1000
            self.world.history.add(ReconnectRequested(client=self.client, retry_after_ms=int(event["retry"])))
        if "data" in event:
            self.copy.handle(msgspec.json.decode(event["data"]))
            self._last_id = event["id"]
            if self._last_id != f"{self.copy.version}-{self.copy.digest}":
                self.world.history.add(
                    ContractViolation(client=self.client, detail=f"an event's id is {self._last_id}")
                )


async def _events(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, str]]:
    """Yield the fields of each event; skip comments."""
    event: dict[str, str] = {}
    rest = b""
    async for piece in response.content.iter_any():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if not line:
                yield event
                event = {}
            elif not line.startswith(b":"):
                name, _, value = line.decode().partition(":")
                event[name] = value.removeprefix(" ")
