"""The protocol of a connection: how many bytes a client may send, and how long it may take.

A client must not keep a connection busy without using it: a request's head must arrive in time, a response must be
read, and nothing is read that no handler wants.

This module alone reads private attributes of aiohttp's `RequestHandler`, for which there is no public equivalent:
- `_waiter` is not None while the connection waits for its next request. Only then incoming bytes belong to a head, and
 the connection is idle. An ingress may limit both, but the service also runs without one.
- `_messages` are parsed requests, each with its body, that no handler has taken yet. One of them means that a head is
 complete, that the client pipelines, that one which has closed its sending half is still to be answered, or, while a
 body is read, that aiohttp found an invalid chunk, which it reports only to the next handler.

Both can go when aiohttp offers timeouts for heads and idle connections, answers clients that have closed their sending
half, and reports invalid chunks to the handler that reads the body. `tests/web/test_aiohttp.py` fails when a new
version of aiohttp changes them, and says what to do.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from typing import TYPE_CHECKING, Any, Literal, cast

from aiohttp import HttpVersion11, StreamReader, hdrs, web

from service.games.errors import Malformed
from service.telemetry.metrics import SLOW_READERS_DROPPED
from service.web.app_keys import EXPECTS_CONTINUE
from service.web.client_ip import UNKNOWN
from service.web.connections.frames import FrameReader
from service.web.connections.stopwatch import Stopwatch, Timed

if TYPE_CHECKING:
    from aiohttp.http import WebSocketReader

    from service.web.connections.limiter import ConnectionLimiter
    from service.web.headers.bearer_tokens import BearerToken

__all__ = [
    "HIGH_WATER_BYTES",
    "ClientConnection",
    "discard_until_closed",
    "get_connection",
    "is_slow_consumer",
    "reading_body",
    "start_socket",
    "streaming_response",
]

MAX_HEAD_BYTES = 65_536
"""Bytes of a request's head; aiohttp limits its lines."""

END_OF_HEAD = b"\r\n\r\n"
"""What a head ends with, and a chunked body too."""

MAX_STREAM_HEAD_BYTES = 16_384
"""Bytes of the head of a WebSocket or event stream, which stays in memory while it is open."""

MAX_FRAMING_BYTES = 65_536
"""Bytes beside a body: chunk sizes, extensions, trailers, pipelined requests."""

MAX_DRAINED_BYTES = 65_536
"""Bytes of a body that are read after its response, so that the client sees the response and keeps the connection."""

MIN_FRAGMENT_BYTES = 64
"""The largest message may come in frames of this size, but not of a smaller one: each frame is work."""

MAX_DISCARDED_BYTES = 4_194_304
"""Bytes that a client may send after a violation of the WebSocket protocol or a close frame, and they are read."""

LINGER_TIMEOUT_S = 2.0
"""How long a connection is read after a response that ends it, so that the client can read the response."""

