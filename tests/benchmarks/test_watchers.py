"""The sockets that only count."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from benchmarks.watchers import TooFewFiles, Watchers, allow_sockets

SOCKETS, MESSAGES = 70, 5
MARK = b'"type":"diff"'


@asynccontextmanager
async def _telling(*, compress: bool) -> AsyncIterator[tuple[int, asyncio.Event]]:
    """The port of a server that tells every socket some diffs, each with a message between, when the event is set."""
    event = asyncio.Event()

    async def watch(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=compress)
        await socket.prepare(request)
        await event.wait()
        for number in range(MESSAGES):
            await socket.send_str(f'{{"type":"diff","number":{number},"much":"{"x" * 100 * number}"}}')
            if not compress:
                await socket.send_str('{"type":"pong"}')
        await socket.receive()
        return socket

    app = web.Application()
    app.router.add_get("/ws", watch)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner.addresses[0][1], event
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("compressed", (False, True))
async def test_every_diff_at_every_socket_is_counted(*, compressed: bool) -> None:
    async with (
        _telling(compress=compressed) as (port, event),
        Watchers(port, "/ws", SOCKETS, compressed=compressed) as watchers,
    ):

        async def tell() -> None:
            event.set()

        assert await watchers.measure(MESSAGES, MARK, tell) > 0
        assert watchers.received > SOCKETS * MESSAGES * (10 if compressed else len(MARK))


async def test_a_server_that_does_not_compress_is_found_out() -> None:
    async with _telling(compress=False) as (port, _):
        with pytest.raises(ConnectionError, match="not upgraded as asked"):
            async with Watchers(port, "/ws", 2, compressed=True):
                pass


def test_more_sockets_than_the_system_has_files_are_refused() -> None:
    with pytest.raises(TooFewFiles, match="sockets need"):
        allow_sockets(10**12)
