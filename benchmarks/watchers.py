"""Many WebSocket clients that only count what they get; each a bare connection, so that the load costs little."""

import asyncio
import resource
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from types import TracebackType
from typing import Self, cast

UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
COMPRESSED_UPGRADE = UPGRADE.replace(
    "\r\n\r\n",
    "\r\nSec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n\r\n",
)
COMPRESSED = 0x40
"""The bit of a frame's first byte that says so (RFC 7692, 6)."""

TOGETHER = 50
"""Connections opened at once."""

QUIET_S = 0.3
"""After opening: how long until every first message has come."""

OWN_FILES = 200
"""Files that a process has open beside its sockets, and some to spare."""


class TooFewFiles(Exception):
    """The system does not let one process have as many sockets open."""


def allow_sockets(number: int) -> None:
    """Let this process, and those it starts from now on, open so many; raises TooFewFiles."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = number + OWN_FILES
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise TooFewFiles(f"{number:,} sockets need {wanted:,} open files, and this system allows {hard:,}")
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Watchers:
    """As many open sockets; `measure` counts the frames that come while something is done."""

    def __init__(self, port: int, path: str, number: int, *, compressed: bool = False) -> None:
        self._port = port
        self._upgrade = (COMPRESSED_UPGRADE if compressed else UPGRADE).format(path=path).encode()
        self._number = number
        self._kind = _Compressed if compressed else _Plain
        self._sockets: list[_Socket] = []
        self._missing = 0
        self._all = asyncio.Event()
        self.received = 0
        """Bytes, of all of them."""

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for begin in range(0, self._number, TOGETHER):
            some = range(min(TOGETHER, self._number - begin))
            opened = await asyncio.gather(
                *(loop.create_connection(lambda: self._kind(self), "127.0.0.1", self._port) for _ in some)
            )
            for transport, socket in opened:
                transport.write(self._upgrade)
                self._sockets.append(socket)
            await _all_upgraded([socket for _, socket in opened])
        await asyncio.sleep(QUIET_S)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for socket in self._sockets:
            socket.transport.abort()
        await asyncio.sleep(QUIET_S)

    async def measure(self, frames: int, mark: bytes, work: Callable[[], Awaitable[object]]) -> float:
        """Frames per second until every socket has got `frames` of them, told by `mark`, since `work` began."""
        self._missing = frames * self._number
        for socket in self._sockets:
            socket.mark = mark
        begin = perf_counter()
        await work()
        async with asyncio.timeout(60):
            await self._all.wait()
        return frames * self._number / (perf_counter() - begin)

    def got(self, frames: int, size: int) -> None:
        """Count what a socket got, `size` bytes in all."""
        self.received += size
        self._missing -= frames
        if self._missing <= 0:
            self._all.set()


class _Socket(asyncio.Protocol):
    """One connection."""

    transport: asyncio.Transport
    wanted = b"upgrade"
    """What the answer to the upgrade must say."""

    def __init__(self, watchers: Watchers) -> None:
        self.upgraded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.mark: bytes | None = None
        self._watchers = watchers
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self.mark is not None:
            self._watchers.got(self._frames(data, self.mark), len(data))
        elif not self.upgraded.done():
            self._answered(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.upgraded.done():
            self.upgraded.set_exception(exc or ConnectionError("the server closed the connection"))

    def _answered(self, data: bytes) -> None:
        """The answer to the upgrade, and perhaps the first messages."""
        head = data.partition(b"\r\n\r\n")[0]
        if head.startswith(b"HTTP/1.1 101") and self.wanted in head.lower():
            self.upgraded.set_result(None)
        else:
            self.upgraded.set_exception(ConnectionError(f"not upgraded as asked: {head.decode(errors='replace')}"))

    def _frames(self, data: bytes, mark: bytes) -> int:
        """How many more frames of those that count there are with `data`."""
        raise NotImplementedError


async def _all_upgraded(sockets: Sequence[_Socket]) -> None:
    """Wait for all; raises the first one's ConnectionError."""
    refused = await asyncio.gather(*(socket.upgraded for socket in sockets), return_exceptions=True)
    for error in refused:
        if error is not None:
            raise error


class _Plain(_Socket):
    """A frame is told by the mark, which each holds once."""

    def _frames(self, data: bytes, mark: bytes) -> int:
        data = self._tail + data
        self._tail = data[-len(mark) + 1 :]
        return data.count(mark)


class _Compressed(_Socket):
    """A socket that asked for compression; all compressed frames count, told by their heads."""

    wanted = b"permessage-deflate"

    def _frames(self, data: bytes, mark: bytes) -> int:
        del mark
        data = self._tail + data
        frames = at = 0
        while (end := _frame_end(data, at)) is not None:
            frames += bool(data[at] & COMPRESSED)
            at = end
        self._tail = data[at:]
        return frames


def _frame_end(data: bytes, at: int) -> int | None:
    """Where the server's frame that begins at `at` ends; None where it has not come whole.

    >>> _frame_end(bytes((0x81, 2)) + b"hi", 0), _frame_end(bytes((0x81, 2)) + b"h", 0)
    (4, None)
    """
    if len(data) < at + 2:
        return None
    size, head = data[at + 1], 2
    if size >= 126:
        head = 4 if size == 126 else 10
        if len(data) < at + head:
            return None
        size = int.from_bytes(data[at + 2 : at + head])
    end = at + head + size
    return end if end <= len(data) else None
