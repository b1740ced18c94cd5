"""A WebSocket client as bare as it can be, so that the load costs little and the same before every server."""

import asyncio
from collections.abc import Callable
from typing import cast

UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{headers}\r\n"
)
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
NO_MASK = bytes(4)
"""A mask of zeros leaves the payload as it is: allowed, and free."""


def frame(kind: int, payload: bytes) -> bytes:
    """A whole client frame."""
    length = len(payload)
    if length < 126:
        head = bytes((0x80 | kind, 0x80 | length))
    elif length < 65_536:
        head = bytes((0x80 | kind, 0x80 | 126)) + length.to_bytes(2)
    else:
        head = bytes((0x80 | kind, 0x80 | 127)) + length.to_bytes(8)
    return head + NO_MASK + payload


def split(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """The server's whole frames in `data`, as kind and payload, and what is left."""
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


class Socket(asyncio.Protocol):
    """One connection: `heard` gets every message."""

    def __init__(self, heard: Callable[[bytes], None], upgrade: bytes) -> None:
        self.heard = heard
        self.upgraded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost: Exception | None = None
        self._upgrade = upgrade
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._upgrade)

    def data_received(self, data: bytes) -> None:
        """Hand on each whole message, and answer pings."""
        self._data += data
        if not self.upgraded.done() and not self._answered():
            return
        frames, self._data = split(self._data)
        for kind, payload in frames:
            if kind in {TEXT, BINARY}:
                self.heard(payload)
            elif kind == PING:
                self.send(PONG, payload)
            elif kind == CLOSE:
                self.lost = ConnectionError(f"closed with {int.from_bytes(payload[:2])} {payload[2:].decode()}")

    def connection_lost(self, exc: Exception | None) -> None:
        """Keep why."""
        self.lost = exc or self.lost or ConnectionError("closed")
        if not self.upgraded.done():
            self.upgraded.set_exception(self.lost)

    def send(self, kind: int, payload: bytes) -> None:
        """Write one message."""
        self.transport.write(frame(kind, payload))

    def _answered(self) -> bool:
        head, found, rest = self._data.partition(b"\r\n\r\n")
        if not found:
            return False
        if b" 101 " not in head:
            self.upgraded.set_exception(ConnectionError(head.decode()))
            return False
        self._data = rest
        self.upgraded.set_result(None)
        return True


async def connect(port: int, path: str, heard: Callable[[bytes], None], headers: str = "") -> Socket:
    """An open socket; `headers` is whole lines."""
    loop = asyncio.get_running_loop()
    upgrade = UPGRADE.format(path=path, port=port, headers=headers).encode()
    _, socket = await loop.create_connection(lambda: Socket(heard, upgrade), "127.0.0.1", port)
    await socket.upgraded
    return socket
