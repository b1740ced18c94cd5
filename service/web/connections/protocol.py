"""The protocol of a connection: how many bytes a client may send, and how long it may take.

aiohttp gets one request at a time: what follows it is held, and then not read, until it is answered. So a connection
knows where each head begins and ends, pipelined requests do not pile up, and one that is malformed does not cost those
before it their responses. A client must not keep a connection busy without using it: a request's head must arrive in
time, a response must be read, and nothing is read that no handler wants.

This module alone reads a private attribute of aiohttp's `RequestHandler`, for which there is no public equivalent:
`_messages` are parsed requests, each with its body, that no handler has taken yet. It tells that a head is complete,
or, while a body arrives, that aiohttp found an invalid chunk, which it reports only to the next handler. It can go when
aiohttp offers timeouts for heads and answers clients that have closed their sending half. `tests/web/test_aiohttp.py`
fails when a new version of aiohttp changes it, and says what to do.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import perf_counter
from types import coroutine
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from aiohttp import EMPTY_PAYLOAD, HttpVersion11, StreamReader, hdrs, web

from service.games.errors import Malformed
from service.telemetry.metrics import SLOW_READERS_DROPPED
from service.web.app_keys import EXPECTS_CONTINUE
from service.web.client_ip import UNKNOWN, get_site_network
from service.web.connections.frames import FrameReader

if TYPE_CHECKING:
    from aiohttp.http import RawRequestMessage, WebSocketReader

    from service.web.connections.limiter import ConnectionLimiter
    from service.web.headers.bearer_tokens import BearerToken
    from service.web.ratelimit.charge import Charge

__all__ = [
    "HIGH_WATER_BYTES",
    "MAX_HEAD_BYTES",
    "ClientConnection",
    "get_connection",
    "is_slow_consumer",
    "start_event_stream",
    "streaming_response",
    "timed",
]

T = TypeVar("T")

MAX_HEAD_BYTES = 65_536
"""Bytes of a request's head; aiohttp limits its lines."""

END_OF_HEAD = b"\r\n\r\n"
"""What a head ends with, and a chunked body too."""

NO_HEAD = b"\0\r\n\r\n"
"""What no head contains: aiohttp answers 400."""

MAX_STREAM_HEAD_BYTES = 16_384
"""Bytes of the head of a WebSocket or event stream, which stays in memory while it is open."""

MAX_HELD_BYTES = 65_536
"""Bytes that a client may send ahead before no more are read."""

MAX_FRAMING_BYTES = 65_536
"""Bytes beside a body: chunk sizes, extensions, trailers."""

MAX_BODY_LENGTH = 2**63
"""Stands for the length of what has none, as a CONNECT."""

MAX_DRAINED_BYTES = 65_536
"""Bytes of a body that are read after its response, so that the client sees the response and keeps the connection."""

MAX_DISCARDED_BYTES = 4_194_304
"""Bytes that are read after the last response or close frame."""

LINGER_TIMEOUT_S = 2.0
"""How long a connection is read after a response that ends it, so that the client can read the response."""

CANCEL_TIMEOUT_S = 0.1
"""How long a handler may take to end once it is cancelled, because it had its time to finish."""

CONNECTION_S, REQUEST_S = 0.0003, 0.00005
"""What a connection and a request take of aiohttp and the event loop, which cannot be timed."""

HIGH_WATER_BYTES = 65_536
"""Unsent bytes from which on they are recorded at once, and not only by the next sweep.

The default high-water mark of transports.
"""


