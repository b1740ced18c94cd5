"""The transport side of a WebSocket, shared by aiohttp and the broadcasts, and its opening handshake.

aiohttp does the handshake, reads, and writes pongs and close frames. Everything else that the service sends is written
to the transport as whole frames, and so are aiohttp's, so that frames never mix. `send_str` is not used: on a socket
with compression, aiohttp 3.14 compresses every message, even with `compress=0`, with a window that lacks the
broadcasts' frames, and the client could not inflate it. Once aiohttp can send a message uncompressed, `send_str` will
do.

The handshake (RFC 6455, 4.2; RFC 7692, 7.1) is checked where aiohttp is more lenient than they are. aiohttp also takes
versions 7 and 8, some invalid offers of permessage-deflate, and each extension whose name contains that, and HTTP/1.0.
It fails on some keys, reads one line of each header, logs the offered subprotocols if it knows none of them, and
answers only a part of an offer.
"""

import asyncio
import re
import zlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

from aiohttp import HttpVersion11, WebSocketError, WSCloseCode, WSMessage, WSMsgType, hdrs, web
from aiohttp.abc import AbstractStreamWriter

from schemas.base import encode_json
from schemas.messages import CloseCode, Closing, ErrorMessage, ServerMessage
from schemas.problems import Problem
from service.games.access import AccessRecord
from service.games.channel import ChannelMessage
from service.games.errors import GameError, Malformed
from service.games.ports import Revision
from service.telemetry.metrics import PROBLEMS, SOCKETS_CLOSED
from service.web.app import HUB, LIMITS, HttpRequest
from service.web.connection import HIGH_WATER_BYTES, get_connection
from service.web.encodings import DEFLATED, PLAIN, WINDOW_BITS, encode_message, text_frame
from service.web.frames import FrameReader
from service.web.problems import UpgradeRequired, to_problem
from service.web.streams import CLOSE_TIMEOUT_S, SENT_DIFF_S, is_slow_consumer

SUBPROTOCOL = "south-seas.v1"
"""Selected if the client offers it; otherwise none is."""

VERSION = "13"

DEFLATE = "permessage-deflate"

_KEY = re.compile(r"[A-Za-z0-9+/]{22}==", re.ASCII)
"""16 bytes in base64."""

_QUOTED_VALUE = re.compile(r'="(\w*)"', re.ASCII)
_DEFLATE_PARAMETER = re.compile(
    r"(?:server|client)_no_context_takeover|server_max_window_bits=(?:9|1[0-5])|client_max_window_bits(?:=(?:[89]|1[0-5]))?"
)
"""A valid parameter of an offer, except that zlib has no window of 8 bits."""


def check_handshake(request: HttpRequest) -> HttpRequest:
    """Return the request with no other extensions and subprotocols than the service accepts.

    Raises UpgradeRequired, Malformed.
    """
    headers = request.headers
    if headers.get(hdrs.UPGRADE, "").lower() != "websocket" or request.method != hdrs.METH_GET:
        raise UpgradeRequired
    if request.version < HttpVersion11:
        raise Malformed("a WebSocket needs HTTP/1.1")
    if headers.getall(hdrs.SEC_WEBSOCKET_VERSION, ()) != [VERSION]:
        raise UpgradeRequired
    key, *others = headers.getall(hdrs.SEC_WEBSOCKET_KEY, ("",))
    if others or _KEY.fullmatch(key) is None:
        raise Malformed("the key is not 16 bytes in base64", "Sec-WebSocket-Key")
    return _select_offers(request)


def _select_offers(request: HttpRequest) -> HttpRequest:
    """Return the request if the service accepts all its offers, as is usual; else a copy without the others."""
    headers = request.headers
    offered = {name: ",".join(headers.getall(name)) for name in _SELECTORS if name in headers}
    selected = {name: _SELECTORS[name](offers) for name, offers in offered.items()}
    if selected == offered:
        return request
    names = (hdrs.UPGRADE, hdrs.SEC_WEBSOCKET_VERSION, hdrs.SEC_WEBSOCKET_KEY)
    accepted = {name: offer for name, offer in selected.items() if offer is not None}
    return request.clone(headers={name: headers[name] for name in names} | accepted)


def _select_subprotocol(offers: str) -> str | None:
    return SUBPROTOCOL if SUBPROTOCOL in map(str.strip, offers.split(",")) else None


