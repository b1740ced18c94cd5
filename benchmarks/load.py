"""A load of prepared HTTP requests over keep-alive connections, one request under way on each."""

import asyncio
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import NamedTuple

from benchmarks.answers import OK, Answers


class Load(NamedTuple):
    """What a load measured."""

    per_second: float
    seconds: list[float]
    """Of each request, from sending to the whole answer."""
    refused: int
    """Answers other than 200."""


async def load(port: int, requests: Sequence[Sequence[bytes]], seconds: float) -> Load:
    """Send each connection's requests one after another, until they are done or the time is up."""
    loop = asyncio.get_running_loop()
    until = perf_counter() + seconds
    begin = perf_counter()
    clients = []
    for own in requests:
        _, client = await loop.create_connection(partial(_Client, own, until), "127.0.0.1", port)
        clients.append(client)
    await asyncio.gather(*(client.done for client in clients))
    took = perf_counter() - begin
    times = [second for client in clients for second in client.times]
    return Load(len(times) / took, times, sum(client.refused for client in clients))


class _Client(Answers):
    """One connection: sends, waits for the whole answer, sends the next."""

    def __init__(self, requests: Sequence[bytes], until: float) -> None:
        super().__init__()
        self.requests = requests
        self.until = until
        self.times: list[float] = []
        self.refused = 0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._next = 0
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._send()

    def answered(self, answer: bytes) -> None:
        self.times.append(perf_counter() - self._sent)
        self.refused += not answer.startswith(OK)
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("the server closed the connection"))

    def _send(self) -> None:
        self._sent = perf_counter()
        if self._next >= len(self.requests) or self._sent > self.until:
            if not self.done.done():
                self.done.set_result(None)
            self.transport.close()
            return
        self.transport.write(self.requests[self._next])
        self._next += 1


def post(path: str, body: bytes, headers: str = "") -> bytes:
    """A POST of JSON as it goes over the wire; `headers` is whole lines."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body
