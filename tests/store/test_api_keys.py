"""API keys in Redis: no change is lost, they never expire, and no secret is stored."""

import msgspec
from redis.asyncio import Redis

from service.games.api_key import ApiKey, Quotas, StoredApiKey
from service.store import keys
from service.store.game_store import RedisStore
from tests.api_key_fixture import add_api_key

KEY = ApiKey("bot", 1_800_000_000, Quotas(10, 20, 30), [])


async def test_a_new_key_is_stored_once(store: RedisStore) -> None:
    assert await store.api_keys.load("bot") is None
    assert await store.api_keys.save(KEY, 0)
    assert await store.api_keys.load("bot") == StoredApiKey(KEY, 1)
    assert not await store.api_keys.save(msgspec.structs.replace(KEY, created_at=1), 0)
    assert await store.api_keys.load("bot") == StoredApiKey(KEY, 1)


async def test_of_two_changes_at_once_one_is_rejected(store: RedisStore) -> None:
    await store.api_keys.save(KEY, 0)
    revoked = msgspec.structs.replace(KEY, revoked_at=1_800_000_001)
    assert await store.api_keys.save(revoked, 1)
    assert not await store.api_keys.save(msgspec.structs.replace(KEY, quotas=Quotas(1, 1, 1)), 1)
    assert await store.api_keys.load("bot") == StoredApiKey(revoked, 2)


async def test_a_repeated_save_changes_nothing(store: RedisStore) -> None:
    assert await store.api_keys.save(KEY, 0)
    assert await store.api_keys.save(KEY, 0)  # as after a lost connection
    assert await store.api_keys.load("bot") == StoredApiKey(KEY, 1)


async def test_keys_are_listed_by_age(store: RedisStore, redis: Redis) -> None:
    assert await store.api_keys.list_all() == []
    younger = msgspec.structs.replace(KEY, name="a", created_at=KEY.created_at + 1)
    for key in (younger, KEY):
        await store.api_keys.save(key, 0)
    await redis.zadd(keys.API_KEYS, {"never-stored": 1})  # as after a crash in between
    assert await store.api_keys.list_all() == [KEY, younger]


async def test_a_key_never_expires_and_its_secret_is_nowhere(store: RedisStore, redis: Redis) -> None:
    secret = await add_api_key(store)
    names = [name async for name in redis.scan_iter("*")]
    assert sorted(names) == [b"south-seas:api-keys", b"south-seas:{key.discord-bot}:key"]
    for name in names:
        assert await redis.ttl(name) == -1
        assert secret.split("_", 2)[2].encode() not in (await redis.dump(name) or b"")
