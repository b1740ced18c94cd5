"""A client's messages, read when they are asked for: until then, what has come waits as it is.

So an idle socket keeps no parser's state, and one whose client compresses no decompressor: each message is compressed
by itself (`client_no_context_takeover`).
"""

import asyncio
import zlib

from aiohttp import WebSocketError, WSCloseCode, WSMessage, WSMsgType
from aiohttp.base_protocol import BaseProtocol

from service.web.client_frames import CLOSE, CONTINUATION, CONTROL, TEXT, Frame, take_frame, wrong
from service.web.deflate import TooLong, inflated

__all__ = ["SocketReader"]

MOST_UNREAD = 65_536
"""Bytes that may wait while a message is handled; then nothing more is read from the client."""

MOST_PARTS = 256
"""Frames that one message may come in: empty ones would cost the sender nothing."""

_CLOSED = WSMessage(WSMsgType.CLOSED, None, None)

_OWN_CODES = range(3000, 5000)
_CODES = frozenset(code.value for code in WSCloseCode) - {WSCloseCode.ABNORMAL_CLOSURE.value}


class SocketReader:
    """The messages of one socket, none longer than `most` bytes, compressed or not."""

    __slots__ = (
        "_begun",
        "_closed",
        "_data",
        "_failed",
        "_inflating",
        "_most",
        "_number",
        "_parts",
        "_paused",
        "_protocol",
        "_waiter",
    )

    def __init__(self, protocol: BaseProtocol, most: int, *, inflating: bool) -> None:
        self._protocol = protocol
        self._most = most
        self._inflating = inflating
        self._data = bytearray()
        self._begun: Frame | None = None
        """The first frame of a message whose last is still to come."""
        self._parts = b""
        """What that message holds so far."""
        self._number = 0
        """In so many frames."""
        self._waiter: asyncio.Future[None] | None = None
        self._paused = False
        self._failed = False
        """What the client sends makes no sense any more."""
        self._closed = False
        """It sends nothing more."""

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """Take what has come; the answer is aiohttp's for going on, with nothing left over."""
        if not self._failed:
            self._data += data
            if self._waiter is None and not self._paused and len(self._data) > MOST_UNREAD:
                self._paused = True
                self._protocol.pause_reading()
            self._wake()
        return False, b""

    def feed_eof(self) -> None:
        """Nothing more comes."""
        self._closed = True
        self._wake()

    async def receive(self) -> WSMessage:
        """The next message, ping, pong or close; ERROR with a WebSocketError for what is none; CLOSED at the end."""
        try:
            while (message := self._next()) is None:
                if self._closed:
                    return _CLOSED
                await self._more()
        except WebSocketError as error:
            self._failed = True
            self._data.clear()
            self._resume()
            return WSMessage(WSMsgType.ERROR, error, None)
        return message

    async def _more(self) -> None:
        self._resume()
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _resume(self) -> None:
        if self._paused:
            self._paused = False
            self._protocol.resume_reading()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _next(self) -> WSMessage | None:
        """The next message, if all of it has come. Raises WebSocketError."""
        while (frame := take_frame(self._data, self._most - len(self._parts))) is not None:
            if frame.kind >= CONTROL:
                return _control(frame)
            begun = self._begun
            if (frame.kind == CONTINUATION) is (begun is None):
                raise wrong("a message within another, or the continuation of none")
            if frame.compressed and (begun is not None or not self._inflating):
                raise wrong("compressed, which was not agreed")
            self._number = self._number + 1 if begun else 1
            if self._number > MOST_PARTS:
                raise wrong("too many frames", WSCloseCode.MESSAGE_TOO_BIG)
            if frame.last:
                text, self._parts, self._begun = self._parts + frame.payload, b"", None
                return self._whole(begun or frame, text)
            self._begun = begun or frame._replace(payload=b"")
            self._parts += frame.payload
        return None

    def _whole(self, begun: Frame, payload: bytes) -> WSMessage:
        """A message, in the form that its first frame says."""
        if begun.compressed:
            try:
                payload = inflated(payload, self._most)
            except TooLong:
                raise wrong("too large", WSCloseCode.MESSAGE_TOO_BIG) from None
            except zlib.error as error:
                raise wrong("not compressed as it says", WSCloseCode.INVALID_TEXT) from error
        if begun.kind == TEXT:
            return WSMessage(WSMsgType.TEXT, _decoded(payload), None)
        return WSMessage(WSMsgType.BINARY, payload, None)


def _control(frame: Frame) -> WSMessage:
    if frame.kind != CLOSE:
        return WSMessage(WSMsgType(frame.kind), frame.payload, None)
    if not frame.payload:
        return WSMessage(WSMsgType.CLOSE, 0, "")
    code = int.from_bytes(frame.payload[:2])
    if len(frame.payload) < 2 or (code not in _CODES and code not in _OWN_CODES):
        raise wrong("no close code")
    return WSMessage(WSMsgType.CLOSE, code, _decoded(frame.payload[2:]))


def _decoded(payload: bytes) -> str:
    try:
        return payload.decode()
    except UnicodeDecodeError as error:
        raise wrong("not UTF-8", WSCloseCode.INVALID_TEXT) from error
