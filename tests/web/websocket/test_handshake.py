"""The handshake, compression and frames of WebSockets (RFC 6455, RFC 7692), and what breaks the protocol."""

import asyncio
import json
import logging
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from http.client import HTTPResponse
from itertools import product
from random import Random
from typing import cast
from unittest.mock import AsyncMock, Mock, call

import pytest
from aiohttp import ClientSession
from aiohttp.http import WebSocketReader

from service.store.game_store import RedisStore
from service.web import encodings
from service.web.connection import ClientConnection
from service.web.frames import MAX_PENDING_BYTES, FrameReader, Inflater
from service.web.limits import Limits
from service.web.websocket_connection import SUBPROTOCOL, select_deflate_offer
from tests.polling import run_ready_tasks
from tests.security.limited_client import make_limits
from tests.web.app_server import Client, TurnCounter, serve, wait_until_no_streams
from tests.web.http_game import HTTPGame, create_game
from tests.web.raw_http import UPGRADE, make_head, send_raw
from tests.web.watcher_client import watch_game
from tests.web.websocket.frame_client import FrameClient, connect_frame_client
from verification.fuzz.frames import (
    BINARY,
    CLOSE,
    CONTINUATION,
    DEFLATED,
    FINAL,
    PING,
    PONG,
    TEXT,
    deflate,
    encode_frame,
)

VERSION = "Sec-WebSocket-Version"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
"""The key's answer (RFC 6455, 1.3)."""

OTHER = "chat.example, token.hFpsq8NkH33BBI8uV5YJ8vW67liNOv9x"


async def upgrade(
    client: Client, *lines: str, path: str = "/v1/ws", changed: Mapping[str, str | None] | None = None
) -> HTTPResponse:
    """Send an upgrade with these header lines and with some of the usual ones changed or left out."""
    usual = {"Connection": "Upgrade", "Upgrade": "websocket", VERSION: "13", "Sec-WebSocket-Key": KEY}
    head = [f"{name}: {value}" for name, value in {**usual, **(changed or {})}.items() if value is not None]
    return await send_raw(client, make_head(path, *head, *lines))


async def test_an_upgrade_is_accepted(client: Client) -> None:
    for changed in (
        None,
        {"Connection": "keep-alive, Upgrade"},
        {"Upgrade": "WebSocket"},
        {"Connection": "Upgrade, \udce9", "X-Name": "\udce9"},
    ):
        response = await upgrade(client, changed=changed)
        assert (response.status, response.headers["Sec-WebSocket-Accept"]) == (101, ACCEPT)
        assert response.headers["Upgrade"].lower() == "websocket"
        assert response.headers["Connection"].lower() == "upgrade"
        assert "Sec-WebSocket-Protocol" not in response.headers
        assert "Sec-WebSocket-Extensions" not in response.headers


@pytest.mark.parametrize("path", ("/v1/ws", "/v1/games/none/ws"))
async def test_only_get_upgrades(client: Client, path: str) -> None:
    """HEAD gets the head that GET gets without an upgrade."""
    for sent in ({}, dict(line.split(": ") for line in UPGRADE)):
        async with ClientSession() as session, session.head(client.make_url(path), headers=sent) as response:
            assert (response.status, response.headers["Upgrade"]) == (426, "websocket")


@pytest.mark.parametrize("path", ("/v1/ws", "/v1/games/none/ws"))
@pytest.mark.parametrize(
    "changed",
    (
        *({VERSION: version} for version in (None, "", "7", "8", "12", "14", "013", "13, 8", "x")),
        *({"Upgrade": protocol} for protocol in (None, "h2c")),
        *({"Connection": connection} for connection in (None, "close", "keep-alive")),
        {"Connection": None, "Sec-WebSocket-Protocol": OTHER},
        dict.fromkeys(("Connection", "Upgrade", VERSION, "Sec-WebSocket-Key")),
    ),
)
async def test_what_is_no_upgrade_to_the_supported_version_is_told_that(
    client: Client, path: str, changed: dict[str, str | None]
) -> None:
    """RFC 6455, 4.4; RFC 9110, 15.5.22."""
    response = await upgrade(client, path=path, changed=changed)
    assert (response.status, json.load(response)["code"]) == (426, "upgrade_required")
    assert response.headers[VERSION] == "13"
    assert (response.headers["Upgrade"], response.headers["Connection"]) == ("websocket", "Upgrade")
    assert response.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("key", (None, "", "short", "A" * 22, f"{KEY}=", "\udce9" * 11 + "==", "A" * 24))
