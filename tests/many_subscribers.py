"""Very many watchers of one game over plain connections, each of which keeps only a sum of what it was told."""

import asyncio
import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import cast
from zlib import crc32

PING, PONG = 0x89, b"\x8a\x80\0\0\0\0"

BATCH_SIZE = 50
"""Connections opened at once. More than the listener's backlog would have to be tried again a second later."""

TIMEOUT_S = 60

REQUEST = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@contextmanager
def open_files(number: int) -> Iterator[None]:
    """Let this process, and those that it starts, have so many files open; says so where the machine forbids it."""
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = most == resource.RLIM_INFINITY or most >= number
    assert allowed, f"a process may open {most} files here (ulimit -Hn), and this test needs {number}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before, number), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


class Subscriber(asyncio.Protocol):
    """One of them."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.frames = 0
        """Text frames that have come, all of them short of 64 KiB."""
        self.sums = [0]
        """Of the first frames: of none, of one, of two, and so on, `welcome` not counted, which tells the time."""
        self.closed = False
        self._data = b""
        self._upgraded = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep it."""
        self.transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Record the end of the connection."""
        del exc
        self.closed = True

    def data_received(self, data: bytes) -> None:
        """Take all whole frames."""
        data = self._data + data
        if not self._upgraded:
            head, end, rest = data.partition(b"\r\n\r\n")
            if not end:
                self._data = data
                return
            assert head.startswith(b"HTTP/1.1 101 "), head
            self._upgraded, data = True, rest
        at = 0
        while (whole := _whole(data, at)) is not None:
            self._on_frame(data[at], data[at:whole])
            at = whole
        self._data = data[at:]

    def _on_frame(self, first: int, frame: bytes) -> None:
        if first == PING:
            self.transport.write(PONG)
            return
        self.frames += 1
        if self.frames > 1:
            self.sums.append(crc32(frame, self.sums[-1]))


def _whole(data: bytes, at: int) -> int | None:
    """Where the frame at this place ends; None where it is not all there."""
    begin = at + 2
    if len(data) < begin:
        return None
    size = data[at + 1]
    if size == 126:
        begin += 2
        size = int.from_bytes(data[at + 2 : begin])
    return begin + size if len(data) >= begin + size else None


@asynccontextmanager
async def connect_subscribers(port: int, path: str, number: int) -> AsyncIterator[list[Subscriber]]:
    """As many watchers, opened bit by bit."""
    loop, watchers = asyncio.get_running_loop(), list[Subscriber]()
    request = REQUEST.format(path=path).encode()
    try:
        while len(watchers) < number:
            opened = await asyncio.gather(
                *(loop.create_connection(Subscriber, "127.0.0.1", port) for _ in range(min(BATCH_SIZE, number)))
            )
            for transport, watcher in opened:
                transport.write(request)
                watchers.append(watcher)
            await wait_for_frames([watcher for _, watcher in opened], 1)
        yield watchers
    finally:
        for watcher in watchers:
            watcher.transport.abort()


async def wait_for_frames(watchers: list[Subscriber], frames: int) -> None:
    """Return when each has so many frames."""
    async with asyncio.timeout(TIMEOUT_S):
        for watcher in watchers:
            while watcher.frames < frames:
                assert not watcher.closed
                await asyncio.sleep(0.005)
