"""The turn that instances take at repairing the indexes."""

from redis.asyncio import Redis

from service.store import keys
from service.store.game_store import RedisStore


async def test_a_turn_lasts_as_long_as_it_was_taken_or_extended_for(store: RedisStore, redis: Redis) -> None:
    assert await store.index_repair.try_acquire_turn(60)
    assert 50_000 < await redis.pttl(keys.INDEX_REPAIR_LEASE) <= 60_000
    await store.index_repair.extend_turn(600)
    assert 500_000 < await redis.pttl(keys.INDEX_REPAIR_LEASE) <= 600_000
    assert not await store.index_repair.try_acquire_turn(60)
