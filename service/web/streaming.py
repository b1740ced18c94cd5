"""What event streams and WebSockets share: messages as bytes, and the streams of this instance; and event streams.

A message is encoded and compressed once, however many connections it is sent to. A WebSocket frame from a server is not
masked (RFC 6455, 5.2), so all sockets can share its bytes. An event stream is sent in HTTP/1.1 chunks (RFC 9112, 7.1),
or as plain text to an HTTP/1.0 client.

A game may have so many streams; all are closed at shutdown.
"""

import asyncio
import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from random import SystemRandom
from time import perf_counter
from typing import Any, Literal, Protocol

from aiohttp import HttpVersion11, web

from schemas.base import encode_json
from schemas.messages import Snapshot
from service.engine import Message
from service.games.access import AccessRecord, authorize_read
from service.games.channel import ChannelMessage, DiffsMessage, MessageBatch, SnapshotMessage, build_snapshot
from service.games.errors import GameError, NoSuchGame, Unauthorized
from service.games.hub import Hub
from service.games.ports import Revision, StoredGame, StoreUnavailable
from service.games.queries import load_for_reader
from service.telemetry.metrics import CONNECTIONS_OPENED, RATE_LIMITED, SLOW_READERS_DROPPED
from service.web.app import CONTEXT, DRAINING, HUB, LIMITS, HttpRequest
from service.web.connection import HIGH_WATER_BYTES, get_connection
from service.web.handling import log_access
from service.web.headers import read_bearer_token
from service.web.limits import Limits
from service.web.parsing import EVENT_STREAM, parse_last_event_id
from service.web.problems import TooManyConnections
from service.web.rate_limiter import check_stream, open_stream
from service.web.responses import CACHE_PRIVATE, CACHE_PUBLIC, revision_etag

StreamKind = Literal["socket", "stream"]

PLAIN = "plain"
DEFLATED = "deflated"
"""Encodings for WebSockets: a text frame, and a compressed one."""
EVENT = "event"
CHUNK = "chunk"
"""Encodings for event streams: server-sent events, and these in one chunk."""

HEARTBEAT = b":\n\n"
"""A comment of an event stream, so that proxies do not close it as idle."""

_TEXT = 0x81
"""First byte of the only frame of a text message."""

_COMPRESSED_TEXT = 0xC1
"""The same with the RSV1 bit of RFC 7692."""

WINDOW_BITS = 12
"""The compression window: 4 KiB, which also the most restrictive clients allow."""

_COMPRESSION_LEVEL = 6

_FLUSH_TAIL = b"\x00\x00\xff\xff"
"""The end of every zlib flush, which a message leaves out (RFC 7692, 7.2.1)."""


def text_frame(payload: bytes, first_byte: int = _TEXT) -> bytes:
    r"""Return a frame with this payload.

    >>> text_frame(b"hi")
    b'\x81\x02hi'
    >>> [len(text_frame(bytes(size))) - size for size in (125, 126, 65_535, 65_536)]
    [2, 4, 4, 10]
    """
    size = len(payload)
    if size < 126:
        return bytes((first_byte, size)) + payload
    if size < 65_536:
        return bytes((first_byte, 126)) + size.to_bytes(2) + payload
    return bytes((first_byte, 127)) + size.to_bytes(8) + payload


def deflated_frame(text: bytes) -> bytes:
    """Return a compressed text frame that refers to no earlier message, so that all sockets can share it."""
    compressor = zlib.compressobj(_COMPRESSION_LEVEL, zlib.DEFLATED, -WINDOW_BITS)
    payload = compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return text_frame(payload.removesuffix(_FLUSH_TAIL), _COMPRESSED_TEXT)


def encode_message(message: ChannelMessage, encoding: str) -> bytes:
    """Return a channel's message in one of the four encodings; the result is cached in the message."""
    encoded = message.encoded.get(encoding)
    if encoded is None:
        match message:
            case _ if encoding == CHUNK:
                encoded = chunk(encode_message(message, EVENT))
            case DiffsMessage(diffs=diffs):
                encoded = b"".join([_encode_data(encoding, diff.version, diff.digest, diff.data) for diff in diffs])
            case SnapshotMessage(digest=digest, view=view):
                data = encode_json(Snapshot(digest=digest.hex(), game=view))
                encoded = _encode_data(encoding, view.version, digest, data)
            case MessageBatch(messages=messages):
                encoded = b"".join([encode_message(part, encoding) for part in messages])
        message.encoded[encoding] = encoded
    return encoded


def _encode_data(encoding: str, version: int, digest: bytes, data: bytes) -> bytes:
    """Encode one diff or snapshot; events have no `event` field, so that browsers pass them all to `onmessage`."""
    match encoding:
        case "plain":
            return text_frame(data)
        case "deflated":
            return deflated_frame(data)
        case _:
            return b"id: %d-%b\ndata: %b\n\n" % (version, digest.hex().encode(), data)