def select_deflate_offer(offers: str) -> str | None:
    """Return the first valid offer of permessage-deflate; None without one (RFC 7692, 7.1).

    >>> select_deflate_offer("permessage-deflate; server_max_window_bits=7, permessage-deflate; client_max_window_bits")
    'permessage-deflate; client_max_window_bits'
    """
    unquoted = _QUOTED_VALUE.sub(r"=\1", offers)
    for offer in unquoted.split(",") if '"' not in unquoted else ():
        extension, *parameters = (part.strip() for part in offer.split(";"))
        names = {parameter.partition("=")[0] for parameter in parameters}
        if (
            extension == DEFLATE
            and len(names) == len(parameters)
            and all(map(_DEFLATE_PARAMETER.fullmatch, parameters))
        ):
            return "; ".join((extension, *parameters))
    return None


class HandshakeResponse(web.StreamResponse):
    """What aiohttp's WebSocketResponse prepares, once it has the headers of the handshake."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Complete the answer to the selected offer with the parameters that bind (RFC 7692, 7.1), and send it.

        Some clients fail without `client_no_context_takeover`. `client_max_window_bits` only permits the service to ask
        for a smaller window.
        """
        if hdrs.SEC_WEBSOCKET_EXTENSIONS in self.headers:
            parameters = request.headers[hdrs.SEC_WEBSOCKET_EXTENSIONS].split("; ")
            self.headers[hdrs.SEC_WEBSOCKET_EXTENSIONS] = "; ".join(
                parameter for parameter in parameters if not parameter.startswith("client_max_window_bits")
            )
        return await super().prepare(request)


_SELECTORS = {hdrs.SEC_WEBSOCKET_EXTENSIONS: select_deflate_offer, hdrs.SEC_WEBSOCKET_PROTOCOL: _select_subprotocol}
"""What selects one of the offers in a header; None declines all."""


MESSAGE_TYPES = frozenset({WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.PING, WSMsgType.PONG})
"""All others mean that the socket is closing."""

PING = b"\x89\0"
"""A frame without payload."""

NO_STATUS = 1005
"""Stands for a close frame without a code (RFC 6455, 7.4.1)."""

FIRST_INVALID_CODE = 5000
"""Close codes from here on are not defined (RFC 6455, 7.4.2)."""

DISCARD_TIMEOUT_S = 1.0
"""How long a client may go on sending after a close frame."""

MAX_REASON_BYTES = 123
"""Bytes of the reason in a close frame (RFC 6455, 5.5)."""

PONG_TIMEOUT_INTERVALS = 1.4
"""Ping intervals until a silent client is closed. It is pinged after one."""

PONG_CHECKS = 4
"""Checks for the answer to a ping, at equal intervals. A client that answered none of them is closed."""


async def accept_connection(request: HttpRequest) -> "WebSocketConnection":
    """Do the opening handshake. Raises UpgradeRequired, Malformed, ConnectionResetError if the client has left.

    `autoping` is off because pings, too, count as messages of their client.
    `heartbeat` is off because aiohttp drops a silent client without a code, even if only this process was paused.
    """
    limits, handshake = request.app[LIMITS], check_handshake(request)
    socket = _Socket(
        protocols=(SUBPROTOCOL,),
        autoping=False,
        max_msg_size=limits.max_message_bytes + 1,  # aiohttp refuses a message of exactly this size
    )
    connection = get_connection(request)
    connection.limiter.common_headers.add_to(socket)
    connection.charge.set_headers(socket.headers)
    try:
        await socket.prepare(handshake)
    except web.HTTPBadRequest as error:
        raise UpgradeRequired from error  # all else is checked: its Connection does not say so
    socket.headers.clear()  # already sent; they would take memory for as long as the socket is open
    if (transport := request.transport) is None or (frames := connection.frames) is None:
        raise ConnectionResetError
    return WebSocketConnection(request, socket, transport, frames)


class _Socket(web.WebSocketResponse, HandshakeResponse):
    """aiohttp's socket without its way of closing, which leaves data unread and knows no close frame without a code."""

    async def close(self, **_: object) -> bool:
        """Leave it to `WebSocketConnection`."""
        return False


