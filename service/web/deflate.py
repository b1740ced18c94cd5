"""Compressed messages (permessage-deflate, RFC 7692), made so that the same bytes go to every socket.

That is possible because no message refers to one before it (`server_no_context_takeover`), nor do a client's.
"""

import zlib

__all__ = ["WINDOW_BITS", "TooLong", "agreed", "deflated", "inflated"]

WINDOW_BITS = 12
"""How far back a message may refer to itself: 4 KiB, as far as the most careful clients allow."""

_LEVEL = 6

_LARGEST_WINDOW_BITS = 15

_TAIL = b"\x00\x00\xff\xff"
"""What every flush ends with, and a message leaves out (7.2.1)."""

_LAST_BLOCK = b"\x03\x00"
"""An empty one, after which nothing more follows (RFC 1951, 3.2.3)."""


class TooLong(Exception):
    """A client's message is longer than it may be."""


def deflated(text: bytes) -> bytes:
    """The payload of a compressed message.

    >>> inflated(deflated(b"again and again"), most=15)
    b'again and again'
    """
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, -WINDOW_BITS)
    return (compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH)).removesuffix(_TAIL)


def inflated(payload: bytes, most: int) -> bytes:
    """What a client has compressed; raises TooLong for more than `most` bytes, and zlib.error.

    What is cut off in the middle of a block would be read as far as it goes: whether it ends where a block does is seen
    by whether a last block can follow.
    """
    inflater = zlib.decompressobj(-_LARGEST_WINDOW_BITS)
    text = inflater.decompress(payload + _TAIL, most + 1)
    if len(text) > most:
        raise TooLong
    if not inflater.eof:
        inflater.decompress(_LAST_BLOCK)
        if not inflater.eof:
            raise zlib.error("cut off")
    return text


def agreed(offers: str, window_bits: int) -> str:
    """The answer to `Sec-WebSocket-Extensions`, where what was taken of it allows such a window (7.1).

    A window is named where the client named one: not every client expects an answer to what it did not ask.

    >>> agreed("permessage-deflate; client_max_window_bits", 15)
    'permessage-deflate; server_no_context_takeover; client_no_context_takeover'
    >>> agreed("permessage-deflate; server_max_window_bits=10", 10)
    'permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10'
    """
    answer = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
    if "server_max_window_bits" in offers:
        answer += f"; server_max_window_bits={window_bits}"
    return answer
