"""What one instance has borrowed of a policy's buckets, so that a request waits for no answer of the store's.

Each client has a bucket in the store and an account here. A request takes a token of the account; where these go down,
a portion is borrowed of the bucket, behind the requests' back. An account may be in debt by one portion: so the first
requests need not wait either, and a client that asks seldom never troubles the store. Only who is faster than the store
waits for it. What a client gets is thus at most what the bucket gives, and one portion (a twentieth) more for each
instance. What is borrowed and not used is lost to the client, at most a portion for each instance, and is made good as
the bucket refills.

While the store does not answer, each instance goes on alone, with buckets of its own.
"""

import asyncio
from collections.abc import Callable
from math import ceil
from typing import Never, TypeVar

from multidict import CIMultiDict, istr

from service.games.ports import Grant, StoreError, TokenBucketStore
from service.supervision import spawn
from service.telemetry.metrics import RATE_LIMITED
from service.web.errors import RateLimited
from service.web.ratelimit.policies import Policy
from service.web.ratelimit.recent_cache import RecentCache
from service.web.ratelimit.subjects import Subject, bucket_key

__all__ = ["MAX_ATTEMPTS", "LeasePending", "LeasePool", "TokenLease", "retry_when_leased"]

T = TypeVar("T")

STORE_TIMEOUT_S = 1.0
"""A store that takes longer does not answer."""

MAX_LEASE_BYTES = 384
"""That an account takes at most: itself, its numbers, its subject, its share of a dict that has just grown."""

RATE_LIMIT = istr("RateLimit")
RATE_LIMIT_POLICY = istr("RateLimit-Policy")

MAX_ATTEMPTS = 5
"""Others may be faster to take what was borrowed."""


class LeasePending(Exception):
    """Only the store knows whether there is a token, and it is being asked."""

    def __init__(self, account: "TokenLease", task: asyncio.Task[None]) -> None:
        super().__init__()
        self._lease = account
        self._task = task

    async def wait(self) -> None:
        """Wait until it has answered, or is given up."""
        await asyncio.wait([self._task])

    def to_rate_limited(self) -> RateLimited:
        """What to raise where that did not help."""
        return self._lease.pool.to_rate_limited(self._lease)


async def retry_when_leased(attempt: Callable[[], T]) -> T:
    """What an attempt gives, where need be once the store has answered. Raises what it does, but for Asking."""
    for _ in range(MAX_ATTEMPTS - 1):
        try:
            return attempt()
        except LeasePending as asking:
            await asking.wait()
    try:
        return attempt()
    except LeasePending as asking:
        raise asking.to_rate_limited() from None


class TokenLease:
    """One client's."""

    __slots__ = ("bucket_tokens", "empty_until", "local_full_at", "pool", "renewal", "subject", "tokens")

    def __init__(self, accounts: "LeasePool", subject: Subject) -> None:
        self.pool = accounts
        """All of the same policy."""
        self.subject = subject
        self.tokens: float = 0
        """Tokens; below 0, a debt."""
        self.bucket_tokens = accounts.policy.quota
        """Tokens in the bucket when the store last told."""
        self.local_full_at = 0.0
        """When the bucket that is used while the store does not answer is full again."""
        self.empty_until = 0.0
        """The bucket is empty till then."""
        self.renewal: asyncio.Task[None] | None = None
        """The store is being asked."""

    def check(self) -> None:
        """Raise RateLimited where there is no token, or Asking where only the store knows."""
        if self.tokens <= -self.pool.policy.lease_tokens:
            self.pool.reject(self)

    def charge_afterwards(self, tokens: int) -> None:
        """Take tokens for what was done already; what there are none for is a debt, up to a bound."""
        self.tokens = min(self.tokens, max(self.tokens - tokens, -self.pool.policy.quota))
        if self.tokens <= self.pool.renewal_threshold:
            self.pool.renew(self)

    def charge(self, tokens: int) -> None:
        """Take tokens for what is going to be done, after `check`; what there are none for is a debt."""
        self.tokens -= tokens
        if self.tokens <= self.pool.renewal_threshold:
            self.pool.renew(self)

    @property
    def remaining(self) -> int:
        """How many tokens there are, about: what came back since the store told is not counted."""
        left = self.bucket_tokens + int(self.tokens)
        quota = self.pool.policy.quota
        return quota if left > quota else max(left, 0)

    def lease_locally(self, wanted: int, now: float) -> Grant:
        """Take up to so many tokens out of the bucket that is used while the store does not answer."""
        each_s, quota = self.pool.policy.token_interval_s, self.pool.policy.quota
        self.local_full_at = max(self.local_full_at, now)
        left = int(quota - (self.local_full_at - now) / each_s)
        tokens = min(wanted, left)
        self.local_full_at += tokens * each_s
        return Grant(tokens, left - tokens, 0.0 if left > tokens else each_s)

    def set_headers(self, headers: CIMultiDict[str]) -> None:
        """Say in an answer how much is left."""
        policy, left = self.pool.policy, self.remaining
        headers[RATE_LIMIT] = (
            f'"{policy.name}";r={left};t={int((policy.quota - left) * policy.token_interval_s + 0.999)}'
        )
        headers[RATE_LIMIT_POLICY] = policy.header


