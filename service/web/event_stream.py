"""Event streams: a game's diffs as server-sent events, from a position on."""

import asyncio
from typing import Literal

from aiohttp import HttpVersion11, web

from service.games.access import AccessRecord, authorize_read
from service.games.channel import ChannelMessage, build_snapshot
from service.games.errors import GameError, NoSuchGame, Unauthorized
from service.games.ports import Revision, StoredGame, StoreUnavailable
from service.games.queries import load_for_reader
from service.web.app import CONTEXT, DRAINING, HUB, LIMITS, HttpRequest
from service.web.connection import HIGH_WATER_BYTES, get_connection
from service.web.encodings import CHUNK, EVENT, chunk, encode_message
from service.web.headers import read_bearer_token
from service.web.parsing import EVENT_STREAM, parse_last_event_id
from service.web.rate_limiter import check_stream, open_stream
from service.web.responses import CACHE_PRIVATE, CACHE_PUBLIC, revision_etag
from service.web.streams import CLOSE_TIMEOUT_S, SENT_DIFF_S, STREAMS, check_subscriber_limit, is_slow_consumer

HEARTBEAT = b":\n\n"
"""A comment of an event stream, so that proxies do not close it as idle."""


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
        if self._closed.done():
            return
        if self._transport.is_closing():
            self._close()
            return
        self._transport.write(data)
        limit = self._limits.max_unsent_bytes
        unsent_bytes = self._transport.get_write_buffer_size()
        if unsent_bytes > min(HIGH_WATER_BYTES, limit) and is_slow_consumer(self._request, limit):
            self._transport.abort()
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
    position = record.resume_from(bytes.fromhex(resume_point.digest) if resume_point.digest else None)
    snapshot = build_snapshot(context.tilesets, game, record) if position is None else None
    response = web.StreamResponse(
        headers={
            "ETag": revision_etag(record.revision),
            "Content-Type": f"{EVENT_STREAM}; charset=utf-8",
            "Cache-Control": CACHE_PRIVATE if record.is_private else CACHE_PUBLIC,
            "Vary": "Accept, Authorization" if record.is_private else "Accept",
            "X-Accel-Buffering": "no",
        }
    )
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
