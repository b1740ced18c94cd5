"""Requests without a connection, and what a limiter has charged for them."""

from collections.abc import AsyncIterator, Mapping
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from service.games.api_key import ApiKey, Quotas
from service.games.ports import Grant, RateLimit
from service.web.connections.limiter import ConnectionLimiter
from service.web.headers import make_token_id
from service.web.limits import Limits
from service.web.rate_limiter import RateLimiter
from tests.security.limited_client import RATES
from tests.web.app_server import TILESETS, FrozenClock

ADDRESS, SITE_ADDRESS = "192.0.2.1", "2001:db8:1:2::"

HOST = ApiKey("host", 0, Quotas(1_000, 1_000, 1_000), [])

CLIENTS: dict[str | bytes, str] = {
    ADDRESS: "address",
    SITE_ADDRESS: "address",
    "2001:db8:1::/48": "network",
    "host": "host",
    "key host": "host",
    **{make_token_id(token): token for token in ("trusted", "second", "new")},
}


@pytest.fixture
async def limiter() -> AsyncIterator[RateLimiter]:
    """Yield a limiter with 1,000 tokens of everything, whose store has none left; it trusts two tokens."""
    rates: dict[str, Any] = dict.fromkeys(RATES, RateLimit(1_000, 3_600))
    context = Mock(tilesets=TILESETS)
    context.store.buckets.take = AsyncMock(return_value=Grant(0, 0, 60.0))
    context.bots.is_heavy = "heavy".__eq__
    api_keys = Mock(is_cached=Mock(return_value=True), authenticate=AsyncMock(return_value=HOST))
    limits, clock = Limits(**rates), FrozenClock()
    clients = ConnectionLimiter(limits, clock).clients
    limiter = RateLimiter(context, limits, api_keys, clients, clock)
    limiter._is_valid_token = AsyncMock(return_value=False)
    limiter.trust_tokens(("trusted", "second"))
    yield limiter
    await limiter.aclose()


def make_request(method: str, path: str, headers: Mapping[str, str], address: str = ADDRESS) -> web.Request:
    """Return a request on a connection of its own."""
    connection = Mock(bearer_token=None, client=address, address=address, charge=None)
    return make_mocked_request(method, path, headers, protocol=connection)


def charged(limiter: RateLimiter) -> dict[str, float]:
    """Return what was taken from every bucket and lease, by policy and client."""
    now = limiter.clock()
    pools = (limiter.clients, limiter.tokens_of_addresses)
    buckets = [
        (client, one)
        for pool in pools
        for own in (pool.clients, pool.networks)
        for client, several in own.recent.items()
        for one in several
    ]
    taken = {(one.policy.name, client): one.policy.quota - one.count_remaining(now) for client, one in buckets}
    taken |= {(policy.name, client): -lease.tokens for (policy, client), lease in limiter.leases._leases.recent.items()}
    return {f"{name} {CLIENTS[client]}": round(tokens, 3) for (name, client), tokens in taken.items() if tokens > 1e-6}
