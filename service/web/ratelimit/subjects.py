"""Subjects of rate limits: whom a bucket is for.

A subject is a normalized address or the hash of a token, never what a client wrote, so its size is bounded.
"""

from hashlib import blake2b

__all__ = ["Subject", "hash_token", "make_bucket_key"]

Subject = str | bytes
"""A normalized address or network, or the hash of a token."""

HASH_BYTES = 16

_TOKEN_HASH = blake2b(digest_size=HASH_BYTES, person=b"token")
"""The hash of no text yet: to copy it takes half the time of creating another."""


def hash_token(token: str) -> bytes:
    """Return the hash of a token: a memory dump must reveal no tokens, and tokens may be long."""
    token_hash = _TOKEN_HASH.copy()
    token_hash.update(token.encode())
    return token_hash.digest()


def make_bucket_key(subject: Subject) -> str:
    """Return the key of a subject's bucket, a hash: a copy of the store must not reveal addresses."""
    if isinstance(subject, bytes):
        return subject.hex()
    return blake2b(subject.encode(), digest_size=HASH_BYTES, person=b"address").hexdigest()
