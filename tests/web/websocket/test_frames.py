"""Frames become messages however they are fragmented; a frame that breaks the protocol closes the socket."""

import asyncio
import json
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from random import Random
from typing import cast
from unittest.mock import AsyncMock, Mock, call

import pytest
from aiohttp.http import WebSocketReader

from service.store.game_store import RedisStore
from service.web.connection import ClientConnection
from service.web.frames import MAX_PENDING_BYTES, FrameReader, Inflater
from service.web.limits import Limits
from tests.polling import run_ready_tasks
from tests.web.app_server import Client, serve, wait_until_no_streams
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

pytestmark = pytest.mark.usefixtures("short_linger")

MOST = Limits().max_message_bytes
DEFLATE = "permessage-deflate"

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
        if answer.first in (FINAL | TEXT, FINAL | DEFLATED | TEXT):
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


class TurnCounter:
    """Counts the turns of the event loop."""

    def __init__(self) -> None:
        self.count = 0
        self._schedule()

    def _schedule(self) -> None:
        self.count += 1
        self._next = asyncio.get_running_loop().call_soon(self._schedule)

    def stop(self) -> None:
        self._next.cancel()


@pytest.mark.parametrize(
    "flood",
    (
        pytest.param(encode_frame(PONG, b"") * 3_000, id="messages"),
        pytest.param(
            encode_frame(TEXT, b" ", flags=0) + encode_frame(CONTINUATION, b"", flags=0) * 1_022, id="fragments"
        ),
    ),
)
async def test_a_flood_of_frames_is_read_in_turns(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, flood: bytes
) -> None:
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
    messages = (
        encode_frame(TEXT, deflate(b'{"type":"act","move":"' + b"a" * 64_000 + b'"}'), flags=FINAL | DEFLATED) * 8
    )
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