def chunk(data: bytes) -> bytes:
    """Return a chunk of a response body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


LOG = logging.getLogger(__name__)

SENT_DIFF_S = 0.00001
"""What a diff costs that a task of the game's channel sends to a subscriber."""

CLOSE_TIMEOUT_S = 5.0
"""How long a client may take to answer a close."""

MIN_RECONNECT_MS = 100

_RANDOM = SystemRandom()


class Stream(Protocol):
    """An open WebSocket or event stream."""

    @property
    def kind(self) -> StreamKind:
        """Return which of the two it is."""

    @property
    def close_code(self) -> int | None:
        """Return the code with which a WebSocket was closed; None for an event stream."""

    def request_reconnect(self, retry_after_ms: int) -> None:
        """Tell the client to connect again after this time, to another instance if there is one, and close."""


class StreamRegistry:
    """All open streams of this instance."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._streams: dict[Stream, None] = {}
        self._all_closed = asyncio.Event()
        self.is_closing = False
        """Every stream is being closed, also those that are opened from now on."""

    def __len__(self) -> int:
        """Return the number of open streams."""
        return len(self._streams)

    def __iter__(self) -> Iterator[Stream]:
        """Iterate over the open streams."""
        return iter(self._streams)

    def count(self, kind: StreamKind) -> int:
        """Return the number of open streams of a kind."""
        return sum(stream.kind == kind for stream in [*self._streams])

    @contextmanager
    def registered(self, request: HttpRequest, stream: Stream) -> Iterator[None]:
        """Register a stream while it is open; count and log it."""
        CONNECTIONS_OPENED.labels(stream.kind).inc()
        opened_at = perf_counter()
        fields: dict[str, Any] = {"kind": stream.kind, "route": request.route}
        log_access(request, f"{stream.kind} opened {request.route}", **fields)
        self.add(stream)
        try:
            yield
        finally:
            self.remove(stream)
            code = {} if stream.close_code is None else {"code": stream.close_code}
            fields |= {"seconds": round(perf_counter() - opened_at, 3), **code}
            log_access(request, f"{stream.kind} closed {request.route}", **fields)

    def add(self, stream: Stream) -> None:
        """Register a stream; during shutdown, tell its client at once to reconnect."""
        self._streams[stream] = None
        if self.is_closing:
            stream.request_reconnect(self._reconnect_delay_ms(_RANDOM.random()))

    def remove(self, stream: Stream) -> None:
        """Remove a stream that has closed."""
        self._streams.pop(stream, None)
        if self.is_closing and not self._streams:
            self._all_closed.set()

    async def close_all(self) -> None:
        """Tell all clients to reconnect, spread over `close_window_s`, and wait, but not for ever, until they have."""
        if self.is_closing:
            return
        self.is_closing = True
        if not self._streams:
            return
        loop = asyncio.get_running_loop()
        started_at, streams = loop.time(), [*self._streams]
        for number, stream in enumerate(streams):
            share = number / len(streams)
            pause_s = started_at + share * self._limits.close_window_s - loop.time()
            if pause_s > 0:
                await asyncio.sleep(pause_s)
            if stream in self._streams:
                try:
                    stream.request_reconnect(self._reconnect_delay_ms(share))
                except Exception:  # one client that fails must not keep the others connected
                    LOG.exception("closing a %s failed; closing the others", stream.kind)
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S + 1):
                await self._all_closed.wait()
        except TimeoutError:
            return

    def _reconnect_delay_ms(self, share: float) -> int:
        """Return when the client at this share of all streams reconnects: a later one waits longer.

        So reconnections take twice as long as the closing. Streams opened during shutdown get a random share.
        """
        return MIN_RECONNECT_MS + int(1000 * share * self._limits.close_window_s)


def check_subscriber_limit(hub: Hub, game: str, limits: Limits) -> None:
    """Raise TooManyConnections if a game has as many subscribers in this instance as it may have."""
    if hub.count_subscribers(game) >= limits.max_watchers_per_game:
        RATE_LIMITED.labels("watchers").inc()
        what = Message("sockets and event streams that watch this game")
        raise TooManyConnections(what, limits.max_watchers_per_game, "max-watchers-per-game")


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


STREAMS = web.AppKey("streams", StreamRegistry)


class EventStream:
    """An open event stream of one game. Sending never blocks: it writes to the transport."""

    __slots__ = ("_closed", "_is_chunked", "_limits", "_loop_time", "_request", "_transport")

    kind: Literal["stream"] = "stream"
    close_code = None

    def __init__(self, request: HttpRequest, transport: asyncio.Transport, closed: asyncio.Future[None]) -> None:
        self._request = request
        self._transport = transport
        self._limits = request.app[LIMITS]
        self._is_chunked = request.version >= HttpVersion11
        self._loop_time = get_connection(request).loop_time
        self._closed = closed
        """Also resolved when the client disconnects."""

    def deliver(self, message: ChannelMessage) -> None:
        """Send a message of the game."""
        self._loop_time.unpaid_s += SENT_DIFF_S
        self._write(encode_message(message, CHUNK if self._is_chunked else EVENT))

    def end_subscription(self, game: str, error: GameError) -> None:
        """Close; a client that reconnects gets the error as a response."""
        del game, error
        self._close()

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """Close if the client's token was revoked."""
        try:
            authorize_read(access, game, read_bearer_token(self._request).text)
        except (NoSuchGame, Unauthorized):
            self._close()

    def request_reconnect(self, retry_after_ms: int) -> None:
        """Tell the client to reconnect after this time, and close."""
        self._write_text(b"retry: %d\n\n" % retry_after_ms)
        self._close()

    async def run(self) -> None:
        """Send heartbeats until the stream is closed."""
        while not self._closed.done():
            done, _ = await asyncio.wait((self._closed,), timeout=self._limits.sse_comment_interval_s)
            if not done:
                self._write_text(HEARTBEAT)

    def _close(self) -> None:
        if not self._closed.done():
            self._closed.set_result(None)

    def _write_text(self, text: bytes) -> None:
        self._write(chunk(text) if self._is_chunked else text)

    def _write(self, data: bytes) -> None:
        """Write bytes to the transport; close if the client has disconnected or is too slow."""
        transport = self._transport
        if self._closed.done():
            return
        if transport.is_closing():
            self._close()
            return
        transport.write(data)
        max_unsent_bytes = self._limits.max_unsent_bytes
        if transport.get_write_buffer_size() > min(HIGH_WATER_BYTES, max_unsent_bytes) and is_slow_consumer(
            self._request, max_unsent_bytes
        ):
            transport.abort()
            self._close()


