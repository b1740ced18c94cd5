"""A channel's messages as bytes: frames of WebSockets, and events of event streams.

A message is encoded and compressed once, however many connections it is sent to. A WebSocket frame from a server is not
masked (RFC 6455, 5.2), so all sockets can share its bytes. An event stream is sent in HTTP/1.1 chunks (RFC 9112, 7.1),
or as plain text to an HTTP/1.0 client.
"""

import zlib

from schemas.base import encode_json
from schemas.messages import Snapshot
from service.games.channel import ChannelMessage, DiffsMessage, MessageBatch, SnapshotMessage

PLAIN = "plain"
DEFLATED = "deflated"
"""Encodings for WebSockets: a text frame, and a compressed one."""
EVENT = "event"
CHUNK = "chunk"
"""Encodings for event streams: server-sent events, and these in one chunk."""

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
    >>> [len(text_frame(bytes(size))) - size for size in (125, 126, 65_535, 65_536)]
    [2, 4, 4, 10]
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
                data = encode_json(Snapshot(digest=digest.hex(), game=view))
                encoded = _encode_data(encoding, view.version, digest, data)
            case MessageBatch(messages=messages):
                encoded = b"".join([encode_message(part, encoding) for part in messages])
        message.encoded[encoding] = encoded
    return encoded


def _encode_data(encoding: str, version: int, digest: bytes, data: bytes) -> bytes:
    """Encode one diff or snapshot; events have no `event` field, so that browsers pass them all to `onmessage`."""
    match encoding:
        case "plain":
            return text_frame(data)
        case "deflated":
            return deflated_frame(data)
        case _:
            return b"id: %d-%b\ndata: %b\n\n" % (version, digest.hex().encode(), data)


def chunk(data: bytes) -> bytes:
    """Return a chunk of a response body."""
    return b"%x\r\n%b\r\n" % (len(data), data)