async def test_a_malformed_upgrade_is_rejected(client: Client, key: str | None) -> None:
    response = await upgrade(client, changed={"Sec-WebSocket-Key": key})
    assert (response.status, json.load(response)["code"]) == (400, "malformed")


async def test_a_header_that_must_not_be_repeated_is_rejected(client: Client) -> None:
    """RFC 6455, 11.3.1 and 11.3.5."""
    assert (await upgrade(client, f"Sec-WebSocket-Key: {KEY}")).status == 400
    assert (await upgrade(client, f"{VERSION}: 8")).status == 426


async def test_http_1_0_has_no_websockets(client: Client) -> None:
    """RFC 6455, 4.2.1."""
    response = await send_raw(client, make_head("/v1/ws", *UPGRADE).replace(b"HTTP/1.1", b"HTTP/1.0"))
    assert (response.status, json.load(response)["code"]) == (400, "malformed")


@pytest.mark.parametrize(
    ("lines", "selected"),
    (
        ((), None),
        ((SUBPROTOCOL,), SUBPROTOCOL),
        ((f"chat.example, {SUBPROTOCOL}",), SUBPROTOCOL),
        ((f"{SUBPROTOCOL},chat.example",), SUBPROTOCOL),
        (("chat.example", SUBPROTOCOL), SUBPROTOCOL),
        *(((OTHER,), None), (("South-Seas.v1",), None), ((f"{SUBPROTOCOL}0",), None)),
        *((("",), None), (("caf\udce9",), None)),
    ),
)
async def test_the_subprotocol_is_selected_if_it_is_offered(
    client: Client, caplog: pytest.LogCaptureFixture, lines: tuple[str, ...], selected: str | None
) -> None:
    """Without it the socket opens too; and nothing that a client offers is logged."""
    with caplog.at_level(logging.DEBUG):
        response = await upgrade(client, *(f"Sec-WebSocket-Protocol: {line}" for line in lines))
    assert (response.status, response.headers.get("Sec-WebSocket-Protocol")) == (101, selected)
    assert not any("chat.example" in record.getMessage() for record in caplog.records)


DEFLATE = "permessage-deflate"
BITS_9 = f"{DEFLATE}; server_max_window_bits=9"


@pytest.mark.parametrize(
    ("offers", "selected"),
    (
        (DEFLATE, DEFLATE),
        (f"{DEFLATE}; client_max_window_bits", f"{DEFLATE}; client_max_window_bits"),
        (f"{DEFLATE};client_max_window_bits=8 ", f"{DEFLATE}; client_max_window_bits=8"),
        (f'{DEFLATE}; server_max_window_bits="10"', f"{DEFLATE}; server_max_window_bits=10"),
        (f"{DEFLATE}; client_max_window_bits=7, {DEFLATE}", DEFLATE),
        (f"{DEFLATE}; server_max_window_bits=8, {BITS_9}", BITS_9),
        (f"x-webkit-deflate-frame, {DEFLATE}", DEFLATE),
        *(("", None), (f"x{DEFLATE}", None), (f"{DEFLATE}d", None), (f"{DEFLATE}=1", None)),
        *((f"{DEFLATE};", None), (f"{DEFLATE}; unheard_of", None)),
        (f"{DEFLATE}; server_max_window_bits", None),
        *(
            (f"{DEFLATE}; server_max_window_bits={bits}", None)
            for bits in ("", "8", "7", "16", "010", "1e1", "\u0661\u0660")
        ),
        *((f"{DEFLATE}; client_max_window_bits={bits}", None) for bits in ("", "7", "16", "08", "x")),
        *((f"{DEFLATE}; {side}_no_context_takeover=1", None) for side in ("client", "server")),
        *((DEFLATE + f"; {side}_no_context_takeover" * 2, None) for side in ("client", "server")),
        (f"{DEFLATE}; client_max_window_bits=10; client_max_window_bits", None),
        (f'x; a="b, {DEFLATE}, c"', None),
        (f'{DEFLATE}; server_max_window_bits="10', None),
    ),
)
def test_the_first_valid_offer_is_selected(offers: str, selected: str | None) -> None:
    assert select_deflate_offer(offers) == selected


