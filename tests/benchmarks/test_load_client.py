"""The load generator: requests, frames byte by byte, and what it rejects."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from benchmarks.load_client import (
    NO_MASK,
    TEXT,
    WebSocketConnection,
    encode_frame,
    post_request,
    send_load,
)
from benchmarks.watcher_clients import watch_game

SOCKETS, MESSAGES = 60, 40


@asynccontextmanager
async def serving(app: web.Application) -> AsyncIterator[int]:
    """Start an application and return its port."""
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def test_every_request_gets_its_response_and_an_error_ends_the_load() -> None:
    bodies: list[bytes] = []

    async def handle(request: web.Request) -> web.Response:
        bodies.append(await request.read())
        return web.Response(text="x" * 100_000, status=200 if bodies[-1] != b"bad" else 422)

    app = web.Application()
    app.router.add_post("/", handle)
    async with serving(app) as port:
        load = await send_load(
            port,
            [[post_request("/", b"%d.%d" % (connection, number)) for number in range(3)] for connection in (1, 2)],
            60,
        )
        assert len(load.seconds) == 6
        assert sorted(bodies) == [b"1.0", b"1.1", b"1.2", b"2.0", b"2.1", b"2.2"]
        with pytest.raises(RuntimeError, match="422"):
            await send_load(port, [[post_request("/", b"bad")]], 60)


@pytest.mark.parametrize(
    ("length", "head"),
    (
        (0, b"\x81\x80"),
        (125, b"\x81\xfd"),
        (126, b"\x81\xfe" + struct.pack(">H", 126)),
        (65_535, b"\x81\xfe" + struct.pack(">H", 65_535)),
    ),
)
def test_a_frame_encodes_its_length_by_rfc_6455(length: int, head: bytes) -> None:
    assert encode_frame(TEXT, b"a" * length) == head + NO_MASK + b"a" * length


@asynccontextmanager
async def broadcasting(*, compress: bool) -> AsyncIterator[tuple[int, asyncio.Event]]:
    """Start a server that sends diffs to every socket once the event is set. Return its port."""
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
    async with serving(app) as port:
        yield port, event


@pytest.mark.parametrize("compressed", (False, True))
async def test_every_diff_at_every_socket_is_counted(*, compressed: bool) -> None:
    async with (
        broadcasting(compress=compressed) as (port, event),
        watch_game(port, "/ws", SOCKETS, compressed=compressed) as watchers,
    ):

        async def broadcast() -> None:
            event.set()

        assert await watchers.measure(MESSAGES, broadcast) > 0
        assert watchers.received_bytes > SOCKETS * MESSAGES * 10


@pytest.mark.parametrize("compressed", (False, True))
async def test_a_server_with_another_compression_than_requested_is_an_error(*, compressed: bool) -> None:
    app = web.Application()

    async def watch(request: web.Request) -> web.WebSocketResponse:
        extensions = "" if compressed else "permessage-deflate"
        headers = {"Sec-WebSocket-Extensions": extensions} if extensions else None
        socket = web.WebSocketResponse(compress=False)
        socket.headers.update(headers or {})
        await socket.prepare(request)
        await socket.receive()
        return socket

    app.router.add_get("/ws", watch)
    async with serving(app) as port:
        with pytest.raises(ConnectionError, match="not upgraded as requested"):
            await WebSocketConnection.open(port, "/ws", lambda _: None, compressed=compressed)
