"""The load's end of HTTP and WebSocket connections, on bare asyncio: what it sends is prepared, what it gets is cut.

One client for all servers. aiohttp's takes about as long for a request as the service, and longer for a message than
the service for sending it: the load would be what is measured.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import NamedTuple, Self, cast

OK = b"HTTP/1.1 200"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
NO_MASK = bytes(4)
"""A mask of zeros leaves the payload as it is: allowed, and free."""
DEFLATE = "permessage-deflate"

_UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{extensions}"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
_EXTENSIONS = f"Sec-WebSocket-Extensions: {DEFLATE}; server_no_context_takeover; client_no_context_takeover\r\n"


class Load(NamedTuple):
    """What a load measured."""

    per_second: float
    seconds: list[float]
    """Of each request, from sending to the whole response."""


class HTTPConnection(asyncio.Protocol):
    """A keep-alive connection with one request under way."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._data = b""
        self._response: asyncio.Future[bytes] | None = None

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect."""
        _, connection = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return connection

    def request(self, data: bytes) -> asyncio.Future[bytes]:
        """Send a whole request; gives its whole response, head and body."""
        self._response = asyncio.get_running_loop().create_future()
        self.transport.write(data)
        return self._response

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Gather what comes until the response is whole."""
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
        """Fail the request under way."""
        if self._response is not None and not self._response.done():
            self._response.set_exception(exc or ConnectionError("the server closed the connection"))


async def send_load(port: int, requests: Iterable[Sequence[bytes]], seconds: float) -> Load:
    """Send each connection's requests one after another, until they are done or the time is up.

    Raises RuntimeError where a response is not 200.
    """
    times: list[float] = []
    begin = perf_counter()

    async def send(own: Sequence[bytes]) -> None:
        connection = await HTTPConnection.open(port)
        for request in own:
            if (sent := perf_counter()) > begin + seconds:
                break
            response = await connection.request(request)
            times.append(perf_counter() - sent)
            if not response.startswith(OK):
                raise RuntimeError(response.decode())
        connection.transport.abort()

    await asyncio.gather(*map(send, requests))
    return Load(len(times) / (perf_counter() - begin), times)


def post_request(path: str, body: bytes, headers: str = "") -> bytes:
    """Write a POST of JSON as it goes over the wire; `headers` is whole lines."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


class WebSocketConnection(asyncio.Protocol):
    """A WebSocket: `received` gets every message as it was sent, compressed where that was asked for."""

    transport: asyncio.Transport

    def __init__(self, path: str, received: Callable[[bytes], None], *, compressed: bool) -> None:
        extensions = _EXTENSIONS if compressed else ""
        self._upgrade = _UPGRADE.format(path=path, extensions=extensions).encode()
        self._compressed = compressed
        self.received = received
        self._data = b""
        self.upgraded: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(cls, port: int, path: str, received: Callable[[bytes], None], *, compressed: bool = False) -> Self:
        """Connect; raises ConnectionError where the server does not upgrade as it was asked."""
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(lambda: cls(path, received, compressed=compressed), "127.0.0.1", port)
        await socket.upgraded
        return socket

    def send(self, payload: bytes, kind: int = TEXT) -> None:
        """Write one message."""
        self.transport.write(encode_frame(kind, payload))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._upgrade)

    def data_received(self, data: bytes) -> None:
        """Hand on each whole message, and answer pings."""
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
        """Fail where it was not open yet."""
        if not self.upgraded.done():
            self.upgraded.set_exception(exc or ConnectionError("the server closed the connection"))

    def _is_upgraded(self) -> bool:
        head, separator, rest = self._data.partition(b"\r\n\r\n")
        if not separator:
            return False
        if b" 101 " not in head or (DEFLATE.encode() in head) != self._compressed:
            self.upgraded.set_exception(ConnectionError(f"not upgraded as asked: {head.decode()}"))
            self.transport.abort()
            return False
        self._data = rest
        self.upgraded.set_result(None)
        return True


def encode_frame(kind: int, payload: bytes) -> bytes:
    """Write a whole client frame (RFC 6455, 5.2), of 65,535 bytes at most."""
    length = len(payload)
    size = bytes((0x80 | length,)) if length < 126 else bytes((0x80 | 126,)) + length.to_bytes(2)
    return bytes((0x80 | kind,)) + size + NO_MASK + payload


def message_size(message: bytes) -> int:
    """Return how many bytes a server's frame of this message has, of 65,535 at most."""
    return len(message) + (2 if len(message) < 126 else 4)


def split_frames(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """Cut a server's whole frames out of `data`: gives each one's kind and payload, and what is left."""
    frames = []
    at, size = 0, len(data)
    while size - at >= 2:
        length, begin = data[at + 1], at + 2
        if length == 126:
            begin += 2
            length = int.from_bytes(data[at + 2 : begin])
        elif length == 127:
            begin += 8
            length = int.from_bytes(data[at + 2 : begin])
        if size < begin + length:
            break
        frames.append((data[at] & 15, data[begin : begin + length]))
        at = begin + length
    return frames, data[at:]