async def test_an_upgrade_reports_its_rate_limit(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=100)) as client:
        response = await upgrade(client)
        assert (response.status, response.headers["RateLimit-Policy"]) == (101, '"requests";q=100;w=3600')
        assert response.headers["RateLimit"].startswith('"requests";r=99;')


PLAIN, COMPRESSED = FINAL | TEXT, FINAL | DEFLATED | TEXT


async def test_every_combination_of_parameters_is_answered_with_those_that_bind(client: Client) -> None:
    """The answer has no parameter that was not offered, and no weaker one (RFC 7692, 7.1.1 and 7.1.2)."""
    choices = (
        ("", "server_no_context_takeover"),
        ("", "client_no_context_takeover"),
        ("", "server_max_window_bits=9", "server_max_window_bits=15"),
        ("", "client_max_window_bits", "client_max_window_bits=8", "client_max_window_bits=15"),
    )
    for chosen in product(*choices):
        parameters = [parameter for parameter in chosen if parameter]
        binding = [parameter for parameter in parameters if not parameter.startswith("client_max_window_bits")]
        offer, answer = "; ".join((DEFLATE, *parameters)), "; ".join((DEFLATE, *binding))
        for offers in ((offer,), (f"{DEFLATE}; unheard_of", offer), (f"{offer}, {DEFLATE}",)):
            async with connect_frame_client(client, "/v1/ws", *offers) as line:
                assert line.extensions == [answer], offers


async def test_snapshots_and_diffs_are_compressed_and_short_replies_not(client: Client, http_game: HTTPGame) -> None:
    path = f"/v1/games/{http_game.id}/ws"
    async with connect_frame_client(client, path, DEFLATE) as line, connect_frame_client(client, path) as other:
        assert (await line.until(b"subscribed")).first == PLAIN
        for tag in (b"snapshot", b"diff"):
            peers, plain = await line.until(tag), await other.until(tag)
            assert (peers.first, plain.first, peers.text()) == (COMPRESSED, PLAIN, plain.payload)
            assert len(peers.payload) < len(plain.payload)
            await http_game.act_successfully()


@pytest.mark.parametrize("bits", (9, 10, 11))
async def test_a_message_beyond_a_window_is_not_compressed(client: Client, http_game: HTTPGame, bits: int) -> None:
    path, offer = f"/v1/games/{http_game.id}/ws", f"{DEFLATE}; server_max_window_bits={bits}"
    async with connect_frame_client(client, path, offer) as line:
        assert line.extensions == [offer]
        assert (await line.until(b"snapshot")).first == PLAIN


