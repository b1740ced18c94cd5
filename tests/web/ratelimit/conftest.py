"""Requests without a connection, and what a limiter has charged for them."""

from collections.abc import Mapping
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from service.games.api_key import ApiKey, Quotas
from service.games.ports import Grant, RateLimit, StoreUnavailable
from service.web.accounts import Account, Accounts, Bucket, Policy
from service.web.app import HttpRequest
from service.web.charge import Charge
from service.web.headers import make_token_id
from service.web.limits import Limits
from service.web.rate_limiter import RateLimiter
from tests.security.limited_client import RATES
from tests.web.app_server import TILESETS, FrozenClock, mocked_request

ADDRESS, SITE_ADDRESS = "192.0.2.1", "2001:db8:1:2::"

HOST = ApiKey("host", 0, Quotas(1_000, 1_000, 1_000), [])

CLIENTS: dict[str | bytes, str] = {
    ADDRESS: "address",
    SITE_ADDRESS: "address",
    "2001:db8:1::/48": "network",
    "host": "host",
    **{make_token_id(token): token for token in ("trusted", "second", "new")},
}


@pytest.fixture
async def limiter() -> RateLimiter:
    """Return a limiter with 1,000 tokens of everything, whose store has none left; it trusts two tokens."""
    rates: dict[str, Any] = dict.fromkeys(RATES, RateLimit(1_000, 3_600))
    context = Mock(tilesets=TILESETS)
    context.store.buckets.take = AsyncMock(return_value=Grant(0, 0, 60.0))
    context.bots.is_heavy = "heavy".__eq__
    api_keys = Mock(is_cached=Mock(return_value=True), authenticate=AsyncMock(return_value=HOST))
    limits, clock = Limits(**rates), FrozenClock()
    accounts = Accounts(limits, context, clock)
    limiter = RateLimiter(accounts, api_keys)
    limiter._is_valid_token = AsyncMock(return_value=False)
    limiter.trust_tokens(("trusted", "second"))
    return limiter


def make_request(account: Account, method: str, path: str, headers: Mapping[str, str]) -> HttpRequest:
    """Return a request on a connection of its own."""
    connection = Mock(bearer_token=None, client=account.client, charge=Charge(account))
    return mocked_request(method, path, headers, protocol=connection)


def charged(limiter: RateLimiter) -> dict[str, float]:
    """Return what was taken from every bucket and lease, by policy and client."""
    accounts = {level for account in limiter.accounts.recent.recent.values() for level in account.levels}
    buckets: list[tuple[str | bytes, Bucket]] = [
        *((one.client, bucket) for one in accounts for bucket in one.buckets[:2] + one.token_buckets[:2]),
        *((token, bucket) for token, several in limiter.trusted_tokens.recent.items() for bucket in several),
    ]
    now = limiter.accounts.clock()
    taken = {(one.policy.name, client): one.policy.quota - one.count_remaining(now) for client, one in buckets}
    taken |= {(lease.policy.name, one.client): -lease.tokens for one in accounts for lease, *_ in one.leases.values()}
    return {f"{name} {CLIENTS[client]}": round(tokens, 3) for (name, client), tokens in taken.items() if tokens > 1e-6}


class SharedBuckets:
    """The store's buckets, and how often they were asked."""

    def __init__(self, clock: FrozenClock) -> None:
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}
        self.is_down = False

    async def take(self, name: str, wanted: int, size: RateLimit) -> Grant:
        """Grant up to as many tokens as there are."""
        if self.is_down:
            raise StoreUnavailable("out of reach")
        bucket = self._buckets.setdefault(name, Bucket(Policy("store", size)))
        left = int(bucket.count_remaining(self._clock()) + 1e-9)
        taken = min(wanted, left)
        bucket.take(taken, self._clock())
        return Grant(taken, left - taken, 0.0 if left > taken else bucket.policy.token_interval_s)
