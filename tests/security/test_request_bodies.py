"""Unwanted request bodies: none is decompressed, and none is read further than a request may be long."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Iterable

import pytest
import pytest_asyncio

from service.store.game_store import RedisStore
from service.web.connection import MAX_DISCARDED_BYTES, MAX_STREAM_HEAD_BYTES, ClientConnection
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.limits import Limits
from service.web.streaming import deflated_frame
from tests.polling import wait_until, wait_until_unchanged
from tests.security.cpu_time import Data, MeasuredService, send, start_measured_service
from tests.web.app_server import Client, serve
from tests.web.http_game import JSON, create_game
from tests.web.raw_http import UPGRADE, make_head, open_connection, read_to_end

WITHIN_S = 10.0

COMPRESSED_ZEROS = gzip.compress(bytes(60_000_000), 9)
"""58 KB that decompress to 60 MB."""

READ_BYTES = 262_144
"""Bytes that the event loop reads at once."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory, redis_url: str) -> AsyncIterator[MeasuredService]:
    """Start one service for all measurements."""
    async with start_measured_service(tmp_path_factory.mktemp("bodies"), redis_url, "--rate-limits", "off") as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def get_ms(service: MeasuredService) -> float:
    """Measure the milliseconds of a plain GET."""
    return await service.measure_get()


def head(path: str, *lines: str) -> bytes:
    """Return the head of a POST."""
    return make_head(path, f"Content-Type: {JSON}", *lines, method="POST")


