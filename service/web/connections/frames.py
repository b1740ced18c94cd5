"""The frames that the client of a WebSocket sends: checked, and passed on to aiohttp's reader message by message."""

import asyncio
import zlib
from collections import deque
from collections.abc import Callable
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


class Turns:
    """Turns of the event loop: each client gets one at a time, so others are served between its messages."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        """What each client waits for; a client that had its turn just now is here too."""

    def request(self, client: str, work: Callable[[], None]) -> None:
        """Do something for a client, in a turn in which nothing else is done for it."""
        if client in self._waiting:
            self._waiting[client].append(work)
        else:
            self._waiting[client] = deque((work,))
            asyncio.get_running_loop().call_soon(self._give, client)

    def _give(self, client: str) -> None:
        waiting = self._waiting[client]
        if waiting:
            asyncio.get_running_loop().call_soon(self._give, client)
            waiting.popleft()()
        else:
            del self._waiting[client]


class FrameReader:
    """Passes frames on, up to the end of a message whenever one is requested, and up to the first invalid frame.

    A message may take long: of a hundred bytes, compression makes 64 KB. So each is paid before the next is read.
    aiohttp accepts unmasked frames, reserved bits in control frames (RFC 6455, 5.1 and 5.2), and any number of frames
    for one message. It gets another invalid frame in their place.
    """

    __slots__ = (
        "_fragments",
        "_has_turn",
        "_is_discarding",
        "_is_final",
        "_is_last",
        "_is_lost",
        "_is_paused",
        "_is_requested",
        "_max_fragments",
        "_on_end",
        "_pending",
        "_reader",
        "_request_turn",
        "_transport",
        "_unread_bytes",
    )

    def __init__(
        self,
        reader: "WebSocketReader",
        transport: asyncio.Transport,
        max_message_bytes: int,
        request_turn: Callable[[], None],
        on_end: Callable[[], None],
    ) -> None:
        self._reader = reader
        self._transport = transport
        self._request_turn = request_turn
        """Called for a turn of the event loop, in which `read` is to be called."""
        self._on_end = on_end
        """Called when the client has sent a close frame, or disconnected."""
        self._pending = bytearray()
        """What has arrived and was not passed on."""
        self._is_requested = False
        """Whether the session waits for a message; else what arrives is pending, and the transport paused."""
        self._has_turn = False
        """Whether a turn was requested."""
        self._is_paused = False
        """Whether reading is paused, since no message is requested."""
        self._max_fragments = max_message_bytes // MIN_FRAGMENT_BYTES
        """Frames of one message. Each is work, even if it is empty."""
        self._fragments = 0
        """Frames since the last that ended a message."""
        self._unread_bytes = 0
        """Of the current frame, that have not arrived."""
        self._is_final = False
        """Whether the current frame ends a message."""
        self._is_last = False
        """Whether what follows the current frame is ignored: it is a close frame, or a violation."""
        self._is_lost = False
        """Whether the client has disconnected."""
        self._is_discarding = False
        """Whether nothing is passed on any more: a frame was invalid, or the service is closing."""

    def feed_data(self, data: bytes | bytearray) -> None:
        """Take what has arrived."""
        if self._is_last and not self._unread_bytes:
            return
        self._pending += data
        self._go_on()

    def feed_eof(self) -> None:
        """Take the end of the data; what arrived before it is read first."""
        self._is_lost = True
        self._go_on()

    def request_message(self) -> None:
        """Read on until the end of the next message."""
        self._is_requested = True
        self._go_on()

    def discard(self) -> None:
        """Pass nothing on any more, and read on until the client has sent a close frame, or disconnected."""
        self._is_discarding = True
        self._go_on()

    def _go_on(self) -> None:
        """Have what is pending read in a turn, if it is wanted; else stop reading."""
        if self._has_turn:
            return
        if not self._is_requested and not self._is_discarding:
            if self._pending:
                self._is_paused = True
                self._transport.pause_reading()
        elif self._pending or self._is_lost:
            self._has_turn = True
            self._request_turn()
        else:
            self._resume_reading()

    def _resume_reading(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()

    def read(self) -> None:
        """Read what is pending, up to the end of the message that is requested."""
        self._has_turn = False
        end, violation = self._find_end()
        frames = bytes(self._pending[:end]) + violation
        del self._pending[:end]
        if frames and not self._is_discarding:
            failed, _ = self._reader.feed_data(frames)
            self._is_discarding = failed or bool(violation)
        if self._is_last and not self._unread_bytes:
            self._pending.clear()
            if not violation:
                self._on_end()
        if frames:
            self._go_on()
        elif self._is_lost:
            self._reader.feed_eof()
            self._on_end()
        else:
            self._resume_reading()

    def _find_end(self) -> tuple[int, bytes]:
        """Return how much of what is pending is read now, and what stands for an invalid frame after it."""
        pending, end = self._pending, 0
        for _ in range(MAX_FRAMES_AT_ONCE):
            arrived = min(self._unread_bytes, len(pending) - end)
            self._unread_bytes -= arrived
            end += arrived
            if self._unread_bytes or self._is_last:
                break
            if self._is_final:
                self._is_final = self._is_requested = False
                break
            if end + 2 > len(pending):
                break
            first, second = pending[end], pending[end + 1]
            if not second & MASKED or (first & CONTROL and first & RESERVED):
                self._is_last = True
                return end, UNKNOWN_FRAME
            length = second & ~MASKED
            start = end + 2 + EXTENDED_LENGTH_BYTES.get(length, 0)
            if start > len(pending):
                break
            self._is_final = bool(first & FINAL) and not self._is_discarding
            self._fragments = 0 if self._is_final else self._fragments + 1
            if self._fragments > self._max_fragments:
                self._is_last = True
                return end, ENDLESS_FRAME
            if start > end + 2:
                length = int.from_bytes(pending[end + 2 : start])
            self._unread_bytes = MASK_BYTES + length
            self._is_last = first & OPCODE == CLOSE
            end = start
        return end, b""


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
