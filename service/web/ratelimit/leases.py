"""Token leases: tokens of the shared buckets that this instance has borrowed, so that requests rarely wait for Redis.

Each client has a bucket in the store and a lease here. A request takes tokens of the lease. When the lease runs low,
a background task borrows a portion (a twentieth) of the bucket. A lease may go into debt by one portion, so first
requests do not wait and occasional clients cause no command. Only clients that outpace the renewal wait for it.

A client gets at most its quota plus one portion per instance. It may lose up to one unused portion per instance,
which the bucket refills. While the store is unavailable, each instance limits alone, with buckets of its own.
"""

import asyncio
from collections.abc import Callable

from service.games.ports.game_store import Grant, StoreError, TokenBucketStore
from service.supervision import spawn
from service.telemetry.metrics import API_KEY_RATE_LIMITED
from service.web.buckets import Bucket, Policy, RecentCache
from service.web.client_ip import ClientID, get_site_network, make_bucket_key
from service.web.errors import RateLimited

__all__ = ["MAX_ATTEMPTS", "LeasePool", "TokenLease", "refund"]

STORE_TIMEOUT_S = 1.0
"""Timeout of a renewal."""

MAX_LEASE_BYTES = 640
"""Memory of a lease, at most: objects, numbers, client id, and its share of a dict that has just grown."""

WINDOW_S = 3600.0
"""A lease that was not used for so long is forgotten; its bucket in the store is not."""

MAX_ATTEMPTS = 5
"""Attempts of one request: concurrent requests may take the tokens that a renewal brought."""


class TokenLease:
    """One client's tokens of a policy on this instance."""

    __slots__ = ("bucket_tokens", "client", "empty_until", "local", "policy", "renewal", "tokens", "waiting")

    def __init__(self, policy: Policy, client: ClientID) -> None:
        self.policy = policy
        self.client = client
        self.tokens = 0
        """Tokens left; negative for a debt."""
        self.bucket_tokens = policy.quota
        """Tokens in the bucket at the last renewal."""
        self.local = Bucket(policy)
        """What stands for the store's bucket while that is unavailable."""
        self.empty_until = 0.0
        """Until when the bucket is known to be empty."""
        self.renewal: asyncio.Task[None] | None = None
        """The running renewal."""
        self.waiting = 0
        """Requests that wait for it; the next renewal borrows for those that are left."""

    @property
    def remaining(self) -> int:
        """Return about how many tokens the client has, without those refilled since the last renewal."""
        return self.bucket_tokens + self.tokens


def refund(leases: tuple[TokenLease, ...], tokens: int = 1) -> None:
    """Give tokens back that were not needed."""
    for lease in leases:
        lease.tokens += tokens


class LeasePool:
    """The leases of all clients for all policies."""

    def __init__(self, store: TokenBucketStore, clock: Callable[[], float], max_bytes: int) -> None:
        self._store = store
        self._clock = clock
        self._leases = RecentCache[tuple[Policy, ClientID], TokenLease](WINDOW_S, max_bytes // MAX_LEASE_BYTES, clock)
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Return the number of leases."""
        return len(self._leases)

    def get(self, policy: Policy, client: ClientID) -> TokenLease:
        """Return the lease of a client."""
        lease = self._leases.get((policy, client))
        if lease is None:
            self._leases.put((policy, client), lease := TokenLease(policy, client))
        return lease

    async def take(self, policy: Policy, client: str, tokens: int = 1) -> tuple[TokenLease, ...]:
        """Take tokens from a client's lease and that of its network, if any is left in each; return the leases.

        They may then be in debt, and reject the next request. Raises RateLimited.
        """
        taken: tuple[TokenLease, ...] = ()
        try:
            for lease in self._of_client(policy, client):
                if lease.tokens <= -lease.policy.lease_tokens:
                    await self._wait_for_token(lease)
                self._take(lease, tokens)
                taken += (lease,)
        except BaseException:
            refund(taken, tokens)
            raise
        return taken

    def take_afterwards(self, policy: Policy, client: str, tokens: int = 1) -> None:
        """Take tokens for what was already done; the debt is limited to one quota."""
        for lease in self._of_client(policy, client):
            self._take(lease, max(0, min(tokens, lease.tokens + policy.quota)))

    async def aclose(self) -> None:
        """Cancel running renewals."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _of_client(self, policy: Policy, client: str) -> tuple[TokenLease, ...]:
        own = self.get(policy, client)
        if ":" not in client or policy.network is None:
            return (own,)
        return own, self.get(policy.network, get_site_network(client))

    def _take(self, lease: TokenLease, tokens: int) -> None:
        lease.tokens -= tokens
        if lease.tokens <= -(lease.policy.lease_tokens // 2):  # early enough that clients do not notice
            self._renew(lease)

    async def _wait_for_token(self, lease: TokenLease) -> None:
        """Wait for renewals until there is a token. Raises RateLimited."""
        for _ in range(MAX_ATTEMPTS):
            if lease.tokens > -lease.policy.lease_tokens:
                return
            if (renewal := self._renew(lease)) is None:
                break
            lease.waiting += 1
            try:
                await asyncio.wait([renewal])
            finally:
                lease.waiting -= 1
        if lease.tokens <= -lease.policy.lease_tokens:
            raise self._make_error(lease)

    def _make_error(self, lease: TokenLease) -> RateLimited:
        if lease.policy.name.startswith("key-"):
            API_KEY_RATE_LIMITED.labels(lease.client, lease.policy.name).inc()
        return lease.policy.make_error(lease.empty_until - self._clock())

    def _renew(self, lease: TokenLease) -> "asyncio.Task[None] | None":
        """Return the running renewal, or start one; None while the bucket is known to be empty."""
        if lease.renewal is None and self._clock() >= lease.empty_until:
            lease.renewal = task = spawn("rate-limit-lease", self._borrow(lease))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return lease.renewal

    async def _borrow(self, lease: TokenLease) -> None:
        """Borrow what the lease owes, a portion, and what waiting requests need: at once, however many they are."""
        policy = lease.policy
        requested = policy.lease_tokens - lease.tokens + lease.waiting
        name = f"{policy.name}:{make_bucket_key(lease.client)}"
        try:
            async with asyncio.timeout(STORE_TIMEOUT_S):
                grant = await self._store.take(name, requested, policy.rate)
        except (StoreError, TimeoutError):
            grant = self._take_locally(lease.local, requested)
        finally:
            lease.renewal = None
        lease.tokens += grant.tokens
        lease.bucket_tokens = grant.remaining
        lease.empty_until = self._clock() + grant.wait_s

    def _take_locally(self, bucket: Bucket, requested: int) -> Grant:
        """Take up to `requested` tokens of the bucket that stands for the store's."""
        now = self._clock()
        remaining = int(bucket.count_remaining(now) + 1e-9)
        tokens = min(requested, remaining)
        bucket.take(tokens, now)
        return Grant(tokens, remaining - tokens, 0.0 if remaining > tokens else bucket.policy.token_interval_s)
