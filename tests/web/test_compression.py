"""Compression of WebSocket messages, once for all clients (RFC 7692)."""

import asyncio
import base64
import os
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import NamedTuple

import pytest

from service.store.game_store import RedisStore
from service.web.limits import Limits
from service.web.streaming import encoding
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.watcher_client import connect_watcher, watch_game

ANSWER = "permessage-deflate"

TEXT, COMPRESSED_TEXT, CLOSE = 0x81, 0xC1, 0x88

WITHIN_S = 8.0


class Frame(NamedTuple):
    """A WebSocket frame."""

    first: int
    payload: bytes

    def text(self) -> bytes:
        """Return the message, compressed without context takeover."""
        if self.first == TEXT:
            return self.payload
        assert self.first == COMPRESSED_TEXT
        return zlib.decompressobj(-12).decompress(self.payload + b"\x00\x00\xff\xff")


class FrameClient:
    """A client that only writes and reads frames."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.extensions: list[str] = []

    async def upgrade(self, path: str, offers: Sequence[str]) -> None:
        """Ask for a socket; keeps what the answer says of extensions."""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = (
            f"GET {path} HTTP/1.1",
            "Host: localhost",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
            *(f"Sec-WebSocket-Extensions: {offer}" for offer in offers),
            "",
            "",
        )
        self._writer.write("\r\n".join(lines).encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        assert head.startswith("HTTP/1.1 101 ")
        fields = [line.partition(": ") for line in head.splitlines()]
        self.extensions = [value for name, _, value in fields if name.lower() == "sec-websocket-extensions"]

    async def frame(self) -> Frame:
        """Read the next frame, of less than 64 KiB."""
        async with asyncio.timeout(WITHIN_S):
            first, size = await self._reader.readexactly(2)
            if size == 126:
                size = int.from_bytes(await self._reader.readexactly(2))
            return Frame(first, await self._reader.readexactly(size))

    async def until(self, tag: bytes) -> Frame:
        """Return the next message of this type."""
        while True:
            frame = await self.frame()
            if b'"type":"%b"' % tag in frame.text():
                return frame

    async def write(self, data: bytes) -> None:
        """Send any bytes."""
        self._writer.write(data)
        await self._writer.drain()

    async def ended(self) -> bool:
        """Whether nothing more comes."""
        async with asyncio.timeout(WITHIN_S):
            return await self._reader.read(1) == b""

    def say(self, first: int, payload: bytes) -> None:
        """Send a frame, masked with nothing."""
        size = bytes((0x80 | len(payload),)) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2)
        self._writer.write(bytes((first,)) + size + bytes(4) + payload)


@asynccontextmanager
async def connect_frame_client(client: Client, path: str, *offers: str) -> AsyncIterator[FrameClient]:
    """Open a socket with these extension offers."""
    reader, writer = await asyncio.open_connection(client.host, client.port)
    try:
        line = FrameClient(reader, writer)
        await line.upgrade(path, offers)
        yield line
    finally:
        writer.close()
        await writer.wait_closed()


def compress(text: bytes) -> bytes:
    """Compress a message as a client does."""
    compressor = zlib.compressobj(wbits=-15)
    return (compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]


@pytest.fixture
async def http_game(client: Client) -> HTTPGame:
    return await create_game(client)


@pytest.mark.parametrize(
    ("offers", "answer"),
    (
        ((), []),
        (("x-webkit-deflate-frame",), []),
        (("permessage-deflate",), [ANSWER]),
        (("permessage-deflate; client_max_window_bits",), [ANSWER]),
        (
            ("permessage-deflate; server_no_context_takeover; client_no_context_takeover",),
            [f"{ANSWER}; server_no_context_takeover"],
        ),
        (("permessage-deflate; server_max_window_bits=15",), [ANSWER]),
        (
            ("permessage-deflate; server_max_window_bits=12; client_max_window_bits=12",),
            [f"{ANSWER}; server_max_window_bits=12"],
        ),
        (("permessage-deflate; server_max_window_bits=8",), []),
        (("permessage-deflate; unheard_of",), []),
        (("permessage-deflate; unheard_of, permessage-deflate",), [ANSWER]),
    ),
)
async def test_compression_is_negotiated(client: Client, offers: Sequence[str], answer: list[str]) -> None:
    async with connect_frame_client(client, "/v1/ws", *offers) as line:
        assert line.extensions == answer
        assert (await line.frame()).first == TEXT


async def test_snapshots_and_diffs_are_compressed_and_short_replies_are_not(
    client: Client, http_game: HTTPGame
) -> None:
    path = f"/v1/games/{http_game.id}/ws"
    async with (
        connect_frame_client(client, path, "permessage-deflate") as line,
        connect_frame_client(client, path) as other,
    ):
        assert (await line.until(b"subscribed")).first == TEXT
        for tag in (b"snapshot", b"diff"):
            peers, plain = await line.until(tag), await other.until(tag)
            assert (peers.first, plain.first) == (COMPRESSED_TEXT, TEXT)
            assert peers.text() == plain.payload
            assert len(peers.payload) < len(plain.payload)
            await http_game.act_successfully()


@pytest.mark.parametrize("bits", (9, 10, 11))
async def test_a_message_beyond_the_clients_window_is_not_compressed(
    client: Client, http_game: HTTPGame, bits: int
) -> None:
    path, offer = f"/v1/games/{http_game.id}/ws", f"permessage-deflate; server_max_window_bits={bits}"
    async with connect_frame_client(client, path, offer) as line:
        assert line.extensions == [f"{ANSWER}; server_max_window_bits={bits}"]
        assert (await line.until(b"snapshot")).first == TEXT


async def test_a_diff_is_compressed_once_for_all_clients(
    client: Client, http_game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    created: list[bytes] = []

    def counted(text: bytes) -> bytes:
        created.append(text)
        return deflated_frame(text)

    deflated_frame = encoding.deflated_frame
    monkeypatch.setattr(encoding, "deflated_frame", counted)
    path = f"/v1/games/{http_game.id}/ws?since=1"
    async with (
        connect_frame_client(client, path, "permessage-deflate") as one,
        connect_frame_client(client, path, "permessage-deflate; client_max_window_bits") as another,
        connect_frame_client(client, path) as plain,
    ):
        for line in (one, another, plain):
            await line.until(b"subscribed")
        for number in range(1, 6):
            await http_game.act_successfully()
            received = [await line.frame() for line in (one, another, plain)]
            assert received[0] == received[1]
            assert received[0].text() == received[2].payload
            assert len(created) == number


async def test_nothing_is_compressed_without_negotiation(
    client: Client, http_game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(encoding, "deflated_frame")
    async with watch_game(client, http_game.id) as line:
        await http_game.act_successfully()
        await line.receive("diff")


@pytest.mark.parametrize("window", (9, 12, 15))
async def test_a_client_that_compresses_plays_a_game(client: Client, window: int) -> None:
    """The client of aiohttp compresses its own messages too."""
    http_game = await create_game(client, seed="compressed")
    chance = Random(window)
    async with connect_watcher(client, f"/v1/games/{http_game.id}/ws", http_game.owner_token, compress=window) as line:
        assert line.socket.compress == 15
        await line.receive("subscribed")
        await line.receive("snapshot")
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
            payload = compress(text)
            async with connect_frame_client(client, "/v1/ws", "permessage-deflate") as line:
                await line.until(b"welcome")
                if len(payload) > 1000:
                    payload = payload[:1000]
                line.say(COMPRESSED_TEXT, payload)
                answer = await line.frame()
                assert (answer.first == CLOSE) is large
                assert int.from_bytes(answer.payload[:2]) == 1009 if large else b'"malformed"' in answer.text()


async def test_a_compressed_frame_without_negotiation_closes_the_socket(client: Client) -> None:
    async with connect_frame_client(client, "/v1/ws") as line:
        await line.until(b"welcome")
        line.say(COMPRESSED_TEXT, compress(b'{"type":"ping"}'))
        answer = await line.frame()
        assert (answer.first, int.from_bytes(answer.payload[:2])) == (CLOSE, 1002)


async def test_invalid_deflate_data_closes_the_socket(client: Client) -> None:
    """Aiohttp closes with 1000; no RFC defines a code for it."""
    async with connect_frame_client(client, "/v1/ws", "permessage-deflate") as line:
        await line.until(b"welcome")
        line.say(COMPRESSED_TEXT, b"\xff\xff\xff\xff")
        answer = await line.frame()
        assert (answer.first, int.from_bytes(answer.payload[:2])) == (CLOSE, 1000)
