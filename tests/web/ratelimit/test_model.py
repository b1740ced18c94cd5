"""Buckets and leases against a small model of a token bucket, over any sequence of requests, pauses and outages."""

import asyncio
from fractions import Fraction
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from service.games.ports import RateLimit
from service.web.accounts import Accounts, Bucket, RecentCache, TokenLease, refund
from service.web.charge import Charge
from service.web.limits import Limits
from service.web.problems import RateLimited
from tests.web.app_server import FrozenClock
from tests.web.ratelimit.conftest import SharedBuckets

RATE = RateLimit(40, 100)
INSTANCES = 2
CLIENTS = ("192.0.2.1", "2001:db8:1:1::", "2001:db8:1:2::")
PORTION = 2
MAX_CLIENTS = 10
LIMITS = Limits(rate_requests=RATE, rate_joins=RATE)

clients = st.sampled_from(CLIENTS)


class Model:
    """A token bucket: it refills steadily up to its quota, and a debt is at most one quota."""

    def __init__(self, quota: int) -> None:
        self.quota = quota
        self.tokens = Fraction(quota)

    def wait(self, seconds: int) -> None:
        """Refill."""
        self.tokens = min(Fraction(self.quota), self.tokens + Fraction(seconds * self.quota, RATE.window_s))

    def spend(self, tokens: int) -> None:
        """Take tokens."""
        self.tokens = max(-Fraction(self.quota), self.tokens - tokens)


def models_of(models: dict[str, Model], client: str) -> list[Model]:
    """Return the model of a client, and that of its network, which has twice as much."""
    own = [models.setdefault(client, Model(RATE.quota))]
    return own + ([models.setdefault("network", Model(2 * RATE.quota))] if ":" in client else [])


class LimitMachine(RuleBasedStateMachine):
    """Buckets of an instance are exact, and of a shared bucket all instances take what it holds, and a portion each.

    No client that has tokens is rejected.
    """

    @initialize()
    def start(self) -> None:
        self.runner = asyncio.Runner()
        self.clock = FrozenClock()
        self.store = SharedBuckets(self.clock)
        self.models: dict[str, Model] = {}
        context = Mock(store=Mock(buckets=self.store))
        self.instances = [Accounts(LIMITS, context, self.clock) for _ in range(INSTANCES)]
        self.accounts = self._make_accounts()
        self.taken = dict.fromkeys(CLIENTS, 0)
        self.waited_s = 0
        self.had_outage = False

    def _make_accounts(self) -> Accounts:
        accounts = Accounts(LIMITS, None, self.clock)
        accounts.recent = RecentCache(1_000.0, MAX_CLIENTS, self.clock)
        return accounts

    def _buckets(self, client: str) -> tuple[Bucket, ...]:
        """Return the buckets of a client's requests, and of its network's."""
        return self.accounts.get(client).buckets[::2]

    def teardown(self) -> None:
        self.runner.close()

    @rule(seconds=st.integers(1, 250))
    def wait(self, seconds: int) -> None:
        self.clock.now += seconds
        self.waited_s += seconds
        for model in self.models.values():
            model.wait(seconds)

    @rule(client=clients, tokens=st.integers(1, 60))
    def spend(self, client: str, tokens: int) -> None:
        for bucket, model in zip(self._buckets(client), models_of(self.models, client), strict=True):
            bucket.take(tokens, self.clock())
            model.spend(tokens)

    @rule(client=clients)
    def admit(self, client: str) -> None:
        for bucket, model in zip(self._buckets(client), models_of(self.models, client), strict=True):
            assert abs(bucket.count_remaining(self.clock()) - float(model.tokens)) < 1e-6
            if model.tokens >= 1:
                Charge(self.accounts.get(client)).admit((bucket,))
                model.spend(1)
                continue
            with pytest.raises(RateLimited) as limited:
                Charge(self.accounts.get(client)).admit((bucket,))
            missing_s = (1 - model.tokens) * RATE.window_s / model.quota
            assert -1e-6 <= limited.value.retry_after_s - missing_s < 1 + 1e-6

    @rule()
    def flood(self) -> None:
        used = self.accounts.get(CLIENTS[-1])
        for number in range(100):
            self.accounts.get(f"192.0.2.{number}")
            self.accounts.get(f"2001:db8:{number}::")
        assert len(self.accounts.recent) <= MAX_CLIENTS
        assert len(self.accounts._known) <= 2 * MAX_CLIENTS + len(used.levels)
        assert self.accounts.get(CLIENTS[-1]) is used
        self.accounts, self.models = self._make_accounts(), {}

    @rule(is_down=st.booleans())
    def set_outage(self, is_down: bool) -> None:
        self.store.is_down = is_down
        self.had_outage |= is_down

    @rule(instance=st.integers(0, INSTANCES - 1), client=clients, number=st.integers(1, 30), is_refunded=st.booleans())
    def take(self, instance: int, client: str, number: int, is_refunded: bool) -> None:
        accounts = self.instances[instance]

        async def take_all() -> list[Any]:
            attempts = [accounts.get(client).take(accounts.joins) for _ in range(number)]
            return await asyncio.gather(*attempts, return_exceptions=True)

        results = self.runner.run(take_all())
        leases = [result for result in results if isinstance(result, tuple)]
        rejected = [result for result in results if isinstance(result, RateLimited)]
        assert len(leases) + len(rejected) == number
        assert all(error.retry_after_s > 0 for error in rejected)
        if rejected:  # one of its leases owes a portion, and the bucket above it has no token
            assert any(
                lease.tokens <= -lease.policy.lease_tokens and lease.empty_until > self.clock()
                for lease in self._leases(instance, client)
            )
        if is_refunded:
            for one in leases:
                refund(one)
        else:
            self.taken[client] += len(leases)

    @rule(instance=st.integers(0, INSTANCES - 1), client=clients)
    def take_afterwards(self, instance: int, client: str) -> None:
        accounts = self.instances[instance]

        async def take() -> None:
            accounts.get(client).take_afterwards(accounts.joins, 1_000)
            await asyncio.sleep(0)

        self.runner.run(take())
        for lease in self._leases(instance, client):
            assert -lease.policy.quota <= lease.tokens

    @invariant()
    def no_client_exceeds_its_bucket(self) -> None:
        if not hasattr(self, "taken"):
            return
        instances = INSTANCES + self.had_outage * INSTANCES  # each has a bucket of its own while the store is away
        buckets = 1 + self.had_outage * INSTANCES
        for quota, portion, taken in (
            *((RATE.quota, PORTION, taken) for taken in self.taken.values()),
            (2 * RATE.quota, 2 * PORTION, sum(taken for client, taken in self.taken.items() if ":" in client)),
        ):
            refilled = quota * self.waited_s / RATE.window_s
            assert taken <= buckets * (quota + refilled) + instances * portion + 1e-6

    def _leases(self, instance: int, client: str) -> list[TokenLease]:
        accounts = self.instances[instance]
        return [*accounts.get(client).leases_of(accounts.joins)]


LimitMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)

TestLimits = LimitMachine.TestCase


def test_a_cache_forgets_what_was_not_used_for_two_windows() -> None:
    """And nothing that was used within one."""
    clock = FrozenClock()
    cache = RecentCache[int, int](60.0, 10, clock)
    cache.put(0, 0)
    cache.put(1, 1)
    for number in (2, 3):
        clock.now += 61
        assert cache.get(1) == 1
        cache.put(number, number)
    assert [key for key in range(4) if cache.get(key) is not None] == [1, 2, 3]
    assert len(cache) == 3