class WebSocketConnection:
    """An open WebSocket and the games that it is subscribed to. Sending never blocks: it writes to the transport."""

    kind: Literal["socket"] = "socket"

    def __init__(
        self, request: HttpRequest, socket: web.WebSocketResponse, transport: asyncio.Transport, frames: FrameReader
    ) -> None:
        limits = request.app[LIMITS]
        self.games: set[str] = set()
        """Subscribed to, or about to be."""
        self.on_token_revoked: Callable[[str, AccessRecord], None] = lambda _game, _access: None
        """Called with a subscribed game and its access record when one of its tokens was revoked."""
        self.socket = socket
        self._request = request
        self._transport = transport
        self._frames = frames
        self._hub = request.app[HUB]
        self._encoding = DEFLATED if int(socket.compress) >= WINDOW_BITS else PLAIN
        self._max_unsent_bytes = limits.max_unsent_bytes
        self._slow_threshold = min(limits.max_unsent_bytes, HIGH_WATER_BYTES)
        """Unsent bytes from which on the client may be a slow consumer."""
        self._loop = asyncio.get_running_loop()
        self._loop_time = get_connection(request).loop_time
        self._ping_interval_s = limits.ping_interval_s
        self._last_received_at = self._loop.time()
        self._receive_timeout = asyncio.timeout(None)
        """Interrupts `_receive`, and nothing else."""
        self._is_receiving = False
        self._is_handling = False
        """Handling a message, while `_is_receiving` is waiting for one."""
        self._buffer: list[bytes] = []
        """Frames sent while a message is handled: a diff and its ack go out in one write."""
        self._retry_after_ms: int | None = None
        """Set once the client is to reconnect after this time."""
        self._closing: tuple[int, str] | None = None
        """The code and reason with which the service closes the socket; nothing is written any more."""
        self.close_code = int(WSCloseCode.ABNORMAL_CLOSURE)
        """The code with which the service closed the socket; 1000 if the client did, 1006 if neither did."""

    def deliver(self, message: ChannelMessage) -> None:
        """Send a message of a subscribed game."""
        self._loop_time.unpaid_s += SENT_DIFF_S
        self._write(message.encoded.get(self._encoding) or encode_message(message, self._encoding))

    def end_subscription(self, game: str, error: GameError) -> None:
        """Report why a game can no longer be followed."""
        self.games.discard(game)
        self.send(ErrorMessage(id=None, game=game, problem=to_problem(error)))

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """End the subscription if its token is no longer valid."""
        self.on_token_revoked(game, access)

    def send(self, message: ServerMessage) -> None:
        """Send a message to this client alone."""
        self._write(text_frame(encode_json(message)))

    def send_problem(self, message_id: str | None, game: str | None, problem: Problem) -> None:
        """Send and count an error in reply to a message."""
        PROBLEMS.labels(problem.code, "socket").inc()
        self.send(ErrorMessage(id=message_id, game=game, problem=problem))

    def unsubscribe(self, game: str) -> Revision | None:
        """End a subscription; return the position that the client has reached, None if it was not subscribed."""
        self.games.discard(game)
        return self._hub.unsubscribe(self, game)

    def request_reconnect(self, retry_after_ms: int) -> None:
        """Tell the client to reconnect after this time, and close once the current message is handled."""
        self._retry_after_ms = retry_after_ms
        self._stop_receiving()

    def close(self, code: int, reason: str) -> None:
        """Close with a code, and send nothing more. A client that does not answer in time is dropped."""
        if self._closing is None:
            self._flush()
            self._closing, self.close_code = (int(code), reason), int(code)
            self._unsubscribe_all()
            self._stop_receiving()

    def refuse(self, error: Exception) -> None:
        """Close with 4000 plus the status of an error's problem, and as much of its detail as a reason may have."""
        refusal = to_problem(error)
        reason = f"{refusal.code}: {refusal.detail}".encode()[:MAX_REASON_BYTES].decode(errors="ignore")
        self.close(CloseCode.REFUSED + refusal.status, reason)

    async def run(self, handle: Callable[[WSMessage], Awaitable[None]]) -> None:
        """Pass messages, pings and pongs to `handle` one after another, until the socket is closed.

        Frames that are sent in one tick while a message is handled, as a diff and the ack, go out in one write.
        """
        self._ping_timer = self._loop.call_later(self._ping_interval_s, self._ping_if_silent)
        try:
            async with self._receive_timeout:
                while self._closing is None and self._retry_after_ms is None:
                    message = await self._receive()
                    if message.type not in MESSAGE_TYPES:
                        self._end(message)
                        break
                    self._is_handling = True
                    try:
                        await handle(message)
                    finally:
                        self._is_handling = False
                        self._flush()
        except TimeoutError:
            if not self._receive_timeout.expired():
                raise
        except ConnectionError:
            return
        finally:
            self._ping_timer.cancel()
        with suppress(ConnectionError):
            await self._close_socket()

    def release(self) -> None:
        """Count the closed socket and end its subscriptions; drop the connection later if its client never reads."""
        SOCKETS_CLOSED.labels(str(self.close_code)).inc()
        self._unsubscribe_all()
        if self._transport.get_write_buffer_size():
            self._loop.call_later(CLOSE_TIMEOUT_S, self._transport.abort)

    async def _receive(self) -> WSMessage:
        """Return the next message, once the client has read most of what it was sent."""
        self._last_received_at = self._loop.time()
        self._is_receiving = True
        try:
            await self._request.writer.drain()
            await self._frames.pass_message()
            message = await self.socket.receive()
            if message.type is WSMsgType.PING:
                await self.socket.pong(message.data)
        finally:
            self._is_receiving = False
            if self._receive_timeout.when() is not None and not self._receive_timeout.expired():
                self._receive_timeout.reschedule(None)
        return message

    def _ping_if_silent(self) -> None:
        """Ping a client that is silent for an interval."""
        now = self._loop.time()
        silent_s = now - self._last_received_at if self._is_receiving else 0.0
        if silent_s < self._ping_interval_s:
            self._ping_timer = self._loop.call_later(self._ping_interval_s - silent_s, self._ping_if_silent)
        else:
            self._write_to_transport(PING)
            self._expect_pong(now, PONG_CHECKS)

    def _expect_pong(self, pinged_at: float, checks_left: int) -> None:
        interval_s = (PONG_TIMEOUT_INTERVALS - 1) * self._ping_interval_s / PONG_CHECKS
        self._ping_timer = self._loop.call_later(interval_s, self._check_pong, pinged_at, checks_left)

    def _check_pong(self, pinged_at: float, checks_left: int) -> None:
        """Close a client that has sent nothing since it was pinged, at the last check.

        The loop's clock counts milliseconds, so an answer may seem as old as the ping.
        """
        if self._last_received_at >= pinged_at or not self._is_receiving:
            self._ping_if_silent()
        elif checks_left > 1:
            self._expect_pong(pinged_at, checks_left - 1)
        else:
            self.close(CloseCode.NO_PONG, "no_pong")

    def _stop_receiving(self) -> None:
        if self._is_receiving and not self._receive_timeout.expired():
            self._receive_timeout.reschedule(0)

    async def _close_socket(self) -> None:
        """Send the close frame that ends the socket, and read on until the client has closed, but not for ever."""
        if self._closing is None and self._retry_after_ms is not None:
            self.send(Closing(retry_after_ms=self._retry_after_ms))
            self.close(CloseCode.SHUTDOWN, "restart")
        if self._closing is None:
            return
        code, reason = self._closing
        payload = b"" if code == NO_STATUS else code.to_bytes(2) + reason.encode()
        has_more_to_read = self._transport.get_write_buffer_size() > 0
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S if has_more_to_read else DISCARD_TIMEOUT_S):
                await self.socket.send_frame(payload, WSMsgType.CLOSE)
                await get_connection(self._request).discard_rest()
        except TimeoutError:
            self._transport.abort()

    def _end(self, last: WSMessage) -> None:
        """Close with the client's own code, or with that of its violation. Raises ConnectionError if there is neither.

        aiohttp lets two kinds of invalid codes pass: 1006 and those from 5000 (RFC 6455, 7.4).
        """
        match last.data:
            case int(code) if code == WSCloseCode.ABNORMAL_CLOSURE or code >= FIRST_INVALID_CODE:
                self.close(WSCloseCode.PROTOCOL_ERROR, "")
            case int(code):
                self.close(code or NO_STATUS, "")
                self.close_code = int(WSCloseCode.OK)
            case WebSocketError(code=code):
                self.close(code, "")
            case zlib.error():
                self.close(WSCloseCode.INVALID_TEXT, "")
            case _:
                raise ConnectionResetError

    def _write(self, frames: bytes) -> None:
        """Write frames, or buffer them until the end of this tick while a message is handled."""
        if self._is_handling:
            if not self._buffer:
                self._loop.call_soon(self._flush)
            self._buffer.append(frames)
        else:
            self._write_to_transport(frames)

    def _flush(self) -> None:
        """Write the buffered frames."""
        if self._buffer:
            frames = b"".join(self._buffer)
            self._buffer.clear()
            self._write_to_transport(frames)

    def _write_to_transport(self, frames: bytes) -> None:
        transport = self._transport
        if self._closing is not None or transport.is_closing():
            return
        transport.write(frames)
        if transport.get_write_buffer_size() > self._slow_threshold and is_slow_consumer(
            self._request, self._max_unsent_bytes
        ):
            self.close(CloseCode.TOO_SLOW, "too_slow")

    def _unsubscribe_all(self) -> None:
        games, self.games = self.games, set()
        for game in games:
            self._hub.unsubscribe(self, game)
