"""Leases and a limiter whose buckets have no tokens, and what they have charged."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import EMPTY_PAYLOAD, web
from aiohttp.test_utils import make_mocked_request

from service.games.api_key import ApiKey, Quotas
from service.games.ports.game_store import Grant, RateLimit
from service.web.client_ip import hash_token
from service.web.limits import Limits
from service.web.ratelimit.leases import LeasePool
from service.web.ratelimit.limiter import RateLimiter
from service.web.ratelimit.policies import Policy
from tests.security.limited_client import RATES

QUOTA = 40

ADDRESS, SITE_ADDRESS = "192.0.2.1", "2001:db8:1:2::"

HOST = ApiKey("host", 0, Quotas(1_000, 1_000, 1_000), [])

CLIENTS = {ADDRESS: "address", HOST.name: "host", SITE_ADDRESS: "address", "2001:db8:1::/48": "network"} | {
    hash_token(token): token for token in ("trusted", "second", "new")
}


class EmptyBuckets:
    """Buckets without tokens, whose replies can be held back."""

    def __init__(self) -> None:
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.requested: list[int] = []

    async def take(self, name: str, tokens: int, rate: RateLimit) -> Grant:
        """Grant nothing."""
        del name, rate
        self.requested.append(tokens)
        await self.is_open.wait()
        return Grant(0, 0, 60.0)


@pytest.fixture
def buckets() -> EmptyBuckets:
    return EmptyBuckets()


@pytest.fixture
def pool(buckets: EmptyBuckets) -> LeasePool:
    return LeasePool(Policy("reads", RateLimit(QUOTA, 3600)), buckets, lambda: 0.0, 1_000_000)


@pytest.fixture
async def limiter(buckets: EmptyBuckets) -> AsyncIterator[RateLimiter]:
    """Yield a limiter whose leases may be in debt by 50 tokens; it trusts two tokens."""
    rates: dict[str, Any] = dict.fromkeys(RATES, RateLimit(1_000, 3_600))
    limiter = RateLimiter(Limits(**rates), buckets, Mock(), Mock(), lambda: 0.0)
    limiter.trust_tokens(("trusted", "second"))
    yield limiter
    await limiter.aclose()


def make_request(method: str, path: str, headers: Mapping[str, str]) -> web.Request:
    """Return a request on a connection of its own."""
    connection = Mock(bearer_token=None, count_received=Mock(return_value=0))
    return make_mocked_request(method, path, headers, payload=EMPTY_PAYLOAD, protocol=connection)


def charged(limiter: RateLimiter) -> dict[str, float]:
    """Return the tokens of all leases from which some were taken, by policy and client."""
    pools = [pool for leases in limiter.leases for pool in (leases.pool, leases.network_pool)]
    quotas = limiter.key_quota_limiters.get(HOST)
    pools += [quotas.games, quotas.requests, quotas.bots]
    return {
        f"{pool.policy.name} {CLIENTS[client]}": lease.tokens
        for pool in pools
        for client, lease in pool._leases.recent.items()
        if lease.tokens
    }
