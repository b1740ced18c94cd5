"""Concurrency limits per address: for work of which an instance can do little at once, and for streams."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from aiohttp import web

from service.games.errors import Malformed
from service.web.app_keys import LIMITS
from service.web.connections.limiter import CONNECTION_LIMITER
from service.web.connections.protocol import MAX_STREAM_HEAD_BYTES, get_connection
from service.web.errors import TooManyWaiting
from service.web.origins import check_origin

__all__ = ["PICTURE_SLOTS", "ConcurrencyLimit", "ReplayQueue", "check_stream", "open_stream"]

MAX_PICTURES_PER_ADDRESS = 8
"""Pictures that one address may wait for."""

MAX_REPLAYS = 2
MAX_WAITING_REPLAYS = 16
"""Games that may wait for a replay; more are rejected, so that nobody waits for long."""

MAX_REPLAYS_PER_ADDRESS = 4
"""Running and waiting replays of one address."""


class ConcurrencyLimit:
    """A limit on what each address may have at once."""

    def __init__(self, max_per_address: int) -> None:
        self._max_per_address = max_per_address
        self._in_use: Counter[str] = Counter()

    @contextmanager
    def acquire(self, address: str) -> Iterator[None]:
        """Occupy a slot. Raises TooManyWaiting."""
        if self._in_use[address] >= self._max_per_address:
            raise TooManyWaiting
        self._in_use[address] += 1
        try:
            yield
        finally:
            self._in_use[address] -= 1
            if not self._in_use[address]:
                del self._in_use[address]


class ReplayQueue:
    """A queue for replays of games, which take as long as dozens of other requests."""

    def __init__(
        self,
        max_running: int = MAX_REPLAYS,
        max_waiting: int = MAX_WAITING_REPLAYS,
        max_per_address: int = MAX_REPLAYS_PER_ADDRESS,
    ) -> None:
        self._semaphore = asyncio.Semaphore(max_running)
        self._max_total = max_running + max_waiting
        self._total = 0
        self._per_address = ConcurrencyLimit(max_per_address)

    @asynccontextmanager
    async def acquire(self, address: str) -> AsyncIterator[None]:
        """Wait for a slot. Raises TooManyWaiting."""
        if self._total >= self._max_total:
            raise TooManyWaiting
        with self._per_address.acquire(address):
            self._total += 1
            try:
                async with self._semaphore:
                    yield
            finally:
                self._total -= 1


PICTURE_SLOTS = web.AppKey("picture_slots", ConcurrencyLimit)


@asynccontextmanager
async def open_stream(request: web.Request) -> AsyncIterator[None]:
    """Admit and count a WebSocket or event stream.

    Raises OriginNotAllowed, TooManyConnections, Malformed.
    """
    check_origin(request, request.app[LIMITS].allowed_origins)
    address, connections = get_connection(request).address, request.app[CONNECTION_LIMITER]
    connections.add_stream(address)
    try:
        check_stream(request)
        yield
    finally:
        connections.remove_stream(address)


def check_stream(request: web.BaseRequest) -> None:
    """Raise Malformed if the client has closed its sending half, or if its head is too large to stay in memory."""
    connection = get_connection(request)
    if connection.has_ended:
        raise Malformed("a WebSocket or event stream ends when its client closes its sending half: keep it open")
    if connection.requests.received_bytes + len(connection.requests.pending) > MAX_STREAM_HEAD_BYTES:
        raise Malformed(
            f"a request for a WebSocket or event stream may have {MAX_STREAM_HEAD_BYTES} bytes and no successor"
        )
