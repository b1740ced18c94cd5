"""A client receives the close frame although it is still sending: the service reads on, within bounds.

A malformed message is answered with a problem, and the socket stays open.

The cases of the Autobahn test suite (RFC 6455, RFC 7692), as kosoku drives them.

They send messages and expect them back, so an echo takes the place of the session. The rest is the service's own: the
server, the handshake, reading, writing, pings and closing.
"""

import asyncio
import json
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path

import pytest
from aiohttp import WSMessage, WSMsgType, web

from service.store.game_store import RedisStore
from service.web import encodings, websocket, websocket_connection
from service.web.app import HttpRequest
from service.web.connection import MAX_DISCARDED_BYTES, ClientConnection
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.limits import Limits
from service.web.rate_limiter import open_stream
from service.web.streams import STREAMS
from service.web.websocket import close_streams
from service.web.websocket_connection import WebSocketConnection, accept_connection
from tests.polling import TIMEOUT_S, wait_until
from tests.security.limited_client import make_limits
from tests.tools import SCRIPTS
from tests.web.app_server import Client, serve, wait_until_no_streams
from tests.web.http_game import HTTPGame
from tests.web.watcher_client import WatcherClient, only_stream, watch_game
from tests.web.websocket.frame_client import FrameClient, connect_frame_client
from verification.fuzz.frames import BINARY, CLOSE, DEFLATED, FINAL, TEXT, deflate, encode_frame

MESSAGE = encode_frame(BINARY, bytes(60_000), mask=bytes(4))

MESSAGES = MESSAGE * 50
"""3 MB, which no buffer of the system holds."""

READ_BYTES = 262_144
"""What asyncio reads at once."""

ENDS = b"\x88\x80" * 1_000_000
"""What looks like close frames, wherever reading begins."""

LARGE = encode_frame(TEXT, ENDS * 2, mask=bytes(4))


@pytest.fixture
async def quick(store: RedisStore) -> AsyncIterator[Client]:
    """Return a client of an instance that closes streams at once and accepts any number of messages."""
    async with serve(store, Limits(close_window_s=0, rate_limits=False)) as client:
        yield client


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
        pytest.param("/v1/ws", encode_frame(TEXT, b"", mask=None) + ENDS, wait, 1002, id="an unmasked frame"),
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


