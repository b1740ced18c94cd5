"""Raw HTTP over a plain connection, for requests that a client library does not send."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http.client import HTTPResponse
from io import BytesIO
from socket import socket
from typing import cast

from yarl import URL

from tests.polling import TIMEOUT_S
from tests.web.app_server import Client


class _ResponseSocket:
    """The socket from which http.client reads a response."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, mode: str) -> BytesIO:
        """Return the whole response."""
        del mode
        return BytesIO(self._data)


@asynccontextmanager
async def open_connection(server: Client | URL) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a plain connection to the server of a client or a URL, and abort it at the end."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """Return everything that is received until the connection closes."""
    received = b""
    async with asyncio.timeout(TIMEOUT_S):
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                received += data
    return received


UPGRADE = (
    *("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)
"""The header lines of a WebSocket handshake."""


def make_head(path: str, *lines: str, method: str = "GET") -> bytes:
    """Return the head of a request with these header lines."""
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: x", *lines, "", "")).encode(errors="surrogateescape")


async def send_raw(client: Client, request: bytes) -> HTTPResponse:
    """Send these bytes, and return the response."""
    reader, writer = await asyncio.open_connection(client.host, client.port)
    try:
        writer.write(request)
        return await read_raw(reader)
    finally:
        writer.close()
        await writer.wait_closed()


async def read_raw(reader: asyncio.StreamReader) -> HTTPResponse:
    """Read the next response of a connection."""
    async with asyncio.timeout(TIMEOUT_S):
        return parse_response(await _read_response(reader))


def parse_response(data: bytes) -> HTTPResponse:
    """Return the response that is in these bytes."""
    response = HTTPResponse(cast("socket", _ResponseSocket(data)))
    response.begin()
    return response


async def _read_response(reader: asyncio.StreamReader) -> bytes:
    """Read a response with its Content-Length."""
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return head + await reader.readexactly(int(line.partition(b":")[2]))
    return head
