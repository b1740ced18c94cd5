"""The life of a connection: who its client is, how long it may take, what it takes of the event loop, and its end.

A client must not keep a connection busy without using it: a request's head must arrive in time, a response must be
read, and nothing is read that no handler wants. `RequestReader` and `FrameReader` cut what arrives.

This module alone reads a private attribute of aiohttp's `RequestHandler`, for which there is no public equivalent:
`_messages` are parsed requests, each with its body, that no handler has taken yet. It tells that a head is complete,
or, while a body arrives, that aiohttp found an invalid chunk, which it reports only to the next handler. It can go when
aiohttp offers timeouts for heads and answers clients that have closed their sending half. `tests/web/test_aiohttp.py`
fails when a new version of aiohttp changes it, and says what to do.

The time of the event loop that a connection takes, measured where its handlers run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from functools import partial
from time import perf_counter
from types import coroutine
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from aiohttp import web

from service.web.charge import Charge
from service.web.client_ip import UNKNOWN, BearerToken
from service.web.connections.frames import FrameReader
from service.web.connections.limiter import ConnectionLimiter
from service.web.connections.request_reader import RequestReader, is_last_request

if TYPE_CHECKING:
    from aiohttp.http import WebSocketReader


T = TypeVar("T")


class LoopTime:
    """The time of one connection that is not charged yet."""

    __slots__ = ("_step_started_at", "unpaid_s")

    def __init__(self) -> None:
        self.unpaid_s = 0.0
        """Seconds of the event loop that were taken."""
        self._step_started_at = 0.0
        """When the step of a handler began that is running; 0 while none is."""

    def add_since(self, started_at: float) -> None:
        """Add the time since then, unless it is a part of a step's."""
        if not self._step_started_at:
            self.unpaid_s += perf_counter() - started_at

    def take(self) -> float:
        """Return the seconds that were taken since the last call."""
        if self._step_started_at:
            now = perf_counter()
            self.unpaid_s += now - self._step_started_at
            self._step_started_at = now
        seconds, self.unpaid_s = self.unpaid_s, 0.0
        return seconds

    @coroutine
    def measure(self, handling: Awaitable[T]) -> Generator[Any, Any, T]:
        """Await something, and add the time of its steps; what runs between them is others'."""
        steps: Any = handling.__await__()
        step, value = steps.send, None
        while True:
            self._step_started_at = perf_counter()
            try:
                awaited = step(value)
            except StopIteration as end:
                return cast("T", end.value)
            finally:
                self.unpaid_s += perf_counter() - self._step_started_at
                self._step_started_at = 0.0
            try:
                step, value = steps.send, (yield awaited)
            except BaseException as error:  # noqa: BLE001  whatever it is, it is the coroutine's
                step, value = steps.throw, error


MAX_STREAM_HEAD_BYTES = 16_384
"""Bytes of the head of a WebSocket or event stream, which stays in memory while it is open."""

MAX_PENDING_BYTES = 65_536
"""Bytes that a client may send ahead before no more are read."""

MAX_DISCARDED_BYTES = 4_194_304
"""Bytes that are read after the last response or close frame."""

LINGER_TIMEOUT_S = 2.0
"""How long a connection is read after a response that ends it, so that the client can read the response."""

CANCEL_TIMEOUT_S = 0.1
"""How long a handler may take to end once it is cancelled, because it had its time to finish."""

REQUEST_S = 0.00005
"""What a request takes of aiohttp and the event loop, which cannot be timed."""

HIGH_WATER_BYTES = 65_536
"""Unsent bytes from which on they are recorded at once, and not only by the next sweep.

The default high-water mark of transports.
"""