async def test_a_client_over_its_limit_receives_the_close(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
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
    async with connect_frame_client(quick, "/v1/ws") as line:
        await line.until(b"welcome")
        (connection,) = quick.app[CONNECTION_LIMITER].connections
        assert isinstance(connection, ClientConnection)
        await line.write(encode_frame(TEXT, b"", length=2**40))
        with pytest.raises(ConnectionError):
            await send_for_ever(line)
        assert connection.discarded_bytes <= MAX_DISCARDED_BYTES + READ_BYTES
    await wait_until_no_streams(quick)


async def test_a_client_that_has_closed_is_not_waited_for(quick: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that answers the close frame, nor one that disconnects."""
    monkeypatch.setattr(websocket_connection, "CLOSE_TIMEOUT_S", 10 * TIMEOUT_S)
    monkeypatch.setattr(websocket_connection, "DISCARD_TIMEOUT_S", 10 * TIMEOUT_S)
    for answer in (encode_frame(CLOSE, b"\x11\x38"), None):
        async with connect_frame_client(quick, "/v1/ws") as line:
            await line.until(b"welcome")
            only_stream(quick).close(4408, "no_pong")
            assert (await line.frame()).first == FINAL | CLOSE
            if answer is None:
                line.disconnect()
            else:
                await line.write(answer)
            await wait_until(lambda: not len(quick.app[STREAMS]))


DEEP = "[" * 30_000


@pytest.mark.parametrize(
    ("text", "path", "message_id", "game"),
    (
        *(("", "$", None, None), ("{", "$", None, None)),
        *(("nonsense", "$", None, None), ("{} {}", "$.type", None, None)),
        ('{"type": "ping", "id": "p"', "$", None, None),
        *(("null", "$", None, None), ("[]", "$", None, None), ('"ping"', "$", None, None)),
        *(("17", "$", None, None), (DEEP, "$", None, None)),
        ('{"type": "ping", "id": ' + DEEP, "$.id", None, None),
        ('{"type": "ping", "id": "\\ud800"}', "$", None, None),
        ("{}", "$.type", None, None),
        ('{"id": "a"}', "$.type", "a", None),
        ('{"type": "shout", "id": "a"}', "$.type", "a", None),
        ('{"type": null, "id": "a", "game": "g"}', "$.type", "a", "g"),
        ('{"type": "welcome", "id": "a"}', "$.type", "a", None),
        ('{"type": "ping", "id": 1}', "$.id", None, None),
        (f'{{"type": "ping", "id": "{"x" * 65}"}}', "$.id", None, None),
        ('{"type": "ping", "id": {"deep": [{}]}}', "$.id", None, None),
        ('{"type": "ping", "id": "a", "more": 1}', "$.more", "a", None),
        ('{"type": "subscribe", "id": "a"}', "$.game", "a", None),
        ('{"type": "subscribe", "id": "a", "game": "UPPER"}', "$.game", "a", None),
        (f'{{"type": "subscribe", "id": "a", "game": "{"g" * 33}"}}', "$.game", "a", None),
        ('{"type": "subscribe", "id": "a", "game": 7}', "$.game", "a", None),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": -1}', "$.since", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 1.5}', "$.since", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 4294967296}', "$.since", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 4294967296.0}', "$.since", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 1e400}', "$.since", "a", "g"),
        ('\ufeff{"type": "shout", "id": "a"}', "$.type", "a", None),
        ('{"type": "subscribe", "id": "a", "game": "g", "digest": "short"}', "$.digest", "a", "g"),
        ('{"type": "subscribe", "id": "a", "game": "g", "since": 1, "sinc": 1}', "$.sinc", "a", "g"),
        ('{"type": "auth", "id": "a", "game": "g"}', "$.token", "a", "g"),
        ('{"type": "auth", "id": "a", "game": "g", "token": null}', "$.token", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "action": {"type": "shout"}}', "$.action.type", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "if_match": "*"}', "$.if_match", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "key": ""}', "$.key", "a", "g"),
        ('{"type": "act", "id": "a", "game": "g", "move": "p0.0.0", "include": "all"}', "$.include", "a", "g"),
    ),
)
async def test_a_malformed_message_is_answered(
    watcher: WatcherClient, text: str, path: str, message_id: str | None, game: str | None
) -> None:
    error = await watcher.request_error(text, "malformed")
    assert (error["id"], error["game"]) == (message_id, game)
    assert error["problem"]["path"] == path, error["problem"]
    assert error["problem"]["detail"]
    await watcher.expect_nothing()


async def test_a_binary_message_is_answered(watcher: WatcherClient) -> None:
    await watcher.socket.send_bytes(b'{"type": "ping"}')
    error = await watcher.receive("error")
    assert (error["id"], error["game"], error["problem"]["code"]) == (None, None, "malformed")
    await watcher.expect_nothing()


async def test_a_malformed_message_changes_no_subscription(client: Client, http_game: HTTPGame) -> None:
    async with watch_game(client, http_game.id) as watcher:
        await watcher.request_error(f'{{"type": "unsubscribe", "game": "{http_game.id}", "more": 1}}', "malformed")
        await watcher.receive_action(http_game)


async def test_integers_may_have_a_zero_fraction(http_game: HTTPGame, watcher: WatcherClient) -> None:
    await watcher.send(f'\ufeff{{"type":"subscribe","id":"1.0","game":"{http_game.id}","since":1e0}}')
    assert (await watcher.receive("subscribed"))["id"] == "1.0"
    move = (await http_game.legal_moves())[0]["id"]
    await watcher.send(f'{{"type":"act","game":"{http_game.id}","seat":0.5,"move":"{move}"}}')
    assert (await watcher.receive("error"))["problem"]["path"] == "$.seat"


async def test_null_is_absent(http_game: HTTPGame, watcher: WatcherClient) -> None:
    await watcher.send(f'{{"type":"subscribe","game":"{http_game.id}","since":null,"digest":null,"id":null}}')
    assert (await watcher.receive("subscribed"))["id"] is None


async def test_a_message_may_have_just_the_size_that_the_welcome_says(watcher: WatcherClient) -> None:
    await watcher.request_error('{"type": "ping"}'.ljust(65_536, "x"), "malformed")
    assert await watcher.request('{"type": "ping"}'.ljust(65_536), "pong")


MIB = 1024 * 1024

LIMITS = Limits(
    rate_limits=False, max_message_bytes=16 * MIB, max_unsent_bytes=64 * MIB, max_unsent_bytes_total=256 * MIB
)
"""Some messages of 9.x have 16 MiB."""

CASES = {"1": 16, "2": 11, "3": 7, "4": 10, "5": 20, "6": 145, "7": 37, "9": 54, "10": 1}
"""The number of cases by section."""

DEFLATE_SECTIONS = (*(f"12.{data}" for data in range(1, 6)), *(f"13.{offer}" for offer in range(1, 8)))
"""Each has 18 cases of 1,000 messages, in order of their size."""

SMALL = (1, 5)
"""Those of 16 bytes and of 4 KiB."""

LARGEST = [f"{section}.{number}" for section in ("12.1", "13.3") for number in (9, 14)]
"""Those of 64 KiB, whole and in fragments. The service rejects larger ones unless an operator raises the limit.

With the default offer, and with one that forbids to use earlier messages; their data are alike to the reader.
"""

NON_STRICT = {"6.4.1", "6.4.2", "6.4.3", "6.4.4"}
"""aiohttp looks at the UTF-8 of a whole message, and not at each fragment as soon as it arrives."""

OPCODES = {WSMsgType.TEXT: TEXT, WSMsgType.BINARY: BINARY}


async def echo(request: HttpRequest) -> web.StreamResponse:
    """Send each message back, compressed if that was negotiated."""
    async with open_stream(request):
        connection = await accept_connection(request)
        try:
            await connection.run(partial(send_back, connection))
        finally:
            connection.release()
    return connection.socket


async def send_back(connection: WebSocketConnection, message: WSMessage) -> None:
    """Send a message back; pings and pongs are no messages."""
    if (opcode := OPCODES.get(message.type)) is None:
        return
    payload, window_bits = message.data if opcode == BINARY else message.data.encode(), int(connection.socket.compress)
    if opcode == TEXT and connection._encoding == encodings.DEFLATED:
        connection._write(encodings.deflated_frame(payload))
    elif window_bits:
        connection._write(encode_frame(opcode, deflate(payload, window_bits), flags=FINAL | DEFLATED, mask=None))
    else:
        connection._write(encodings.text_frame(payload, FINAL | opcode))


@pytest.fixture
async def url(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """Yield the URL of the echo in an instance of the service."""
    monkeypatch.setattr(websocket, "serve_websocket", echo)
    async with serve(store, LIMITS) as client:
        yield f"ws://{client.host}:{client.port}/v1/ws"


async def run_cases(url: str, cases: Sequence[str], reports: Path) -> dict[str, tuple[str, str]]:
    """Run cases; return the verdicts on the behavior and on the close of each."""
    included = [word for case in cases for word in ("-i", case)]
    process = await asyncio.create_subprocess_exec(
        SCRIPTS / "kosoku", url, *included, "-p", "4", "-o", reports, stdout=PIPE, stderr=STDOUT
    )
    output, _ = await process.communicate()
    assert (reports / "index.json").exists(), output.decode()
    (results,) = json.loads((reports / "index.json").read_text()).values()
    return {case: (result["behavior"], result["behaviorClose"]) for case, result in results.items()}


def find_failures(verdicts: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the cases that do not hold."""
    return {
        case: verdict
        for case, verdict in verdicts.items()
        if not {*verdict} <= {"OK", "INFORMATIONAL"} and not (case in NON_STRICT and verdict == ("NON-STRICT", "OK"))
    }


@pytest.mark.parametrize(
    ("cases", "number"),
    (
        *(pytest.param([f"{section}.*"], number, id=section) for section, number in CASES.items()),
        *(pytest.param([f"{one}.{size}" for size in SMALL], len(SMALL), id=one) for one in DEFLATE_SECTIONS),
        pytest.param(LARGEST, len(LARGEST), id="largest", marks=pytest.mark.timeout(600)),
    ),
)
async def test_the_cases_of_the_protocol_and_of_compression_hold(
    url: str, cases: Sequence[str], number: int, tmp_path: Path
) -> None:
    verdicts = await run_cases(url, cases, tmp_path / "first")
    if failed := find_failures(verdicts):  # their client waits for a second, which a busy machine takes
        verdicts |= await run_cases(url, [*failed], tmp_path / "again")
    assert find_failures(verdicts) == {}
    assert len(verdicts) == number
