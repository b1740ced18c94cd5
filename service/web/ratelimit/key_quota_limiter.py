"""Leases of API keys: a request that carries a key is charged to the key's quotas in place of its address's limits."""

from collections.abc import Callable

from service.games.api_key import ApiKey
from service.games.ports.game_store import RateLimit, TokenBucketStore
from service.telemetry.metrics import API_KEY_RATE_LIMITED
from service.web.errors import RateLimited
from service.web.ratelimit import costs
from service.web.ratelimit.leases import MAX_LEASE_BYTES, LeasePool, TokenLease, retry_when_leased
from service.web.ratelimit.policies import Policy

__all__ = ["KeyQuotaLimiter", "KeyQuotaLimiters"]

MINUTE_S = 60
HOUR_S = 3600

POOL_BYTES = 2 * MAX_LEASE_BYTES
"""Memory of a pool, which has one lease: that of its key."""


class QuotaLeasePool(LeasePool):
    """The pool of leases of one API key for one of its quotas."""

    def to_rate_limited(self, lease: TokenLease) -> RateLimited:
        """Return the error of an empty lease, and count it for the key too."""
        API_KEY_RATE_LIMITED.labels(lease.client, self.policy.name).inc()
        return super().to_rate_limited(lease)


class KeyQuotaLimiter:
    """Limits one API key by its quotas on this instance."""

    def __init__(self, key: ApiKey, store: TokenBucketStore, clock: Callable[[], float]) -> None:
        self.key = key

        def add_pool(name: str, rate: RateLimit) -> QuotaLeasePool:
            return QuotaLeasePool(Policy(name, rate), store, clock, POOL_BYTES)

        quotas = key.quotas
        self.games = add_pool("key-games", RateLimit(quotas.games_per_hour, HOUR_S))
        self.requests = add_pool("key-requests", RateLimit(quotas.requests_per_minute, MINUTE_S))
        self.bots = add_pool("key-bots", RateLimit(quotas.bot_turns_per_hour * costs.LIGHT_BOT_TURN, HOUR_S))

    def require_request(self) -> tuple[TokenLease, ...]:
        """Return the lease for requests if it has tokens. Raises RateLimited, LeasePending."""
        return (self.requests.require(self.key.name),)

    def require_game(self) -> tuple[TokenLease, ...]:
        """Return the lease for games if it has tokens. Raises RateLimited, LeasePending."""
        return (self.games.require(self.key.name),)

    async def charge_bots(self, tokens: int) -> None:
        """Charge the turns of bots, as soon as any token is left. Raises RateLimited."""
        (await retry_when_leased(self.bots.require, self.key.name)).charge(tokens)

    async def aclose(self) -> None:
        """Cancel running renewals."""
        for pool in (self.games, self.requests, self.bots):
            await pool.aclose()


class KeyQuotaLimiters:
    """The limiter of each API key that this instance has seen: as many as the operator has added."""

    def __init__(self, store: TokenBucketStore, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._limiters: dict[str, KeyQuotaLimiter] = {}

    def get(self, key: ApiKey) -> KeyQuotaLimiter:
        """Return the limiter of a key; it starts anew when its quotas change."""
        limiter = self._limiters.get(key.name)
        if limiter is None or limiter.key.quotas != key.quotas:
            limiter = self._limiters[key.name] = KeyQuotaLimiter(key, self._store, self._clock)
        return limiter

    async def aclose(self) -> None:
        """Cancel running renewals."""
        for limiter in self._limiters.values():
            await limiter.aclose()