class ClientConnection(web.RequestHandler):
    """One connection of a client."""

    __slots__ = (
        "_write_transport",
        "address",
        "bearer_token",
        "blocked_since",
        "body",
        "body_length",
        "busy_s",
        "charge",
        "client",
        "ended",
        "frames",
        "has_ended",
        "head_started_at",
        "held",
        "idle_since",
        "is_answered",
        "is_buffer_full",
        "is_discarding",
        "is_paused",
        "kind",
        "limiter",
        "lost",
        "max_received_bytes",
        "received_bytes",
        "timed_since",
    )

    def __init__(
        self, manager: web.Server, *, limiter: "ConnectionLimiter", loop: asyncio.AbstractEventLoop, **options: Any
    ) -> None:
        super().__init__(manager, loop=loop, **options)
        self.limiter = limiter
        self.charge: Charge | None = None
        """Who pays for the current request or message; else the address does."""
        self.busy_s = 0.0
        """Seconds of the event loop that were taken, and not paid yet."""
        self.timed_since = 0.0
        """When the step began that is running; 0 while none is."""
        self.max_received_bytes = limiter.limits.max_body_bytes + MAX_FRAMING_BYTES
        """Bytes of a request that are read."""
        self.client: str | None = UNKNOWN
        """The client's address; None for a trusted proxy."""
        self.address = UNKNOWN
        """The address of the last request's client."""
        self.bearer_token: BearerToken | None = None
        """The token of the last valid Authorization header."""
        self._write_transport: asyncio.Transport | None = None
        """The transport; aiohttp drops its reference on close, when data may still be unsent."""
        self.held = bytearray()
        """What has arrived and was not passed on: it belongs to the next request, or a buffer is full."""
        self.body: StreamReader = EMPTY_PAYLOAD
        """The body of the newest request, which is empty if it has none."""
        self.body_length: int | None = None
        """Its bytes; None if it is chunked."""
        self.is_answered = True
        """Whether the newest request is answered; its body may still be arriving."""
        self.head_started_at = 0.0
        """When an incomplete head began; 0 if there is none."""
        self.received_bytes = 0
        """Bytes of the newest request, its head included, or since the service began to discard what arrives."""
        self.idle_since = 0.0
        """When the connection was first seen idle; 0 if it is not."""
        self.blocked_since = 0.0
        """Since when there are unsent bytes; 0 if there are none."""
        self.frames: FrameReader | None = None
        """What reads a WebSocket's frames."""
        self.kind: Literal["response", "socket", "stream"] = "response"
        """What is written; while it is an event stream, the client must send nothing."""
        self.is_buffer_full = False
        """Whether aiohttp paused reading."""
        self.is_paused = False
        """Whether reading is paused because much is held."""
        self.is_discarding = False
        """Whether nothing is passed on any more: the last response or close frame was sent."""
        self.has_ended = False
        """Whether the client sends nothing more: it has closed its sending half, or sent a close frame."""
        self.ended: asyncio.Future[None] | None = None
        """Resolved then, for who waits for it."""
        self.lost: asyncio.Future[None] | None = None
        """Resolved when the connection is lost; None unless it ends with the request that has begun."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the connection, or reject it."""
        self.client = self.limiter.proxies.direct_client(transport.get_extra_info("peername"))
        self.address = self.client or UNKNOWN
        self._write_transport = cast("asyncio.Transport", transport)
        refusal = self.limiter.add(self)
        if refusal:  # before aiohttp starts a task for it
            self.is_discarding = True
            self._write_transport.write(refusal)
            self._write_transport.close()
        else:
            super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Remove the connection."""
        self.limiter.remove(self)
        self.limiter.send_buffers.forget(self)
        self.busy_s += CONNECTION_S
        self.pay()
        self._write_transport = None
        self._set_ended()
        if self.lost is not None and not self.lost.done():
            self.lost.set_result(None)
        super().connection_lost(exc)

    def close(self) -> None:
        """Close the connection, after the request that has begun: aiohttp would drop what is missing of its body."""
        self.lost = self.lost or asyncio.get_running_loop().create_future()
        if self.is_waiting() and (self.has_ended or not self.head_started_at):
            self.force_close()
        elif self.is_answered and not self.body.is_eof():
            super().close()

    async def shutdown(self, timeout: float | None = None) -> None:  # noqa: ASYNC109  aiohttp's signature
        """Wait until the request that has begun is answered and the response is sent, then close."""
        if self._write_transport is not None and self.lost is not None:
            await asyncio.wait([self.lost], timeout=timeout)
        await super().shutdown(CANCEL_TIMEOUT_S)

    def data_received(self, data: bytes) -> None:
        """Pass on what belongs to the current request, and hold the rest; without data, aiohttp parses what it has."""
        is_within_step = self.timed_since > 0
        self.timed_since = self.timed_since or perf_counter()
        self.received_bytes += len(data) * self.is_discarding
        if self.is_discarding and self.received_bytes > MAX_DISCARDED_BYTES:
            self._pause_if_too_much()
        elif self.frames is not None:
            self.frames.feed_data(data)
        else:
            if not self.is_discarding:
                self.held += data
            if not data:
                self._pass_on(data)
            self.read_held()
        if self.kind == "stream" and len(self.held) > MAX_STREAM_HEAD_BYTES:
            self.drop()
        if not is_within_step:
            self.busy_s += perf_counter() - self.timed_since
            self.timed_since = 0.0

    def read_held(self) -> None:
        """Pass on what is held, as far as it belongs to the current request, or to the next if that is answered."""
        while self.held and not self.is_buffer_full and (size := self._next_size()):
            piece = bytes(self.held[:size])
            del self.held[:size]
            self._pass_on(piece)
        self._pause_if_too_much()
        if self.has_ended and not self.held and not self.is_buffer_full and not self.body.is_eof():
            self.body.set_exception(web.RequestPayloadError("the body ended early"))

    def _next_size(self) -> int:
        """Return how many of the held bytes are passed on next: at most to the end of a head or a body."""
        held = self.held
        if self.is_waiting():
            if not self.head_started_at:
                if held[0] in END_OF_HEAD:  # empty lines before a request (RFC 9112, 2.2)
                    held[:] = held.lstrip(END_OF_HEAD)
                    return self._next_size() if held else 0
                self.head_started_at = asyncio.get_running_loop().time()
                self.received_bytes = 0
            end = held.find(END_OF_HEAD, 0, MAX_HEAD_BYTES - self.received_bytes)
            if end < 0 and self.received_bytes + len(held) > MAX_HEAD_BYTES:
                return MAX_HEAD_BYTES - self.received_bytes
        elif self.body.is_eof() or self.received_bytes > self.max_received_bytes:
            return 0
        elif self.body_length is not None:
            return min(len(held), self.body_length - self.body.total_bytes)
        else:
            end = held.rfind(END_OF_HEAD)
        if end >= 0:
            return end + len(END_OF_HEAD)
        if self.has_ended:
            return len(held)
        return len(held) - next((size for size in (3, 2, 1) if held.endswith(END_OF_HEAD[:size])), 0)

    def _pass_on(self, data: bytes) -> None:
        """Let aiohttp parse data, and see what it found."""
        self.received_bytes += len(data) * (not self.is_discarding)
        waiting_requests = len(self._messages)
        super().data_received(data)
        if self.head_started_at and self.received_bytes >= MAX_HEAD_BYTES and len(self._messages) == waiting_requests:
            super().data_received(NO_HEAD)
        if len(self._messages) > waiting_requests:
            if not self.body.is_eof():
                # aiohttp found an invalid chunk, and reports it only to the next handler, not to the waiting one.
                self.body.set_exception(web.RequestPayloadError("no chunk"))
            message, self.body = self._messages[-1]
            self.body_length = None
            if not self.body.is_eof():  # it is no error
                request = cast("RawRequestMessage", message)
                if not request.chunked:
                    self.body_length = int(request.headers.get(hdrs.CONTENT_LENGTH, MAX_BODY_LENGTH))
            self.is_answered, self.head_started_at = False, 0.0
        elif self.received_bytes > self.max_received_bytes and not self.body.is_eof():
            self.body.set_exception(web.RequestPayloadError("too much data beside the body"))

    def is_waiting(self) -> bool:
        """Return whether the connection waits for its next request, or for the rest of its head."""
        return self.is_answered and self.body.is_eof()

    def _pause_if_too_much(self) -> None:
        """Pause reading while the client is too far ahead, or has sent too much that is discarded."""
        if self.transport is None:
            return
        if len(self.held) > MAX_HELD_BYTES or (self.is_discarding and self.received_bytes > MAX_DISCARDED_BYTES):
            self.is_paused = True
            self.transport.pause_reading()
        elif self.is_paused:
            self.is_paused = False
            if not self.is_buffer_full:
                self.transport.resume_reading()

    def eof_received(self) -> bool:  # type: ignore[override]  # aiohttp's returns None, which closes the connection
        """Respond to the requests that arrived before the client closed its sending half, then close.

        Returns whether the connection stays open until then. A WebSocket handles the messages that have arrived; an
        event stream ends at once, since nothing else tells that its client is gone.
        """
        if self.frames is not None:
            self.frames.feed_eof()
            return True
        self._set_ended()
        if self.is_discarding or self.kind == "stream":
            return False
        self.read_held()
        return not self.is_waiting()

    def set_parser(self, parser: "WebSocketReader", data_received_cb: Callable[[], None] | None = None) -> None:
        """Check the frames of a WebSocket before aiohttp's parser reads them."""
        assert self.transport is not None  # noqa: S101  aiohttp has just written the handshake
        self.kind = "socket"
        request_turn = partial(self.limiter.turns.request, get_site_network(self.address), self._read_frames)
        max_bytes = self.limiter.limits.max_message_bytes
        self.frames = FrameReader(parser, self.transport, max_bytes, request_turn, self._set_ended)
        super().set_parser(cast("WebSocketReader", self.frames), data_received_cb)
        self.frames.feed_data(self.held)
        self.held.clear()

    def _read_frames(self) -> None:
        """Read a message of a WebSocket, in a turn of the event loop."""
        assert self.frames is not None  # noqa: S101  they requested the turn
        started_at = perf_counter()
        self.frames.read()
        self.busy_s += perf_counter() - started_at

    def pause_writing(self) -> None:
        """Record the unsent bytes above the high-water mark."""
        super().pause_writing()
        self.limiter.send_buffers.record(self, self.unsent_bytes())

    def resume_writing(self) -> None:
        """Stop recording the unsent bytes, of which the client has read most."""
        self.limiter.send_buffers.forget(self)
        super().resume_writing()

    def unsent_bytes(self) -> int:
        """Return the bytes that were written and that the kernel has not taken yet."""
        return 0 if self._write_transport is None else self._write_transport.get_write_buffer_size()

    def drop(self) -> None:
        """Close at once, and discard unsent bytes."""
        if self._write_transport is not None:
            self._write_transport.abort()

    def close_after(self, response: web.StreamResponse) -> None:
        """Close the connection after a response, and leave pipelined requests unanswered; but not that of a proxy."""
        if self.client is not None:
            response.force_close()

    def finish_request(self, request: web.BaseRequest, response: web.StreamResponse) -> None:
        """Close the connection after the response if no other request can follow on it.

        None follows a body of which much is missing: each chunk is work, however small, and chunked bodies have no
        known end; nor a body that was not asked for, which may never be sent (RFC 9110, 10.1.1). An HTTP/1.0 client
        reads to the end what has no length, and may mean something else by chunks (RFC 9112, 6.1).
        """
        content = request.content
        if (
            request.version < HttpVersion11
            and (response.content_length is None or hdrs.TRANSFER_ENCODING in request.headers)
        ) or (
            not content.is_eof()
            and (
                (length := request.content_length) is None
                or length - content.total_bytes > MAX_DRAINED_BYTES
                or (content.total_bytes == 0 and request.get(EXPECTS_CONTINUE, False))
            )
        ):
            response.force_close()

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send the response, and go on with what was held; after the last, read on, so that the client can read it.

        A connection that closes with unread data is reset (RFC 9112, 9.6). Other connections run between two pipelined
        requests of this one.
        """
        sent = await timed(super().finish_response, request, resp, start_time)
        self.busy_s += REQUEST_S
        self.pay()
        self.charge = None
        self.is_answered = not self._messages
        _, is_lost = sent
        if self.frames is not None or is_lost:
            return sent
        if not resp.keep_alive:
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_TIMEOUT_S):
                    await self.discard_rest()
            self.force_close()
        elif self.held or self._messages:
            await asyncio.sleep(0)
            self.read_held()
        if self.lost is not None or (self.has_ended and self.is_waiting()):
            self.close()
        return sent

    def pay(self) -> None:
        """Charge the time that was taken since the last time."""
        if self.timed_since:
            now = perf_counter()
            self.busy_s += now - self.timed_since
            self.timed_since = now
        if self.charge is not None and self.charge.buckets:
            self.charge.spend_time(self.busy_s)
        else:
            self.limiter.charge_address(self.address, self.busy_s)
        self.busy_s = 0.0

    async def discard_rest(self) -> None:
        """Discard what arrives until the client has closed its sending half, or sent a close frame.

        Otherwise TCP would reset the connection, and the client could not read the last response or close frame.
        """
        if self.has_ended or self.transport is None or self.transport.is_closing():
            return
        self.is_discarding, self.is_buffer_full, self.received_bytes = True, False, 0
        if self.frames is None:
            self.held.clear()
            self.transport.write_eof()
        else:
            self.frames.discard()
        self.transport.resume_reading()
        if not self.has_ended:
            self.ended = asyncio.get_running_loop().create_future()
            await self.ended

    def _set_ended(self) -> None:
        self.has_ended = True
        if self.ended is not None and not self.ended.done():
            self.ended.set_result(None)

    def pause_reading(self) -> None:
        """Pause reading: what was read fills aiohttp's buffer."""
        self.is_buffer_full = True
        super().pause_reading()

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002 (aiohttp's)
        """Resume reading, first what is held; without `resume_parser`, the parser is reading just now."""
        if not self.is_buffer_full:  # aiohttp calls this after each read
            return
        self.is_buffer_full = False
        super().resume_reading(resume_parser)
        self._pause_if_too_much()

    def log_exception(self, *args: Any, **options: Any) -> None:
        """Log an exception, unless it is an invalid body, which was answered already."""
        if not isinstance(options.get("exc_info"), web.RequestPayloadError):
            super().log_exception(*args, **options)

    def check_timeouts(self, now: float) -> None:
        """Close the connection if the client takes too long."""
        if unread := self.unsent_bytes():
            self.limiter.send_buffers.record(self, unread)
        else:
            self.limiter.send_buffers.forget(self)
        if self.kind == "socket":
            return  # the WebSocket has timeouts of its own
        limits = self.limiter.limits
        if not self.is_waiting():
            self.idle_since = 0.0
        elif not self.idle_since:
            self.idle_since = now
        if (self.head_started_at and now - self.head_started_at > limits.request_timeout_s) or self._is_idle_too_long(
            now
        ):
            self.force_close()
        elif not unread:
            self.blocked_since = 0.0
        elif not self.blocked_since:
            self.blocked_since = now
        elif now - self.blocked_since > limits.response_timeout_s:
            self.drop()

    def _is_idle_too_long(self, now: float) -> bool:
        """Return whether a client's connection is idle too long; a proxy may be sending its next request just then."""
        return self.client is not None and 0 < self.idle_since < now - self.limiter.limits.keep_alive_timeout_s


@coroutine
def timed(handle: Callable[..., Awaitable[T]], request: web.BaseRequest, *others: Any) -> Generator[Any, Any, T]:
    """Call a handler, and add up the time of its steps; what others do between them does not count."""
    connection = get_connection(request)
    steps: Any = handle(request, *others).__await__()
    step, value = steps.send, None
    while True:
        connection.timed_since = perf_counter()
        try:
            awaited = step(value)
        except StopIteration as end:
            return cast("T", end.value)
        finally:
            connection.busy_s += perf_counter() - connection.timed_since
            connection.timed_since = 0.0
        try:
            step, value = steps.send, (yield awaited)
        except BaseException as error:  # noqa: BLE001  whatever it is, it is the coroutine's
            step, value = steps.throw, error


def get_connection(request: web.BaseRequest) -> ClientConnection:
    """Return the connection of a request; `service.web.server.runner` makes no others."""
    return request.protocol  # type: ignore[return-value]  # aiohttp declares the base class


def is_slow_consumer(request: web.BaseRequest, max_unsent_bytes: int) -> bool:
    """Return whether the client of a WebSocket or event stream has more to read, and must be disconnected.

    Fewer bytes count towards the send buffers of all connections; that budget, too, may drop the connection.
    """
    connection = get_connection(request)
    unsent_bytes = connection.unsent_bytes()
    if unsent_bytes > max_unsent_bytes:
        SLOW_READERS_DROPPED.labels(connection.kind).inc()
        return True
    connection.limiter.send_buffers.record(connection, unsent_bytes)
    return False


@contextmanager
def streaming_response(request: web.BaseRequest) -> Iterator[None]:
    """Admit a WebSocket or event stream, which ends with the block. Raises Malformed as `_check_stream` does."""
    _check_stream(request)
    try:
        yield
    finally:
        get_connection(request).kind = "response"


def start_event_stream(request: web.BaseRequest) -> asyncio.Future[None]:
    """Mark the response as a stream, just before it begins; return what is resolved when its client has left.

    Raises Malformed as `_check_stream` does.
    """
    _check_stream(request)
    connection = get_connection(request)
    connection.kind, connection.ended = "stream", asyncio.get_running_loop().create_future()
    return connection.ended


def _check_stream(request: web.BaseRequest) -> None:
    """Raise Malformed if the client has closed its sending half, or if its head is too large to stay in memory."""
    connection = get_connection(request)
    if connection.has_ended:
        raise Malformed("a WebSocket or event stream ends when its client closes its sending half: keep it open")
    if connection.received_bytes + len(connection.held) > MAX_STREAM_HEAD_BYTES:
        raise Malformed(
            f"a request for a WebSocket or event stream may have {MAX_STREAM_HEAD_BYTES} bytes and no successor"
        )
