"""The frames that the client of a WebSocket sends: checked, and passed on to aiohttp's reader message by message."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from aiohttp import set_zlib_backend

if TYPE_CHECKING:
    from aiohttp.http import WebSocketReader


FINAL, RESERVED, OPCODE, CONTROL, CLOSE, MASKED = 0x80, 0x70, 0x0F, 0x08, 0x08, 0x80
"""Parts of the first two bytes of a frame (RFC 6455, 5.2)."""

EXTENDED_LENGTH_BYTES = {126: 2, 127: 8}
"""Bytes of a length that is more than the second byte can hold."""

MASK_BYTES = 4

MAX_FRAMES_AT_ONCE = 256
"""Frames that are read in one turn of the event loop."""

MAX_PENDING_BYTES = 65_536
"""Bytes of messages that are not read yet, from which on no more are received."""

MIN_FRAGMENT_BYTES = 64
"""The largest message may come in frames of this size, but not of a smaller one: each frame is work."""

UNKNOWN_FRAME = b"\x83\x80\0\0\0\0"
"""A frame of an undefined kind, for which aiohttp closes with 1002."""

ENDLESS_FRAME = b"\x81\xff" + (2**62).to_bytes(8)
"""A frame that is larger than any limit, for which aiohttp closes with 1009."""

TAIL = b"\0\0\xff\xff"
"""What aiohttp appends to each message."""

PROBE = b"between."
STORED_PROBE = b"\0" + len(PROBE).to_bytes(2, "little") + (len(PROBE) ^ 0xFFFF).to_bytes(2, "little") + PROBE
"""A block that is not compressed: between two blocks, and hardly elsewhere, it is inflated to the probe."""


class FrameReader:
    """Passes frames on, up to the end of a message whenever one is wanted, and up to the first invalid frame.

    A message may take long: of a hundred bytes, compression makes 64 KB. So each is paid before the next is read.
    aiohttp accepts unmasked frames, reserved bits in control frames (RFC 6455, 5.1 and 5.2), and any number of frames
    for one message. It gets another invalid frame in their place.
    """

    __slots__ = (
        "_arrival",
        "_fragments",
        "_is_discarding",
        "_is_final",
        "_is_invalid",
        "_is_last",
        "_is_lost",
        "_is_paused",
        "_max_fragments",
        "_pending",
        "_reader",
        "_take_turn",
        "_transport",
        "_unread_bytes",
    )

    def __init__(
        self,
        reader: "WebSocketReader",
        transport: asyncio.Transport,
        max_message_bytes: int,
        take_turn: Callable[[], Awaitable[None]],
    ) -> None:
        self._reader = reader
        self._transport = transport
        self._take_turn = take_turn
        """Waits for a turn of the event loop, in which frames are read."""
        self._pending = bytearray()
        """What has arrived and was not read."""
        self._is_paused = False
        """Whether the transport is paused, since much is pending."""
        self._arrival: asyncio.Future[None] | None = None
        """Resolved when data arrives, or the client disconnects."""
        self._max_fragments = max_message_bytes // MIN_FRAGMENT_BYTES
        """Frames of one message. Each is work, even if it is empty."""
        self._fragments = 0
        """Frames since the last that ended a message."""
        self._unread_bytes = 0
        """Of the current frame."""
        self._is_final = False
        """Whether the current frame ends a message."""
        self._is_last = False
        """Whether the current frame is a close frame; what follows is ignored."""
        self._is_invalid = False
        """Whether a frame was invalid; what follows is ignored."""
        self._is_lost = False
        """Whether the client has disconnected."""
        self._is_discarding = False
        """Whether nothing is passed on any more."""

    def feed_data(self, data: bytes | bytearray) -> None:
        """Take what has arrived."""
        if not self._is_invalid:
            self._pending += data
            if len(self._pending) > MAX_PENDING_BYTES:
                self._is_paused = True
                self._transport.pause_reading()
            self._wake()

    def feed_eof(self) -> None:
        """Take the end of the data; what arrived before it is read first."""
        self._is_lost = True
        self._wake()

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    async def discard(self) -> None:
        """Pass nothing on any more, and read on until the client has sent a close frame, or disconnected."""
        self._is_discarding, self._is_final = True, False
        await self.pass_message()

    async def pass_message(self) -> None:
        """Read on until the end of the next message, or until nothing more follows."""
        has_more, is_end = bool(self._pending), self._is_last and not self._unread_bytes
        while not is_end:
            if not has_more and self._is_lost:
                self._reader.feed_eof()
                return
            if not has_more:
                await self._wait()
            await self._take_turn()
            frames, is_end = self._take_frames()
            has_more = bool(frames)
            if frames and not self._is_discarding:
                has_failed, _ = self._reader.feed_data(frames)
                is_end = is_end or has_failed

    async def _wait(self) -> None:
        """Wait until more arrives, or the client disconnects."""
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        self._arrival = asyncio.get_running_loop().create_future()
        await self._arrival

    def _take_frames(self) -> tuple[bytes, bool]:
        """Return what of the pending frames is read now, and whether that ends a message, or all that is sent."""
        pending, end, violation = self._pending, 0, b""
        for _ in range(MAX_FRAMES_AT_ONCE):
            arrived = min(self._unread_bytes, len(pending) - end)
            self._unread_bytes -= arrived
            end += arrived
            if self._unread_bytes or self._is_final or self._is_last or end + 2 > len(pending):
                break
            first, second = pending[end], pending[end + 1]
            if not second & MASKED or (first & CONTROL and first & RESERVED):
                violation = UNKNOWN_FRAME
                break
            length = second & ~MASKED
            start = end + 2 + EXTENDED_LENGTH_BYTES.get(length, 0)
            if start > len(pending):
                break
            if start > end + 2:
                length = int.from_bytes(pending[end + 2 : start])
            self._is_final, self._is_last = bool(first & FINAL) and not self._is_discarding, first & OPCODE == CLOSE
            self._fragments = 0 if self._is_final else self._fragments + 1
            if self._fragments > self._max_fragments:
                violation = ENDLESS_FRAME
                break
            self._unread_bytes = MASK_BYTES + length
            end = start
        frames = bytes(pending[:end]) + violation
        del pending[:end]
        if violation:
            self._is_invalid = True
            pending.clear()
            return frames, False
        is_end = not self._unread_bytes and (self._is_final or self._is_last)
        if is_end:
            self._is_final = False
        return frames, is_end


class Inflater:
    """An inflater of zlib's that raises zlib.error if a message ends within a block.

    To each message an empty block is appended (RFC 7692, 7.2.2). zlib takes it for data of an incomplete block, and the
    beginning of the next message too, without an error.
    """

    def __init__(self, wbits: int) -> None:
        self._inflater = zlib.decompressobj(wbits)

    def decompress(self, data: bytes, max_length: int = 0) -> bytes:
        """Inflate the next data, at most to this length if it is not 0."""
        inflated = self._inflater.decompress(data, max_length)
        if data[-len(TAIL) :] == TAIL and not self._inflater.eof and not self._inflater.unconsumed_tail:
            after = self._inflater.copy()
            if after.decompress(STORED_PROBE) != PROBE:
                raise zlib.error("the message ends within a block")
        return inflated

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inflater, name)


def _decompressobj(wbits: int = zlib.MAX_WBITS) -> Any:
    return Inflater(wbits) if wbits < 0 else zlib.decompressobj(wbits)


def reject_incomplete_messages() -> None:
    """Have aiohttp inflate so in this process. What is no WebSocket's, and not raw, is inflated as ever."""
    backend: Any = SimpleNamespace(**{**vars(zlib), "decompressobj": _decompressobj})
    set_zlib_backend(backend)
