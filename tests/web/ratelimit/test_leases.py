"""Token leases: what a client may borrow and owe."""

import asyncio

import pytest

from service.web.errors import RateLimited
from service.web.ratelimit.leases import LeasePending, LeasePool, retry_when_leased
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
    assert buckets.requested == [2 * pool.policy.lease_tokens] * 2


async def test_no_renewal_starts_while_the_bucket_is_known_to_be_empty(pool: LeasePool, buckets: EmptyBuckets) -> None:
    lease = pool.get_or_create("a")
    lease.tokens = -pool.policy.lease_tokens
    with pytest.raises(RateLimited):
        await retry_when_leased(pool.require, "a")
    with pytest.raises(RateLimited):
        await retry_when_leased(pool.require, "a")
    assert len(buckets.requested) == 1


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
