"""The API key part of the store port. Every method may raise StoreUnavailable."""

from typing import NamedTuple, Protocol

from service.games.api_key import ApiKey

__all__ = ["ApiKeyStore", "StoredApiKey"]


class StoredApiKey(NamedTuple):
    """A key, and how often it was stored."""

    key: ApiKey
    revision: int


class ApiKeyStore(Protocol):
    """A store of API keys."""

    async def load(self, name: str) -> StoredApiKey | None:
        """Return a key, or None if there is no such key."""

    async def save(self, key: ApiKey, revision: int) -> bool:
        """Store a key on top of a revision, 0 for a new key; return False if the stored one has another revision."""

    async def list_all(self) -> list[ApiKey]:
        """Return all keys, revoked ones too, the oldest first."""
