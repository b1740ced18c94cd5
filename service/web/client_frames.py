"""One frame from a client, out of the bytes that have come (RFC 6455, 5.2)."""

from typing import NamedTuple

from aiohttp import WebSocketError, WSCloseCode

__all__ = ["CLOSE", "CONTINUATION", "CONTROL", "PING", "PONG", "TEXT", "Frame", "take_frame", "wrong"]

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

CONTROL = 0x8
"""From here on frames are about the connection."""

_KINDS = frozenset((CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG))

_MOST_CONTROL = 125
_MASKED = 0x80
_MASK = 4


class Frame(NamedTuple):
    """A whole frame, unmasked."""

    last: bool
    """Whether a message ends with it."""
    compressed: bool
    kind: int
    payload: bytes


def take_frame(data: bytearray, room: int) -> Frame | None:
    """Take the first frame out of `data`; None while it is not all there.

    Raises WebSocketError for what is no frame, and, before its payload has come, for data of more than `room` bytes.
    """
    if len(data) < 2:
        return None
    first, second = data[0], data[1]
    kind, size, begin = first & 0x0F, second & 0x7F, 2
    if first & 0x30 or kind not in _KINDS or not second & _MASKED:
        raise wrong("no frame of a client's")
    if kind >= CONTROL and (size > _MOST_CONTROL or first & 0xC0 != 0x80):
        raise wrong("no control frame")
    if size > _MOST_CONTROL:
        begin = 4 if size == 126 else 10
        if len(data) < begin:
            return None
        size = int.from_bytes(data[2:begin])
    if kind < CONTROL and size > room:
        raise WebSocketError(WSCloseCode.MESSAGE_TOO_BIG, "too large")
    end = begin + _MASK + size
    if len(data) < end:
        return None
    payload = _unmasked(data[begin : begin + _MASK], data[begin + _MASK : end])
    del data[:end]
    return Frame(bool(first & 0x80), bool(first & 0x40), kind, payload)


def wrong(why: str, code: WSCloseCode = WSCloseCode.PROTOCOL_ERROR) -> WebSocketError:
    """What is raised for something that breaks the protocol."""
    return WebSocketError(code, why)


def _unmasked(mask: bytes | bytearray, payload: bytes | bytearray) -> bytes:
    r"""The payload as it was (5.3).

    >>> _unmasked(b"\x01\x02\x03\x04", b"\x69\x67\x6f\x68\x6e")
    b'hello'
    """
    size = len(payload)
    pattern = (mask * (size // _MASK + 1))[:size]
    return (int.from_bytes(payload) ^ int.from_bytes(pattern)).to_bytes(size)
