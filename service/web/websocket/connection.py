"""The lower half of a socket: aiohttp shakes hands, reads, pings and closes; finished frames go out beside it.

All that the service says is written as whole frames to the transport, as pings and closes are by aiohttp, so that they
never mix. `send_str` is not used: on a socket that agreed to compression aiohttp 3.14 compresses every message, also
with `compress=0`, and refers to its own messages before, of which it sent none of the broadcast's.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

from aiohttp import WebSocketError, WSCloseCode, WSMessage, WSMsgType, web

from schemas.messages import CloseCode, Closing, Error, ServerMessage
from schemas.problems import PROBLEM_TYPES
from service.games.access import AccessRecord
from service.games.errors import GameError, Malformed
from service.games.realtime.messages import ChannelMessage
from service.games.realtime.stream_position import StreamPosition
from service.telemetry.log_context import LOG_CONTEXT
from service.telemetry.metrics import SLOW_READERS_DROPPED, SOCKETS_CLOSED
from service.web.app_keys import HUB, LIMITS
from service.web.connections.protocol import HIGH_WATER_BYTES, record_unsent, start_message
from service.web.problems import to_problem
from service.web.request_metrics import REQUEST_ID
from service.web.websocket.frames import DEFLATED, PLAIN, WINDOW_BITS, encode_message, server_message_frame
from service.web.websocket.streams import CLOSE_TIMEOUT_S

__all__ = ["WebSocketConnection", "accept_connection", "close_code"]

LIVE = frozenset({WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.PING, WSMsgType.PONG})

LOST = WSCloseCode.ABNORMAL_CLOSURE
"""The code of a socket that ended without one (RFC 6455, 7.1.5)."""

SILENCE = 1.4
"""Ping intervals until a client that says nothing is closed. aiohttp pings after one, and cuts off after 1.5."""


def close_code(code: str) -> int:
    """The close code of a problem: 4000 and its HTTP status.

    >>> refused("not_found")
    4404
    """
    return CloseCode.REFUSED + PROBLEM_TYPES[code].status


async def accept_connection(request: web.Request) -> "WebSocketConnection":
    """Shake hands. Raises Malformed where the request asks for no socket, ConnectionResetError where the client left.

    Pings are left to `Wire`, since each counts as a message of its client.
    """
    limits = request.app[LIMITS]
    socket = web.WebSocketResponse(
        timeout=CLOSE_TIMEOUT_S,
        autoping=False,
        heartbeat=limits.ping_interval_s,
        max_msg_size=limits.max_message_bytes + 1,  # aiohttp refuses what has this size
    )
    if (doing := LOG_CONTEXT.get()) is not None and doing.request_id is not None:
        socket.headers[REQUEST_ID] = doing.request_id
    try:
        await socket.prepare(request)
    except web.HTTPBadRequest as refusal:
        raise Malformed(f"this path takes WebSocket upgrades only: {refusal.text}") from refusal
    socket.headers.clear()  # they are sent, and would be kept for as long as the socket
    start_message(request)
    if (transport := request.transport) is None:
        raise ConnectionResetError
    return WebSocketConnection(request, socket, transport)


class WebSocketConnection:
    """One open socket, which watches `games`.

    What is told goes to its transport at once: nothing waits for it, and it waits for nothing.
    """

    __slots__ = (
        "_aiohttp_close_code",
        "_buffer",
        "_encoding",
        "_end",
        "_hub",
        "_is_handling",
        "_is_receiving",
        "_last_received_at",
        "_loop",
        "_max_unsent",
        "_request",
        "_retry_after_ms",
        "_silence",
        "_silence_s",
        "_timeout",
        "_transport",
        "_unread_threshold",
        "check_token",
        "games",
        "socket",
    )

    kind: Literal["socket"] = "socket"

    def __init__(self, request: web.Request, socket: web.WebSocketResponse, transport: asyncio.Transport) -> None:
        limits = request.app[LIMITS]
        self.games: set[str] = set()
        self.check_token: Callable[[str, AccessRecord], None] = lambda _game, _access: None
        """Called where a token of a watched game has ended."""
        self.socket = socket
        self._request = request
        self._transport = transport
        self._hub = request.app[HUB]
        self._encoding = DEFLATED if int(socket.compress) >= WINDOW_BITS else PLAIN
        self._max_unsent = limits.max_unsent_bytes
        self._unread_threshold = min(self._max_unsent, HIGH_WATER_BYTES)
        self._loop = asyncio.get_running_loop()
        self._silence_s = SILENCE * limits.ping_interval_s
        self._last_received_at = self._loop.time()
        """When the last message came."""
        self._timeout = asyncio.timeout(None)
        """Ends the waiting for a message, and nothing else."""
        self._is_receiving = False
        self._is_handling = False
        """A message; `_receiving` waits for one."""
        self._buffer: list[bytes] = []
        """What is sent while a message is handled: mostly its diff, which goes out together with the answer."""
        self._retry_after_ms: int | None = None
        """It is to be sent away, to come back after this time."""
        self._end: tuple[int, str] | None = None
        """The code and the reason with which the service closes it; nothing is written any more."""
        self._aiohttp_close_code = int(LOST)
        """The code with which aiohttp closed it."""

    @property
    def code(self) -> int:
        """The code that the client was told as the socket was closed."""
        return self._end[0] if self._end else self._aiohttp_close_code

    def deliver(self, news: ChannelMessage) -> None:
        """Send news of a game."""
        self._write(news.encoded.get(self._encoding) or encode_message(news, self._encoding))

    def end_subscription(self, game: str, error: GameError) -> None:
        """Tell that a game can be watched no longer."""
        self.games.discard(game)
        self.send(Error(id=None, game=game, problem=to_problem(error)))

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """Have the token looked at again by which the game is watched."""
        self.check_token(game, access)

    def send(self, message: ServerMessage) -> None:
        """Send a message."""
        self._write(server_message_frame(message))

    def unsubscribe(self, game: str) -> StreamPosition | None:
        """Watch the game no more; gives up to where it was told, None if it was not watched."""
        self.games.discard(game)
        return self._hub.unsubscribe(self, game)

    def request_reconnect(self, retry_after_ms: int) -> None:
        """Tell the client to connect again, and close, but finish the message that is being handled."""
        self._retry_after_ms = retry_after_ms
        self._stop_receiving()

    def close(self, code: int, reason: str) -> None:
        """Close with a code; nothing more is sent. A client that does not answer in time is cut off."""
        if self._end is not None:
            return
        self._flush()
        self._end = int(code), reason
        if code == CloseCode.TOO_SLOW:
            SLOW_READERS_DROPPED.labels("socket").inc()
        self._unsubscribe_all()
        self._stop_receiving()

    async def run(self, handle: Callable[[WSMessage], Awaitable[None]]) -> None:
        """Have messages, pings and pongs handled one after another, until the socket is closed."""
        self._silence = self._loop.call_later(self._silence_s, self._check_pong)
        try:
            async with self._timeout:
                while self._end is None and self._retry_after_ms is None:
                    message = await self._receive()
                    if message.type not in LIVE:
                        self._record_close_code(message)
                        return
                    await self._handle(handle, message)
        except TimeoutError:
            if not self._timeout.expired():
                raise
        except ConnectionError:
            return
        finally:
            self._silence.cancel()
        with suppress(ConnectionError):
            await self._close_socket()

    def release(self) -> None:
        """Leave nothing behind: whatever happened, it is over."""
        SOCKETS_CLOSED.labels(str(self.code)).inc()
        self._unsubscribe_all()
        if self._transport.get_write_buffer_size():
            self._loop.call_later(CLOSE_TIMEOUT_S, self._transport.abort)

    async def _receive(self) -> WSMessage:
        """The next message, once the client has read most of what it was told."""
        self._last_received_at = self._loop.time()
        self._is_receiving = True
        try:
            await self._request.writer.drain()
            message = await self.socket.receive()
            if message.type is WSMsgType.PING:
                await self.socket.pong(message.data)
        finally:
            self._is_receiving = False
            if self._timeout.when() is not None and not self._timeout.expired():
                self._timeout.reschedule(None)
        start_message(self._request)
        return message

    async def _handle(self, handle: Callable[[WSMessage], Awaitable[None]], message: WSMessage) -> None:
        """Handle a message; what is sent in one tick meanwhile, as a diff and the answer, goes out in one write."""
        self._is_handling = True
        try:
            await handle(message)
        finally:
            self._is_handling = False
            self._flush()

    def _check_pong(self) -> None:
        """Close where the client is silent for too long; all that aiohttp would do is to cut it off."""
        left_s = self._last_received_at + self._silence_s - self._loop.time() if self._is_receiving else self._silence_s
        if left_s <= 0:
            self.close(CloseCode.NO_PONG, "no_pong")
        else:
            self._silence = self._loop.call_later(left_s, self._check_pong)

    def _stop_receiving(self) -> None:
        if self._is_receiving and not self._timeout.expired():
            self._timeout.reschedule(0)

    async def _close_socket(self) -> None:
        """Close as `end` or `dismiss` said; a client that has not answered then has had its time."""
        if self._end is None and self._retry_after_ms is not None:
            self.send(Closing(retry_after_ms=self._retry_after_ms))
            self.close(CloseCode.SHUTDOWN, "restart")
        if self._end is not None:
            code, reason = self._end
            await self.socket.close(code=code, message=reason.encode(), drain=False)
            self._transport.abort()

    def _record_close_code(self, last: WSMessage) -> None:
        """Keep the code that aiohttp closed with: as the client wished, or because it broke the protocol."""
        if last.type is WSMsgType.CLOSE:
            self._aiohttp_close_code = WSCloseCode.OK
        elif isinstance(last.data, WebSocketError):
            self._aiohttp_close_code = last.data.code

    def _write(self, frames: bytes) -> None:
        """Send bytes, together with the answer where a message is being handled."""
        if self._is_handling:
            if not self._buffer:
                self._loop.call_soon(self._flush)
            self._buffer.append(frames)
        else:
            self._write_to_transport(frames)

    def _flush(self) -> None:
        """Write what was held back for the end of this tick."""
        if self._buffer:
            frames = b"".join(self._buffer)
            self._buffer.clear()
            self._write_to_transport(frames)

    def _write_to_transport(self, frames: bytes) -> None:
        """Hand bytes to the transport; a client that can't keep up is closed."""
        transport = self._transport
        if self._end is not None or transport.is_closing():
            return
        transport.write(frames)
        if transport.get_write_buffer_size() > self._unread_threshold:
            self._check_unread()

    def _check_unread(self) -> None:
        """Close a client that can't keep up; count what others have not read."""
        unread = self._transport.get_write_buffer_size()
        if unread > self._max_unsent:
            self.close(CloseCode.TOO_SLOW, "too_slow")
        else:
            record_unsent(self._request, unread)

    def _unsubscribe_all(self) -> None:
        games, self.games = self.games, set()
        for game in games:
            self._hub.unsubscribe(self, game)
