"""Token buckets in Redis, each in a key of its own that expires when the bucket is full again."""

from service.games.buckets import Granted, Size
from service.store import keys
from service.store.batch import Batches
from service.store.script import Script

__all__ = ["RedisBuckets"]


class RedisBuckets:
    """`service.games.buckets.BucketStore` on Redis; the time is the server's."""

    def __init__(self, batches: Batches) -> None:
        self._take = Script(batches, "take.lua")

    async def take(self, bucket: str, wanted: int, size: Size) -> Granted:
        """Take up to `wanted` tokens. Raises StoreUnavailable."""
        taken, left, wait_ms = await self._take.run([keys.bucket(bucket)], wanted, *size)
        return Granted(taken, left, wait_ms / 1000)
