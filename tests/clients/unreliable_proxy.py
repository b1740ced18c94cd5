"""A TCP proxy that cuts its connections on demand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

PIECE = 65_536


class Proxy:
    """Passes bytes on to `target`, which may be changed; `url` is where it listens."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.url = ""
        self.cuts = 0
        """How many connections were cut."""
        self.answers_to_lose = 0
        """So many of the target's next answers are thrown away, and their connections cut."""
        self.cut_every: int | None = None
        """Cut all connections after so many pieces that the target has said."""
        self._passed = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        """asyncio refers to what waits for a stream only weakly."""

    def cut(self) -> None:
        """Break every connection, in the middle of whatever is said."""
        for writer in self._writers:
            writer.transport.abort()
            self.cuts += 1

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side ends it."""
        task = asyncio.create_task(self._pass_on(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Break every connection for good."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        where = urlsplit(self.target)
        self._writers.add(writer)
        try:
            there_reader, there_writer = await asyncio.open_connection(where.hostname, where.port)
            asking = asyncio.create_task(self._copy(reader, there_writer))
            try:
                await self._copy(there_reader, writer, answers=True)
            finally:
                asking.cancel()
                there_writer.transport.abort()
        except OSError:
            return
        finally:
            writer.transport.abort()
            self._writers.discard(writer)

    async def _copy(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, answers: bool = False) -> None:
        try:
            while piece := await source.read(PIECE):
                if answers and self.answers_to_lose:
                    self.answers_to_lose -= 1
                    return
                sink.write(piece)
                await sink.drain()
                self._passed += answers
                if answers and self.cut_every and self._passed % self.cut_every == 0:
                    self.cut()
        except ConnectionError:
            return
        finally:
            sink.transport.abort()


@asynccontextmanager
async def proxied(target: str) -> AsyncIterator[Proxy]:
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
