"""What is told about games, as bytes on the wire. News is encoded once, however many connections get it.

A WebSocket frame from a server (RFC 6455, 5.2) is not masked, so that the same bytes go to every socket. An event
stream (server-sent events) goes out in chunks of HTTP/1.1 (RFC 9112, 7.1), or plainly to a client of HTTP/1.0.
"""

from collections.abc import Iterable

from schemas.base import encode
from schemas.messages import ServerMessage, Snapshot
from service.games.feed import Changed, News, Replaced

__all__ = [
    "COMMENT",
    "FRAMES",
    "PING",
    "chunk",
    "event_chunk",
    "event_text",
    "message_frame",
    "news_frames",
    "pong_frame",
]

PING = b"\x89\x00"
"""A ping without content, as a frame."""

COMMENT = b":\n\n"
"""What keeps an event stream from looking dead."""

FRAMES = "frames"
"""Where `news_frames` keeps what it made."""

_TEXT = 0x81
"""The last (and only) frame of a text message."""

_CLOSE = 0x88
_PONG = 0x8A


def text_frame(text: bytes) -> bytes:
    r"""A text message as a frame.

    >>> text_frame(b"hi")
    b'\x81\x02hi'
    """
    size = len(text)
    if size < 126:
        return bytes((_TEXT, size)) + text
    if size < 65_536:
        return bytes((_TEXT, 126)) + size.to_bytes(2) + text
    return bytes((_TEXT, 127)) + size.to_bytes(8) + text


def pong_frame(payload: bytes) -> bytes:
    """The answer to a client's ping, whose payload is at most 125 bytes."""
    return bytes((_PONG, len(payload))) + payload


def close_frame(code: int, reason: str) -> bytes:
    r"""The last frame of a socket; the reason has at most 123 bytes.

    >>> close_frame(4404, "gone")
    b'\x88\x06\x114gone'
    """
    payload = code.to_bytes(2) + reason.encode()
    return bytes((_CLOSE, len(payload))) + payload


def message_frame(message: ServerMessage) -> bytes:
    """A message of the service's own."""
    return text_frame(encode(message))


def news_frames(news: News) -> bytes:
    """Everything that a socket is told by `news`, one frame after another."""
    frames = news.wire.get(FRAMES)
    if frames is None:
        frames = news.wire[FRAMES] = b"".join(text_frame(text) for text in _messages(news))
    return frames


def event_text(news: News) -> bytes:
    """The same as events: no `event` field, so that browsers give them all to `onmessage`."""
    text = news.wire.get("events")
    if text is None:
        text = news.wire["events"] = b"".join(_events(news))
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


def _messages(news: News) -> Iterable[bytes]:
    match news:
        case Changed(diffs=diffs):
            return (diff.data for diff in diffs)
        case Replaced(digest=digest, view=view):
            return (encode(Snapshot(digest=digest, game=view)),)


def _events(news: News) -> Iterable[bytes]:
    match news:
        case Changed(diffs=diffs):
            return (_event(diff.version, diff.digest, diff.data) for diff in diffs)
        case Replaced(digest=digest, view=view):
            return (_event(view.version, digest, encode(Snapshot(digest=digest, game=view))),)


def _event(version: int, digest: str, data: bytes) -> bytes:
    return b"id: %d-%b\ndata: %b\n\n" % (version, digest.encode(), data)
