"""A game's diffs as an event stream (server-sent events)."""

import asyncio
from typing import Literal

from aiohttp import HttpVersion11, web

from service.games.access import AccessRecord, authorize_read
from service.games.errors import GameError, NoSuchGame, Unauthorized
from service.games.ports.game_store import GameRecord, Revision, StoreUnavailable
from service.games.queries.games import load_for_reader
from service.games.realtime.broadcaster import ChannelMessage
from service.games.realtime.stream_reader import build_snapshot
from service.web.app_keys import CONTEXT, DRAINING, HUB, LIMITS
from service.web.connections.protocol import HIGH_WATER_BYTES, get_connection
from service.web.headers.bearer_tokens import read_bearer_token
from service.web.middleware import EVENT_STREAM
from service.web.parsing import parse_last_event_id
from service.web.ratelimit.concurrency import check_stream, open_stream
from service.web.responses import CACHE_PRIVATE, CACHE_PUBLIC, game_etag
from service.web.streaming.encoding import CHUNK, EVENT, HEARTBEAT, chunk, encode_message
from service.web.streaming.registry import (
    CLOSE_TIMEOUT_S,
    MISSED_DIFF_S,
    STREAMS,
    check_subscriber_limit,
    is_slow_consumer,
)

__all__ = ["EVENT_STREAM", "serve_event_stream", "start_event_stream"]


class EventStream:
    """An open event stream of one game. Sending never blocks: it writes to the transport."""

    __slots__ = ("_closed", "_is_chunked", "_limits", "_request", "_transport")

    kind: Literal["stream"] = "stream"
    close_code = None

    def __init__(self, request: web.Request, transport: asyncio.Transport, closed: asyncio.Future[None]) -> None:
        self._request = request
        self._transport = transport
        self._limits = request.app[LIMITS]
        self._is_chunked = request.version >= HttpVersion11
        self._closed = closed
        """Also resolved when the client disconnects."""

    def deliver(self, message: ChannelMessage) -> None:
        """Send a message of the game."""
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


async def serve_event_stream(request: web.Request, game: str) -> web.StreamResponse:
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
    return connection.ended


async def _serve_event_stream(request: web.Request, game: str) -> web.StreamResponse:
    hub, context = request.app[HUB], request.app[CONTEXT]
    resume_point = parse_last_event_id(request)
    check_subscriber_limit(hub, game, request.app[LIMITS])
    record, private = await load_for_reader(context, game, read_bearer_token(request).text, resume_point.since)
    position = record.resume_from(resume_point.digest)
    snapshot = build_snapshot(context.tilesets, game, record) if position is None else None
    response = _response(game_etag(*record.revision), private=private)
    connection = get_connection(request)
    connection.limiter.common_headers.add_to(response.headers)
    if request.app[DRAINING].is_set():
        response.force_close()
    if position is not None:
        connection.loop_time.unpaid_s += (record.revision.version - position.version) * MISSED_DIFF_S
    if connection.charge is not None:
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
    request: web.Request, event_stream: EventStream, game: str, record: GameRecord, position: Revision
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
            "Content-Type": EVENT_STREAM,
            "Cache-Control": CACHE_PRIVATE if private else CACHE_PUBLIC,
            "Vary": "Accept, Authorization" if private else "Accept",
            "X-Accel-Buffering": "no",
        }
    )
