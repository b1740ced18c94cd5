"""The checksum of a snapshot: a CRC-32 of the encoded game, appended as one more array element.

It detects snapshots that were damaged in the store or edited by hand. Releases without checksums ignore the extra
element. This one strips it before decoding, because a future field will use the same array position.
"""

from zlib import crc32

import msgspec

__all__ = ["add_checksum", "strip_checksum"]

_ARRAY_16 = b"\xdc"
_UINT_32 = b"\xce"
_CHECKSUM_BYTES = 5
"""The marker of a MessagePack uint32 and its four bytes. Without a checksum a snapshot ends in strings and nulls."""


def add_checksum(snapshot: bytes) -> bytes:
    """Return the snapshot with its checksum appended."""
    header, elements = _ARRAY_16 + (int.from_bytes(snapshot[1:3]) + 1).to_bytes(2), memoryview(snapshot)[3:]
    return b"".join((header, elements, _UINT_32, crc32(elements, crc32(header)).to_bytes(4)))


def strip_checksum(snapshot: bytes) -> bytes:
    """Return the snapshot without its checksum, if it has one; raise `msgspec.DecodeError` if the checksum is wrong."""
    if snapshot[:1] != _ARRAY_16 or snapshot[-_CHECKSUM_BYTES : 1 - _CHECKSUM_BYTES] != _UINT_32:
        return snapshot
    body = snapshot[:-_CHECKSUM_BYTES]
    if crc32(body).to_bytes(4) != snapshot[1 - _CHECKSUM_BYTES :]:
        raise msgspec.DecodeError("the checksum does not match")
    return b"%b%b%b" % (_ARRAY_16, (int.from_bytes(body[1:3]) - 1).to_bytes(2), body[3:])
