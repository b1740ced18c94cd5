"""Many WebSocket clients that only count what they get; each a bare connection, so that the load costs little."""

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from types import TracebackType
from typing import Self, cast

UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
TOGETHER = 50
"""Connections opened at once."""

QUIET_S = 0.3
"""After opening: how long until every first message has come."""


class Watchers:
    """As many open sockets; `measure` counts the frames that come while something is done."""

    def __init__(self, port: int, path: str, number: int) -> None:
        self._port = port
        self._upgrade = UPGRADE.format(path=path).encode()
        self._number = number
        self._sockets: list[_Socket] = []
        self._missing = 0
        self._all = asyncio.Event()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for _ in range(0, self._number, TOGETHER):
            opened = await asyncio.gather(
                *(loop.create_connection(lambda: _Socket(self), "127.0.0.1", self._port) for _ in range(TOGETHER))
            )
            for transport, socket in opened:
                transport.write(self._upgrade)
                self._sockets.append(socket)
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

    def got(self, frames: int) -> None:
        """Count what a socket got."""
        self._missing -= frames
        if self._missing <= 0:
            self._all.set()


class _Socket(asyncio.Protocol):
    """One connection; a frame is told by the mark, which each holds once."""

    transport: asyncio.Transport

    def __init__(self, watchers: Watchers) -> None:
        self._watchers = watchers
        self._tail = b""
        self.mark: bytes | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self.mark is None:
            return
        data = self._tail + data
        self._watchers.got(data.count(self.mark))
        self._tail = data[-len(self.mark) + 1 :]
