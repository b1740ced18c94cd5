"""A client receives the close frame although it is still sending: the service reads on, within bounds."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine

import pytest

from service.store.game_store import RedisStore
from service.web import websocket
from service.web.connection import MAX_DISCARDED_BYTES, ClientConnection
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.limits import Limits
from service.web.streaming import STREAMS
from service.web.websocket import close_streams
from service.web.websocket_connection import WebSocketConnection
from tests.polling import wait_until
from tests.security.limited_client import make_limits
from tests.web.app_server import Client, serve, wait_until_no_streams
from tests.web.websocket.frame_client import FrameClient, connect_frame_client
from verification.fuzz.frames import BINARY, CLOSE, FINAL, TEXT, encode_frame

MESSAGE = encode_frame(BINARY, bytes(60_000), mask=bytes(4))

MESSAGES = MESSAGE * 50
"""3 MB, which no buffer of the system holds."""

READ_BYTES = 262_144
"""What asyncio reads at once."""

LARGE = encode_frame(TEXT, bytes(3_000_000), mask=bytes(4))


@pytest.fixture
async def quick(store: RedisStore) -> AsyncIterator[Client]:
    """Return a client of an instance that closes streams at once and accepts any number of messages."""
    async with serve(store, Limits(close_window_s=0, rate_limits=False)) as client:
        yield client


def only_stream(client: Client) -> WebSocketConnection:
    """Return the only socket that is open."""
    (stream,) = client.app[STREAMS]
    assert isinstance(stream, WebSocketConnection)
    return stream


async def wait(_: Client) -> None:
    """Leave it to the service to close."""


async def shut_down(client: Client) -> None:
    """Close all sockets."""
    await close_streams(client.app)


async def miss_a_pong(client: Client) -> None:
    """Close as after a ping without an answer."""
    only_stream(client).close(4408, "no_pong")


@pytest.mark.parametrize(
    ("path", "data", "close", "code"),
    (
        pytest.param("/v1/ws", LARGE, wait, 1009, id="too large a message"),
        pytest.param("/v1/ws", MESSAGE + LARGE, wait, 1009, id="too large a message after another"),
        pytest.param("/v1/ws", encode_frame(0x3, b"") + MESSAGES, wait, 1002, id="an unknown frame"),
        pytest.param("/v1/ws", encode_frame(TEXT, bytes(3_000_000), mask=None), wait, 1002, id="an unmasked frame"),
        pytest.param("/v1/ws", encode_frame(TEXT, b"\xff") + MESSAGES, wait, 1007, id="not UTF-8"),
        pytest.param("/v1/games/none/ws", MESSAGES, wait, 4404, id="no such game"),
        pytest.param("/v1/ws", MESSAGES, shut_down, 1001, id="shutdown"),
        pytest.param("/v1/ws", MESSAGES, miss_a_pong, 4408, id="no pong"),
    ),
)
async def test_a_client_that_is_sending_receives_the_close_frame(
    quick: Client, path: str, data: bytes, close: Callable[[Client], Coroutine[None, None, None]], code: int
) -> None:
    async with connect_frame_client(quick, path) as line:
        sending = asyncio.create_task(line.write(data))
        await line.until(b"welcome")
        async with asyncio.TaskGroup() as group:
            group.create_task(close(quick))
            while (frame := await line.frame()).first != FINAL | CLOSE:
                pass
            await sending  # a client may look at what it received only then
        assert int.from_bytes(frame.payload[:2]) == code
        await line.write(encode_frame(CLOSE, frame.payload[:2]))
        assert await line.ended()
    await wait_until_no_streams(quick)


async def test_a_client_over_its_rate_limit_receives_the_close_frame(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "MAX_RATE_LIMITED", 3)
    async with serve(store, make_limits(rate_requests=1)) as client, connect_frame_client(client, "/v1/ws") as line:
        sending = asyncio.create_task(line.write(MESSAGES))
        while (frame := await line.frame()).first != FINAL | CLOSE:
            pass
        await sending
        assert int.from_bytes(frame.payload[:2]) == 4429


async def send_for_ever(line: FrameClient) -> None:
    """Send until the connection fails."""
    while True:
        await line.write(bytes(100_000))


async def test_a_client_that_does_not_stop_sending_is_disconnected(quick: Client) -> None:
    """After a second, in which the service reads no more than a bound."""
    loop = asyncio.get_running_loop()
    async with connect_frame_client(quick, "/v1/ws") as line:
        await line.until(b"welcome")
        (connection,) = quick.app[CONNECTION_LIMITER].connections
        assert isinstance(connection, ClientConnection)
        started_at = loop.time()
        await line.write(encode_frame(TEXT, b"", length=2**40))
        with pytest.raises(ConnectionError):
            await send_for_ever(line)
        assert 0.9 < loop.time() - started_at < 4
        assert connection.discarded_bytes <= MAX_DISCARDED_BYTES + READ_BYTES
    await wait_until_no_streams(quick)


async def test_a_client_that_has_closed_is_not_waited_for(quick: Client) -> None:
    """Neither one that answers the close frame, nor one that disconnects."""
    loop = asyncio.get_running_loop()
    for answer in (encode_frame(CLOSE, b"\x11\x38"), None):
        async with connect_frame_client(quick, "/v1/ws") as line:
            await line.until(b"welcome")
            only_stream(quick).close(4408, "no_pong")
            assert (await line.frame()).first == FINAL | CLOSE
            started_at = loop.time()
            if answer is None:
                line.disconnect()
            else:
                await line.write(answer)
            await wait_until(lambda: not len(quick.app[STREAMS]))
            assert loop.time() - started_at < 0.9