async def test_a_diff_is_compressed_once_for_all_clients(
    client: Client, http_game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    deflated_frame = Mock(wraps=encodings.deflated_frame)
    monkeypatch.setattr(encodings, "deflated_frame", deflated_frame)
    path = f"/v1/games/{http_game.id}/ws?since=1"
    async with (
        connect_frame_client(client, path, DEFLATE) as one,
        connect_frame_client(client, path, f"{DEFLATE}; client_max_window_bits") as another,
        connect_frame_client(client, path) as plain,
    ):
        for line in (one, another, plain):
            await line.until(b"subscribed")
        for number in range(1, 6):
            await http_game.act_successfully()
            received = [await line.frame() for line in (one, another, plain)]
            assert (received[0], received[0].text()) == (received[1], received[2].payload)
            assert deflated_frame.call_count == number


@pytest.mark.parametrize("window", (9, 12, 15))
async def test_a_client_that_compresses_plays_a_game(client: Client, window: int) -> None:
    """The client of aiohttp compresses its own messages too."""
    http_game = await create_game(client, seed="compressed")
    chance = Random(window)
    async with watch_game(client, http_game.id, token=http_game.owner_token, compress=window) as line:
        assert line.socket.compress == 15
        for version in range(2, 30):
            move = chance.choice(await http_game.legal_moves())["id"]
            await line.send({"type": "act", "game": http_game.id, "move": move})
            await line.receive_until(http_game.id, version)
            assert (await line.receive("ack"))["version"] == version
        assert line.copy_of(http_game.id).game == await http_game.get_json()


async def test_the_size_limit_applies_to_the_uncompressed_message(store: RedisStore) -> None:
    """Aiohttp accepts one byte more in a compressed message."""
    async with serve(store, Limits(max_message_bytes=1000)) as client:
        for text, large in ((b" " * 1000, False), (b" " * 1002, True), (b" " * 20_000_000, True)):
            payload = deflate(text)[:1000]
            async with connect_frame_client(client, "/v1/ws", DEFLATE) as line:
                await line.until(b"welcome")
                await line.write(encode_frame(TEXT, payload, flags=FINAL | DEFLATED))
                answer = await line.frame()
                assert (answer.first == FINAL | CLOSE) is large
                assert int.from_bytes(answer.payload[:2]) == 1009 if large else b'"malformed"' in answer.text()


pytestmark = pytest.mark.usefixtures("short_linger")

MOST = Limits().max_message_bytes

UNNEGOTIATED = encode_frame(TEXT, deflate(b'{"type":"ping"}'), flags=FINAL | DEFLATED)
"""Sent by a client that negotiated no compression."""


def cut(chance: Random, text: bytes) -> bytes:
    """Return a message as frames: compressed or not, in any number of pieces, with pings between them."""
    flags = DEFLATED if chance.random() < 0.5 else 0
    payload = deflate(text) if flags else text
    cuts = sorted(chance.randrange(len(payload) + 1) for _ in range(chance.randrange(4)))
    pieces = [payload[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(payload)], strict=True)]
    frames = b""
    for number, piece in enumerate(pieces):
        final = FINAL if number == len(pieces) - 1 else 0
        kind = TEXT if number == 0 else CONTINUATION
        frames += encode_frame(kind, piece, flags=final | (0 if number else flags), mask=chance.randbytes(4))
        if not final and chance.random() < 0.3:
            frames += encode_frame(PING, b"between")
    return frames


async def texts(line: FrameClient, number: int) -> list[bytes]:
    """Receive this many messages, with pongs between them."""
    texts_received: list[bytes] = []
    while len(texts_received) < number:
        answer = await line.frame()
        if answer.first in (PLAIN, COMPRESSED):
            texts_received.append(answer.text())
        else:
            assert (answer.first, answer.payload) == (FINAL | PONG, b"between")
    return texts_received


@pytest.mark.parametrize("seed", range(8))
async def test_messages_are_reassembled_from_any_fragments(client: Client, seed: int) -> None:
    chance = Random(seed)
    sizes = [chance.choice((30, 125, 126, 1000, 65_535, MOST)) for _ in range(8)]
    messages = [json.dumps({"type": "ping", "id": f"p{n}"}).encode().ljust(size) for n, size in enumerate(sizes)]
    async with connect_frame_client(client, "/v1/ws", DEFLATE) as line:
        await line.until(b"welcome")
        data = b"".join(cut(chance, message) for message in messages)
        while data:
            size = chance.choice((1, 2, 7, 100, 5000, 100_000))
            await line.write(data[:size])
            data = data[size:]
        assert [json.loads(text)["id"] for text in await texts(line, len(messages))] == [f"p{n}" for n in range(8)]


