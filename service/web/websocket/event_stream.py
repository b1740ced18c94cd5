"""A game's diffs as an event stream (server-sent events). Source: api.md, "Versions and diffs"."""

import asyncio
from typing import Literal

from aiohttp import HttpVersion11, web

from service.games.access import AccessRecord, authorize_read
from service.games.errors import GameError, NoSuchGame, Unauthorized
from service.games.ports import StoreUnavailable
from service.games.queries import games
from service.games.realtime.messages import ChannelMessage
from service.games.realtime.recovery import build_snapshot, resolve_position
from service.games.realtime.stream_position import StreamPosition
from service.telemetry.metrics import CONNECTIONS_OPENED, SLOW_READERS_DROPPED
from service.web.access_log import log_stream_closed, log_stream_opened
from service.web.app_keys import CONTEXT, HUB, LIMITS
from service.web.connections.protocol import HIGH_WATER_BYTES, record_unsent
from service.web.limits import Limits
from service.web.parsing import parse_bearer_token
from service.web.ratelimit import costs
from service.web.ratelimit.concurrency import charge_request, open_stream
from service.web.ratelimit.limiter import CHARGE
from service.web.ratelimit.origins import check_origin
from service.web.request_metrics import EVENT_STREAM
from service.web.responses import CACHE_PRIVATE, CACHE_PUBLIC, add_common_headers, game_etag
from service.web.websocket.capacity import check_subscriber_limit
from service.web.websocket.frames import CHUNK, EVENT, HEARTBEAT, chunk, encode_message
from service.web.websocket.resume_point import read_last_event_id
from service.web.websocket.streams import CLOSE_TIMEOUT_S, STREAMS

__all__ = ["EVENT_STREAM", "serve_event_stream"]


class EventStream:
    """One open event stream. As with a socket, what is told goes to its transport at once."""

    __slots__ = ("_chunked", "_ended", "_limits", "_request", "_transport")
    kind: Literal["stream"] = "stream"

    def __init__(self, request: web.Request, transport: asyncio.Transport, limits: Limits) -> None:
        self._request = request
        self._transport = transport
        self._limits = limits
        self._chunked = request.version >= HttpVersion11
        self._ended = asyncio.Event()

    def deliver(self, news: ChannelMessage) -> None:
        """Send news of the game."""
        self._write(encode_message(news, CHUNK if self._chunked else EVENT))

    def end_subscription(self, game: str, error: GameError) -> None:
        """End; who asks again is told why."""
        del game, error
        self._ended.set()

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """End where the token has ended by which the game is watched."""
        try:
            authorize_read(access, game, parse_bearer_token(self._request))
        except (NoSuchGame, Unauthorized):
            self._ended.set()

    def request_reconnect(self, retry_after_ms: int) -> None:
        """Tell the client when to come back, and end."""
        self._write_text(b"retry: %d\n\n" % retry_after_ms)
        self._ended.set()

    async def run(self) -> None:
        """Until the stream ends, keep it from looking dead."""
        while not self._ended.is_set():
            try:
                async with asyncio.timeout(self._limits.sse_comment_interval_s):
                    await self._ended.wait()
            except TimeoutError:
                self._write_text(HEARTBEAT)

    def _write_text(self, text: bytes) -> None:
        self._write(chunk(text) if self._chunked else text)

    def _write(self, data: bytes) -> None:
        """Hand bytes to the transport; a client that has gone, or can't keep up, ends the stream."""
        if self._ended.is_set():
            return
        if self._transport.is_closing():
            self._ended.set()
            return
        self._transport.write(data)
        unread = self._transport.get_write_buffer_size()
        if unread > self._limits.max_unsent_bytes:
            SLOW_READERS_DROPPED.labels("stream").inc()
            self._transport.abort()
            self._ended.set()
        elif unread > HIGH_WATER_BYTES:
            record_unsent(self._request, unread)


async def serve_event_stream(request: web.Request, game: str) -> web.StreamResponse:
    """Answer with a game's diffs, and go on for as long as the client listens; what is refused raises before that."""
    check_origin(request, request.app[LIMITS].allowed_origins)
    async with open_stream(request):
        return await _stream(request, game)


async def _stream(request: web.Request, game: str) -> web.StreamResponse:
    asked = read_last_event_id(request)
    hub = request.app[HUB]
    check_subscriber_limit(hub, game, request.app[LIMITS])
    loaded, private = await games.load_for_reader(request.app[CONTEXT], game, parse_bearer_token(request))
    position = await resolve_position(request.app[CONTEXT].store, game, loaded, asked.since, asked.digest)
    if position is not None:
        await charge_request(request, (loaded.version - position.version) // costs.DIFFS_PER_TOKEN)
    whole = None if position is not None else build_snapshot(request.app[CONTEXT].tilesets, game, loaded)
    response = _response(game_etag(loaded.version, loaded.digest), private=private)
    add_common_headers(request.app, response)
    if (payer := request.get(CHARGE)) is not None:
        payer.settle()
        payer.set_headers(response.headers)
    await response.prepare(request)
    if request.method == "HEAD" or (transport := request.transport) is None:
        return response
    follower = EventStream(request, transport, request.app[LIMITS])
    if whole is not None:
        follower.deliver(whole)
    await _serve_events(request, follower, game, position or StreamPosition(loaded.version, loaded.digest))
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await response.write_eof()
    except TimeoutError:
        transport.abort()
    return response


async def _serve_events(request: web.Request, follower: EventStream, game: str, position: StreamPosition) -> None:
    """Tell what came after a position, and all that comes, until the stream ends."""
    hub, connections = request.app[HUB], request.app[STREAMS]
    CONNECTIONS_OPENED.labels("stream").inc()
    opened = log_stream_opened(request, "stream")
    connections.add(follower)
    try:
        await hub.subscribe(follower, game, position)
        await follower.run()
    except GameError:
        return
    except StoreUnavailable as unavailable:  # the answer has begun: the client comes back and goes on from what it has
        follower.request_reconnect(1000 * unavailable.retry_after_s)
    finally:
        hub.unsubscribe(follower, game)
        connections.remove(follower)
        log_stream_closed(request, "stream", opened)


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
