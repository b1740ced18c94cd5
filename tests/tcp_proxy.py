"""A TCP proxy that fails on demand: it cuts its connections, stops forwarding, or answers in the service's place."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

CHUNK_SIZE = 65_536


class Proxy:
    """Passes bytes on to `target`, which may be changed; `url` is where it listens."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.url = ""
        self.accepted = 0
        """The number of accepted connections."""
        self.requested = 0
        """The number of chunks sent to the target."""
        self.cuts = 0
        """The number of cut connections."""
        self.responses_to_drop = 0
        """The number of the target's next responses to drop, together with their connections."""
        self.cut_every: int | None = None
        """Cut all connections after every so many chunks from the target."""
        self.wrong_upgrades: deque[bytes] = deque()
        self.wrong_responses: deque[bytes] = deque()
        """Sent in place of the service's next responses to upgrades, and of every third other response.

        After an empty one in place of an upgrade, the connection is cut after the first message of the service.
        """
        self._responses = 0
        self._chunks = 0
        self._forwarding = asyncio.Event()
        self._forwarding.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        """asyncio has only weak references to tasks."""

    def cut(self) -> None:
        """Break every connection, even in the middle of a message."""
        for writer in self._writers:
            writer.transport.abort()
            self.cuts += 1

    def stop_forwarding(self) -> None:
        """Drop everything from now on, without closing connections, as a network that drops packets does."""
        self._forwarding.clear()

    def forward(self) -> None:
        """Forward again, after `stop_forwarding`."""
        self._forwarding.set()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side ends it."""
        self.accepted += 1
        task = asyncio.create_task(self._forward(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Break every connection for good."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = urlsplit(self.target)
        self._writers.add(writer)
        try:
            await self._forwarding.wait()
            target_reader, target_writer = await asyncio.open_connection(target.hostname, target.port)
            requests = asyncio.create_task(self._copy(reader, target_writer))
            try:
                await self._copy(target_reader, writer, is_response=True)
            finally:
                requests.cancel()
                target_writer.transport.abort()
        except OSError:
            return
        finally:
            writer.transport.abort()
            self._writers.discard(writer)

    def _next_wrong_response(self, chunk: bytes) -> bytes | None:
        if chunk.startswith(b"HTTP/1.1 101 "):
            return self.wrong_upgrades.popleft() if self.wrong_upgrades else None
        self._responses += chunk.startswith(b"HTTP/1.1 ")
        is_due = chunk.startswith(b"HTTP/1.1 ") and self._responses % 3 == 0
        return self.wrong_responses.popleft() if is_due and self.wrong_responses else None

    async def _copy(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, is_response: bool = False
    ) -> None:
        try:
            while chunk := await source.read(CHUNK_SIZE):
                await self._forwarding.wait()
                if is_response and self.responses_to_drop:
                    self.responses_to_drop -= 1
                    return
                wrong = self._next_wrong_response(chunk) if is_response else None
                sink.write(wrong or chunk)
                if wrong == b"" and chunk.endswith(b"\r\n\r\n"):
                    sink.write(await source.read(CHUNK_SIZE))
                await sink.drain()
                if wrong is not None:
                    return
                self._chunks += is_response
                self.requested += not is_response
                if is_response and self.cut_every and self._chunks % self.cut_every == 0:
                    self.cut()
        except ConnectionError:
            return
        finally:
            sink.transport.abort()


@asynccontextmanager
async def run_proxy(target: str) -> AsyncIterator[Proxy]:
    """Start a proxy in front of `target`."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    proxy.url = f"http://{host}:{port}"
    try:
        yield proxy
    finally:
        server.close()
        await proxy.aclose()
        await server.wait_closed()
