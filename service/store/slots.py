"""Which slot of a Redis Cluster a key belongs to.

redis-py knows it too, but what it loads with that takes longer than all the rest of the service's start.
"""

from binascii import crc_hqx

__all__ = ["key_slot"]

SLOTS = 16_384


def key_slot(key: bytes) -> int:
    """The slot of a key: of what its first pair of braces holds, where that is anything.

    >>> key_slot(b"123456789"), key_slot(b"a:{123456789}:b"), key_slot(b"{}123456789") == key_slot(b"123456789")
    (12739, 12739, False)
    """
    _, opened, rest = key.partition(b"{")
    tag, closed, _ = rest.partition(b"}")
    return crc_hqx(tag if opened and closed and tag else key, 0) % SLOTS
