"""One connection, as bytes come and go: how many, and how long a client may take over anything.

A client may not make anybody wait, nor keep a connection for long without using it: a request's head has to come in one
go, an answer has to be read, and nothing is read that nobody wants.

This module alone reads private attributes of aiohttp, two of its `RequestHandler`, which tell what no public one does:
- `_waiter` is not None while a connection waits for its next request: only then what comes is a head, which must come
  in time, and the connection is idle. An ingress may bound both, but the service also runs without one.
- `_messages` are requests that no handler has taken up: that there is one tells that a head is whole, or, while a body
  is read, that aiohttp found no chunk where one should be, of which it tells only the next handler.

`tests/web/test_aiohttp.py` fails where a new version of aiohttp has others, and says what to do.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, cast

from aiohttp import StreamReader, web

from service.games.errors import Malformed
from service.web.connections.client_ip import UNKNOWN

if TYPE_CHECKING:
    from service.web.connections.limiter import ConnectionLimiter

__all__ = [
    "HIGH_WATER_BYTES",
    "ClientConnection",
    "get_connection",
    "reading_body",
    "record_unsent",
    "start_message",
    "streaming_response",
]

MAX_HEAD_BYTES = 65_536
"""Bytes of a request's head, whose lines have limits of their own."""

MAX_STREAM_HEAD_BYTES = 16_384
"""The same of a socket or an event stream, which keeps its head for as long as it is open."""

MAX_FRAMING_BYTES = 65_536
"""Bytes that a body may come with beside itself: chunk sizes, extensions, trailers, requests sent ahead."""

MAX_DRAINED_BYTES = 65_536
"""Bytes of a body that are read after its answer, so that the client sees the answer and keeps the connection."""

MESSAGE_FRAMING_FACTOR = 4
"""Times the size of a socket's message that may come for it: it may be in any number of frames, which are work."""

MAX_READ_BYTES = 262_144
"""Bytes that an event loop may read at once, of however many messages."""

HIGH_WATER_BYTES = 65_536
"""Bytes that a client may have to read before they are counted at once, and not only at the next look at everybody.

The high-water mark of transports, by default.
"""


