"""What is told about games, as bytes on the wire. News is encoded and compressed once, however many connections get it.

A WebSocket frame from a server (RFC 6455, 5.2) is not masked, so that the same bytes go to every socket. An event
stream (server-sent events) goes out in chunks of HTTP/1.1 (RFC 9112, 7.1), or plainly to a client of HTTP/1.0.
"""

import zlib

from schemas.base import encode_json
from schemas.messages import ServerMessage, Snapshot
from service.games.realtime.messages import ChannelMessage, DiffsMessage, MessageBatch, SnapshotMessage

__all__ = [
    "CHUNK",
    "DEFLATED",
    "EVENT",
    "HEARTBEAT",
    "PLAIN",
    "WINDOW_BITS",
    "chunk",
    "encode_message",
    "server_message_frame",
]

HEARTBEAT = b":\n\n"
"""What keeps an event stream from looking dead."""

PLAIN = "plain"
DEFLATED = "deflated"
"""Kinds of frames, and where `news_bytes` keeps what it made."""
EVENT = "events"
CHUNK = "chunk"
"""The same for event streams: the text, and that in one chunk."""

_TEXT = 0x81
"""The last (and only) frame of a text message."""

_COMPRESSED_TEXT = 0xC1
"""The same with the bit of RFC 7692."""

WINDOW_BITS = 12
"""How far back a compressed message may refer to itself: 4 KiB, as far as the most careful clients allow."""

_LEVEL = 6

_TAIL = b"\x00\x00\xff\xff"
"""What every flush ends with, and a message leaves out (RFC 7692, 7.2.1)."""


def text_frame(text: bytes) -> bytes:
    r"""A text message as a frame.

    >>> text_frame(b"hi")
    b'\x81\x02hi'
    """
    return _frame(_TEXT, text)


def deflated_frame(text: bytes) -> bytes:
    """The same compressed, each by itself: it refers to no message before it, so that all sockets can share it."""
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, -WINDOW_BITS)
    payload = compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return _frame(_COMPRESSED_TEXT, payload.removesuffix(_TAIL))


def _frame(first: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65_536:
        return bytes((first, 126)) + size.to_bytes(2) + payload
    return bytes((first, 127)) + size.to_bytes(8) + payload


def server_message_frame(message: ServerMessage) -> bytes:
    """A message of the service's own."""
    return text_frame(encode_json(message))


def encode_message(news: ChannelMessage, kind: str) -> bytes:
    """Everything that is told by `news` in one kind of bytes, made once."""
    made = news.encoded.get(kind)
    if made is None:
        match news:
            case _ if kind == CHUNK:
                made = chunk(encode_message(news, EVENT))
            case MessageBatch(messages=parts):
                made = b"".join(encode_message(part, kind) for part in parts)
            case DiffsMessage(diffs=diffs):
                made = b"".join(_form(kind, diff.version, diff.digest, diff.data) for diff in diffs)
            case SnapshotMessage(digest=digest, view=view):
                made = _form(kind, view.version, digest, encode_json(Snapshot(digest=digest, game=view)))
        news.encoded[kind] = made
    return made


def _form(kind: str, version: int, digest: str, data: bytes) -> bytes:
    """One message; events have no `event` field, so that browsers give them all to `onmessage`."""
    match kind:
        case "plain":
            return text_frame(data)
        case "deflated":
            return deflated_frame(data)
        case _:
            return b"id: %d-%b\ndata: %b\n\n" % (version, digest.encode(), data)


def chunk(data: bytes) -> bytes:
    """A chunk of an answer's body."""
    return b"%x\r\n%b\r\n" % (len(data), data)
