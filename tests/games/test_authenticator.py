"""The authenticator: a busy host causes few reads of the store, and a revoked key ends within seconds."""

import msgspec
import pytest

from service.games.api_key import CACHE_TTL_S, ApiKey, ApiKeyAuthenticator, StoredApiKey, add_secret, generate_secret
from service.games.errors import ApiKeyRejected
from service.store.game_store import RedisApiKeyStore, RedisStore
from service.store.pipeline import PipelinedClient
from tests.api_key_fixture import add_api_key
from tests.games.game_fixture import Clock


class CountingKeyStore(RedisApiKeyStore):
    """A store of keys that counts its reads."""

    def __init__(self, client: PipelinedClient) -> None:
        super().__init__(client)
        self.loads = 0

    async def load(self, name: str) -> StoredApiKey | None:
        self.loads += 1
        return await super().load(name)

    async def change(self, name: str, **fields: object) -> None:
        stored = await super().load(name)
        assert stored is not None
        assert await self.save(msgspec.structs.replace(stored.key, **fields), stored.revision)

    async def rotate(self, name: str, now: int, grace_s: int) -> str:
        """Rotate a stored key, and return its new secret."""
        stored = await super().load(name)
        assert stored is not None
        secret = generate_secret(name)
        assert await self.save(add_secret(stored.key, secret, now, grace_s), stored.revision)
        return secret


@pytest.fixture
def counting(store: RedisStore) -> CountingKeyStore:
    return CountingKeyStore(store._client)


async def test_a_valid_secret_is_read_once_in_five_seconds(store: RedisStore, counting: CountingKeyStore) -> None:
    clock, secret = Clock(), await add_api_key(store)
    authenticator = ApiKeyAuthenticator(counting, clock)
    keys: list[ApiKey] = [await authenticator.authenticate(secret) for _ in range(10)]
    assert {key.name for key in keys} == {"discord-bot"}
    assert counting.loads == 1
    clock.now += CACHE_TTL_S
    await authenticator.authenticate(secret)
    assert counting.loads == 2


async def test_an_invalid_secret_is_never_cached(store: RedisStore, counting: CountingKeyStore) -> None:
    await add_api_key(store)
    authenticator = ApiKeyAuthenticator(counting, Clock())
    for secret in (generate_secret("discord-bot"), generate_secret("nobody"), "no secret at all"):
        for _ in range(2):
            with pytest.raises(ApiKeyRejected, match="is unknown"):
                await authenticator.authenticate(secret)
            assert not authenticator.is_cached(secret)
    assert counting.loads == 4  # a text without a name is rejected without a read


async def test_a_revoked_key_ends_when_the_cache_does(store: RedisStore, counting: CountingKeyStore) -> None:
    clock, secret = Clock(), await add_api_key(store)
    authenticator = ApiKeyAuthenticator(counting, clock)
    await authenticator.authenticate(secret)
    await counting.change("discord-bot", revoked_at=int(clock.now))
    assert authenticator.is_cached(secret)
    clock.now += CACHE_TTL_S
    with pytest.raises(ApiKeyRejected, match="was revoked"):
        await authenticator.authenticate(secret)
    assert not authenticator.is_cached(secret)


async def test_a_cached_secret_ends_with_its_grace_period(store: RedisStore, counting: CountingKeyStore) -> None:
    clock, secret = Clock(), await add_api_key(store)
    authenticator = ApiKeyAuthenticator(counting, clock)
    new = await counting.rotate("discord-bot", int(clock.now), grace_s=2)
    await authenticator.authenticate(secret)
    clock.now += 2
    with pytest.raises(ApiKeyRejected, match="has expired"):
        await authenticator.authenticate(secret)
    await authenticator.authenticate(new)
