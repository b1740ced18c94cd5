"""What a store keeps for an idempotency key."""

from typing import NamedTuple


class Keep(NamedTuple):
    """An answer to keep for retries: `key` is already a hash of path, token and client's key; kept `seconds`."""

    key: str
    answer: bytes
    seconds: int
