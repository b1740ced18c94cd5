"""What aiohttp inflates messages with: zlib, except that a message which ends too early is an error.

RFC 7692, 7.2.2, appends an empty block to each message. zlib takes it for data of a block that is not complete, and the
beginning of the next message too, without an error.
"""

import zlib
from types import SimpleNamespace
from typing import Any

from aiohttp import set_zlib_backend

__all__ = ["reject_incomplete_messages"]

TAIL = b"\0\0\xff\xff"
"""What aiohttp appends to each message."""

PROBE = b"between."
STORED_PROBE = b"\0" + len(PROBE).to_bytes(2, "little") + (len(PROBE) ^ 0xFFFF).to_bytes(2, "little") + PROBE
"""A block that is not compressed: between two blocks, and hardly elsewhere, it is inflated to the probe."""


class Inflater:
    """An inflater of zlib's that raises zlib.error if a message ends within a block."""

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
