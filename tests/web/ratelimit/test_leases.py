"""Token leases: what a client may borrow and owe."""

import asyncio
from unittest.mock import AsyncMock, Mock

import pytest
from multidict import CIMultiDict

from service.games.ports.game_store import Grant, RateLimit, StoreUnavailable
from service.web.client_ip import hash_token, make_bucket_key
from service.web.errors import RateLimited
from service.web.ratelimit.leases import MAX_ATTEMPTS, LeasePending, LeasePool, retry_when_leased
from service.web.ratelimit.policies import Policy
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.ratelimit.conftest import QUOTA, EmptyBuckets


async def test_the_debt_for_work_that_was_done_is_one_quota_at_most(pool: LeasePool) -> None:
    lease = pool.get_or_create("a")
    for _ in range(3):
        lease.charge_afterwards(QUOTA - 1)
    assert lease.tokens == -QUOTA
    await pool.aclose()


async def test_a_renewal_that_has_ended_is_forgotten(pool: LeasePool, buckets: EmptyBuckets) -> None:
    """Else the next one never starts."""
    lease = pool.get_or_create("a")
    lease.tokens = -pool.policy.lease_tokens
    with pytest.raises(LeasePending) as pending:
        lease.check()
    await pending.value.wait()
    assert (lease.renewal, pool._tasks) == (None, set())
    lease.empty_until = 0.0
    with pytest.raises(LeasePending) as pending:
        lease.check()
    await pending.value.wait()
    assert buckets.requested == [2 * pool.policy.lease_tokens + 1] * 2  # one waits


async def test_no_renewal_starts_while_the_bucket_is_known_to_be_empty(pool: LeasePool, buckets: EmptyBuckets) -> None:
    lease = pool.get_or_create("a")
    lease.tokens = -pool.policy.lease_tokens
    with pytest.raises(RateLimited):
        await retry_when_leased(pool.require, "a")
    with pytest.raises(RateLimited):
        await retry_when_leased(pool.require, "a")
    assert len(buckets.requested) == 1


async def test_a_renewal_borrows_for_the_requests_that_still_wait(pool: LeasePool, buckets: EmptyBuckets) -> None:
    lease = pool.get_or_create("a")
    lease.tokens, lease.waiting = -pool.policy.lease_tokens, 5
    pool.renew(lease)
    assert lease.renewal is not None
    await lease.renewal
    assert buckets.requested == [2 * pool.policy.lease_tokens + 5]


async def test_waiting_requests_are_counted(pool: LeasePool, buckets: EmptyBuckets) -> None:
    buckets.is_open.clear()
    lease = pool.get_or_create("a")
    lease.tokens = -pool.policy.lease_tokens
    with pytest.raises(LeasePending) as pending:
        lease.check()
    tasks = [asyncio.create_task(pending.value.wait()) for _ in range(5)]
    tasks[0].cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert lease.waiting == 4
    buckets.is_open.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert lease.waiting == 0


async def test_aclose_cancels_renewals(pool: LeasePool, buckets: EmptyBuckets) -> None:
    buckets.is_open.clear()
    lease = pool.get_or_create("a")
    pool.renew(lease)
    task = lease.renewal
    assert task is not None
    await asyncio.sleep(0)
    await pool.aclose()
    assert task.cancelled()
    assert (lease.renewal, pool._tasks) == (None, set())


@pytest.mark.parametrize(
    ("tokens", "outcome", "is_renewed"),
    ((0, None, False), (-0.5, None, False), (-1, None, True), (-1.5, None, True), (-2, LeasePending, True)),
)
async def test_a_lease_is_renewed_early_and_empty_at_a_portion_of_debt(
    pool: LeasePool, tokens: float, outcome: type[Exception] | None, is_renewed: bool
) -> None:
    """A portion is two tokens, a twentieth of the quota."""
    lease = pool.get_or_create("a")
    lease.tokens = tokens
    if outcome is None:
        assert pool.require("a") is lease
    else:
        with pytest.raises(outcome):
            pool.require("a")
    assert (lease.renewal is not None) == is_renewed
    lease.empty_until = 60.0
    await pool.aclose()


@pytest.mark.parametrize("charge", ("charge", "charge_afterwards"))
@pytest.mark.parametrize(("tokens", "is_renewed"), ((0, False), (1, True)))
async def test_a_charge_renews_the_lease(pool: LeasePool, charge: str, tokens: int, is_renewed: bool) -> None:
    lease = pool.get_or_create("a")
    getattr(lease, charge)(tokens)
    assert (lease.tokens, lease.renewal is not None) == (-tokens, is_renewed)
    await pool.aclose()