@pytest.mark.parametrize(
    ("data", "code"),
    (
        (encode_frame(0x3, b""), 1002),  # a kind that there is not
        (encode_frame(0xB, b""), 1002),
        (encode_frame(TEXT, b"", flags=FINAL | 0x20), 1002),  # bits that mean nothing
        (encode_frame(TEXT, b"", flags=FINAL | 0x10), 1002),
        (encode_frame(PING, b"", flags=0), 1002),  # a ping in pieces
        (encode_frame(PING, b"x" * 126), 1002),
        (encode_frame(CONTINUATION, b""), 1002),  # the continuation of nothing
        (encode_frame(TEXT, b"a", flags=0) + encode_frame(TEXT, b"b"), 1002),  # a message within another
        (encode_frame(TEXT, b"a", flags=0) + encode_frame(CONTINUATION, b"b", flags=FINAL | DEFLATED), 1002),
        (encode_frame(TEXT, b"\xff"), 1007),
        (encode_frame(TEXT, deflate(b"\xff"), flags=FINAL | DEFLATED), 1007),
        (encode_frame(TEXT, b"\xff\xff\xff\xff", flags=FINAL | DEFLATED), 1007),
        (encode_frame(TEXT, zlib.compress(b"{}"), flags=FINAL | DEFLATED), 1007),
        *(
            (encode_frame(TEXT, deflate(b'{"type":"ping","id":"a"}')[:size], flags=FINAL | DEFLATED), 1007)
            for size in (4, 12, -2)  # a message that ends within a block
        ),
        (encode_frame(TEXT, b"{}", mask=None), 1002),
        (encode_frame(TEXT, b"x" * 126, mask=None), 1002),
        (encode_frame(TEXT, b"", length=2**63 - 1, mask=None), 1002),
        (encode_frame(TEXT, b"a", flags=0) + encode_frame(CONTINUATION, b"b", mask=None), 1002),
        (encode_frame(PING, b"", mask=None), 1002),
        (encode_frame(CLOSE, b"", mask=None), 1002),
        *(
            (encode_frame(kind, b"", flags=FINAL | bit), 1002)
            for kind in (CLOSE, PING, PONG)
            for bit in (DEFLATED, 0x20, 0x10)
        ),
        (encode_frame(CLOSE, b"\x03"), 1002),
        *((encode_frame(CLOSE, code.to_bytes(2)), 1002) for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000)),
        (encode_frame(CLOSE, (1000).to_bytes(2) + b"\xff"), 1007),
        (encode_frame(TEXT, b"", length=MOST + 1), 1009),
        (encode_frame(TEXT, b"", length=2**63), 1009),
        (encode_frame(BINARY, b"x" * MOST, flags=0) + encode_frame(CONTINUATION, b"x"), 1009),
        (encode_frame(TEXT, b"", flags=0) + encode_frame(CONTINUATION, b"", flags=0) * 1_024, 1009),
        (encode_frame(TEXT, deflate(b"x" * (MOST + 2)), flags=FINAL | DEFLATED), 1009),
        (encode_frame(TEXT, deflate(b"x" * 50_000_000), flags=FINAL | DEFLATED), 1009),
        (UNNEGOTIATED, 1002),
    ),
)
async def test_violations_of_the_protocol_close_the_socket(client: Client, data: bytes, code: int) -> None:
    """However they arrive, and after what was sent before them was answered."""
    for pieces in ([data], [data[:1], data[1:2], data[2:]], [encode_frame(PING, b"between") + data]):
        async with connect_frame_client(client, "/v1/ws", *([] if data == UNNEGOTIATED else [DEFLATE])) as line:
            await line.until(b"welcome")
            for piece in pieces:
                await line.write(piece)
                await run_ready_tasks()
            if len(pieces[0]) > len(data):
                assert await line.frame() == (FINAL | PONG, b"between")
            assert await line.frame() == (FINAL | CLOSE, code.to_bytes(2))
            assert await line.ended()
    await wait_until_no_streams(client)


@pytest.mark.parametrize("code", (None, 1000, 1001, 1003, 1007, 1011, 1014, 3000, 4999))
async def test_a_close_is_answered_with_its_own_code(client: Client, code: int | None) -> None:
    """Without a code, by an empty frame; the reason is not repeated, and what follows is ignored."""
    echo = b"" if code is None else code.to_bytes(2)
    async with connect_frame_client(client, "/v1/ws") as line:
        await line.until(b"welcome")
        await line.write(encode_frame(CLOSE, echo + (b"bye" if code else b"")) + encode_frame(TEXT, b"{}") * 100)
        assert await line.frame() == (FINAL | CLOSE, echo)
        assert await line.ended()
    await wait_until_no_streams(client)


