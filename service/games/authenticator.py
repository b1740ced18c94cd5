"""Authentication of API keys, with a short cache, so that a busy host causes few reads of the store."""

from collections.abc import Callable

from service.games.access import hash_token
from service.games.api_key import ApiKey, ApiKeyStore, check_secret, name_of_secret
from service.games.errors import ApiKeyRejected

__all__ = ["CACHE_TTL_S", "ApiKeyAuthenticator"]

CACHE_TTL_S = 5.0
"""Seconds after which every instance knows that a key was revoked, rotated or got other quotas."""


class ApiKeyAuthenticator:
    """Knows which secrets are valid. Only valid secrets are cached, by their hashes, so the cache is small."""

    def __init__(self, store: ApiKeyStore, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._cache: dict[bytes, tuple[ApiKey, float]] = {}
        """Keys by the hash of a valid secret, and until when they are trusted."""

    def is_cached(self, secret: str) -> bool:
        """Return whether `authenticate` accepts a secret without a read of the store."""
        if name_of_secret(secret) is None:
            return False
        _, trusted_until = self._cache.get(hash_token(secret), (None, 0.0))
        return self._clock() < trusted_until

    async def authenticate(self, secret: str) -> ApiKey:
        """Return the key of a secret. Raises ApiKeyRejected, StoreUnavailable."""
        name = name_of_secret(secret)
        if name is None:  # it may even have bytes that are no text, of which there is no hash
            raise ApiKeyRejected("this API key is unknown")
        digest, now = hash_token(secret), self._clock()
        key, trusted_until = self._cache.get(digest, (None, 0.0))
        if key is not None and now < trusted_until:
            return key
        self._cache.pop(digest, None)
        stored = await self._store.load(name)
        if stored is None:
            raise ApiKeyRejected("this API key is unknown")
        valid = check_secret(stored.key, secret, now)
        trusted_until = now + CACHE_TTL_S
        self._cache[digest] = (
            stored.key,
            trusted_until if valid.expires_at is None else min(trusted_until, valid.expires_at),
        )
        return stored.key
