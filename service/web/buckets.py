"""What this instance counts by client: token buckets, which are exact, and gone when they are full again.

A bucket holds a quota of tokens and refills steadily within a window.

Token leases: tokens of the shared buckets that this instance has borrowed, so that requests rarely wait for Redis.

Each client has a bucket in the store and a lease here. A request takes tokens of the lease. When the lease runs low,
a background task borrows a portion (a twentieth) of the bucket. A lease may go into debt by one portion, so first
requests do not wait and occasional clients cause no command. Only clients that outpace the renewal wait for it.

A client gets at most its quota plus one portion per instance. It may lose up to one unused portion per instance,
which the bucket refills. While the store is unavailable, each instance limits alone, with buckets of its own.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from math import ceil
from typing import Generic, TypeVar

from service.games.ports import Grant, RateLimit, StoreError, TokenBucketStore
from service.supervision import spawn
from service.telemetry.metrics import API_KEY_RATE_LIMITED, RATE_LIMITED
from service.web.client_ip import ClientID, get_site_network, make_bucket_key
from service.web.problems import RateLimited

_WRITTEN = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,5})", re.ASCII)

LEASES_PER_BUCKET = 20
"""Leases that make up a full bucket of the store."""

MAX_CLIENT_BYTES, MAX_BUCKET_BYTES = 280, 88
"""Memory of a client, at most: its id, a tuple, and its share of a dict that has just grown; and of each bucket."""

V = TypeVar("V")
K = TypeVar("K")


class BadRate(ValueError):
    """A text is not QUOTA/SECONDS."""


def parse_rate(text: str) -> RateLimit:
    """Return the rate of a text: the quota, and the seconds that refill it. Raises BadRate.

    >>> parse_rate("1000/10")
    RateLimit(quota=1000, window_s=10)
    """
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise BadRate(text)
    return RateLimit(int(match[1]), int(match[2]))


class Policy:
    """A named rate that each client has, and with `per_network` each IPv6 /48 network so many times.

    >>> Policy("creations", RateLimit(1000, 3600), per_network=2).network.header
    '"network-creations";q=2000;w=3600'
    """

    def __init__(self, name: str, rate: RateLimit, *, per_network: int = 0, reserved: float = 1) -> None:
        RATE_LIMITED.labels(name)  # creates the series, so that the first rejection is counted
        self.name = name
        self.rate = rate
        self.reserved = reserved
        """Tokens that a request takes before it is handled."""
        self.quota = rate.quota
        self.token_interval_s = rate.window_s / rate.quota
        """Seconds in which one token refills."""
        self.lease_tokens = ceil(rate.quota / LEASES_PER_BUCKET)
        """Tokens that an instance borrows from the store at once, and that a lease may be in debt."""
        self.header = f'"{name}";q={rate.quota};w={rate.window_s}'
        """The header `RateLimit-Policy`."""
        self.network = self.scaled("network", per_network) if per_network else None

    def scaled(self, prefix: str, factor: int, *, per_network: int = 0) -> "Policy":
        """Return the policy of what has so many times as much."""
        rate = RateLimit(self.quota * factor, self.rate.window_s)
        return Policy(f"{prefix}-{self.name}", rate, per_network=per_network, reserved=self.reserved)

    def make_error(self, wait_s: float) -> RateLimited:
        """Return the error of a client that has to wait so long, and count it."""
        RATE_LIMITED.labels(self.name).inc()
        return RateLimited(self.name, max(1, ceil(wait_s)), self.header)


class Bucket:
    """What one client has left of a policy."""

    __slots__ = ("full_at", "policy")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.full_at = 0.0
        """When it is full again."""

    def count_remaining(self, now: float) -> float:
        """Return the tokens that are left; negative for a debt."""
        return self.policy.quota - max(0.0, self.full_at - now) / self.policy.token_interval_s

    def take(self, tokens: float, now: float) -> None:
        """Take tokens, whether they are left or not: a debt is limited to one quota."""
        limit = now + 2 * self.policy.rate.window_s
        self.full_at = min(max(self.full_at, now) + tokens * self.policy.token_interval_s, limit)


class Buckets:
    """The buckets of all clients, one for each of some policies, and those of their networks."""

    def __init__(self, policies: tuple[Policy, ...], clock: Callable[[], float], max_bytes: int) -> None:
        self.policies = policies
        self.max_bytes = max_bytes
        """Memory for its buckets, those of networks included."""
        window_s = 2 * max(policy.rate.window_s for policy in policies)
        max_entries = max_bytes // (MAX_CLIENT_BYTES + MAX_BUCKET_BYTES * len(policies)) // 2
        self.clients = RecentCache[ClientID, tuple[Bucket, ...]](window_s, max_entries, clock)
        self.networks = RecentCache[ClientID, tuple[Bucket, ...]](window_s, max_entries, clock)

    def get(self, client: ClientID) -> tuple[Bucket, ...]:
        """Return the buckets of a client."""
        buckets = self.clients.recent.get(client) or self.clients.get(client)
        if buckets is None:
            self.clients.put(client, buckets := tuple(map(Bucket, self.policies)))
        return buckets

    def of_address(self, address: str) -> tuple[Bucket, ...]:
        """Return the buckets of an address, and those of its network if it has one."""
        if ":" not in address:
            return self.get(address)
        network = get_site_network(address)
        above = self.networks.get(network)
        if above is None:
            self.networks.put(
                network, above := tuple(Bucket(one.network) for one in self.policies if one.network is not None)
            )
        return self.get(address) + above


class AddressCounter(Counter[str]):
    """Counts by client, and by the /48 network of IPv6 clients."""

    def add(self, client: str, change: int) -> None:
        """Change the count of a client and of its network."""
        for key in (client, get_site_network(client)) if ":" in client else (client,):
            self[key] += change
            if not self[key]:
                del self[key]


class RecentCache(Generic[K, V]):
    """A dict that forgets entries unused for one to two windows, or earlier if it grows too large."""

    __slots__ = ("_clock", "_generation_started_at", "_max_generation_entries", "_older", "_window_s", "recent")

    def __init__(self, window_s: float, max_entries: int, clock: Callable[[], float]) -> None:
        self.recent: dict[K, V] = {}
        """Entries used in this window. Hot paths read it directly before they call `get`."""
        self._older: dict[K, V] = {}
        """Entries used in the window before, and not since."""
        self._window_s = window_s
        self._max_generation_entries = max_entries // 2
        self._clock = clock
        self._generation_started_at = clock()

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.recent) + len(self._older)

    def __contains__(self, key: K) -> bool:
        """Return whether there is an entry, and mark it as used."""
        return key in self.recent or self.get(key) is not None

    def get(self, key: K) -> V | None:
        """Return the value of a key and mark it as used; None if there is none."""
        value = self.recent.get(key)
        if value is None and self._older and (value := self._older.get(key)) is not None:
            self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        """Store a value."""
        now = self._clock()
        if now - self._generation_started_at > self._window_s or len(self.recent) >= self._max_generation_entries:
            self.recent, self._older, self._generation_started_at = {}, self.recent, now
        self._older.pop(key, None)
        self.recent[key] = value


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
