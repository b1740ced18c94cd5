"""Thousands of subscribers of one game over bare sockets, each of which stores only checksums of its frames."""

import asyncio
import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import cast
from zlib import crc32

from tests.polling import wait_until

PING, PONG = 0x89, b"\x8a\x80\0\0\0\0"

BATCH_SIZE = 50
"""Connections opened at once. The kernel would delay more than the listener's backlog by a second."""


REQUEST = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


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


class Subscriber(asyncio.Protocol):
    """One subscriber."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.frames = 0
        """The number of received text frames, each smaller than 64 KiB."""
        self.checksums = [0]
        """The checksums of the first 0, 1, 2, ... frames, without `welcome`, which contains the time."""
        self.closed = False
        self._data = b""
        self._upgraded = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self.transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Record the end of the connection."""
        del exc
        self.closed = True

    def data_received(self, data: bytes) -> None:
        """Handle all complete frames."""
        data = self._data + data
        if not self._upgraded:
            head, separator, frames = data.partition(b"\r\n\r\n")
            if not separator:
                self._data = data
                return
            assert head.startswith(b"HTTP/1.1 101 "), head
            self._upgraded, data = True, frames
        start = 0
        while (end := _find_frame_end(data, start)) is not None:
            self._on_frame(data[start], data[start:end])
            start = end
        self._data = data[start:]

    def _on_frame(self, first: int, frame: bytes) -> None:
        if first == PING:
            self.transport.write(PONG)
            return
        self.frames += 1
        if self.frames > 1:
            self.checksums.append(crc32(frame, self.checksums[-1]))


def _find_frame_end(data: bytes, start: int) -> int | None:
    """Return the end of the frame that starts here; None if it is incomplete."""
    payload_start = start + 2
    if len(data) < payload_start:
        return None
    size = data[start + 1]
    if size == 126:
        payload_start += 2
        size = int.from_bytes(data[start + 2 : payload_start])
    end = payload_start + size
    return end if len(data) >= end else None


@asynccontextmanager
async def connect_subscribers(port: int, path: str, number: int) -> AsyncIterator[list[Subscriber]]:
    """Connect this number of subscribers in batches."""
    loop, subscribers = asyncio.get_running_loop(), list[Subscriber]()
    request = REQUEST.format(path=path).encode()
    try:
        while len(subscribers) < number:
            batch = await asyncio.gather(
                *(loop.create_connection(Subscriber, "127.0.0.1", port) for _ in range(min(BATCH_SIZE, number)))
            )
            for transport, subscriber in batch:
                transport.write(request)
                subscribers.append(subscriber)
            await wait_for_frames([subscriber for _, subscriber in batch], 1)
        yield subscribers
    finally:
        for subscriber in subscribers:
            subscriber.transport.abort()


async def wait_for_frames(subscribers: list[Subscriber], frames: int) -> None:
    """Wait until each subscriber has received this number of frames."""
    await wait_until(lambda: all(one.closed or one.frames >= frames for one in subscribers))
    assert not any(one.closed for one in subscribers)