FLOODS = {
    "messages": encode_frame(PONG, b"") * 3_000,
    "fragments": encode_frame(TEXT, b" ", flags=0) + encode_frame(CONTINUATION, b"", flags=0) * 1_022,
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
async def test_floods_are_read_in_turns(store: RedisStore, monkeypatch: pytest.MonkeyPatch, flood: bytes) -> None:
    """All are read, and what they hold up is one turn of the event loop."""
    read_in_turns, turns = list[int](), TurnCounter()
    read_frame = FrameReader._read_frame

    async def record(reader: FrameReader, number: int) -> int:
        first = await read_frame(reader, number)
        read_in_turns.append(turns.count)
        return first

    monkeypatch.setattr(FrameReader, "_read_frame", record)
    async with serve(store, Limits(rate_limits=False)) as client, connect_frame_client(client, "/v1/ws") as line:
        await line.until(b"welcome")
        last = b'{"type":"ping","id":"last"}'
        await line.write(flood + encode_frame(TEXT if flood[0] & FINAL else CONTINUATION, last))
        assert b'"last"' in (await line.frame()).text()
    turns.stop()
    assert max(Counter(read_in_turns).values()) <= 256


async def test_no_more_is_read_of_a_socket_while_much_is_pending() -> None:
    transport, ready = Mock(), AsyncMock()
    frames = FrameReader(Mock(feed_data=Mock(return_value=(False, b""))), transport, MOST, ready)
    frames.feed_data(encode_frame(BINARY, bytes(MAX_PENDING_BYTES - 8)))
    assert transport.method_calls == []
    frames.feed_data(b"\x82")
    await frames.pass_message()
    assert transport.method_calls == [call.pause_reading()]
    reading = asyncio.create_task(frames.pass_message())
    await run_ready_tasks()
    assert transport.method_calls == [call.pause_reading(), call.resume_reading()]
    frames.feed_eof()
    await reading


def test_no_more_is_inflated_than_a_message_may_have() -> None:
    assert len(Inflater(-zlib.MAX_WBITS).decompress(deflate(bytes(20_000_000)), MOST)) == MOST


class RecordingReader:
    """Stands before aiohttp's reader, and records each time that a connection passes something on."""

    def __init__(self, reader: WebSocketReader, record: Callable[[], None]) -> None:
        self._reader = reader
        self._record = record

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self._record()
        return self._reader.feed_data(data)

    def feed_eof(self) -> None:
        self._reader.feed_eof()


async def test_each_message_of_a_client_has_its_turn_and_is_paid_before_the_next_of_its_socket_is_read(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So one client does not hold up the others, whatever its messages take, and however many sockets it has."""
    events, turns = dict[ClientConnection, list[tuple[str, int]]](), TurnCounter()
    set_parser, charge = ClientConnection.set_parser, ClientConnection.charge_busy_time

    def record_reads(connection: ClientConnection, parser: WebSocketReader, data_received_cb: None = None) -> None:
        of_socket = events.setdefault(connection, [])
        recorder = RecordingReader(parser, lambda: of_socket.append(("read", turns.count)))
        set_parser(connection, cast("WebSocketReader", recorder), data_received_cb)

    def record_payment(connection: ClientConnection) -> None:
        charge(connection)
        if connection in events:
            events[connection].append(("paid", turns.count))

    monkeypatch.setattr(ClientConnection, "set_parser", record_reads)
    monkeypatch.setattr(ClientConnection, "charge_busy_time", record_payment)
    message = deflate(b'{"type":"act","move":"' + b"a" * 64_000 + b'"}')
    messages = encode_frame(TEXT, message, flags=FINAL | DEFLATED) * 8
    async with serve(store) as client, AsyncExitStack() as opened:
        lines = [await opened.enter_async_context(connect_frame_client(client, "/v1/ws", DEFLATE)) for _ in range(3)]
        for line in lines:
            await line.until(b"welcome")
        for line in lines:
            await line.write(messages)
        for line in lines:
            for _ in range(8):
                await line.until(b"error")
        turns.stop()
        read_in_turns = [turn for of_socket in events.values() for kind, turn in of_socket if kind == "read"]
        assert len(read_in_turns) == len({*read_in_turns}) == 24
        for of_socket in events.values():
            assert [kind for kind, _ in of_socket] == ["paid", *["read", "paid"] * 8]  # first the upgrade
