"""Ids of the clients that are limited: whom a bucket is for.

An id is a normalized address, the hash of a token, or the name of an API key, never what a client wrote, so its size is
bounded.
"""

from hashlib import blake2b

__all__ = ["ClientID", "hash_token", "make_bucket_key"]

ClientID = str | bytes
"""A normalized address or network or the name of an API key, or the hash of a token."""

HASH_BYTES = 16

_TOKEN_HASH = blake2b(digest_size=HASH_BYTES, person=b"token")
"""The hash of no text yet: to copy it takes half the time of creating another."""


def hash_token(token: str) -> bytes:
    """Return the hash of a token: a memory dump must reveal no tokens, and tokens may be long."""
    token_hash = _TOKEN_HASH.copy()
    token_hash.update(token.encode())
    return token_hash.digest()


def make_bucket_key(client: ClientID) -> str:
    """Return the key of a client's bucket, a hash: a copy of the store must not reveal addresses."""
    if isinstance(client, bytes):
        return client.hex()
    return blake2b(client.encode(), digest_size=HASH_BYTES, person=b"address").hexdigest()
