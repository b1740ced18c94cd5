"""What limiting clients needs of a store: token buckets that all instances share."""

from typing import NamedTuple, Protocol

__all__ = ["Grant", "RateLimit", "TokenBucketStore"]


class RateLimit(NamedTuple):
    """A bucket: it holds `quota` tokens, and `window_s` seconds fill it from empty to full."""

    quota: int
    window_s: int


class Grant(NamedTuple):
    """What was taken out of a bucket."""

    tokens: int
    """As many as were wanted, or as there were."""
    remaining: int
    """Tokens that are still in it."""
    wait_s: float
    """Until there is one in it; 0 where there is."""


class TokenBucketStore(Protocol):
    """A store of token buckets. A bucket that nobody has taken from is full, and full ones are not stored."""

    async def take(self, bucket: str, wanted: int, size: RateLimit) -> Grant:
        """Take up to `wanted` tokens. Raises StoreUnavailable."""
