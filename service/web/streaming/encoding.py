"""Messages as bytes on the wire: each is encoded and compressed once, however many connections it is sent to.

A WebSocket frame from a server is not masked (RFC 6455, 5.2), so all sockets can share its bytes. An event stream is
sent in HTTP/1.1 chunks (RFC 9112, 7.1), or as plain text to an HTTP/1.0 client.
"""

import zlib

from schemas.base import encode_json
from schemas.messages import ServerMessage, Snapshot
from service.games.realtime.broadcaster import ChannelMessage, DiffsMessage, MessageBatch, SnapshotMessage

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

PLAIN = "plain"
DEFLATED = "deflated"
"""Encodings for WebSockets: a text frame, and a compressed one."""
EVENT = "event"
CHUNK = "chunk"
"""Encodings for event streams: server-sent events, and these in one chunk."""

HEARTBEAT = b":\n\n"
"""A comment of an event stream, so that proxies do not close it as idle."""

_TEXT = 0x81
"""First byte of the only frame of a text message."""

_COMPRESSED_TEXT = 0xC1
"""The same with the RSV1 bit of RFC 7692."""

WINDOW_BITS = 12
"""The compression window: 4 KiB, which also the most restrictive clients allow."""

_COMPRESSION_LEVEL = 6

_FLUSH_TAIL = b"\x00\x00\xff\xff"
"""The end of every zlib flush, which a message leaves out (RFC 7692, 7.2.1)."""


def text_frame(payload: bytes, first_byte: int = _TEXT) -> bytes:
    r"""Return a frame with this payload.

    >>> text_frame(b"hi")
    b'\x81\x02hi'
    """
    size = len(payload)
    if size < 126:
        return bytes((first_byte, size)) + payload
    if size < 65_536:
        return bytes((first_byte, 126)) + size.to_bytes(2) + payload
    return bytes((first_byte, 127)) + size.to_bytes(8) + payload


def deflated_frame(text: bytes) -> bytes:
    """Return a compressed text frame that refers to no earlier message, so that all sockets can share it."""
    compressor = zlib.compressobj(_COMPRESSION_LEVEL, zlib.DEFLATED, -WINDOW_BITS)
    payload = compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return text_frame(payload.removesuffix(_FLUSH_TAIL), _COMPRESSED_TEXT)


def server_message_frame(message: ServerMessage) -> bytes:
    """Return a message to a single client as a frame."""
    return text_frame(encode_json(message))


def encode_message(message: ChannelMessage, encoding: str) -> bytes:
    """Return a channel's message in one of the four encodings; the result is cached in the message."""
    encoded = message.encoded.get(encoding)
    if encoded is None:
        match message:
            case _ if encoding == CHUNK:
                encoded = chunk(encode_message(message, EVENT))
            case DiffsMessage(diffs=diffs):
                encoded = b"".join([_encode_data(encoding, diff.version, diff.digest, diff.data) for diff in diffs])
            case SnapshotMessage(digest=digest, view=view):
                data = encode_json(Snapshot(digest=digest, game=view))
                encoded = _encode_data(encoding, view.version, digest, data)
            case MessageBatch(messages=messages):
                encoded = b"".join([encode_message(part, encoding) for part in messages])
        message.encoded[encoding] = encoded
    return encoded


def _encode_data(encoding: str, version: int, digest: str, data: bytes) -> bytes:
    """Encode one diff or snapshot; events have no `event` field, so that browsers pass them all to `onmessage`."""
    match encoding:
        case "plain":
            return text_frame(data)
        case "deflated":
            return deflated_frame(data)
        case _:
            return b"id: %d-%b\ndata: %b\n\n" % (version, digest.encode(), data)


def chunk(data: bytes) -> bytes:
    """Return a chunk of a response body."""
    return b"%x\r\n%b\r\n" % (len(data), data)
