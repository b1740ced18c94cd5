"""Work of requests relative to a plain GET of the same run, and their charges; requests that are sent to their end."""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from tests.polling import TIMEOUT_S, wait_until
from tests.web.app_server import Client
from tests.web.raw_http import make_head

Ask = Callable[[], Awaitable[object]]


class CostedResponse(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    size: int


class PlainClient:
    """A client that costs little itself: one connection, whose responses are not parsed."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def __aenter__(self) -> Self:
        """Connect."""
        where = self._client.host, self._client.port
        self._reader, self._writer = await asyncio.open_connection(*where, limit=2**22)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnect."""
        self._writer.close()
        await self._writer.wait_closed()

    async def request(self, path: str, *lines: str, method: str = "GET", body: bytes = b"") -> CostedResponse:
        """Send a request with these header lines, and read its response."""
        length = (
            () if any(line.startswith("Transfer-Encoding") for line in lines) else (f"Content-Length: {len(body)}",)
        )
        self._writer.write(make_head(path, *length, *lines, method=method) + body)
        first, *rest = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in rest if line)
        size = int(headers.get("content-length", "0"))
        if size and method != "HEAD":
            await self._reader.readexactly(size)
        return CostedResponse(int(first.split()[1]), headers, size)


CALL_S = 3e-7


class CallClock:
    """A clock of the work that this thread does: each call of a function, Python's or C's, takes CALL_S."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> float:
        return self.calls * CALL_S

    def _count(self, _frame: object, event: str, _given: object) -> None:
        self.calls += event in {"call", "c_call"}

    async def measure(self, ask: Ask) -> float:
        """Return the time of a request."""
        before = self()
        sys.setprofile(self._count)
        try:
            await ask()
        finally:
            sys.setprofile(None)
        return self() - before


async def relative_cost(question: Ask, plain: Ask) -> float:
    """Return how many times the calls of a plain request this one takes."""
    clock = CallClock()
    for ask in (question, plain):
        await ask()
    return await clock.measure(question) / await clock.measure(plain)


Data = bytes | Callable[[], Iterable[bytes]]


async def send(url: str, data: Data) -> bytes:
    """Send a request on a connection of its own, and return the head of what is received."""
    where, loop, got = urlsplit(url), asyncio.get_running_loop(), bytearray()
    with socket.socket() as client:  # a stream would drop the answer that has come where writing fails
        client.setblocking(False)
        await loop.sock_connect(client, (where.hostname, where.port))
        reading = asyncio.create_task(_read(client, got))
        with suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(TIMEOUT_S):
                for part in (data,) if isinstance(data, bytes) else data():
                    await loop.sock_sendall(client, part)
        await wait_until(lambda: b"\r\n\r\n" in got)
        reading.cancel()
        await asyncio.wait([reading])
    return bytes(got)


async def _read(client: socket.socket, got: bytearray) -> None:
    with suppress(ConnectionError):
        while data := await asyncio.get_running_loop().sock_recv(client, 65_536):
            got += data