def chunked(path: str, chunk: bytes, number: int) -> Data:
    """Return a body in so many chunks."""

    def parts() -> Iterable[bytes]:
        yield head(path, "Transfer-Encoding: chunked")
        for _ in range(number // 1_000):
            yield chunk * 1_000
        yield b"0\r\n\r\n"

    return parts


def large_body(path: str, *lines: str, before: bytes = b"", filled_with: bytes = b"a") -> Data:
    """Return a body of 200 MB."""

    def parts() -> Iterable[bytes]:
        yield head(path, *lines) + before
        megabyte = filled_with * 1_000_000
        for _ in range(200):
            yield megabyte

    return parts


PATHS = ("/livez", "/nowhere", "/v1/games", "/v1/games/none/actions", "/v1/tilesets")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("path", PATHS)
async def test_a_compressed_body_costs_at_most_20_gets(service: MeasuredService, get_ms: float, path: str) -> None:
    lines = ("Content-Encoding: gzip", f"Content-Length: {len(COMPRESSED_ZEROS)}")
    cost, last = await service.measure_cost(head(path, *lines) + COMPRESSED_ZEROS, 10)
    assert last.status == 415
    assert cost < 20 * get_ms


LENGTH, CHUNKED = "Content-Length: 200000000", "Transfer-Encoding: chunked"
STREAM = "Accept: text/event-stream"

FLOODS: dict[str, tuple[Data, int]] = {
    "a long body, 404": (large_body("/nowhere", LENGTH), 404),
    "a long body, 405": (large_body("/livez", LENGTH), 405),
    "a long body, 413": (large_body("/v1/games", LENGTH), 413),
    "a long chunk, 404": (large_body("/nowhere", CHUNKED, before=b"bebc200\r\n"), 404),
    "a long chunk, 413": (large_body("/v1/games", CHUNKED, before=b"bebc200\r\n"), 413),
    "small chunks, 404": (chunked("/nowhere", b"1\r\n \r\n", 1_000_000), 404),
    "small chunks, 400": (chunked("/v1/games", b"1\r\n \r\n", 1_000_000), 400),
    "a long extension, 404": (large_body("/nowhere", CHUNKED, before=b"1;"), 404),
    "extensions, 404": (chunked("/nowhere", b"1;" + b"a" * 2_000 + b"\r\n \r\n", 10_000), 404),
    "after an upgrade, 413": (large_body("/v1/games", *UPGRADE[:2], LENGTH), 413),
    "after a CONNECT, 404": (lambda: (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", bytes(20_000_000)), 404),
    "a chunk's size, 404": (large_body("/nowhere", CHUNKED, filled_with=b"0"), 404),
}


@pytest.mark.usefixtures("short_linger")
@pytest.mark.parametrize("name", FLOODS)
async def test_an_unwanted_body_is_not_read_to_its_end(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    accept, connections = ClientConnection.connection_made, []

    def record(connection: ClientConnection, transport: asyncio.BaseTransport) -> None:
        connections.append(connection)
        accept(connection, transport)

    monkeypatch.setattr(ClientConnection, "connection_made", record)
    data, status = FLOODS[name]
    async with serve(store) as client:
        assert (await send(str(client.make_url("/")), data)).status == status
    (connection,) = connections
    assert 0 < connection.discarded_bytes <= MAX_DISCARDED_BYTES + READ_BYTES


@pytest.mark.asyncio(loop_scope="module")
async def test_a_compressed_message_costs_at_most_20_gets(service: MeasuredService, get_ms: float) -> None:
    """It is inflated to what a message may have and no further."""
    packed = deflated_frame(bytes(20_000_000))
    frame = packed[:1] + b"\xfe" + packed[2:4] + bytes(4) + packed[4:]

    handshake = make_head("/v1/ws", *UPGRADE, "Sec-WebSocket-Extensions: permessage-deflate")
    cost, last = await service.measure_cost(handshake, 10, after_response=frame)
    assert cost < 20 * get_ms
    assert (last.status, last.answer[-4:]) == (101, b"\x88\x02\x03\xf1")


@pytest.mark.usefixtures("short_linger")
async def test_a_body_that_never_follows_expect_100_continue_times_out(store: RedisStore) -> None:
    async with serve(store, Limits(request_timeout_s=1.0)) as client, open_connection(client) as (reader, writer):
        writer.write(head("/v1/games", "Content-Length: 10", "Expect: 100-continue"))
        async with asyncio.timeout(WITHIN_S):
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            assert (await reader.read()).startswith(b"HTTP/1.1 400 ")


def pipelined_requests(size: int) -> bytes:
    """Return many pipelined requests with such bodies."""
    return (b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size + bytes(size)) * 32


async def wait_for_connection(client: Client, such: Callable[[ClientConnection], bool]) -> ClientConnection:
    """Return the server's side of a connection, once it meets a condition."""
    connections: dict[ClientConnection, None] = client.app[CONNECTION_LIMITER].connections
    await wait_until(lambda: any(map(such, connections)))
    return next(filter(such, connections))


@pytest.mark.parametrize("size", (20_000, 500_000))
async def test_pipelined_bodies_are_not_buffered(store: RedisStore, size: int) -> None:
    """They wait behind answers that nobody reads, what was read at once with aiohttp, the rest with the client."""
    async with serve(store) as client, open_connection(client) as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # it is a transport for reading, too
        connection = await wait_for_connection(client, lambda _: True)
        async with asyncio.timeout(WITHIN_S):
            while not connection.writing_paused:
                writer.write(make_head("/openapi.json"))
                await asyncio.sleep(0.02)
        received_before = connection.received_bytes
        writer.write(pipelined_requests(size))
        await wait_for_connection(client, lambda one: one.is_ahead)
        await wait_until_unchanged(lambda: connection.received_bytes)
        assert 0 < connection.received_bytes - received_before <= READ_BYTES


async def test_no_request_may_follow_an_event_stream(store: RedisStore) -> None:
    async with serve(store) as client, open_connection(client) as (reader, writer):
        game = await create_game(client)
        writer.write(make_head(f"{game.path}/diffs", STREAM))
        connection = await wait_for_connection(client, lambda one: one.kind == "stream")
        writer.write(pipelined_requests(500_000))
        await read_to_end(reader)
        assert connection.received_bytes <= MAX_STREAM_HEAD_BYTES + READ_BYTES


@pytest.mark.parametrize("number", (2, 4))
@pytest.mark.parametrize("kind", ("socket", "stream"))
async def test_sockets_and_event_streams_must_have_a_small_head(store: RedisStore, kind: str, number: int) -> None:
    """It stays as long as the socket or event stream."""
    lines = [f"X-{index}: {'a' * 5_000}" for index in range(number)]
    async with serve(store) as client:
        game = await create_game(client)
        stream = make_head(f"{game.path}/diffs", STREAM, *lines)
        async with open_connection(client) as (reader, writer):
            writer.write(make_head("/v1/ws", *UPGRADE, *lines) if kind == "socket" else stream)
            async with asyncio.timeout(WITHIN_S):
                status = int((await reader.readline()).split()[1])
    assert status == 400 if number == 4 else status in (101, 200)
