"""Token buckets in Redis: exact, refilled steadily, and deleted when full."""

import asyncio

from redis.asyncio import Redis

from service.games.ports import GameStore, Grant, RateLimit
from service.store.game_store import connect

DAY = 86_400


async def test_a_bucket_grants_its_capacity_and_then_nothing(store: GameStore) -> None:
    take, size = store.buckets.take, RateLimit(10, DAY)
    assert await take("a", 4, size) == Grant(4, 6, 0)
    assert await take("a", 4, size) == Grant(4, 2, 0)
    last = await take("a", 4, size)
    assert (last.tokens, last.remaining) == (2, 0)
    assert DAY / 10 - 60 < last.wait_s <= DAY / 10
    assert (await take("a", 1, size)).tokens == 0
    assert await take("b", 1, size) == Grant(1, 9, 0)


async def wait_for_token(store: GameStore, bucket: str, size: RateLimit) -> None:
    """Take tokens until there is one, after the pauses that the store names."""
    async with asyncio.timeout(20):
        while (granted := await store.buckets.take(bucket, 1, size)).tokens != 1:
            assert granted.tokens == 0
            assert 0 < granted.wait_s <= size.window_s / size.quota
            await asyncio.sleep(granted.wait_s)


async def test_a_bucket_refills_steadily(store: GameStore) -> None:
    size = RateLimit(50, 1)
    assert (await store.buckets.take("a", 50, size)).tokens >= 50
    await wait_for_token(store, "a", size)


async def test_concurrent_clients_get_no_more_than_the_capacity(store: GameStore, redis_url: str) -> None:
    async with connect(redis_url) as other:
        granted = await asyncio.gather(
            *(each.buckets.take("a", 3, RateLimit(100, DAY)) for each in (store, other) for _ in range(40))
        )
    assert sum(each.tokens for each in granted) == 100


async def test_a_bucket_is_stored_until_it_is_full(store: GameStore, redis: Redis) -> None:
    await store.buckets.take("a", 1, RateLimit(100, DAY))
    (key,) = await redis.keys("south-seas:bucket:*")
    assert 0 < await redis.pttl(key) <= 1000 * DAY / 100 + 1


async def test_a_clock_that_goes_back_does_not_block_a_bucket(store: GameStore, redis: Redis) -> None:
    """The bucket is empty, and refills as any other."""
    await redis.set("south-seas:bucket:a", b"9" * 16)
    await wait_for_token(store, "a", RateLimit(50, 1))
