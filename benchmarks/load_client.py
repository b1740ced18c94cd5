"""A load generator for HTTP and WebSocket on bare asyncio, which sends prepared bytes and only splits what it receives.

All servers get the same client. aiohttp's client takes about as long for a request as the service, and longer to
receive a message than the service takes to send it: the benchmark would measure the client.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import NamedTuple, Self, cast

OK = b"HTTP/1.1 200"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
NO_MASK = bytes(4)
"""A mask of zeros, which is valid and leaves the payload unchanged."""
DEFLATE = "permessage-deflate"

_UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{extensions}"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
_EXTENSIONS = f"Sec-WebSocket-Extensions: {DEFLATE}; server_no_context_takeover; client_no_context_takeover\r\n"


class Load(NamedTuple):
    """The result of a load."""

    per_second: float
    seconds: list[float]
    """The latency of each request, from sending to the complete response."""


class HTTPConnection(asyncio.Protocol):
    """A keep-alive connection with one request at a time."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._data = b""
        self._response: asyncio.Future[bytes] | None = None

    @classmethod
    async def open(cls, port: int, address: str = "127.0.0.1") -> Self:
        """Connect, from an address of this machine."""
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(cls, "127.0.0.1", port, local_addr=(address, 0))
        return connection

    def request(self, data: bytes) -> asyncio.Future[bytes]:
        """Send a request, and return its response, head and body."""
        self._response = asyncio.get_running_loop().create_future()
        self.transport.write(data)
        return self._response

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Collect data until the response is complete."""
        self._data += data
        head = self._data.find(b"\r\n\r\n")
        if head < 0 or self._response is None:
            return
        field = self._data.index(b"Content-Length: ") + 16
        length = int(self._data[field : self._data.index(b"\r\n", field)])
        if len(self._data) >= head + 4 + length:
            response, self._data = self._data, b""
            self._response.set_result(response)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the pending request."""
        if self._response is not None and not self._response.done():
            self._response.set_exception(exc or ConnectionError("the server closed the connection"))


async def send_load(port: int, requests: Iterable[Sequence[bytes]], seconds: float) -> Load:
    """Send each connection's requests one after another, until all are sent or the time is up.

    Raises RuntimeError for a response other than 200.
    """
    times: list[float] = []
    started_at = perf_counter()

    async def send(connection_requests: Sequence[bytes]) -> None:
        connection = await HTTPConnection.open(port)
        for request in connection_requests:
            if (sent := perf_counter()) > started_at + seconds:
                break
            response = await connection.request(request)
            times.append(perf_counter() - sent)
            if not response.startswith(OK):
                raise RuntimeError(response.decode())
        connection.transport.abort()

    await asyncio.gather(*map(send, requests))
    return Load(len(times) / (perf_counter() - started_at), times)


def post_request(path: str, body: bytes, headers: str = "") -> bytes:
    """Encode a POST of JSON; `headers` are complete lines."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


class WebSocketConnection(asyncio.Protocol):
    """A WebSocket that passes every message to `received`, compressed ones without decompression."""

    transport: asyncio.Transport

    def __init__(self, path: str, received: Callable[[bytes], None], *, compressed: bool) -> None:
        extensions = _EXTENSIONS if compressed else ""
        self._upgrade = _UPGRADE.format(path=path, extensions=extensions).encode()
        self._compressed = compressed
        self.received = received
        self._data = b""
        self.upgraded: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(
        cls,
        port: int,
        path: str,
        received: Callable[[bytes], None],
        *,
        compressed: bool = False,
        address: str = "127.0.0.1",
    ) -> Self:
        """Connect. Raise ConnectionError if the server does not upgrade as requested."""
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(
            lambda: cls(path, received, compressed=compressed), "127.0.0.1", port, local_addr=(address, 0)
        )
        await socket.upgraded
        return socket

    def send(self, payload: bytes, kind: int = TEXT) -> None:
        """Send a message."""
        self.transport.write(encode_frame(kind, payload))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the upgrade request."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._upgrade)

    def data_received(self, data: bytes) -> None:
        """Pass on each complete message, and respond to pings."""
        self._data += data
        if not self.upgraded.done() and not self._is_upgraded():
            return
        frames, self._data = split_frames(self._data)
        for kind, payload in frames:
            if kind in {TEXT, BINARY}:
                self.received(payload)
            elif kind == PING:
                self.send(payload, PONG)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail if the upgrade is not complete."""
        if not self.upgraded.done():
            self.upgraded.set_exception(exc or ConnectionError("the server closed the connection"))

    def _is_upgraded(self) -> bool:
        head, separator, rest = self._data.partition(b"\r\n\r\n")
        if not separator:
            return False
        if b" 101 " not in head or (DEFLATE.encode() in head) != self._compressed:
            self.upgraded.set_exception(ConnectionError(f"not upgraded as requested: {head.decode()}"))
            self.transport.abort()
            return False
        self._data = rest
        self.upgraded.set_result(None)
        return True


def encode_frame(kind: int, payload: bytes) -> bytes:
    """Encode an unfragmented client frame (RFC 6455, 5.2), of at most 65,535 bytes."""
    length = len(payload)
    size = bytes((0x80 | length,)) if length < 126 else bytes((0x80 | 126,)) + length.to_bytes(2)
    return bytes((0x80 | kind,)) + size + NO_MASK + payload


def message_size(message: bytes) -> int:
    """Return the size of a server's frame with this message, of at most 65,535 bytes."""
    return len(message) + (2 if len(message) < 126 else 4)


def split_frames(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """Return the opcode and payload of each complete frame of a server, and the remaining data."""
    frames = []
    at, size = 0, len(data)
    while size - at >= 2:
        length, start = data[at + 1], at + 2
        if length == 126:
            start += 2
            length = int.from_bytes(data[at + 2 : start])
        elif length == 127:
            start += 8
            length = int.from_bytes(data[at + 2 : start])
        if size < start + length:
            break
        frames.append((data[at] & 15, data[start : start + length]))
        at = start + length
    return frames, data[at:]
