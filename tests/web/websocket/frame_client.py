"""A WebSocket client that only writes and reads frames."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from tests.polling import TIMEOUT_S
from tests.web.app_server import Client
from tests.web.raw_http import UPGRADE, make_head, open_connection
from verification.fuzz.frames import DEFLATED, FINAL, TAIL, TEXT


class Frame(NamedTuple):
    """A WebSocket frame."""

    first: int
    payload: bytes

    def text(self) -> bytes:
        """Return the message, compressed without context takeover."""
        if self.first == FINAL | TEXT:
            return self.payload
        assert self.first == FINAL | DEFLATED | TEXT
        return zlib.decompressobj(-12).decompress(self.payload + TAIL)


class FrameClient:
    """A client that only writes and reads frames."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.extensions: list[str] = []

    async def upgrade(self, path: str, offers: Sequence[str]) -> None:
        """Request an upgrade, and record the accepted extensions."""
        lines = (f"Sec-WebSocket-Extensions: {offer}" for offer in offers)
        self._writer.write(make_head(path, *UPGRADE, *lines))
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        assert head.startswith("HTTP/1.1 101 ")
        fields = [line.partition(": ") for line in head.splitlines()]
        self.extensions = [value for name, _, value in fields if name.lower() == "sec-websocket-extensions"]

    async def frame(self) -> Frame:
        """Read the next frame, of less than 64 KiB."""
        async with asyncio.timeout(TIMEOUT_S):
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

    def disconnect(self) -> None:
        """Close the connection without a close frame."""
        self._writer.close()

    async def ended(self) -> bool:
        """Whether nothing more comes."""
        async with asyncio.timeout(TIMEOUT_S):
            return await self._reader.read(1) == b""


@asynccontextmanager
async def connect_frame_client(client: Client, path: str, *offers: str) -> AsyncIterator[FrameClient]:
    """Open a socket with these extension offers."""
    async with open_connection(client) as streams:
        line = FrameClient(*streams)
        await line.upgrade(path, offers)
        yield line
