"""What a store keeps for an idempotency key."""

from typing import NamedTuple


class IdempotencyRecord(NamedTuple):
    """A record to keep for retries: `key` is already a hash of path, token and client's key.

    The store knows of a record that its second byte says whose key it is, and the four bytes from the third on when it
    was kept.
    """

    key: str
    record: bytes