@pytest.mark.parametrize(
    ("bucket_tokens", "tokens", "headers"),
    (
        (40, 0, '"reads";r=40;t=0'),
        (40, 2.0, '"reads";r=40;t=0'),
        (40, -1, '"reads";r=39;t=90'),
        (38, 1.9, '"reads";r=39;t=90'),
        (1, -2, '"reads";r=0;t=3600'),
    ),
)
def test_the_headers_say_what_is_left_and_when_the_bucket_is_full(
    pool: LeasePool, bucket_tokens: int, tokens: float, headers: str
) -> None:
    lease, result = pool.get_or_create("a"), CIMultiDict[str]()
    lease.bucket_tokens, lease.tokens = bucket_tokens, tokens
    lease.set_headers(result)
    assert result == {"RateLimit": headers, "RateLimit-Policy": '"reads";q=40;w=3600'}


def test_the_time_until_a_bucket_is_full_is_rounded_up() -> None:
    pool = LeasePool(Policy("reads", RateLimit(40, 100)), EmptyBuckets(), lambda: 0.0, 1_000_000)
    lease, headers = pool.get_or_create("a"), CIMultiDict[str]()
    lease.tokens = -1
    lease.set_headers(headers)
    assert headers["RateLimit"] == '"reads";r=39;t=3'


def test_while_the_store_is_unavailable_a_lease_takes_from_a_bucket_of_its_own(pool: LeasePool) -> None:
    """A token refills in 90 s."""
    lease = pool.get_or_create("a")
    assert lease.lease_locally(10, 1_000.0) == Grant(10, 30, 0.0)
    assert lease.lease_locally(0, 1_090.0) == Grant(0, 31, 0.0)
    assert lease.lease_locally(40, 1_090.0) == Grant(31, 0, 90.0)
    assert lease.lease_locally(1, 1_179.0) == Grant(0, 0, 90.0)
    assert lease.lease_locally(1, 1_180.0) == Grant(1, 0, 90.0)
    assert lease.lease_locally(1, 99_999.0) == Grant(1, 39, 0.0)


@pytest.mark.parametrize("error", (StoreUnavailable("out of reach"), TimeoutError()))
async def test_a_renewal_borrows_the_debt_and_a_portion(pool: LeasePool, error: Exception) -> None:
    take = AsyncMock(side_effect=[Grant(5, 30, 7.0), error])
    pool._store = Mock(take=take)
    lease = pool.get_or_create("a")
    lease.tokens = -3.5
    await pool._renew(lease)
    assert (lease.tokens, lease.bucket_tokens, lease.empty_until) == (1.5, 30, 7.0)
    take.assert_awaited_once_with(f"reads:{make_bucket_key('a')}", 2 + 3, RateLimit(40, 3600))
    lease.tokens = -1
    await pool._renew(lease)
    assert (lease.tokens, lease.bucket_tokens, lease.empty_until) == (2, 37, 0.0)


@pytest.mark.parametrize(("empty_until", "retry_after_s"), ((0.0, 1), (0.2, 1), (1.2, 2), (60.0, 60)))
def test_a_rejection_is_counted_and_says_when_to_retry(pool: LeasePool, empty_until: float, retry_after_s: int) -> None:
    before, lease = read_samples(), pool.get_or_create("a")
    lease.empty_until = empty_until
    error = pool.to_rate_limited(lease)
    assert (error.policy, error.retry_after_s, error.header) == ("reads", retry_after_s, '"reads";q=40;w=3600')
    assert grown(before, "rate_limited_total", policy="reads") == 1


async def test_an_attempt_is_repeated_after_each_renewal_but_not_for_ever(pool: LeasePool) -> None:
    lease, attempts = pool.get_or_create("a"), 0
    renewed = asyncio.create_task(asyncio.sleep(0))

    def attempt(successful: int) -> str:
        nonlocal attempts
        attempts += 1
        if attempts < successful:
            raise LeasePending(lease, renewed)
        return "done"

    assert (await retry_when_leased(attempt, MAX_ATTEMPTS), attempts) == ("done", MAX_ATTEMPTS)
    attempts = 0
    with pytest.raises(RateLimited):
        await retry_when_leased(attempt, MAX_ATTEMPTS + 1)
    assert attempts == MAX_ATTEMPTS


def test_clients_are_known_by_hashes_of_16_bytes() -> None:
    token = hash_token("token")
    assert (len(token), token != hash_token("other")) == (16, True)
    assert make_bucket_key(token) == token.hex()
    assert (len(make_bucket_key("a")), make_bucket_key("a") != make_bucket_key("b")) == (32, True)


async def test_half_a_portion_is_rounded_down(buckets: EmptyBuckets) -> None:
    """A portion of three tokens is renewed from one on."""
    pool = LeasePool(Policy("reads", RateLimit(60, 3600)), buckets, lambda: 0.0, 1_000_000)
    lease = pool.get_or_create("a")
    lease.charge(1)
    assert lease.renewal is not None
    await pool.aclose()
