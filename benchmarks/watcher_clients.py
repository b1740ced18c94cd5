"""Many WebSocket clients that only count what they get."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import perf_counter

from benchmarks.load_client import WebSocketConnection, message_size

DIFF = b'"type":"diff"'
"""What is nowhere but in a diff that is not compressed."""
BATCH_SIZE = 50
"""Connections opened at once."""
QUIET_PERIOD_S = 0.3
"""After opening: how long until every first message has come."""
TIMEOUT_S = 60


class WatcherClients:
    """Some sockets that get the same. One of them counts messages, all others only bytes, until they have as many."""

    def __init__(self, number: int, *, compressed: bool) -> None:
        self.received_bytes = 0
        self._number = number
        self._compressed = compressed
        self._missing = 0
        self._first_bytes = 0
        self._all = asyncio.Event()

    async def measure(self, diffs: int, work: Callable[[], Awaitable[object]]) -> float:
        """Return the deliveries per second until every socket has got `diffs` of them, since `work` began."""
        self._missing, self._first_bytes, self.received_bytes = diffs, 0, 0
        self._all.clear()
        begin = perf_counter()
        await work()
        async with asyncio.timeout(TIMEOUT_S):
            await self._all.wait()
        return diffs * self._number / (perf_counter() - begin)

    def read(self, message: bytes) -> None:
        """Count a message of the first socket; of compressed ones, which are not inflated, all are diffs."""
        if self._missing:
            self._first_bytes += message_size(message)
            self._missing -= self._compressed or DIFF in message
            self._add(message_size(message))

    def count(self, data: bytes) -> None:
        """Count what came to another."""
        self._add(len(data))

    def _add(self, size: int) -> None:
        self.received_bytes += size
        if not self._missing and self.received_bytes >= self._first_bytes * self._number:
            self._all.set()


class _CountingConnection(WebSocketConnection):
    """A socket that hands on whatever comes, in whole messages or not: this costs the load a fraction of cutting it."""

    def data_received(self, data: bytes) -> None:
        if self.upgraded.done():
            self.received(data)
        else:
            super().data_received(data)


@asynccontextmanager
async def watch_game(port: int, path: str, number: int, *, compressed: bool = False) -> AsyncIterator[WatcherClients]:
    """Open so many sockets; raises ConnectionError where one is not upgraded as asked."""
    watchers = WatcherClients(number, compressed=compressed)
    first = await WebSocketConnection.open(port, path, watchers.read, compressed=compressed)
    sockets: list[WebSocketConnection] = [first]
    try:
        while len(sockets) < number:
            some = range(min(BATCH_SIZE, number - len(sockets)))
            sockets += await asyncio.gather(
                *(_CountingConnection.open(port, path, watchers.count, compressed=compressed) for _ in some)
            )
        await asyncio.sleep(QUIET_PERIOD_S)
        yield watchers
    finally:
        for socket in sockets:
            socket.transport.abort()
        await asyncio.sleep(QUIET_PERIOD_S)
