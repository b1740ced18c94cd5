"""The frames that the client of a WebSocket sends: checked, and passed on to aiohttp's reader message by message."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count
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

    _arrival: asyncio.Future[None] | None = None
    """Resolved when data arrives, or the client disconnects."""
    _unread_bytes = 0
    """Of the current frame."""
    _is_paused = False
    """Whether the transport is paused, since much is pending."""
    _is_closed = False
    """Whether the client has sent a close frame."""
    _is_invalid = False
    """Whether a frame was invalid; what follows is ignored."""
    _is_lost = False
    """Whether the client has disconnected."""
    _is_discarding = False
    """Whether nothing is passed on any more."""

    def __init__(
        self,
        reader: "WebSocketReader",
        transport: asyncio.Transport,
        max_message_bytes: int,
        take_turn: Callable[[], Awaitable[None]],
    ) -> None:
        self._reader, self._transport, self._take_turn = reader, transport, take_turn
        self._pending = bytearray()
        """What has arrived and was not read."""
        self._max_fragments = max_message_bytes // MIN_FRAGMENT_BYTES
        """Frames of one message. Each is work, even if it is empty."""

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

    async def pass_message(self) -> None:
        """Read on to the end of the next message, or of all."""
        if self._pending:
            await self._take_turn()
        with suppress(EOFError):
            for number in count(1):
                if await self._read_frame(number) & FINAL:
                    return

    async def discard(self) -> None:
        """Pass nothing on any more, and read on until the client has sent a close frame, or disconnected."""
        self._is_discarding = True
        with suppress(EOFError):
            await self._read_payload()
            for number in count(1):
                if self._is_closed:
                    return
                await self._read_frame(number)

    async def _read_frame(self, number: int) -> int:
        """Read the next frame of a message, the first being 1; return its first byte. Raises EOFError."""
        if number % MAX_FRAMES_AT_ONCE == 0:
            await self._take_turn()
        pending = self._pending
        while len(pending) < 2 or len(pending) < (size := 2 + EXTENDED_LENGTH_BYTES.get(pending[1] & ~MASKED, 0)):
            await self._wait()
        first, second = pending[:2]
        violation = b"" if number <= self._max_fragments else ENDLESS_FRAME
        if not second & MASKED or (first & CONTROL and first & RESERVED):
            violation = UNKNOWN_FRAME
        if violation:
            self._is_invalid = True
            pending[:], self._unread_bytes = violation, len(violation)
        else:
            length = int.from_bytes(pending[2:size]) if size > 2 else second & ~MASKED
            self._unread_bytes = size + MASK_BYTES + length
        await self._read_payload()
        self._is_closed = first & OPCODE == CLOSE
        return first

    async def _read_payload(self) -> None:
        """Read the rest of the current frame. Raises EOFError if aiohttp takes no more."""
        while True:
            data = bytes(self._pending[: self._unread_bytes])
            del self._pending[: len(data)]
            self._unread_bytes -= len(data)
            if data and not self._is_discarding:
                has_failed, _ = self._reader.feed_data(data)
                if has_failed:
                    raise EOFError
            if not self._unread_bytes:
                return
            await self._wait()

    async def _wait(self) -> None:
        """Wait for more, and for a turn to read it. Raises EOFError if the client has disconnected."""
        if self._is_lost:
            self._reader.feed_eof()
            raise EOFError
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        self._arrival = asyncio.get_running_loop().create_future()
        await self._arrival
        await self._take_turn()


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
