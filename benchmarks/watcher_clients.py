"""Many WebSocket clients that only count what they receive."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import perf_counter

from benchmarks.load_client import WebSocketConnection, message_size

DIFF = b'"type":"diff"'
"""Bytes that only an uncompressed diff contains."""
BATCH_SIZE = 50
"""Connections opened at once."""
QUIET_PERIOD_S = 0.3
"""How long the first messages may take after opening."""
TIMEOUT_S = 60


class WatcherClients:
    """Sockets that receive the same messages. One counts messages, the others only bytes, until all have as many."""

    def __init__(self, number: int, *, compressed: bool) -> None:
        self.received_bytes = 0
        self._number = number
        self._compressed = compressed
        self._missing = 0
        self._first_bytes = 0
        self._all = asyncio.Event()

    async def measure(self, diffs: int, work: Callable[[], Awaitable[object]]) -> float:
        """Start `work`, wait until every socket has received `diffs`, and return the deliveries per second."""
        self._missing, self._first_bytes, self.received_bytes = diffs, 0, 0
        self._all.clear()
        started_at = perf_counter()
        await work()
        async with asyncio.timeout(TIMEOUT_S):
            await self._all.wait()
        return diffs * self._number / (perf_counter() - started_at)

    def read(self, message: bytes) -> None:
        """Count a message of the first socket; compressed ones are not decompressed, and all count as diffs."""
        if self._missing:
            self._first_bytes += message_size(message)
            self._missing -= self._compressed or DIFF in message
            self._add(message_size(message))

    def count(self, data: bytes) -> None:
        """Count data of another socket."""
        self._add(len(data))

    def _add(self, size: int) -> None:
        self.received_bytes += size
        if not self._missing and self.received_bytes >= self._first_bytes * self._number:
            self._all.set()


class _CountingConnection(WebSocketConnection):
    """A socket that passes on data without splitting it into messages, which costs the load generator far less."""

    def data_received(self, data: bytes) -> None:
        if self.upgraded.done():
            self.received(data)
        else:
            super().data_received(data)


@asynccontextmanager
async def watch_game(port: int, path: str, number: int, *, compressed: bool = False) -> AsyncIterator[WatcherClients]:
    """Open sockets. Raise ConnectionError if one is not upgraded as requested."""
    watchers = WatcherClients(number, compressed=compressed)
    first = await WebSocketConnection.open(port, path, watchers.read, compressed=compressed)
    sockets: list[WebSocketConnection] = [first]
    try:
        while len(sockets) < number:
            batch = range(min(BATCH_SIZE, number - len(sockets)))
            sockets += await asyncio.gather(
                *(_CountingConnection.open(port, path, watchers.count, compressed=compressed) for _ in batch)
            )
        await asyncio.sleep(QUIET_PERIOD_S)
        yield watchers
    finally:
        for socket in sockets:
            socket.transport.abort()
        await asyncio.sleep(QUIET_PERIOD_S)