async def serve_event_stream(request: HttpRequest, game: str) -> web.StreamResponse:
    """Respond with a game's diffs until the client disconnects. Errors are raised before the response has begun."""
    async with open_stream(request):
        return await _serve_event_stream(request, game)


def start_event_stream(request: web.BaseRequest) -> asyncio.Future[None]:
    """Mark the response as a stream, just before it begins; return what is resolved when its client has left.

    Raises Malformed as `check_stream` does.
    """
    check_stream(request)
    connection = get_connection(request)
    connection.kind, connection.ended = "stream", asyncio.get_running_loop().create_future()
    connection.read_on()
    return connection.ended


async def _serve_event_stream(request: HttpRequest, game: str) -> web.StreamResponse:
    hub, context = request.app[HUB], request.app[CONTEXT]
    resume_point = parse_last_event_id(request)
    check_subscriber_limit(hub, game, request.app[LIMITS])
    record = await load_for_reader(context, game, read_bearer_token(request).text, resume_point.since)
    private = record.is_private
    position = record.resume_from(bytes.fromhex(resume_point.digest) if resume_point.digest else None)
    snapshot = build_snapshot(context.tilesets, game, record) if position is None else None
    response = _response(revision_etag(record.revision), private=private)
    connection = get_connection(request)
    connection.limiter.common_headers.add_to(response)
    if request.app[DRAINING].is_set():
        response.force_close()
    if position is not None:
        connection.loop_time.unpaid_s += (record.revision.version - position.version) * SENT_DIFF_S
    connection.charge.settle()
    connection.charge.set_headers(response.headers)
    connection.charge_busy_time()
    closed = start_event_stream(request)
    await response.prepare(request)
    if request.method == "HEAD" or (transport := request.transport) is None:
        return response
    event_stream = EventStream(request, transport, closed)
    if snapshot is not None:
        event_stream.deliver(snapshot)
    await _send_diffs(request, event_stream, game, record, position or record.revision)
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await response.write_eof()
    except TimeoutError:
        transport.abort()
    return response


async def _send_diffs(
    request: HttpRequest, event_stream: EventStream, game: str, record: StoredGame, position: Revision
) -> None:
    """Send everything after a position until the stream is closed."""
    hub = request.app[HUB]
    with request.app[STREAMS].registered(request, event_stream):
        try:
            await hub.subscribe(event_stream, game, position, record.last_revocation)
            await event_stream.run()
        except GameError:
            return
        except StoreUnavailable as error:  # too late for a problem: the client reconnects, and resumes
            event_stream.request_reconnect(1000 * error.retry_after_s)
        finally:
            hub.unsubscribe(event_stream, game)


def _response(tag: str, *, private: bool) -> web.StreamResponse:
    return web.StreamResponse(
        headers={
            "ETag": tag,
            "Content-Type": f"{EVENT_STREAM}; charset=utf-8",
            "Cache-Control": CACHE_PRIVATE if private else CACHE_PUBLIC,
            "Vary": "Accept, Authorization" if private else "Accept",
            "X-Accel-Buffering": "no",
        }
    )
