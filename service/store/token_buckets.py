"""Token buckets in Redis, each in a key of its own that expires when the bucket is full again."""

from service.games.ports.game_store import Grant, RateLimit
from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.scripts import Script

__all__ = ["RedisTokenBuckets"]


class RedisTokenBuckets:
    """`service.games.ports.game_store.TokenBucketStore` on Redis, by the clock of the server."""

    def __init__(self, client: PipelinedClient) -> None:
        self._script = Script(client, "token_bucket.lua")

    async def take(self, bucket: str, wanted: int, size: RateLimit) -> Grant:
        """Take up to `wanted` tokens. Raise StoreUnavailable."""
        taken, remaining, wait_ms = await self._script.run([keys.bucket(bucket)], wanted, *size)
        return Grant(taken, remaining, wait_ms / 1000)
