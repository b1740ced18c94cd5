"""A WebSocket client that can send any bytes (RFC 6455, RFC 7692)."""

import base64
import json
import os
import socket
import zlib
from typing import Any, NamedTuple

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

FINAL, DEFLATED = 0x80, 0x40

TIMEOUT_S = 15.0

TAIL = b"\x00\x00\xff\xff"


class ConnectionEnded(Exception):
    """The service closed the socket with a code, or the connection without one (None)."""

    def __init__(self, code: int | None, reason: str = "") -> None:
        super().__init__(code, reason)
        self.code = code


class UpgradeResponse(NamedTuple):
    """The response to an upgrade request."""

    status: int
    head: str


def encode_frame(
    kind: int,
    payload: bytes,
    *,
    flags: int = FINAL,
    mask: bytes | None = b"\x01\x02\x03\x04",
    length: int | None = None,
    wide: int = 0,
) -> bytes:
    """Encode a frame. `length` replaces the true length, `wide` encodes it in 2 or 8 bytes, `mask` None omits it."""
    size = len(payload) if length is None else length
    masked = 0 if mask is None else 0x80
    if size > 0xFFFF or wide == 8:
        head = bytes([flags | kind, masked | 127]) + size.to_bytes(8)
    elif size > 125 or wide == 2:
        head = bytes([flags | kind, masked | 126]) + size.to_bytes(2)
    else:
        head = bytes([flags | kind, masked | size])
    if mask is None:
        return head + payload
    repeated = (mask * (len(payload) // 4 + 1))[: len(payload)]
    masked_payload = int.from_bytes(payload) ^ int.from_bytes(repeated)  # at once: a byte at a time takes seconds
    return head + mask + masked_payload.to_bytes(len(payload))


def deflate(text: bytes, window_bits: int = 15) -> bytes:
    """Compress the payload of a message."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -window_bits)
    return (packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)).removesuffix(TAIL)


class RawSocket:
    """A connection that upgrades to a WebSocket."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port), TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._data = b""
        self._parts = b""
        self.deflating = False
        """Whether compression is negotiated."""

    def upgrade(self, path: str, token: str | None = None, *, offer: str | None = None) -> UpgradeResponse:
        """Send an upgrade request, and return the response."""
        lines = [f"GET {path} HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: websocket"]
        lines += ["Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}"]
        if token is not None:
            lines.append(f"Authorization: Bearer {token}")
        if offer is not None:
            lines.append(f"Sec-WebSocket-Extensions: {offer}")
        self.send("\r\n".join([*lines, "", ""]).encode())
        while b"\r\n\r\n" not in self._data:
            self._read_more()
        head, _, self._data = self._data.partition(b"\r\n\r\n")
        self.deflating = b"permessage-deflate" in head
        return UpgradeResponse(int(head.split()[1]), head.decode())

    def send(self, data: bytes) -> None:
        """Send bytes. Raise ConnectionEnded if the service has closed."""
        try:
            self._socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            self.drain()

    def drain(self) -> None:
        """Receive until the service closes. Raise ConnectionEnded."""
        while True:
            self.receive()

    def receive(self) -> dict[str, Any]:
        """Return the next message, and answer pings. Raise ConnectionEnded."""
        while True:
            flags, kind, payload = self._frame()
            if kind == PING:
                self.send(encode_frame(PONG, payload))
            elif kind == CLOSE:
                code = int.from_bytes(payload[:2]) if payload else 1005
                raise ConnectionEnded(code, payload[2:].decode())
            elif kind in (TEXT, CONTINUATION):
                self._parts += payload
                if flags & FINAL:
                    text, self._parts = self._parts, b""
                    if flags & DEFLATED:
                        text = zlib.decompressobj(-15).decompress(text + TAIL)
                    received: dict[str, Any] = json.loads(text)
                    return received

    def half_close(self) -> None:
        """Send nothing more."""
        self._socket.shutdown(socket.SHUT_WR)

    def close(self, *, reset: bool = False) -> None:
        """Close the connection, with `reset` by a TCP reset."""
        if reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self._socket.close()

    def _frame(self) -> tuple[int, int, bytes]:
        start = 2
        self._read_until(start)
        size = self._data[1] & 0x7F
        if size > 125:
            start += 2 if size == 126 else 8
            self._read_until(start)
            size = int.from_bytes(self._data[2:start])
        self._read_until(start + size)
        first, payload = self._data[0], self._data[start : start + size]
        self._data = self._data[start + size :]
        return first & 0xF0, first & 0x0F, payload

    def _read_until(self, size: int) -> None:
        while len(self._data) < size:
            self._read_more()

    def _read_more(self) -> None:
        try:
            data = self._socket.recv(65_536)
        except ConnectionResetError:
            raise ConnectionEnded(None) from None
        if not data:
            raise ConnectionEnded(None)
        self._data += data