CONNECTION_S = 0.0003
"""What a connection takes to be opened and closed, which cannot be timed."""

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
        "bytes_after_head",
        "client",
        "discards_until",
        "frames",
        "head_bytes",
        "head_started_at",
        "idle_since",
        "is_buffer_full",
        "is_half_closed",
        "is_paused",
        "is_stopped",
        "kind",
        "last_bytes",
        "limiter",
        "max_received_bytes",
        "newest_body",
        "read_ahead_bytes",
        "received_bytes",
        "stopwatch",
    )

    def __init__(
        self, manager: web.Server, *, limiter: "ConnectionLimiter", loop: asyncio.AbstractEventLoop, **options: Any
    ) -> None:
        super().__init__(manager, loop=loop, **options)
        self.limiter = limiter
        self.stopwatch = Stopwatch()
        """The time that the connection takes, for what its client or address is charged."""
        self.max_received_bytes = limiter.limits.max_body_bytes + MAX_FRAMING_BYTES
        """Bytes that the client may send while its request is handled."""
        self.client: str | None = UNKNOWN
        """The client's address; None for a trusted proxy."""
        self.address = UNKNOWN
        """The address of the last request's client."""
        self.bearer_token: BearerToken | None = None
        """The token of the last valid Authorization header."""
        self._write_transport: asyncio.Transport | None = None
        """The transport; aiohttp drops its reference on close, when data may still be unsent."""
        self.head_started_at = 0.0
        """When an incomplete head began; 0 if there is none."""
        self.head_bytes = 0
        """Bytes of this head so far."""
        self.newest_body: StreamReader | None = None
        """The body of the newest request whose head is complete, empty if it has none; None before the first."""
        self.bytes_after_head: float = 0
        """Bytes that arrived after that head; infinite if its end was not found."""
        self.last_bytes = b""
        """The last bytes that arrived, at most four."""
        self.idle_since = 0.0
        """When the connection was first seen idle; 0 if it is not."""
        self.blocked_since = 0.0
        """Since when there are unsent bytes; 0 if there are none."""
        self.read_ahead_bytes = 0
        """Bytes that arrived with the head of the next request, and until it begins."""
        self.received_bytes = 0
        """Bytes that arrived since the current request began, its head included."""
        self.body: StreamReader | None = None
        """The body that a handler is reading."""
        self.frames: FrameReader | None = None
        """What reads a WebSocket's frames."""
        self.kind: Literal["response", "socket", "stream"] = "response"
        """What is written; while it is an event stream, the client must send nothing."""
        self.is_buffer_full = False
        """Whether aiohttp paused reading."""
        self.is_paused = False
        """Whether reading is paused until the next request begins."""
        self.is_stopped = False
        """Whether nothing more is read; the connection closes after its response."""
        self.discards_until: asyncio.Event | None = None
        """If there is one, what arrives is discarded until the client closes its sending half, which sets this."""
        self.is_half_closed = False
        """Whether the client has closed its sending half; the connection closes after the last response."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the connection, or reject it."""
        self.client = self.limiter.proxies.direct_client(transport.get_extra_info("peername"))
        self.address = self.client or UNKNOWN
        self._write_transport = cast("asyncio.Transport", transport)
        refusal = self.limiter.add(self)
        if refusal:  # before aiohttp starts a task for it
            self.is_stopped = True
            self._write_transport.write(refusal)
            self._write_transport.close()
        else:
            super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Remove the connection."""
        self.limiter.remove(self)
        self.limiter.send_buffers.forget(self)
        self.limiter.spend_rejected(self.address, self.stopwatch.take() + CONNECTION_S)
        self._write_transport = None
        if self.discards_until is not None:
            self.discards_until.set()
        super().connection_lost(exc)

    async def start(self) -> None:
        """Serve the requests of the connection, and measure what aiohttp itself takes for them."""
        await Timed(super().start(), self.stopwatch)

    def data_received(self, data: bytes) -> None:
        """Parse and count what arrived; start the timeout of an incomplete head."""
        with self.stopwatch:
            self._receive(data)

    def _receive(self, data: bytes) -> None:
        if self.is_stopped or self.discards_until is not None:
            return
        is_answering, waiting_requests = self._is_answering(), len(self._messages)
        super().data_received(data)
        if self.kind != "socket":
            self._follow_heads(data, has_new_head=len(self._messages) > waiting_requests)
        self._pause_until_checked()
        if is_answering:
            self._count_received(len(data))
            return
        if self._messages:
            self.head_started_at = self.idle_since = 0.0
            self.read_ahead_bytes += self.head_bytes + len(data)
            self.head_bytes = 0
            return
        if not self.head_started_at:
            self.head_started_at = asyncio.get_running_loop().time()
        self.head_bytes += len(data)
        if self.head_bytes > MAX_HEAD_BYTES:
            self._reject_head()

    def eof_received(self) -> bool:  # type: ignore[override]  # aiohttp's returns None, which closes the connection
        """Respond to the requests that arrived before the client closed its sending half, then close.

        Returns whether the connection stays open until then. A WebSocket handles the messages that have arrived; an
        event stream ends at once, since nothing else tells that its client is gone.
        """
        if self.discards_until is not None:
            self.discards_until.set()
            return False
        if self.kind == "socket" and self.frames is not None:
            self.frames.feed_eof()
            return True
        if self.kind != "response" or not (self._messages or self._is_answering()):
            return False
        self.is_half_closed = True
        if self.body is not None:
            self.check_body_can_end(self.body)
        if not self._messages:
            self.close()
        return True

    def set_parser(self, parser: "WebSocketReader", data_received_cb: Callable[[], None] | None = None) -> None:
        """Check the frames of a WebSocket before aiohttp's parser reads them."""
        self.frames = FrameReader(
            parser, self.limiter.limits.max_message_bytes // MIN_FRAGMENT_BYTES, self._read_on_after_check
        )
        super().set_parser(cast("WebSocketReader", self.frames), data_received_cb)
        self._pause_until_checked()

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

    def start_request(self, address: str) -> None:
        """Reset the counts for a new request."""
        self.address = address
        self.received_bytes, self.read_ahead_bytes = self.read_ahead_bytes, 0
        if self.is_paused:
            self.is_paused = False
            self.resume_reading()

    async def yield_turn(self) -> None:
        """Let other connections run between two pipelined requests of this one."""
        if self._messages:
            await asyncio.sleep(0)

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
        if request.version < HttpVersion11 and (
            response.content_length is None or hdrs.TRANSFER_ENCODING in request.headers
        ):
            response.force_close()
        if self.is_half_closed and not self._messages:
            response.force_close()
            self.close()
        if content.is_eof():
            return
        length = request.content_length
        if self.is_half_closed:
            self.check_body_can_end(content)
        elif (
            length is None
            or length - content.total_bytes > MAX_DRAINED_BYTES
            or (content.total_bytes == 0 and request.get(EXPECTS_CONTINUE, False))
        ):
            response.force_close()
            self.stop_reading()

    def stop_reading(self) -> None:
        """Read nothing more; aiohttp closes after `LINGER_TIMEOUT_S`, so that the client can read its response."""
        self.is_stopped = True
        self._pause_transport()

    async def discard_rest(self, timeout_s: float) -> None:
        """Close the sending half, and discard what still arrives until the client has closed its own, or a timeout."""
        if self.is_half_closed or self.transport is None or self.transport.is_closing():
            return
        self.discards_until = asyncio.Event()
        self.transport.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self.discards_until.wait()

    def pause_reading(self) -> None:
        """Pause reading: what was read fills aiohttp's buffer."""
        self.is_buffer_full = True
        super().pause_reading()

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002 (aiohttp's)
        """Resume reading, unless it was stopped, or a WebSocket's frames wait to be checked."""
        self.is_buffer_full = False
        if not self.is_stopped and (self.frames is None or not self.frames.is_behind):
            super().resume_reading(resume_parser)

    def log_exception(self, *args: Any, **options: Any) -> None:
        """Log an exception, unless it is an invalid body, which was answered already."""
        if not isinstance(options.get("exc_info"), web.RequestPayloadError):
            super().log_exception(*args, **options)

    def _is_answering(self) -> bool:
        """Return whether a request is being answered; also aiohttp's task may not have begun to wait for the first."""
        return self._waiter is None and self.newest_body is not None

    def _follow_heads(self, data: bytes, *, has_new_head: bool) -> None:
        """Record what arrived after the newest head, for `_has_partial_head`."""
        joined = self.last_bytes + data
        if has_new_head:
            _, self.newest_body = self._messages[-1]
            end = joined.find(END_OF_HEAD, max(0, len(self.last_bytes) - 3))
            self.bytes_after_head = inf if end < 0 else len(joined) - end - len(END_OF_HEAD)
        else:
            self.bytes_after_head += len(data)
        self.last_bytes = joined[-4:]

    def _has_partial_head(self) -> bool:
        """Return whether a part of the next head arrived with or after the last request, for which aiohttp has no word.

        It may say so of requests that were sent together, whose last head cannot be found; they are rare.
        """
        body = self.newest_body
        return (
            body is not None
            and body.is_eof()
            and self.last_bytes != END_OF_HEAD
            and self.bytes_after_head != body.total_bytes
        )

    def _reject_head(self) -> None:
        """Answer a head that is too long, and discard what still arrives, so that the client can read the answer."""
        self.is_stopped, self.head_started_at = True, 0.0
        if self._write_transport is not None:
            detail = f"the request line and the headers may have {MAX_HEAD_BYTES} bytes together"
            self._write_transport.write(self.limiter.encode_refusal("malformed", detail))
            self._write_transport.write_eof()
            asyncio.get_running_loop().call_later(LINGER_TIMEOUT_S, self.force_close)

    def check_body_can_end(self, body: StreamReader) -> None:
        """Fail a body that is incomplete when the client has closed its sending half."""
        if self.is_half_closed and not body.is_eof():
            body.set_exception(web.RequestPayloadError("the body ended early"))

    def _pause_transport(self) -> None:
        if self.transport is not None:
            self.transport.pause_reading()

    def _pause_until_checked(self) -> None:
        if self.frames is not None and self.frames.is_behind:
            self._pause_transport()

    def _read_on_after_check(self) -> None:
        if not self.is_buffer_full:
            self.resume_reading()

    def _count_received(self, size: int) -> None:
        """Stop a client that sends more than the body that is read, or than it may send ahead."""
        self.received_bytes += size
        if self.frames is not None:
            if self.frames.is_discarding and self.received_bytes > MAX_DISCARDED_BYTES:
                self._pause_transport()
        elif self.body is not None and self._messages and not self.body.is_eof():
            # aiohttp found an invalid chunk, and reports it only to the next handler, not to the waiting one.
            self.body.set_exception(web.RequestPayloadError("no chunk"))
        elif self.kind == "stream" and self.received_bytes > MAX_STREAM_HEAD_BYTES:
            self.drop()
        elif self.received_bytes > self.max_received_bytes:
            if self.body is None:
                self.is_paused = True
                self._pause_transport()
            else:
                self.body.set_exception(web.RequestPayloadError("too much data beside the body"))
                self.stop_reading()

    def check_timeouts(self, now: float) -> None:
        """Close the connection if the client takes too long."""
        if unread := self.unsent_bytes():
            self.limiter.send_buffers.record(self, unread)
        else:
            self.limiter.send_buffers.forget(self)
        if self.kind == "socket":
            return  # the WebSocket has timeouts of its own
        limits = self.limiter.limits
        if self._waiter is None:
            self.idle_since = 0.0
        elif not self.idle_since:
            self.idle_since = now
            if not self.head_started_at and self._has_partial_head():
                self.head_started_at = now
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


def get_connection(request: web.BaseRequest) -> ClientConnection:
    """Return the connection of a request; `service.web.server.runner` makes no others."""
    return cast("ClientConnection", request.protocol)


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


def start_socket(request: web.BaseRequest) -> None:
    """Mark the connection as a WebSocket."""
    get_connection(request).kind = "socket"


async def discard_until_closed(request: web.BaseRequest) -> None:
    """Read what the client of a WebSocket still sends, after a close frame, until it has closed.

    If the service closed the connection with data unread, TCP would reset it, and the client would never read the
    close frame (RFC 6455, 7.1.1).
    """
    connection = get_connection(request)
    if connection.frames is not None:
        connection.received_bytes = 0
        connection.resume_reading()
        await connection.frames.wait_until_closed()


@contextmanager
def reading_body(request: web.BaseRequest) -> Iterator[None]:
    """Limit what the client sends while a handler reads the body."""
    connection = get_connection(request)
    connection.body = request.content
    connection.check_body_can_end(request.content)
    try:
        yield
    finally:
        connection.body = None


@contextmanager
def streaming_response(request: web.BaseRequest) -> Iterator[None]:
    """Mark the response as a stream.

    Raises Malformed if the request's head is too large to stay in memory, ConnectionResetError if the client has closed
    its sending half, as `eof_received` does when it closes it later.
    """
    connection = get_connection(request)
    if connection.is_half_closed:
        raise ConnectionResetError("the client closed its sending half")
    if connection.received_bytes > MAX_STREAM_HEAD_BYTES:
        raise Malformed(
            f"a request for a WebSocket or event stream may have {MAX_STREAM_HEAD_BYTES} bytes and no successor"
        )
    connection.kind = "stream"
    try:
        yield
    finally:
        connection.kind = "response"
