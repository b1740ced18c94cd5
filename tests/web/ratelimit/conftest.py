"""A pool of leases, and token buckets that have no tokens."""

import asyncio

import pytest

from service.games.ports import Grant, RateLimit
from service.web.ratelimit.leases import LeasePool
from service.web.ratelimit.policies import Policy

QUOTA = 40


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
