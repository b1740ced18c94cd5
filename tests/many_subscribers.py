"""Thousands of subscribers of one game over bare sockets, each of which stores only checksums of its messages."""

import asyncio
import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from zlib import crc32

from benchmarks.load_client import WebSocketConnection

BATCH_SIZE = 50
"""Connections opened at once. The kernel would delay more than the listener's backlog by a second."""

TIMEOUT_S = 60


@contextmanager
def open_files(number: int) -> Iterator[None]:
    """Raise the limit of open files of this process and its children. Fail if the machine does not allow it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    is_allowed = hard == resource.RLIM_INFINITY or hard >= number
    assert is_allowed, f"a process may open {hard} files (ulimit -Hn), and this test needs {number}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Subscriber(WebSocketConnection):
    """One subscriber."""

    def __init__(self, path: str) -> None:
        super().__init__(path, self._on_message, compressed=False)
        self.messages = 0
        self.checksums = [0]
        """The checksums of the first 0, 1, 2, ... messages, without `welcome`, which contains the time."""
        self.closed = False

    def connection_lost(self, exc: Exception | None) -> None:
        """Record the end of the connection."""
        super().connection_lost(exc)
        self.closed = True

    def _on_message(self, message: bytes) -> None:
        self.messages += 1
        if self.messages > 1:
            self.checksums.append(crc32(message, self.checksums[-1]))


@asynccontextmanager
async def connect_subscribers(port: int, path: str, number: int) -> AsyncIterator[list[Subscriber]]:
    """Connect this number of subscribers in batches."""
    loop, subscribers = asyncio.get_running_loop(), list[Subscriber]()
    try:
        while len(subscribers) < number:
            opening = (loop.create_connection(lambda: Subscriber(path), "127.0.0.1", port) for _ in range(BATCH_SIZE))
            batch = [subscriber for _, subscriber in await asyncio.gather(*opening)]
            subscribers += batch
            await wait_for_messages(batch, 1)
        yield subscribers
    finally:
        for subscriber in subscribers:
            subscriber.transport.abort()


async def wait_for_messages(subscribers: list[Subscriber], messages: int) -> None:
    """Wait until each subscriber has received this number of messages."""
    async with asyncio.timeout(TIMEOUT_S):
        for subscriber in subscribers:
            while subscriber.messages < messages:
                assert not subscriber.closed
                await asyncio.sleep(0.005)
