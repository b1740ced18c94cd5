"""Subjects of rate limits: whom a bucket is for, and how memory and the store name it.

A key is an address in its normal form or the hash of a token, never what a client wrote, so it is of bounded size.
"""

from hashlib import blake2b

__all__ = ["Subject", "bucket_key", "hash_token"]

Subject = str | bytes
"""Whom a bucket is for: an address or a network in its normal form, or the key of a token."""

HASH_BYTES = 16


def hash_token(token: str) -> bytes:
    """What stands for a token: its hash, since a copy of memory should open nothing, and tokens may be long."""
    return blake2b(token.encode(), digest_size=HASH_BYTES, person=b"token").digest()


def bucket_key(subject: Subject) -> str:
    """What stands for a client in the store: a hash, since a copy of the store should name nobody."""
    if isinstance(subject, bytes):
        return subject.hex()
    return blake2b(subject.encode(), digest_size=HASH_BYTES, person=b"address").hexdigest()