class ClientConnection(web.RequestHandler):
    """One connection."""

    __slots__ = (
        "_write_transport",
        "address",
        "blocked_since",
        "body",
        "client",
        "head_bytes",
        "head_started_at",
        "idle_since",
        "is_paused",
        "is_stopped",
        "kind",
        "limiter",
        "max_received_bytes",
        "read_ahead_bytes",
        "received_bytes",
    )

    def __init__(
        self, manager: web.Server, *, limiter: "ConnectionLimiter", loop: asyncio.AbstractEventLoop, **options: Any
    ) -> None:
        super().__init__(manager, loop=loop, **options)
        self.limiter = limiter
        self.max_received_bytes = limiter.limits.max_body_bytes + MAX_FRAMING_BYTES
        """Bytes that a client may send while a request of its is being answered."""
        self.client: str | None = UNKNOWN
        """Who is at the other end; None for a trusted proxy."""
        self.address = UNKNOWN
        """Who asked last."""
        self._write_transport: asyncio.Transport | None = None
        """The transport; aiohttp forgets it as it closes, though not all may have been read by then."""
        self.head_started_at = 0.0
        """When a head began that is not whole yet; 0 where there is none."""
        self.head_bytes = 0
        """Its bytes so far."""
        self.idle_since = 0.0
        """When it was first seen to wait for a request; 0 where it was not."""
        self.blocked_since = 0.0
        """Since when the client has not read all that was sent; 0 where it has."""
        self.read_ahead_bytes = 0
        """Bytes that came with the head of a request that is to begin."""
        self.received_bytes = 0
        """Bytes that came since the request that is being answered began, its head among them."""
        self.body: StreamReader | None = None
        """What a handler is reading."""
        self.kind: Literal["answer", "socket", "stream"] = "answer"
        """What it writes; while it is an event stream, nothing more is to come from the client."""
        self.is_paused = False
        """Nothing is read until the next request begins."""
        self.is_stopped = False
        """Nothing more is read; the connection ends with its answer."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, or refuse to."""
        self.client = self.limiter.proxies.direct_client(transport.get_extra_info("peername"))
        self.address = self.client or UNKNOWN
        self._write_transport = cast("asyncio.Transport", transport)
        super().connection_made(transport)
        refusal = self.limiter.add(self)
        if refusal:
            self._write_transport.write(refusal)
            self.force_close()

    def connection_lost(self, exc: BaseException | None) -> None:
        """End."""
        self.limiter.remove(self)
        self.limiter.send_buffers.forget(self)
        self._write_transport = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come; where it is no whole head, the time runs."""
        if self.is_stopped:
            return
        super().data_received(data)
        if self._waiter is None:
            self._count_received(len(data))
            return
        if self._messages:
            self.head_started_at = self.idle_since = 0.0
            self.read_ahead_bytes = self.head_bytes + len(data)
            self.head_bytes = 0
            return
        if not self.head_started_at:
            self.head_started_at = asyncio.get_running_loop().time()
        self.head_bytes += len(data)
        if self.head_bytes > MAX_HEAD_BYTES:
            self.force_close()

    def pause_writing(self) -> None:
        """Count what the client has not read, now that it is more than a little."""
        super().pause_writing()
        self.limiter.send_buffers.record(self, self.unsent_bytes())

    def resume_writing(self) -> None:
        """Count it no more, as the client has read most of it."""
        self.limiter.send_buffers.forget(self)
        super().resume_writing()

    def unsent_bytes(self) -> int:
        """Bytes that were written and the system has not taken, since the client does not read."""
        return 0 if self._write_transport is None else self._write_transport.get_write_buffer_size()

    def drop(self) -> None:
        """End at once, and drop what is unread."""
        if self._write_transport is not None:
            self._write_transport.abort()

    def start_request(self, address: str) -> None:
        """Count anew what comes."""
        self.address = address
        self.received_bytes, self.read_ahead_bytes = self.read_ahead_bytes, 0
        if self.is_paused:
            self.is_paused = False
            self.resume_reading()

    def finish_request(self, request: web.BaseRequest, response: web.StreamResponse) -> None:
        """Read no body to its end after its answer, unless that is soon: the connection ends then.

        Chunks are as much work as they are many, however small, and nobody knows when they end.
        """
        content, length = request.content, request.content_length
        if content.is_eof() or (length is not None and length - content.total_bytes <= MAX_DRAINED_BYTES):
            return
        response.force_close()
        self.stop_reading()

    def stop_reading(self) -> None:
        """Take nothing more; aiohttp waits for `LINGER_S`, so that the client can read its answer, and closes."""
        self.is_stopped = True
        self._pause_transport()

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002 (aiohttp's)
        """Go on, unless that is over."""
        if not self.is_stopped:
            super().resume_reading(resume_parser)

    def log_exception(self, *args: Any, **options: Any) -> None:
        """Log what went wrong, unless it is a body that the client sent badly, which was answered already."""
        if not isinstance(options.get("exc_info"), web.RequestPayloadError):
            super().log_exception(*args, **options)

    def _pause_transport(self) -> None:
        if self.transport is not None:
            self.transport.pause_reading()

    def _count_received(self, size: int) -> None:
        """Take no more than the body that is being read may have, nor than what may be sent ahead."""
        self.received_bytes += size
        if self.kind == "socket":
            if self.received_bytes > MESSAGE_FRAMING_FACTOR * self.limiter.limits.max_message_bytes + MAX_READ_BYTES:
                self.drop()
        elif self.body is not None and self._messages and not self.body.is_eof():
            # aiohttp found no chunk where one should be: it tells the next handler, and not the one that waits for it.
            self.body.set_exception(web.RequestPayloadError("no chunk"))
        elif self.kind == "stream" and self.received_bytes > MAX_STREAM_HEAD_BYTES:
            self.drop()
        elif self.received_bytes > self.max_received_bytes:
            if self.body is None:
                self.is_paused = True
                self._pause_transport()
            else:
                self.body.set_exception(web.RequestPayloadError("too much beside the body"))
                self.stop_reading()

    def check_timeouts(self, now: float) -> None:
        """Close it where the client takes too long."""
        if unread := self.unsent_bytes():
            self.limiter.send_buffers.record(self, unread)
        else:
            self.limiter.send_buffers.forget(self)
        if self.kind == "socket":
            return  # it has bounds of its own
        limits = self.limiter.limits
        if self._waiter is None:
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
        """Whether a client's has nothing to do; a proxy that uses one as it is closed would fail somebody's request."""
        return self.client is not None and 0 < self.idle_since < now - self.limiter.limits.keep_alive_timeout_s


def get_connection(request: web.BaseRequest) -> ClientConnection:
    """The connection that a request came by; `service.web.runner` makes no others."""
    return cast("ClientConnection", request.protocol)


def record_unsent(request: web.BaseRequest, size: int) -> None:
    """Note how much a socket or an event stream has to read; may cut off what others do not read."""
    connection = get_connection(request)
    connection.limiter.send_buffers.record(connection, size)


def start_message(request: web.BaseRequest) -> None:
    """Count anew what comes, from the request or the last message of a socket until its next."""
    connection = get_connection(request)
    connection.kind, connection.received_bytes = "socket", 0


@contextmanager
def reading_body(request: web.BaseRequest) -> Iterator[None]:
    """Read a request's body, of which a client may send too much."""
    connection = get_connection(request)
    connection.body = request.content
    try:
        yield
    finally:
        connection.body = None


@contextmanager
def streaming_response(request: web.BaseRequest) -> Iterator[None]:
    """Answer with a socket or an event stream. Raises Malformed where its head is too large to be kept."""
    connection = get_connection(request)
    if connection.received_bytes > MAX_STREAM_HEAD_BYTES:
        raise Malformed(
            f"a socket or an event stream may be asked for with {MAX_STREAM_HEAD_BYTES} bytes, nothing after them"
        )
    connection.kind = "stream"
    try:
        yield
    finally:
        connection.kind = "answer"
