"""Compression of what games store: zstd (RFC 8878) with dictionaries of real diffs and snapshots.

A compressed value is the number of its dictionary, then the frame without its magic number. A new dictionary gets the
next number, and those before it stay: they are needed to read what they wrote. `tools/dictionaries` makes them.
"""

import sys
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

if sys.version_info >= (3, 14):
    from compression.zstd import CompressionParameter, ZstdCompressor, ZstdDecompressor, ZstdDict, ZstdError
else:
    from backports.zstd import CompressionParameter, ZstdCompressor, ZstdDecompressor, ZstdDict, ZstdError

__all__ = ["DIFFS", "LOGS", "SNAPSHOTS", "Codec"]

MAX_BYTES = 16 << 20
"""Of a value: a few forged bytes could become gigabytes."""

_MAGIC_NUMBER = bytes.fromhex("28b52ffd")


class Codec:
    """Compresses one kind of value, with the newest of its dictionaries.

    >>> DIFFS.decompress(DIFFS.compress(b'{"op":"add","path":"/turn"}'))
    b'{"op":"add","path":"/turn"}'
    """

    def __init__(
        self, kind: Literal["diffs", "snapshots"], level: int, newest: int = 1, *, checksum: bool = False
    ) -> None:
        self._directory: Traversable = files(__package__).joinpath("dictionaries")
        self._kind = kind
        self._level = level
        self._checksum = checksum
        self._newest = newest
        self._dictionaries: dict[int, ZstdDict] = {}

    def compress(self, value: bytes) -> bytes:
        """Compress a value."""
        return self._newest.to_bytes() + self._compressor.compress(value, ZstdCompressor.FLUSH_FRAME)[4:]

    def decompress(self, stored: bytes) -> bytes:
        """Return the value that was compressed. Raises ValueError for what is damaged or of a later release."""
        try:
            decompressor = ZstdDecompressor(self._load(stored[0]))
            value = decompressor.decompress(_MAGIC_NUMBER + stored[1:], MAX_BYTES)
        except (IndexError, ZstdError) as error:
            raise ValueError(f"it cannot be decompressed: {error}") from error
        if not decompressor.eof or decompressor.unused_data:
            raise ValueError("it cannot be decompressed: it is cut, too long or too large")
        return value

    @cached_property
    def _compressor(self) -> ZstdCompressor:
        options: dict[int, int] = {
            CompressionParameter.compression_level: self._level,
            CompressionParameter.checksum_flag: self._checksum,
            CompressionParameter.content_size_flag: False,
            CompressionParameter.dict_id_flag: False,
        }
        return ZstdCompressor(options=options, zstd_dict=self._load(self._newest).as_digested_dict)

    def _load(self, number: int) -> ZstdDict:
        dictionary = self._dictionaries.get(number)
        if dictionary is None:
            if not 0 < number <= self._newest:
                raise ValueError(f"it needs dictionary {number}, which this release does not have")
            content = self._directory.joinpath(f"{self._kind}-{number}.zdict").read_bytes()
            dictionary = self._dictionaries[number] = ZstdDict(content)
        return dictionary


DIFFS = Codec("diffs", 5)
"""Level 9 makes diffs 10 % smaller, in three times the time. No checksum: the digests of a log tell what is damaged."""

LOGS = Codec("diffs", 9, checksum=True)
"""Whole logs: the only copy of a game's proof."""

SNAPSHOTS = Codec("snapshots", 2, checksum=True)
"""Level 9 makes a snapshot 5 % smaller, in five times the time; a game has only one."""
