"""CPU time of requests relative to a plain GET of the same run, and their charges."""

import asyncio
from collections.abc import Awaitable, Callable
from statistics import median
from time import process_time
from typing import NamedTuple, Self

from tests.web.app_server import Client
from tests.web.raw_http import make_head

ROUNDS = 3

Ask = Callable[[], Awaitable[object]]


class CostedResponse(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    size: int

    @property
    def remaining(self) -> int:
        """Return the remaining tokens of `RateLimit`."""
        return int(self.headers["ratelimit"].partition("r=")[2].partition(";")[0])


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


async def relative_cost(question: Ask, plain: Ask, times: int = 5) -> float:
    """Return how many times the CPU time of a plain request this one takes, in all threads.

    Rounds of both alternate, so that other load slows both.
    """
    await question()
    await plain()
    return median([await _seconds(question, times) / await _seconds(plain, 4 * times) * 4 for _ in range(ROUNDS)])


async def _seconds(ask: Ask, times: int) -> float:
    started_at = process_time()
    for _ in range(times):
        await ask()
    return process_time() - started_at
