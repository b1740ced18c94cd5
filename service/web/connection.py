"""The life of a connection: who its client is, how long it may take, what it takes of the event loop, and its end.

A client must not keep a connection busy without using it: a request's head must arrive in time, a response must be
read, and little is read that no handler wants. aiohttp parses what arrives, and queues pipelined requests.

The time of the event loop that a connection takes, measured where its handlers run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from functools import partial
from time import perf_counter
from types import coroutine
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from aiohttp import HttpVersion11, hdrs, web

from service.web.accounts import Account
from service.web.app import EXPECTS_CONTINUE
from service.web.charge import Charge
from service.web.client_ip import UNKNOWN, BearerToken
from service.web.connection_limiter import ConnectionLimiter
from service.web.frames import FrameReader

if TYPE_CHECKING:
    from aiohttp.http import WebSocketReader


T = TypeVar("T")


MAX_CHARGED_S = 0.2
"""No request takes the event loop for longer: the machine stood still then. A client may take more at once."""


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
        """Return the seconds that were taken since the last call, at most MAX_CHARGED_S."""
        if self._step_started_at:
            now = perf_counter()
            self.unpaid_s += now - self._step_started_at
            self._step_started_at = now
        seconds, self.unpaid_s = self.unpaid_s, 0.0
        return min(seconds, MAX_CHARGED_S)

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

MAX_FRAMING_BYTES = 393_216
"""Bytes beside a body: chunk sizes, extensions, trailers, its head and what else came with it in one packet."""

MAX_DRAINED_BYTES = 65_536
"""Bytes of a body that are read after its response, so that the client sees the response and keeps the connection."""

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

    charge: Charge
    """What the current request or message is charged to, once the connection is made."""
    peer_address = ""
    """The address of the socket's peer; empty if it has none, as a Unix socket."""
    client: str | None = UNKNOWN
    """The client's address; None for a trusted proxy."""
    bearer_token: BearerToken | None = None
    """The token of the last valid Authorization header."""
    kind: Literal["response", "socket", "stream"] = "response"
    """What is written; while it is an event stream, the client must send nothing."""
    request: web.BaseRequest | None = None
    """The request that is handled; None between two."""
    is_pipelined = False
    """Whether it arrived together with the one before."""
    begun_requests = 0
    """How many were handed to their handlers."""
    received_bytes = 0
    """Bytes since the last response; those of pipelined requests are counted together."""
    is_ahead = False
    """Whether nothing is read until all requests are answered, since one was sent while another was handled."""
    frames: FrameReader | None = None
    """What reads a WebSocket's frames."""
    is_discarding = False
    """Whether nothing is passed on any more: the last response or close frame was sent."""
    discarded_bytes = 0
    """Bytes that have arrived since then."""
    head_started_at = 0.0
    """When the head of the next request began; 0 if nothing of it has arrived."""
    idle_since = 0.0
    """When the connection was first seen idle; 0 if it is not."""
    blocked_since = 0.0
    """Since when there are unsent bytes; 0 if there are none."""
    has_ended = False
    """Whether the client has closed its sending half."""
    ended: asyncio.Future[None] | None = None
    """Resolved then, for who waits for it."""
    lost: asyncio.Future[None] | None = None
    """Resolved when the connection is lost; None unless it ends with the request that has begun."""
    _write_transport: asyncio.Transport | None = None
    """The transport; aiohttp drops its reference on close, when data may still be unsent."""

    def __init__(
        self, manager: web.Server, *, limiter: ConnectionLimiter, loop: asyncio.AbstractEventLoop, **options: Any
    ) -> None:
        super().__init__(manager, loop=loop, **options)
        self.limiter = limiter
        self.loop_time = LoopTime()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the connection, or reject it."""
        peer = transport.get_extra_info("peername")
        self.peer_address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        self.client = self.limiter.proxies.direct_client(self.peer_address)
        self.begin_charge(self.limiter.accounts.get(self.client or UNKNOWN))
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
        if self.request is None and (self.has_ended or not self.head_started_at):
            self.force_close()

    async def shutdown(self, timeout: float | None = None) -> None:  # noqa: ASYNC109  aiohttp's signature
        """Wait until the request that has begun is answered and the response is sent, then close."""
        if self._write_transport is not None and self.lost is not None:
            await asyncio.wait([self.lost], timeout=timeout)
        await super().shutdown(CANCEL_TIMEOUT_S)

    def data_received(self, data: bytes) -> None:
        """Have aiohttp parse what has arrived, or go on with what it has; take the frames of a WebSocket."""
        if self.is_discarding:
            self._discard(data)
        elif self.frames is not None:
            self.frames.feed_data(data)
        else:
            started_at = perf_counter()
            self.received_bytes += len(data)
            if self.request is None:
                self.head_started_at = self.head_started_at or asyncio.get_running_loop().time()
            elif data and self.request.content.is_eof():
                self.is_ahead = self.kind != "stream"
            super().data_received(data)
            if self.request is not None:
                self._check_body(self.request)
                self._limit_received()
            self.loop_time.add_since(started_at)

    def _limit_received(self) -> None:
        """Read no more while the client is ahead; nothing may follow the request for an event stream."""
        if self.is_ahead and self.transport is not None:
            self.transport.pause_reading()
        elif self.kind == "stream" and self.received_bytes > MAX_STREAM_HEAD_BYTES:
            self.drop()
        elif self.received_bytes > self.limiter.limits.max_body_bytes + MAX_FRAMING_BYTES:
            self._end_body("too much data beside the body")

    def begin_request(self, request: web.BaseRequest) -> None:
        """Note the request that aiohttp hands to its handler now."""
        self.request = request
        self.is_pipelined = not self.head_started_at
        self.begun_requests += 1
        self.head_started_at = self.idle_since = 0.0
        if not request.content.is_eof():  # which is no request that was sent ahead
            self.read_on()
        self._check_body(request)
        if self.has_ended:
            self._end_body("the body ended early")

    def _check_body(self, request: web.BaseRequest) -> None:
        """Tell the handler if the body is malformed: aiohttp only queues the error, and nothing else before the end."""
        if self._messages and not request.content.is_eof():
            self._end_body("the body is not encoded correctly")

    def _end_body(self, reason: str) -> None:
        """Tell the handler that the rest of the body does not come, if any is missing."""
        if self.request is not None and not self.request.content.is_eof():
            self.request.content.set_exception(web.RequestPayloadError(reason))

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
        self._end_body("the body ended early")
        if self.request is None:
            self._go_on_when_idle()
        return True

    def _go_on_when_idle(self) -> None:
        """Go on unless aiohttp has another request: it would begin in the next turn of the event loop."""
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._go_on, self.begun_requests)

    def _go_on(self, begun_requests: int) -> None:
        """Close, or read on, if all requests are answered."""
        if self.request is None and self.begun_requests == begun_requests and self.transport is not None:
            if self.has_ended or self.lost is not None:
                self.close()
            else:
                self.read_on()

    def read_on(self) -> None:
        """Read what follows the last request."""
        if self.is_ahead:
            self.is_ahead, self.received_bytes = False, 0
            self.resume_reading(resume_parser=False)

    def set_parser(self, parser: "WebSocketReader", data_received_cb: Callable[[], None] | None = None) -> None:
        """Check the frames of a WebSocket before aiohttp's parser reads them."""
        assert self.transport is not None  # noqa: S101  aiohttp has just written the handshake
        self.kind = "socket"
        max_bytes, take_turn = self.limiter.limits.max_message_bytes, partial(self.charge.account.take_turn, "messages")
        self.frames = FrameReader(parser, self.transport, max_bytes, take_turn)
        self.read_on()
        super().set_parser(cast("WebSocketReader", self.frames), data_received_cb)

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
        """Send the response, and read the rest of the body; after the last, read on, so that the client can read it.

        A connection that closes with unread data is reset (RFC 9112, 9.6).
        """
        if self.is_pipelined:
            await asyncio.sleep(0)  # other connections run between two responses of this one
        if is_last_request(request, resp):
            resp.force_close()
        sent = await self.loop_time.measure(super().finish_response(request, resp, start_time))
        self.loop_time.unpaid_s += REQUEST_S
        self.charge_busy_time()
        self.begin_charge(self.charge.account)
        _, is_lost = sent
        if self.frames is not None or is_lost:
            return sent
        self.kind = "response"
        if not self.is_ahead:
            self.received_bytes = 0
        body = request.content
        if not resp.keep_alive or not body.is_eof():
            with suppress(TimeoutError, web.RequestPayloadError):
                async with asyncio.timeout(LINGER_TIMEOUT_S):
                    while resp.keep_alive and not body.is_eof():
                        await body.readany()
                    if not resp.keep_alive:
                        await self.discard_rest()
        self.request = None
        if not resp.keep_alive or not body.is_eof():
            self.force_close()
        elif self.is_ahead or self.has_ended or self.lost is not None:
            self._go_on_when_idle()
        return sent

    def begin_charge(self, account: Account) -> Charge:
        """Begin the charge of the next request or message, to the account of its client."""
        self.charge = Charge(account)
        return self.charge

    def charge_busy_time(self) -> None:
        """Charge the time since the last call."""
        self.charge.charge_time(self.loop_time.take())

    async def discard_rest(self) -> None:
        """Discard what arrives until the client has closed its sending half, or sent a close frame.

        Otherwise TCP would reset the connection, and the client could not read the last response or close frame.
        """
        if self.transport is None or self.transport.is_closing():
            return
        self.is_discarding = True
        if self.frames is not None:
            await self.frames.discard()
            return
        self.transport.write_eof()
        self.transport.resume_reading()
        if not self.has_ended:
            self.ended = asyncio.get_running_loop().create_future()
            await self.ended

    def _set_ended(self) -> None:
        self.has_ended = True
        if self.ended is not None and not self.ended.done():
            self.ended.set_result(None)

    def check_timeouts(self, now: float) -> None:
        """Close the connection if the client takes too long; charge what was sent since it last sent something."""
        if self.loop_time.unpaid_s:
            self.charge_busy_time()
        if unread := self.unsent_bytes():
            self.limiter.send_buffers.record(self, unread)
        else:
            self.limiter.send_buffers.forget(self)
        if self.kind == "socket":
            return  # the WebSocket has timeouts of its own
        limits = self.limiter.limits
        if self.request is None:
            self.idle_since = self.idle_since or now
            is_late = 0 < self.head_started_at < now - limits.request_timeout_s
            # a proxy may be sending its next request just when its connection is closed
            if is_late or (self.client is not None and self.idle_since < now - limits.keep_alive_timeout_s):
                self.force_close()
        if not unread:
            self.blocked_since = 0.0
        elif not self.blocked_since:
            self.blocked_since = now
        elif now - self.blocked_since > limits.response_timeout_s:
            self.drop()


def is_last_request(request: web.BaseRequest, response: web.StreamResponse) -> bool:
    """Return whether no other request can follow this one, so that the connection closes after its response.

    None follows a body of which much is missing: each chunk is work, however small, and chunked bodies have no
    known end; nor a body that was not asked for, which may never be sent (RFC 9110, 10.1.1). An HTTP/1.0 client
    reads to the end what has no length, and may mean something else by chunks (RFC 9112, 6.1). After an upgrade to
    another protocol than WebSocket, aiohttp drops what came in the same packet.
    """
    headers, body, length = request.headers, request.content, request.content_length
    if headers.get(hdrs.UPGRADE, "websocket") != "websocket":
        return True
    if request.version < HttpVersion11 and (response.content_length is None or hdrs.TRANSFER_ENCODING in headers):
        return True
    return not body.is_eof() and (
        length is None
        or length - body.total_bytes > MAX_DRAINED_BYTES
        or (body.total_bytes == 0 and request.get(EXPECTS_CONTINUE, False))
    )


def get_connection(request: web.BaseRequest) -> ClientConnection:
    """Return the connection of a request; `service.web.server` makes no others."""
    return request.protocol  # type: ignore[return-value]  # aiohttp declares the base class
