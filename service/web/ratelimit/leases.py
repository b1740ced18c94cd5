"""Token leases: tokens of the shared buckets that this instance has borrowed, so that requests do not wait for Redis.

Each client has a bucket in the store and a lease here. A request takes a token of the lease. When the lease runs low,
a background task borrows a portion (a twentieth) of the bucket. A lease may go into debt by one portion, so first
requests do not wait and occasional clients cause no command. Only clients that outpace the renewal wait for it.

A client gets at most its quota plus one portion per instance. It may lose up to one unused portion per instance,
which the bucket refills. While the store is unavailable, each instance limits alone, with buckets of its own.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from math import ceil
from typing import ParamSpec, TypeVar

from multidict import CIMultiDict, istr

from service.games.ports.game_store import Grant, StoreError, TokenBucketStore
from service.supervision import spawn
from service.telemetry.metrics import RATE_LIMITED
from service.web.client_ip import ClientID, make_bucket_key
from service.web.errors import RateLimited
from service.web.ratelimit.policies import Policy
from service.web.ratelimit.recent_cache import RecentCache

__all__ = ["MAX_ATTEMPTS", "AdmissionPending", "LeasePending", "LeasePool", "TokenLease", "retry_when_leased"]

P = ParamSpec("P")
T = TypeVar("T")

STORE_TIMEOUT_S = 1.0
"""Timeout of a renewal."""

MAX_LEASE_BYTES = 384
"""Memory of a lease, at most: object, numbers, client id, and its share of a dict that has just grown."""

RATE_LIMIT = istr("RateLimit")
RATE_LIMIT_POLICY = istr("RateLimit-Policy")

MAX_ATTEMPTS = 5
"""Attempts of one request: concurrent requests may take the tokens that a renewal brought."""


class AdmissionPending(Exception, ABC):
    """A request is admitted or rejected by the result of something that takes time; then `admit` is retried."""

    @abstractmethod
    async def wait(self) -> None:
        """Wait for the result."""


class LeasePending(AdmissionPending):
    """A renewal is running whose result decides whether there is a token."""

    def __init__(self, lease: "TokenLease", task: asyncio.Task[None]) -> None:
        super().__init__()
        self._lease = lease
        self._task = task

    async def wait(self) -> None:
        """Wait for the renewal, successful or not."""
        self._lease.waiting += 1
        try:
            await asyncio.wait([self._task])
        finally:
            self._lease.waiting -= 1

    def to_rate_limited(self) -> RateLimited:
        """Return the error to raise if the renewal did not help."""
        return self._lease.pool.to_rate_limited(self._lease)


async def retry_when_leased(attempt: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of `attempt(*args)`, retrying it after each pending renewal.

    Raises RateLimited, and whatever `attempt` raises.
    """
    for _ in range(MAX_ATTEMPTS - 1):
        try:
            return attempt(*args, **kwargs)
        except LeasePending as pending:
            await pending.wait()
    try:
        return attempt(*args, **kwargs)
    except LeasePending as pending:
        raise pending.to_rate_limited() from None


