"""Subscribers over WebSocket and event stream, which resume after a lost connection."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import msgspec

from verification.chaos.client_context import ClientContext, GameEnd
from verification.chaos.history import Connected, Disconnected, GameMissing, ReconnectRequested
from verification.chaos.replica import Replica

RECONNECT_DELAY_S = 0.2
"""The longest delay before reconnecting, unless the service requests another."""

SILENCE_TIMEOUT_S = 20.0
"""An event stream sends a comment every 15 s."""

CONNECTION_ERRORS = (aiohttp.ClientError, TimeoutError, OSError)


class _Subscriber:
    """Subscribes to a game until it is over, and reconnects after each lost connection."""

    def __init__(self, context: ClientContext, end: GameEnd, client: str, game: str) -> None:
        self.context = context
        self.end = end
        self.client = client
        self.replica = Replica(context.history, client, game)
        self._rng = context.create_rng(client)
        self._reconnect_delay_s = 0.0
        self._is_missing = False

    async def run(self) -> None:
        """Stay subscribed until the game is over or does not exist, or until cancelled."""
        try:
            while self.is_active and not self._is_missing:
                await self._subscribe()
        finally:
            self.replica.record_final()

    @property
    def is_active(self) -> bool:
        """Whether more messages may come."""
        return not (self.replica.is_finished and self.end.is_over)

    async def _subscribe(self) -> None:
        """Subscribe over one connection, and sleep before the next."""
        self._reconnect_delay_s = self._rng.uniform(0, RECONNECT_DELAY_S)
        try:
            reason = await self._read_connection()
        except CONNECTION_ERRORS as error:
            reason = str(error) or type(error).__name__
        if self.is_active:
            self.context.history.add(Disconnected(client=self.client, reason=reason))
            await asyncio.sleep(self._reconnect_delay_s)

    async def _read_connection(self) -> str:
        """Read until the connection or the game ends, and return the reason."""
        raise NotImplementedError

    def _rejection(self, status: int) -> str:
        """Return the reason, and record a violation unless the status means that the service is busy."""
        if status == 404:
            self._is_missing = True
            self.context.history.add(GameMissing(client=self.client, game=self.replica.game))
        elif status not in (502, 503, 504):
            self.context.history.add_violation(self.client, f"the subscription was rejected with {status}")
        return f"rejected with {status}"


class SocketSubscriber(_Subscriber):
    """Subscribes to a game over WebSocket until it is over."""

    def __init__(self, context: ClientContext, end: GameEnd, client: str, game: str, token: str | None = None) -> None:
        super().__init__(context, end, client, game)
        self.socket: aiohttp.ClientWebSocketResponse | None = None
        self.changed = asyncio.Condition()
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    async def _read_connection(self) -> str:
        """Read until the connection or the game ends, and return the reason."""
        try:
            return await self._read_messages()
        except aiohttp.WSServerHandshakeError as error:
            return self._rejection(error.status)
        finally:
            self.socket = None

    async def _read_messages(self) -> str:
        url = f"{self.context.url}/v1/games/{self.replica.game}/ws"
        async with asyncio.timeout(self.context.backoff.timeout_s):
            socket = await self.context.session.ws_connect(
                url, params=self.replica.resume_point, headers=self._headers, heartbeat=self.context.heartbeat_s
            )
        async with socket:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    await self.on_message(msgspec.json.decode(message.data), socket)
                    if not self.is_active:
                        return "the game is over"
            code, error = socket.close_code, socket.exception()
        if code is not None and code >= 4000 and code not in (4404, 4408, 4429):
            self.context.history.add_violation(self.client, f"closed with {code}")
        return f"closed with {code}" if error is None else f"closed with {code}: {error}"

    async def on_message(self, message: dict[str, Any], socket: aiohttp.ClientWebSocketResponse) -> None:
        """Handle a message."""
        match message["type"]:
            case "subscribed":
                self.socket = socket
                self.context.history.add(Connected(client=self.client))
            case "diff" | "snapshot":
                self.replica.handle(message)
            case "closing":
                self._reconnect_delay_s = message["retry_after_ms"] / 1000
                self.context.history.add(
                    ReconnectRequested(client=self.client, retry_after_ms=message["retry_after_ms"])
                )
            case _:
                pass
        async with self.changed:
            self.changed.notify_all()


class StreamSubscriber(_Subscriber):
    """Subscribes to a game by server-sent events until it is over."""

    def __init__(self, context: ClientContext, end: GameEnd, client: str, game: str) -> None:
        super().__init__(context, end, client, game)
        self._last_id = ""

    async def _read_connection(self) -> str:
        """Read until the stream or the game ends, and return the reason."""
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": self._last_id} if self._last_id else {})
        url = f"{self.context.url}/v1/games/{self.replica.game}/diffs"
        timeout = aiohttp.ClientTimeout(sock_connect=self.context.backoff.timeout_s, sock_read=SILENCE_TIMEOUT_S)
        async with self.context.session.get(url, headers=headers, timeout=timeout) as response:
            if response.status != 200:
                return self._rejection(response.status)
            self.context.history.add(Connected(client=self.client))
            async for event in _events(response):
                self._on_event(event)
                if not self.is_active:
                    return "the game is over"
        return "the stream ended"

    def _on_event(self, event: dict[str, str]) -> None:
        if "retry" in event:
            self._reconnect_delay_s = int(event["retry"]) / 1000
            self.context.history.add(ReconnectRequested(client=self.client, retry_after_ms=int(event["retry"])))
        if "data" in event:
            self.replica.handle(msgspec.json.decode(event["data"]))
            self._last_id = event["id"]
            if self._last_id != f"{self.replica.version}-{self.replica.digest}":
                self.context.history.add_violation(self.client, f"an event's id is {self._last_id}")


async def _events(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, str]]:
    """Yield the fields of each event; skip comments."""
    event: dict[str, str] = {}
    partial_line = b""
    async for data in response.content.iter_any():
        *lines, partial_line = (partial_line + data).split(b"\n")
        for line in lines:
            if not line:
                yield event
                event = {}
            elif not line.startswith(b":"):
                name, _, value = line.decode().partition(":")
                event[name] = value.removeprefix(" ")