class ClientConnection(web.RequestHandler):
    """One connection of a client."""

    __slots__ = (
        "_write_transport",
        "bearer_token",
        "blocked_since",
        "charge",
        "client",
        "discarded_bytes",
        "ended",
        "frames",
        "has_ended",
        "idle_since",
        "is_discarding",
        "is_paused",
        "kind",
        "limiter",
        "loop_time",
        "lost",
        "peer_address",
        "requests",
    )

    def __init__(
        self, manager: web.Server, *, limiter: ConnectionLimiter, loop: asyncio.AbstractEventLoop, **options: Any
    ) -> None:
        super().__init__(manager, loop=loop, **options)
        self.limiter = limiter
        self.charge: Charge
        """What the current request or message is charged to, once the connection is made."""
        self.loop_time = LoopTime()
        self.peer_address = ""
        """The address of the socket's peer; empty if it has none, as a Unix socket."""
        self.client: str | None = UNKNOWN
        """The client's address; None for a trusted proxy."""
        self.bearer_token: BearerToken | None = None
        """The token of the last valid Authorization header."""
        self._write_transport: asyncio.Transport | None = None
        """The transport; aiohttp drops its reference on close, when data may still be unsent."""
        self.requests = RequestReader(self._messages, limiter.limits.max_body_bytes)
        """What reads the client's requests."""
        self.idle_since = 0.0
        """When the connection was first seen idle; 0 if it is not."""
        self.blocked_since = 0.0
        """Since when there are unsent bytes; 0 if there are none."""
        self.frames: FrameReader | None = None
        """What reads a WebSocket's frames."""
        self.kind: Literal["response", "socket", "stream"] = "response"
        """What is written; while it is an event stream, the client must send nothing."""
        self.is_paused = False
        """Whether reading is paused because much is pending."""
        self.is_discarding = False
        """Whether nothing is passed on any more: the last response or close frame was sent."""
        self.discarded_bytes = 0
        """Bytes that have arrived since then."""
        self.has_ended = False
        """Whether the client sends nothing more: it has closed its sending half, or sent a close frame."""
        self.ended: asyncio.Future[None] | None = None
        """Resolved then, for who waits for it."""
        self.lost: asyncio.Future[None] | None = None
        """Resolved when the connection is lost; None unless it ends with the request that has begun."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the connection, or reject it."""
        peer = transport.get_extra_info("peername")
        self.peer_address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        self.client = self.limiter.proxies.direct_client(self.peer_address)
        self.charge = Charge(self.limiter.accounts.get(self.client or UNKNOWN))
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
        if self.loop_time.unpaid_s:
            self.charge_busy_time()
        self._write_transport = None
        self._set_ended()
        if self.lost is not None and not self.lost.done():
            self.lost.set_result(None)
        super().connection_lost(exc)

    def close(self) -> None:
        """Close the connection, after the request that has begun: aiohttp would drop what is missing of its body."""
        self.lost = self.lost or asyncio.get_running_loop().create_future()
        requests = self.requests
        if requests.is_waiting() and (self.has_ended or not requests.head_started_at):
            self.force_close()
        elif requests.is_answered and not requests.body.is_eof():
            super().close()

    async def shutdown(self, timeout: float | None = None) -> None:  # noqa: ASYNC109  aiohttp's signature
        """Wait until the request that has begun is answered and the response is sent, then close."""
        if self._write_transport is not None and self.lost is not None:
            await asyncio.wait([self.lost], timeout=timeout)
        await super().shutdown(CANCEL_TIMEOUT_S)

    def data_received(self, data: bytes) -> None:
        """Read what has arrived; without data, go on with what is pending."""
        if self.is_discarding:
            self._discard(data)
            return
        started_at = perf_counter()
        if self.frames is not None:
            self.frames.feed_data(data)
        else:
            requests, parse = self.requests, super().data_received
            if data:
                requests.pending += data
            else:
                requests.pass_on(data, parse)
            requests.read(parse)
            if self.is_paused or len(requests.pending) > MAX_STREAM_HEAD_BYTES:
                self._limit_pending()
        self.loop_time.add_since(started_at)

    def _limit_pending(self) -> None:
        """Pause reading while the client is too far ahead; nothing may follow the request for an event stream."""
        pending_bytes = len(self.requests.pending)
        if self.kind == "stream" and pending_bytes > MAX_STREAM_HEAD_BYTES:
            self.drop()
        elif self.transport is None:
            return
        elif pending_bytes > MAX_PENDING_BYTES:
            self.is_paused = True
            self.transport.pause_reading()
        elif self.is_paused:
            self.is_paused = False
            if not self.requests.is_buffer_full:
                self.transport.resume_reading()

    def _discard(self, data: bytes) -> None:
        """Discard what has arrived, but for the close frame; read no more after too much."""
        self.discarded_bytes += len(data)
        if self.discarded_bytes > MAX_DISCARDED_BYTES:
            if self.transport is not None:
                self.transport.pause_reading()
        elif self.frames is not None:
            self.frames.feed_data(data)

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
        self.requests.has_ended = True
        self.data_received(b"")
        return not self.requests.is_waiting()

    def set_parser(self, parser: "WebSocketReader", data_received_cb: Callable[[], None] | None = None) -> None:
        """Check the frames of a WebSocket before aiohttp's parser reads them."""
        assert self.transport is not None  # noqa: S101  aiohttp has just written the handshake
        self.kind = "socket"
        request_turn = partial(self.limiter.turns.request, self.charge.account.site.client, self._read_frames)
        max_bytes = self.limiter.limits.max_message_bytes
        self.frames = FrameReader(parser, self.transport, max_bytes, request_turn, self._set_ended)
        super().set_parser(cast("WebSocketReader", self.frames), data_received_cb)
        self.frames.feed_data(self.requests.pending)
        self.requests.pending.clear()

    def _read_frames(self) -> None:
        """Read a message of a WebSocket, in a turn of the event loop."""
        assert self.frames is not None  # noqa: S101  they requested the turn
        started_at = perf_counter()
        self.frames.read()
        self.loop_time.add_since(started_at)

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

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send the response, and go on with what is pending; after the last, read on, so that the client can read it.

        A connection that closes with unread data is reset (RFC 9112, 9.6). Other connections run between two pipelined
        requests of this one.
        """
        if is_last_request(request, resp):
            resp.force_close()
        sent = await self.loop_time.measure(super().finish_response(request, resp, start_time))
        self.loop_time.unpaid_s += REQUEST_S
        self.charge_busy_time()
        self.charge = Charge(self.charge.account)
        requests = self.requests
        requests.is_answered = not self._messages
        _, is_lost = sent
        if self.frames is not None or is_lost:
            return sent
        self.kind = "response"
        if not resp.keep_alive:
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_TIMEOUT_S):
                    await self.discard_rest()
            self.force_close()
        elif requests.pending or self._messages:
            await asyncio.sleep(0)
            self.data_received(b"")
        if self.lost is not None or (self.has_ended and requests.is_waiting()):
            self.close()
        return sent

    def charge_busy_time(self) -> None:
        """Charge the time since the last call."""
        self.charge.charge_time(self.loop_time.take())

    async def discard_rest(self) -> None:
        """Discard what arrives until the client has closed its sending half, or sent a close frame.

        Otherwise TCP would reset the connection, and the client could not read the last response or close frame.
        """
        if self.has_ended or self.transport is None or self.transport.is_closing():
            return
        self.is_discarding = True
        if self.frames is None:
            self.requests.pending.clear()
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
        self.requests.is_buffer_full = True
        super().pause_reading()

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002 (aiohttp's)
        """Resume reading, first what is pending; without `resume_parser`, the parser is reading just now."""
        if self.requests.is_buffer_full:  # aiohttp calls this after each read
            self.requests.is_buffer_full = False
            super().resume_reading(resume_parser)
            if self.is_paused:
                self._limit_pending()

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
        if not self.requests.is_waiting():
            self.idle_since = 0.0
        elif not self.idle_since:
            self.idle_since = now
        head_started_at = self.requests.head_started_at
        if (head_started_at and now - head_started_at > limits.request_timeout_s) or self._is_idle_too_long(now):
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
    """Return the connection of a request; `service.web.server` makes no others."""
    return request.protocol  # type: ignore[return-value]  # aiohttp declares the base class
