"""API keys, which the operator grants to hosts of many players, such as chat bots, and their authentication.

A key has a name, quotas and one or two secrets: after a rotation the previous secret stays valid for a grace period.
Secrets are stored only as hashes. A secret contains its key's name, so that the store needs no index of secrets.

Authentication has a short cache, so that a busy host causes few reads of the store.
"""

import base64
import hmac
import re
import secrets
from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

from schemas.vocabulary import ID
from service.games.access import hash_token
from service.games.errors import ApiKeyRejected

SECRET_PREFIX = "ssk_"  # noqa: S105  (a prefix, not a secret)
SECRET_BYTES = 32

_NAME = re.compile(ID, re.ASCII)
_SECRET = re.compile(rf"{SECRET_PREFIX}({ID})_[A-Za-z0-9_-]{{43}}", re.ASCII)


class Quotas(msgspec.Struct, array_like=True, frozen=True):
    """How much a key may use; these count in place of the limits of its host's address."""

    games_per_hour: int
    requests_per_minute: int
    """Requests that carry the key."""
    bot_turns_per_hour: int
    """Turns of bots that these requests cause; one of a heavy bot counts as ten."""


class ApiKeySecret(msgspec.Struct, array_like=True, frozen=True):
    """The hash of a key's secret, and when it is valid (Unix seconds)."""

    digest: bytes
    created_at: int
    expires_at: int | None = None
    """None for the current secret, which does not expire."""


class ApiKey(msgspec.Struct, array_like=True, frozen=True):
    """A key as it is stored."""

    name: str
    created_at: int
    """Unix seconds."""
    quotas: Quotas
    secrets: list[ApiKeySecret]
    """The current secret, and the one before it, which may have expired."""
    revoked_at: int | None = None
    """Unix seconds; None while the key is valid."""


class StoredApiKey(NamedTuple):
    """A key, and how often it was stored."""

    key: ApiKey
    revision: int


class ApiKeyStore(Protocol):
    """A store of API keys. Every method may raise StoreUnavailable."""

    async def load(self, name: str) -> StoredApiKey | None:
        """Return a key, or None if there is no such key."""

    async def save(self, key: ApiKey, revision: int) -> bool:
        """Store a key on top of a revision, 0 for a new key; return False if the stored one has another revision."""

    async def list_all(self) -> list[ApiKey]:
        """Return all keys, revoked ones too, the oldest first."""


def is_valid_name(name: str) -> bool:
    """Return whether a key can have this name.

    >>> is_valid_name("discord-bot"), is_valid_name("Discord"), is_valid_name("")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None


UNKNOWN_KEY = (
    "this API key is unknown: send it alone in the header Api-Key, or ask the operator of this service for one"
)
"""Why a secret is rejected that no key has."""


def generate_secret(name: str) -> str:
    """Return a random secret for a key: 256 bits behind the key's name."""
    random = base64.urlsafe_b64encode(secrets.token_bytes(SECRET_BYTES)).rstrip(b"=").decode()
    return f"{SECRET_PREFIX}{name}_{random}"


def name_of_secret(secret: str) -> str | None:
    """Return the name of the key that a secret says it is of; None if it has another form.

    >>> name_of_secret("ssk_discord-bot_" + 43 * "x"), name_of_secret("Bearer x")
    ('discord-bot', None)
    """
    match = _SECRET.fullmatch(secret)
    return None if match is None else match[1]


def add_secret(key: ApiKey, secret: str, now: int, grace_s: int) -> ApiKey:
    """Return the key with a new secret; the current one expires after `grace_s`, an earlier one at once."""
    previous = [msgspec.structs.replace(one, expires_at=now + grace_s) for one in key.secrets[:1]]
    return msgspec.structs.replace(key, secrets=[ApiKeySecret(hash_token(secret), now), *previous])


def check_secret(key: ApiKey, secret: str, now: float) -> ApiKeySecret:
    """Return the stored secret that this one is. Compares every hash in constant time.

    Raises ApiKeyRejected for an unknown or expired secret, or a revoked key.
    """
    digest, found = hash_token(secret), None
    for stored in key.secrets:
        if hmac.compare_digest(stored.digest, digest):
            found = stored
    if found is None:
        raise ApiKeyRejected(UNKNOWN_KEY)
    if key.revoked_at is not None:
        raise ApiKeyRejected(f"the API key {key.name} was revoked")
    if found.expires_at is not None and found.expires_at <= now:
        raise ApiKeyRejected(f"this secret of the API key {key.name} has expired: a newer one replaced it")
    return found


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
            raise ApiKeyRejected(UNKNOWN_KEY)
        digest, now = hash_token(secret), self._clock()
        key, trusted_until = self._cache.get(digest, (None, 0.0))
        if key is not None and now < trusted_until:
            return key
        self._cache.pop(digest, None)
        stored = await self._store.load(name)
        if stored is None:
            raise ApiKeyRejected(UNKNOWN_KEY)
        valid = check_secret(stored.key, secret, now)
        trusted_until = now + CACHE_TTL_S
        self._cache[digest] = (
            stored.key,
            trusted_until if valid.expires_at is None else min(trusted_until, valid.expires_at),
        )
        return stored.key
