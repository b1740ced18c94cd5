"""The frames that the client of a WebSocket sends, checked before aiohttp reads them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp.http import WebSocketReader

__all__ = ["FrameReader"]

FINAL, RESERVED, OPCODE, CONTROL, CLOSE, MASKED = 0x80, 0x70, 0x0F, 0x08, 0x08, 0x80
"""Parts of the first two bytes of a frame (RFC 6455, 5.2)."""

EXTENDED_LENGTH_BYTES = {126: 2, 127: 8}
"""Bytes of a length that is more than the second byte can hold."""

MASK_BYTES = 4

UNKNOWN_FRAME = b"\x83\x80\0\0\0\0"
"""A frame of an undefined kind, for which aiohttp closes with 1002."""

ENDLESS_FRAME = b"\x81\xff" + (2**62).to_bytes(8)
"""A frame that is larger than any limit, for which aiohttp closes with 1009."""


class FrameReader:
    """Passes frames on to aiohttp's reader, up to the first that it must not accept, and up to the close frame.

    aiohttp accepts unmasked frames, reserved bits in control frames (RFC 6455, 5.1 and 5.2), and any number of frames
    for one message. It gets another invalid frame in their place, so that the messages before them are handled first.
    """

    __slots__ = (
        "_fragments",
        "_head",
        "_is_last",
        "_max_fragments",
        "_on_end",
        "_reader",
        "is_discarding",
        "unread_bytes",
    )

    def __init__(self, reader: "WebSocketReader", max_fragments: int, on_end: "Callable[[], None]") -> None:
        self._reader = reader
        self._on_end = on_end
        """Called when the client has sent a close frame, or disconnected."""
        self._max_fragments = max_fragments
        """Frames of one message. Each is work, even if it is empty."""
        self._fragments = 0
        """Frames since the last that ended a message."""
        self._head = b""
        """Of the next frame, while its length is incomplete."""
        self._is_last = False
        """Whether what follows the current frame is ignored: it is a close frame, or a violation."""
        self.unread_bytes = 0
        """Of the current frame, that have not arrived."""
        self.is_discarding = False
        """Whether nothing is passed on any more: a frame was invalid, or the service is closing."""

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """Pass data on, as far as it consists of heads that are complete, and their payloads."""
        if self._is_last and not self.unread_bytes:
            return False, b""
        data = self._head + data
        end, violation = self._find_end(data)
        self._head, self.unread_bytes = data[end:], max(0, end - len(data))
        if not self.is_discarding:
            failed, _ = self._reader.feed_data(data[:end] + violation)
            self.is_discarding = failed or bool(violation)
        if self._is_last and not self.unread_bytes and not violation:
            self._on_end()
        return False, b""

    def feed_eof(self) -> None:
        """Pass the end of the data on."""
        self._reader.feed_eof()
        self._on_end()

    def _find_end(self, data: bytes) -> tuple[int, bytes]:
        """Return where the last frame ends whose length is known, and what stands for an invalid one after it."""
        end, size = self.unread_bytes, len(data)
        while not self._is_last and end + 2 <= size:
            first, second = data[end], data[end + 1]
            if not second & MASKED or (first & CONTROL and first & RESERVED):
                self._is_last = True
                return end, UNKNOWN_FRAME
            length = second & ~MASKED
            start = end + 2 + EXTENDED_LENGTH_BYTES.get(length, 0)
            if start > size:
                break
            self._fragments = 0 if first & FINAL and not self.is_discarding else self._fragments + 1
            if self._fragments > self._max_fragments:
                self._is_last = True
                return end, ENDLESS_FRAME
            if start > end + 2:
                length = int.from_bytes(data[end + 2 : start])
            end = start + MASK_BYTES + length
            self._is_last = first & OPCODE == CLOSE
        return end, b""
