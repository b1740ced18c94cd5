"""What is told about games, as bytes on the wire. News is encoded and compressed once, however many connections get it.

A WebSocket frame from a server (RFC 6455, 5.2) is not masked, so that the same bytes go to every socket. An event
stream (server-sent events) goes out in chunks of HTTP/1.1 (RFC 9112, 7.1), or plainly to a client of HTTP/1.0.
"""

import zlib
from collections.abc import Callable, Iterable, Mapping

from schemas.base import encode
from schemas.messages import ServerMessage, Snapshot
from service.games.news import Changed, News, Replaced, Together

__all__ = [
    "COMMENT",
    "DEFLATED",
    "PLAIN",
    "WINDOW_BITS",
    "chunk",
    "event_chunk",
    "event_text",
    "message_frame",
    "news_frames",
]

COMMENT = b":\n\n"
"""What keeps an event stream from looking dead."""

PLAIN = "plain"
DEFLATED = "deflated"
"""Kinds of frames, and where `news_frames` keeps what it made."""

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


def message_frame(message: ServerMessage) -> bytes:
    """A message of the service's own."""
    return text_frame(encode(message))


_FRAME: Mapping[str, Callable[[bytes], bytes]] = {PLAIN: text_frame, DEFLATED: deflated_frame}


def news_frames(news: News, kind: str) -> bytes:
    """Everything that a socket is told by `news`, one frame of this kind after another."""
    frames = news.wire.get(kind)
    if frames is None:
        parts = (
            (news_frames(part, kind) for part in news.parts)
            if isinstance(news, Together)
            else map(_FRAME[kind], _messages(news))
        )
        frames = news.wire[kind] = b"".join(parts)
    return frames


def event_text(news: News) -> bytes:
    """The same as events: no `event` field, so that browsers give them all to `onmessage`."""
    text = news.wire.get("events")
    if text is None:
        parts = map(event_text, news.parts) if isinstance(news, Together) else _events(news)
        text = news.wire["events"] = b"".join(parts)
    return text


def event_chunk(news: News) -> bytes:
    """The same in one chunk."""
    whole = news.wire.get("chunk")
    if whole is None:
        whole = news.wire["chunk"] = chunk(event_text(news))
    return whole


def chunk(data: bytes) -> bytes:
    """A chunk of an answer's body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _messages(news: Changed | Replaced) -> Iterable[bytes]:
    match news:
        case Changed(diffs=diffs):
            return (diff.data for diff in diffs)
        case Replaced(digest=digest, view=view):
            return (encode(Snapshot(digest=digest, game=view)),)


def _events(news: Changed | Replaced) -> Iterable[bytes]:
    match news:
        case Changed(diffs=diffs):
            return (_event(diff.version, diff.digest, diff.data) for diff in diffs)
        case Replaced(digest=digest, view=view):
            return (_event(view.version, digest, encode(Snapshot(digest=digest, game=view))),)


def _event(version: int, digest: str, data: bytes) -> bytes:
    return b"id: %d-%b\ndata: %b\n\n" % (version, digest.encode(), data)