class LeasePool:
    """All clients' of one policy."""

    def __init__(self, policy: Policy, store: TokenBucketStore, clock: Callable[[], float], max_bytes: int) -> None:
        self.policy = policy
        self.max_bytes = max_bytes
        """Memory that they may take."""
        RATE_LIMITED.labels(policy.name)  # so that the first refusal is seen
        self._store = store
        self._clock = clock
        self.renewal_threshold = -(policy.lease_tokens // 2)
        """Where more is borrowed: early enough that a client does not notice."""
        self._leases = RecentCache[TokenLease](policy.size.window_s, max_bytes // MAX_LEASE_BYTES, clock)
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._leases)

    def get_or_create(self, subject: Subject) -> TokenLease:
        """A client's account, a new one where it was not here lately."""
        account = self._leases.get(subject)
        if account is None:
            account = TokenLease(self, subject)
            self._leases.put(subject, account)
        return account

    def require(self, subject: Subject) -> TokenLease:
        """The account of a client that may go on. Raises RateLimited, or Asking where only the store knows.

        Whoever goes on subtracts what it costs from what is `left`, once all accounts that it needs are ready.
        """
        account = self._leases.recent.get(subject)
        if account is None:
            account = self.get_or_create(subject)
        if account.tokens <= self.renewal_threshold:
            account.check()
            self.renew(account)
        return account

    async def take_token(self, subject: Subject) -> None:
        """Take a token, where need be when the store has answered. Raises RateLimited."""
        (await retry_when_leased(lambda: self.require(subject))).tokens -= 1

    async def aclose(self) -> None:
        """End what is under way."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def reject(self, account: TokenLease) -> Never:
        """Raise what `check` raises where there is no token."""
        self.renew(account)
        if account.renewal is not None:
            raise LeasePending(account, account.renewal)
        raise self.to_rate_limited(account)

    def to_rate_limited(self, account: TokenLease) -> RateLimited:
        """What to raise where an account is empty; it is counted."""
        RATE_LIMITED.labels(self.policy.name).inc()
        wait_s = max(1, ceil(account.empty_until - self._clock()))
        return RateLimited(self.policy.name, wait_s, self.policy.header)

    def renew(self, account: TokenLease) -> None:
        """Have a portion borrowed, unless that is under way, or the bucket is known to be empty."""
        if account.renewal is not None or self._clock() < account.empty_until:
            return
        account.renewal = task = spawn("rate-limit-lease", self._renew(account))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _renew(self, account: TokenLease) -> None:
        """Borrow what is owed, and a portion."""
        wanted = self.policy.lease_tokens - int(account.tokens)
        name = f"{self.policy.name}:{bucket_key(account.subject)}"
        try:
            async with asyncio.timeout(STORE_TIMEOUT_S):
                granted = await self._store.take(name, wanted, self.policy.size)
        except (StoreError, TimeoutError):
            granted = account.lease_locally(wanted, self._clock())
        finally:
            account.renewal = None
        account.tokens += granted.tokens
        account.bucket_tokens = granted.remaining
        account.empty_until = self._clock() + granted.wait_s
