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
from service.web.connections.client_ip import NOBODY

if TYPE_CHECKING:
    from service.web.connections.limiter import Gate

__all__ = ["COUNTED", "GuardedConnection", "begin_message", "connection_of", "count_unread", "lasting", "reading"]

MOST_HEAD = 65_536
"""Bytes of a request's head, whose lines have limits of their own."""

MAX_STREAM_HEAD = 16_384
"""The same of a socket or an event stream, which keeps its head for as long as it is open."""

MAX_FRAMING = 65_536
"""Bytes that a body may come with beside itself: chunk sizes, extensions, trailers, requests sent ahead."""

MAX_DRAINED = 65_536
"""Bytes of a body that are read after its answer, so that the client sees the answer and keeps the connection."""

MESSAGE_FRAMING = 4
"""Times the size of a socket's message that may come for it: it may be in any number of frames, which are work."""

MAX_READ = 262_144
"""Bytes that an event loop may read at once, of however many messages."""

COUNTED = 65_536
"""Bytes that a client may have to read before they are counted at once, and not only at the next look at everybody.

The high-water mark of transports, by default.
"""


class GuardedConnection(web.RequestHandler):
    """One connection."""

    __slots__ = (
        "_writing",
        "address",
        "begun",
        "body",
        "client",
        "first",
        "gate",
        "head",
        "held",
        "idle_since",
        "kind",
        "max_received",
        "received",
        "stopped",
        "stuck_since",
    )

    def __init__(self, manager: web.Server, *, gate: "Gate", loop: asyncio.AbstractEventLoop, **options: Any) -> None:
        super().__init__(manager, loop=loop, **options)
        self.gate = gate
        self.max_received = gate.limits.max_body_bytes + MAX_FRAMING
        """Bytes that a client may send while a request of its is being answered."""
        self.client: str | None = NOBODY
        """Who is at the other end; None for a trusted proxy."""
        self.address = NOBODY
        """Who asked last."""
        self._writing: asyncio.Transport | None = None
        """The transport; aiohttp forgets it as it closes, though not all may have been read by then."""
        self.begun = 0.0
        """When a head began that is not whole yet; 0 where there is none."""
        self.head = 0
        """Its bytes so far."""
        self.idle_since = 0.0
        """When it was first seen to wait for a request; 0 where it was not."""
        self.stuck_since = 0.0
        """Since when the client has not read all that was sent; 0 where it has."""
        self.first = 0
        """Bytes that came with the head of a request that is to begin."""
        self.received = 0
        """Bytes that came since the request that is being answered began, its head among them."""
        self.body: StreamReader | None = None
        """What a handler is reading."""
        self.kind: Literal["answer", "socket", "stream"] = "answer"
        """What it writes; while it is an event stream, nothing more is to come from the client."""
        self.held = False
        """Nothing is read until the next request begins."""
        self.stopped = False
        """Nothing more is read; the connection ends with its answer."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, or refuse to."""
        self.client = self.gate.proxies.direct(transport.get_extra_info("peername"))
        self.address = self.client or NOBODY
        self._writing = cast("asyncio.Transport", transport)
        super().connection_made(transport)
        refusal = self.gate.enter(self)
        if refusal:
            self._writing.write(refusal)
            self.force_close()

    def connection_lost(self, exc: BaseException | None) -> None:
        """End."""
        self.gate.leave(self)
        self.gate.unread.forget(self)
        self._writing = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come; where it is no whole head, the time runs."""
        if self.stopped:
            return
        super().data_received(data)
        if self._waiter is None:
            self._count(len(data))
            return
        if self._messages:
            self.begun = self.idle_since = 0.0
            self.first = self.head + len(data)
            self.head = 0
            return
        if not self.begun:
            self.begun = asyncio.get_running_loop().time()
        self.head += len(data)
        if self.head > MOST_HEAD:
            self.force_close()

    def pause_writing(self) -> None:
        """Count what the client has not read, now that it is more than a little."""
        super().pause_writing()
        self.gate.unread.record(self, self.unread())

    def resume_writing(self) -> None:
        """Count it no more, as the client has read most of it."""
        self.gate.unread.forget(self)
        super().resume_writing()

    def unread(self) -> int:
        """Bytes that were written and the system has not taken, since the client does not read."""
        return 0 if self._writing is None else self._writing.get_write_buffer_size()

    def cut_off(self) -> None:
        """End at once, and drop what is unread."""
        if self._writing is not None:
            self._writing.abort()

    def begin_request(self, address: str) -> None:
        """Count anew what comes."""
        self.address = address
        self.received, self.first = self.first, 0
        if self.held:
            self.held = False
            self.resume_reading()

    def finish_request(self, request: web.BaseRequest, response: web.StreamResponse) -> None:
        """Read no body to its end after its answer, unless that is soon: the connection ends then.

        Chunks are as much work as they are many, however small, and nobody knows when they end.
        """
        content, length = request.content, request.content_length
        if content.is_eof() or (length is not None and length - content.total_bytes <= MAX_DRAINED):
            return
        response.force_close()
        self.stop_reading()

    def stop_reading(self) -> None:
        """Take nothing more; aiohttp waits for `LINGER_S`, so that the client can read its answer, and closes."""
        self.stopped = True
        self._pause()

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002 (aiohttp's)
        """Go on, unless that is over."""
        if not self.stopped:
            super().resume_reading(resume_parser)

    def log_exception(self, *args: Any, **options: Any) -> None:
        """Log what went wrong, unless it is a body that the client sent badly, which was answered already."""
        if not isinstance(options.get("exc_info"), web.RequestPayloadError):
            super().log_exception(*args, **options)

    def _pause(self) -> None:
        if self.transport is not None:
            self.transport.pause_reading()

    def _count(self, size: int) -> None:
        """Take no more than the body that is being read may have, nor than what may be sent ahead."""
        self.received += size
        if self.kind == "socket":
            if self.received > MESSAGE_FRAMING * self.gate.limits.max_message_bytes + MAX_READ:
                self.cut_off()
        elif self.body is not None and self._messages and not self.body.is_eof():
            # aiohttp found no chunk where one should be: it tells the next handler, and not the one that waits for it.
            self.body.set_exception(web.RequestPayloadError("no chunk"))
        elif self.kind == "stream" and self.received > MAX_STREAM_HEAD:
            self.cut_off()
        elif self.received > self.max_received:
            if self.body is None:
                self.held = True
                self._pause()
            else:
                self.body.set_exception(web.RequestPayloadError("too much beside the body"))
                self.stop_reading()

    def look(self, now: float) -> None:
        """Close it where the client takes too long."""
        if unread := self.unread():
            self.gate.unread.record(self, unread)
        else:
            self.gate.unread.forget(self)
        if self.kind == "socket":
            return  # it has bounds of its own
        limits = self.gate.limits
        if self._waiter is None:
            self.idle_since = 0.0
        elif not self.idle_since:
            self.idle_since = now
        if (self.begun and now - self.begun > limits.request_timeout_s) or self._is_idle_too_long(now):
            self.force_close()
        elif not unread:
            self.stuck_since = 0.0
        elif not self.stuck_since:
            self.stuck_since = now
        elif now - self.stuck_since > limits.answer_timeout_s:
            self.cut_off()

    def _is_idle_too_long(self, now: float) -> bool:
        """Whether a client's has nothing to do; a proxy that uses one as it is closed would fail somebody's request."""
        return self.client is not None and 0 < self.idle_since < now - self.gate.limits.keep_alive_s


def connection_of(request: web.BaseRequest) -> GuardedConnection:
    """The connection that a request came by; `service.web.runner` makes no others."""
    return cast("GuardedConnection", request.protocol)


def count_unread(request: web.BaseRequest, size: int) -> None:
    """Note how much a socket or an event stream has to read; may cut off what others do not read."""
    connection = connection_of(request)
    connection.gate.unread.record(connection, size)


def begin_message(request: web.BaseRequest) -> None:
    """Count anew what comes, from the request or the last message of a socket until its next."""
    connection = connection_of(request)
    connection.kind, connection.received = "socket", 0


@contextmanager
def reading(request: web.BaseRequest) -> Iterator[None]:
    """Read a request's body, of which a client may send too much."""
    connection = connection_of(request)
    connection.body = request.content
    try:
        yield
    finally:
        connection.body = None


@contextmanager
def lasting(request: web.BaseRequest) -> Iterator[None]:
    """Answer with a socket or an event stream. Raises Malformed where its head is too large to be kept."""
    connection = connection_of(request)
    if connection.received > MAX_STREAM_HEAD:
        raise Malformed(
            f"a socket or an event stream may be asked for with {MAX_STREAM_HEAD} bytes, nothing after them"
        )
    connection.kind = "stream"
    try:
        yield
    finally:
        connection.kind = "answer"
