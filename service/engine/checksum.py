"""A snapshot's seal: one more member behind its last, the CRC-32 of all before it.

What was damaged in the store, or changed by hand, is so told from what was written. A release that knows no seals
passes over the member; one that does takes it off before it decodes, as the next field to come will have its place.
"""

from zlib import crc32

import msgspec

__all__ = ["add_checksum", "strip_checksum"]

_ARRAY_16 = b"\xdc"
_UINT_32 = b"\xce"
_CHECKSUM_BYTES = 5
"""MessagePack's largest unsigned number of its kind; without a seal a snapshot ends in texts and nulls."""


def add_checksum(snapshot: bytes) -> bytes:
    """The same with a seal."""
    body = b"%b%b%b" % (_ARRAY_16, (int.from_bytes(snapshot[1:3]) + 1).to_bytes(2), snapshot[3:])
    return b"%b%b%b" % (body, _UINT_32, crc32(body).to_bytes(4))


def strip_checksum(snapshot: bytes) -> bytes:
    """The same without its seal, where it has one; raises `msgspec.DecodeError` where that is of something else."""
    if snapshot[:1] != _ARRAY_16 or snapshot[-_CHECKSUM_BYTES : 1 - _CHECKSUM_BYTES] != _UINT_32:
        return snapshot
    body = snapshot[:-_CHECKSUM_BYTES]
    if crc32(body).to_bytes(4) != snapshot[1 - _CHECKSUM_BYTES :]:
        raise msgspec.DecodeError("it is not what was written")
    return b"%b%b%b" % (_ARRAY_16, (int.from_bytes(body[1:3]) - 1).to_bytes(2), body[3:])
