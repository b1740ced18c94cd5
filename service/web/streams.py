"""The open WebSockets and event streams of this instance: a game may have so many, and all are closed at shutdown."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import SystemRandom
from time import perf_counter
from typing import Any, Literal, Protocol

from aiohttp import web

from service.engine import Message
from service.games.hub import Hub
from service.telemetry.metrics import CONNECTIONS_OPENED, RATE_LIMITED, SLOW_READERS_DROPPED
from service.web.app import HttpRequest
from service.web.connection import get_connection
from service.web.handling import log_access
from service.web.limits import Limits
from service.web.problems import TooManyConnections

StreamKind = Literal["socket", "stream"]

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
        was_closing, self.is_closing = self.is_closing, True
        if was_closing or not self._streams:
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
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S + 1):
                await self._all_closed.wait()

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
