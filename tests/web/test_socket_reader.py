"""A client's frames become messages, however they are cut; what is wrong with them is found (RFC 6455, RFC 7692)."""

import asyncio
import zlib
from random import Random

import pytest
from aiohttp import WebSocketError, WSMessage, WSMsgType
from aiohttp.base_protocol import BaseProtocol

from service.web import socket_reader
from service.web.socket_reader import SocketReader

MOST = 70_000


class Line(BaseProtocol):
    """A connection that only tells whether it is read from."""

    def __init__(self) -> None:
        super().__init__(asyncio.get_running_loop())
        self.paused = 0
        self.resumed = 0

    def pause_reading(self) -> None:
        """Count."""
        self.paused += 1

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Count."""
        del resume_parser
        self.resumed += 1


def frame(first: int, payload: bytes, mask: bytes = b"\1\2\3\4") -> bytes:
    """A client's frame."""
    size = len(payload)
    if size < 126:
        head = bytes((first, 0x80 | size))
    elif size < 65_536:
        head = bytes((first, 0xFE)) + size.to_bytes(2)
    else:
        head = bytes((first, 0xFF)) + size.to_bytes(8)
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def deflate(text: bytes) -> bytes:
    """As a client compresses."""
    compressor = zlib.compressobj(wbits=-15)
    return (compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]


def reader(*, inflating: bool = True) -> SocketReader:
    return SocketReader(Line(), MOST, inflating=inflating)


def written(chance: Random, message: WSMessage) -> bytes:
    """The frames of a message: compressed or not, in any number of pieces, with pings between them."""
    first, payload = 0x01 if message.type is WSMsgType.TEXT else 0x02, message.data
    if isinstance(payload, str):
        payload = payload.encode()
    if chance.random() < 0.5:
        first, payload = first | 0x40, deflate(payload)
    cuts = sorted(chance.randrange(len(payload) + 1) for _ in range(chance.randrange(4)))
    pieces = [payload[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(payload)], strict=True)]
    frames = b""
    for number, piece in enumerate(pieces):
        last = 0x80 if number == len(pieces) - 1 else 0
        frames += frame((first if number == 0 else 0) | last, piece, chance.randbytes(4))
        if not last and chance.random() < 0.3:
            frames += frame(0x89, b"between")
    return frames


@pytest.mark.parametrize("seed", range(30))
async def test_messages_come_whole_however_they_are_cut(seed: int) -> None:
    chance, took = Random(seed), reader()
    sizes = (0, 1, 5, 125, 126, 1000, 65_535, 65_536, MOST - 100)  # what cannot be compressed grows
    messages = [
        WSMessage(WSMsgType.TEXT, "ä" * (chance.choice(sizes) // 2), None)
        if chance.random() < 0.5
        else WSMessage(WSMsgType.BINARY, chance.randbytes(chance.choice(sizes)), None)
        for _ in range(8)
    ]
    data = b"".join(written(chance, message) for message in messages)

    async def bring() -> None:
        at = 0
        while at < len(data):
            size = chance.choice((1, 2, 7, 100, 5000, 100_000))
            assert took.feed_data(data[at : at + size]) == (False, b"")
            at += size
            await asyncio.sleep(0)
        took.feed_eof()

    heard = []
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(bring())
        while (message := await took.receive()).type is not WSMsgType.CLOSED:
            if message.type is not WSMsgType.PING:
                heard.append(message)
    assert heard == messages


@pytest.mark.parametrize(
    ("data", "code"),
    (
        (b"\x81\x02hi", 1002),  # not masked
        (frame(0x83, b""), 1002),  # a kind that there is not
        (frame(0x8B, b""), 1002),
        (frame(0xA1, b""), 1002),  # bits that mean nothing
        (frame(0x91, b""), 1002),
        (frame(0xC9, b""), 1002),  # a compressed ping
        (frame(0x09, b""), 1002),  # a ping in pieces
        (frame(0x89, b"x" * 126), 1002),
        (frame(0x80, b""), 1002),  # the continuation of nothing
        (frame(0x01, b"a") + frame(0x81, b"b"), 1002),  # a message within another
        (frame(0x01, b"a") + frame(0xC0, b"b"), 1002),  # compressed from the middle on
        (frame(0x81, b"\xff"), 1007),
        (frame(0xC1, deflate(b"\xff")), 1007),
        (frame(0xC1, b"\xff\xff\xff"), 1007),
        (frame(0xC1, deflate(b'{"type":"ping"}')[:-3]), 1007),
        (frame(0x88, b"\x03"), 1002),
        (frame(0x88, (1005 + 1).to_bytes(2)), 1002),
        (frame(0x88, (5000).to_bytes(2)), 1002),
        (frame(0x88, (1000).to_bytes(2) + b"\xff"), 1007),
        (frame(0x81, b"x" * (MOST + 1))[:14], 1009),
        (b"\x81\xff" + (2**63).to_bytes(8), 1009),
        (frame(0x01, b"x" * MOST) + frame(0x80, b"x")[:2], 1009),
        (frame(0xC1, deflate(b"x" * (MOST + 1))), 1009),
        (frame(0xC1, deflate(b"x" * 50_000_000)), 1009),
    ),
)
async def test_what_breaks_the_protocol_is_found(data: bytes, code: int) -> None:
    took = reader()
    took.feed_data(data)
    failed = await took.receive()
    assert failed.type is WSMsgType.ERROR
    assert isinstance(failed.data, WebSocketError)
    assert failed.data.code == code
    took.feed_data(frame(0x81, b"of no use"))
    took.feed_eof()
    assert (await took.receive()).type is WSMsgType.CLOSED


async def test_nobody_may_compress_unasked() -> None:
    took = reader(inflating=False)
    took.feed_data(frame(0xC1, deflate(b"x")))
    failed = await took.receive()
    assert isinstance(failed.data, WebSocketError)
    assert failed.data.code == 1002


@pytest.mark.parametrize(
    ("payload", "code", "reason"), ((b"", 0, ""), (b"\x03\xe8", 1000, ""), (b"\x0f\xa0bye", 4000, "bye"))
)
async def test_a_close_says_why(payload: bytes, code: int, reason: str) -> None:
    took = reader()
    took.feed_data(frame(0x88, payload))
    assert await took.receive() == WSMessage(WSMsgType.CLOSE, code, reason)


async def test_whoever_sends_more_than_is_handled_is_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_reader, "MOST_UNREAD", 1000)
    line = Line()
    took = SocketReader(line, MOST, inflating=False)
    for _ in range(20):
        took.feed_data(frame(0x81, b"x" * 100))
    assert (line.paused, line.resumed) == (1, 0)
    for _ in range(20):
        await took.receive()
    waiting = asyncio.create_task(took.receive())
    await asyncio.sleep(0)
    assert (line.paused, line.resumed) == (1, 1)
    took.feed_data(frame(0x82, b"y" * 5000))
    assert (await waiting).data == b"y" * 5000
    assert line.paused == 1
