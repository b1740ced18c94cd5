"""API keys in Redis: a hash for each, which never expires, and the index of their names."""

import asyncio

import msgspec

from service.games.access import subject_of_key
from service.games.api_key import ApiKey, StoredApiKey
from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.scripts import Script

__all__ = ["RedisApiKeyStore", "encode_api_key"]


class RedisApiKeyStore:
    """`service.games.api_key.ApiKeyStore` on Redis."""

    def __init__(self, client: PipelinedClient) -> None:
        self._client = client
        self._save_script = Script(client, "api_key_save.lua", wait_for_replicas=True)

    async def load(self, name: str) -> StoredApiKey | None:
        """Return a key; None if there is no such key."""
        revision, record = await self._client.execute("HMGET", keys.subject(subject_of_key(name)), "version", "record")
        return None if record is None else StoredApiKey(_DECODER.decode(record), int(revision))

    async def save(self, key: ApiKey, revision: int) -> bool:
        """Store a key on top of a revision. The index is written before, so that it is never incomplete."""
        await self._client.execute("ZADD", keys.API_KEYS, key.created_at, key.name)
        stored = await self._save_script.run([keys.subject(subject_of_key(key.name))], revision, encode_api_key(key))
        return bool(stored)

    async def list_all(self) -> list[ApiKey]:
        """Return all keys, the oldest first."""
        names = await self._client.execute("ZRANGE", keys.API_KEYS, 0, -1)
        stored = await asyncio.gather(*(self.load(name.decode()) for name in names))
        return [one.key for one in stored if one is not None]


encode_api_key = msgspec.msgpack.Encoder().encode
_DECODER = msgspec.msgpack.Decoder(ApiKey)