class TokenLease:
    """One client's tokens on this instance."""

    __slots__ = ("bucket_tokens", "client", "empty_until", "local_full_at", "pool", "renewal", "tokens", "waiting")

    def __init__(self, pool: "LeasePool", client: ClientID) -> None:
        self.pool = pool
        """The pool of its policy."""
        self.client = client
        self.tokens: float = 0
        """Tokens left; negative for a debt."""
        self.bucket_tokens = pool.policy.quota
        """Tokens in the bucket at the last renewal."""
        self.local_full_at = 0.0
        """When the local bucket, used while the store is unavailable, is full again."""
        self.empty_until = 0.0
        """Until when the bucket is known to be empty."""
        self.renewal: asyncio.Task[None] | None = None
        """The running renewal."""
        self.waiting = 0
        """Requests that wait for it; the next renewal borrows for those that are left."""

    def check(self) -> None:
        """Raise RateLimited if there is no token, or LeasePending if a renewal may bring one."""
        if self.tokens <= -self.pool.policy.lease_tokens:
            self.pool.renew(self)
            if self.renewal is not None:
                raise LeasePending(self, self.renewal)
            raise self.pool.to_rate_limited(self)

    def charge_afterwards(self, tokens: int) -> None:
        """Charge work that was already done; the debt is limited to one quota."""
        self.tokens = min(self.tokens, max(self.tokens - tokens, -self.pool.policy.quota))
        if self.tokens <= self.pool.renewal_threshold:
            self.pool.renew(self)

    def charge(self, tokens: int) -> None:
        """Charge work that is about to be done, after `check`; the lease may go into debt."""
        self.tokens -= tokens
        if self.tokens <= self.pool.renewal_threshold:
            self.pool.renew(self)

    @property
    def remaining(self) -> int:
        """Return about how many tokens the client has, without those refilled since the last renewal."""
        left = self.bucket_tokens + int(self.tokens)
        quota = self.pool.policy.quota
        return quota if left > quota else max(left, 0)

    def lease_locally(self, requested: int, now: float) -> Grant:
        """Take up to `requested` tokens from the local bucket."""
        interval_s, quota = self.pool.policy.token_interval_s, self.pool.policy.quota
        self.local_full_at = max(self.local_full_at, now)
        remaining = int(quota - (self.local_full_at - now) / interval_s)
        tokens = min(requested, remaining)
        self.local_full_at += tokens * interval_s
        return Grant(tokens, remaining - tokens, 0.0 if remaining > tokens else interval_s)

    def set_headers(self, headers: CIMultiDict[str]) -> None:
        """Set the headers `RateLimit` and `RateLimit-Policy`."""
        policy, remaining = self.pool.policy, self.remaining
        headers[RATE_LIMIT] = (
            f'"{policy.name}";r={remaining};t={int((policy.quota - remaining) * policy.token_interval_s + 0.999)}'
        )
        headers[RATE_LIMIT_POLICY] = policy.header


class LeasePool:
    """The leases of all clients for one policy."""

    def __init__(self, policy: Policy, store: TokenBucketStore, clock: Callable[[], float], max_bytes: int) -> None:
        self.policy = policy
        self.max_bytes = max_bytes
        """Memory for its leases."""
        RATE_LIMITED.labels(policy.name)  # creates the series, so that the first rejection is counted
        self._store = store
        self._clock = clock
        self.renewal_threshold = -(policy.lease_tokens // 2)
        """Tokens from which on a lease is renewed: early enough that clients do not notice."""
        self._leases = RecentCache[TokenLease](policy.rate.window_s, max_bytes // MAX_LEASE_BYTES, clock)
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Return the number of leases."""
        return len(self._leases)

    def get_or_create(self, client: ClientID) -> TokenLease:
        """Return the lease of a client."""
        lease = self._leases.get(client)
        if lease is None:
            lease = TokenLease(self, client)
            self._leases.put(client, lease)
        return lease

    def require(self, client: ClientID) -> TokenLease:
        """Return the lease of a client if it has tokens. Raises RateLimited, LeasePending.

        The caller subtracts the cost from `tokens`, once all leases that it needs were returned.
        """
        lease = self._leases.recent.get(client)
        if lease is None:
            lease = self.get_or_create(client)
        if lease.tokens <= self.renewal_threshold:
            lease.check()
            self.renew(lease)
        return lease

    async def aclose(self) -> None:
        """Cancel running renewals."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def to_rate_limited(self, lease: TokenLease) -> RateLimited:
        """Return the error of an empty lease, and count it."""
        RATE_LIMITED.labels(self.policy.name).inc()
        wait_s = max(1, ceil(lease.empty_until - self._clock()))
        return RateLimited(self.policy.name, wait_s, self.policy.header)

    def renew(self, lease: TokenLease) -> None:
        """Start a renewal, unless one is running or the bucket is known to be empty."""
        if lease.renewal is not None or self._clock() < lease.empty_until:
            return
        lease.renewal = task = spawn("rate-limit-lease", self._renew(lease))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _renew(self, lease: TokenLease) -> None:
        """Borrow what the lease owes, a portion, and what waiting requests need: at once, however many they are."""
        requested = self.policy.lease_tokens - int(lease.tokens) + lease.waiting
        name = f"{self.policy.name}:{make_bucket_key(lease.client)}"
        try:
            async with asyncio.timeout(STORE_TIMEOUT_S):
                grant = await self._store.take(name, requested, self.policy.rate)
        except (StoreError, TimeoutError):
            grant = lease.lease_locally(requested, self._clock())
        finally:
            lease.renewal = None
        lease.tokens += grant.tokens
        lease.bucket_tokens = grant.remaining
        lease.empty_until = self._clock() + grant.wait_s
