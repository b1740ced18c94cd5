"""Accounts: what a client has used of everything that is limited, and what it has left.

An address has an account, below that of its IPv6 /48 network, which may use so many times as much. An API key has one,
too. A bucket holds a quota of tokens and refills steadily within a window; an instance's own are exact.

Buckets of the store are shared by all instances. To wait rarely for it, an account has leases: a request takes tokens
of the lease. When it runs low, a background task borrows a portion (a twentieth) of the bucket. A lease may go into
debt by one portion, so first requests do not wait and occasional clients cause no command. Only clients that outpace
the renewal wait for it.

A client gets at most its quota plus one portion per instance. It may lose up to one unused portion per instance,
which the bucket refills. While the store is unavailable, each instance limits alone, with buckets of its own.
"""

import asyncio
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import ceil
from typing import Generic, Literal, TypeVar
from weakref import WeakValueDictionary

from aiohttp import web

from service.engine import Message
from service.fair_queue import FairQueue, Requester, UnattendedLimits
from service.games.ports import Grant, RateLimit, StoreError
from service.games.repository import Context
from service.supervision import spawn
from service.telemetry.metrics import API_KEY_RATE_LIMITED, RATE_LIMITED
from service.web.client_ip import get_site_network, make_bucket_key
from service.web.limits import Limits
from service.web.problems import RateLimited, TooManyWaiting, policy_header

_WRITTEN = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,5})", re.ASCII)

LEASES_PER_BUCKET = 20
"""Leases that make up a full bucket of the store."""

RESERVED_MS = 10.0
"""Time that a request must have left, and that is reserved until it is answered: many at once are not all done unpaid.

More than most requests take, less than the dearest.
"""

BUSY = RateLimit(300, 3)
"""A client whose pictures take longer is busy: beyond a tenth of the time, and 0.3 s at once. In milliseconds."""

MAX_DEBT = 1 / 3
"""An address may owe a third of the time that it has."""

BUSY_MS = 20.0
"""A client that owes so much time shares the event loop: its requests take turns, in half of the time."""

BUSY_TURNS = UnattendedLimits(1, time_share=0.5)

V = TypeVar("V")
K = TypeVar("K")


def parse_rate(text: str) -> RateLimit:
    """Return the rate of a text: the quota, and the seconds that refill it. Raises ValueError.

    >>> parse_rate("1000/10")
    RateLimit(quota=1000, window_s=10)
    """
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise ValueError(text)
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
        self.reserved_s = reserved * self.token_interval_s
        """Seconds in which those refill that a request takes at first."""
        self.max_owed_s = rate.window_s - self.token_interval_s + 1e-9
        """Seconds to refill, beyond which a token is missing; less is a rounding error, which would cost a token."""
        self.lease_tokens = ceil(rate.quota / LEASES_PER_BUCKET)
        """Tokens that an instance borrows from the store at once, and that a lease may be in debt."""
        self.header = policy_header(name, rate)
        """The header `RateLimit-Policy`."""
        self.network = self.scaled("network", per_network) if per_network else None

    def scaled(self, prefix: str, factor: int, *, per_network: int = 0) -> "Policy":
        """Return the policy of what has so many times as much."""
        rate = RateLimit(self.quota * factor, self.rate.window_s)
        return Policy(f"{prefix}-{self.name}", rate, per_network=per_network, reserved=self.reserved)

    def make_error(self, wait_s: float) -> RateLimited:
        """Return the error of a client that has to wait so long, and count it."""
        RATE_LIMITED.labels(self.name).inc()
        return RateLimited(self.name, max(1, ceil(wait_s)), self.rate)


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


class RecentCache(Generic[K, V]):
    """A dict that forgets entries unused for one to two windows, or earlier if it grows too large."""

    def __init__(self, window_s: float, max_entries: int, clock: Callable[[], float]) -> None:
        self.recent: dict[K, V] = {}
        """Entries used in this window."""
        self._older: dict[K, V] = {}
        """Entries used in the window before, and not since."""
        self._window_s = window_s
        self._max_generation_entries = max_entries // 2
        self._clock = clock
        self._generation_started_at = clock()

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.recent) + len(self._older)

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

MAX_ATTEMPTS = 5
"""Attempts of one request: concurrent requests may take the tokens that a renewal brought."""


class TokenLease:
    """An account's tokens of a policy on this instance."""

    def __init__(self, accounts: "Accounts", policy: Policy, client: str) -> None:
        self._accounts = accounts
        self.policy = policy
        self.client = client
        self.tokens = 0
        """Tokens left; negative for a debt."""
        self.bucket_tokens = policy.quota
        """Tokens in the bucket at the last renewal."""
        self._local: Bucket | None = None
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

    @property
    def missing(self) -> int:
        """Return how many tokens are missing for a request to be admitted."""
        return 1 - self.policy.lease_tokens - self.tokens

    def take(self, tokens: int) -> None:
        """Take tokens, whether they are left or not."""
        self.tokens -= tokens
        if self.tokens <= -(self.policy.lease_tokens // 2):  # early enough that clients do not notice
            self._renew()

    async def wait_for_token(self, leases: Iterable["TokenLease"]) -> None:
        """Wait for renewals until there is a token.

        Raises RateLimited, with the time until each of the leases has all tokens that are missing.
        """
        for _ in range(MAX_ATTEMPTS):
            if self.missing <= 0:
                return
            if (renewal := self._renew()) is None:
                break
            self.waiting += 1
            try:
                await asyncio.wait([renewal])
            finally:
                self.waiting -= 1
        if self.missing > 0:
            empty = max(leases, key=TokenLease.wait_s)
            if empty.policy.name.startswith("key-"):
                API_KEY_RATE_LIMITED.labels(empty.client, empty.policy.name).inc()
            raise empty.policy.make_error(empty.wait_s())

    def wait_s(self) -> float:
        """Return the seconds until all missing tokens are there."""
        first_token_s = max(0.0, self.empty_until - self._accounts.clock())
        return first_token_s + (self.missing - 1) * self.policy.token_interval_s

    def _renew(self) -> "asyncio.Task[None] | None":
        """Return the running renewal, or start one; None while the bucket is known to be empty."""
        if self.renewal is None and self._accounts.clock() >= self.empty_until:
            self.renewal = spawn("rate-limit-lease", self._borrow())
        return self.renewal

    async def _borrow(self) -> None:
        """Borrow what the lease owes, a portion, and what waiting requests need: at once, however many they are."""
        requested = self.policy.lease_tokens - self.tokens + self.waiting
        name = f"{self.policy.name}:{make_bucket_key(self.client)}"
        try:
            async with asyncio.timeout(STORE_TIMEOUT_S):
                grant = await self._accounts.context.store.buckets.take(name, requested, self.policy.rate)
        except (StoreError, TimeoutError):
            grant = self._take_locally(requested)
        finally:
            self.renewal = None
        self.tokens += grant.tokens
        self.bucket_tokens = grant.remaining
        self.empty_until = self._accounts.clock() + grant.wait_s

    def _take_locally(self, requested: int) -> Grant:
        """Take up to `requested` tokens of the bucket that stands for the store's."""
        now, bucket = self._accounts.clock(), self._local or Bucket(self.policy)
        self._local = bucket
        remaining = int(bucket.count_remaining(now) + 1e-9)
        tokens = min(requested, remaining)
        bucket.take(tokens, now)
        return Grant(tokens, remaining - tokens, 0.0 if remaining > tokens else bucket.policy.token_interval_s)


def refund(leases: tuple[TokenLease, ...], tokens: int = 1) -> None:
    """Give tokens back that were not needed."""
    for lease in leases:
        lease.tokens += tokens


Counted = Literal["connections", "pictures", "replays", "streams", "unsent_bytes"]
"""What an account may have at once."""


class Account:
    """What one client has used."""

    def __init__(
        self, accounts: "Accounts", client: str, network: "Account | None" = None, *, is_network: bool = False
    ) -> None:
        self.accounts = accounts
        self.client = client
        """A normalized address, an IPv6 /48 network, or the name of an API key."""
        self.network = network
        self.is_network = is_network
        self.factor = accounts.limits.addresses_per_network if is_network else 1
        """How many times as much as an address it may use."""
        self.connections = self.pictures = self.replays = self.streams = self.unsent_bytes = 0
        self.buckets: tuple[Bucket, ...] = self._open(accounts.policies) + (network.buckets if network else ())
        """Of the requests and the milliseconds of the client, and of its network if it has one."""
        self.token_buckets: tuple[Bucket, ...] = self._open(accounts.token_policies) + (
            network.token_buckets if network else ()
        )
        """The same for all trusted tokens of an address together; an API key has its time there."""
        self.time_buckets = self.buckets[1::2] + self.token_buckets[1::2]
        self.drawing = Bucket(accounts.drawing)
        """What its site may draw, in ms, until it is busy."""
        self.turns: FairQueue | None = None
        """Of the messages of its sockets, and of its requests while it is busy."""
        self.leases: dict[str, tuple[TokenLease, ...]] = {}
        """Its own and its network's, by the header of their policy."""

    def _open(self, policies: tuple[Policy, ...]) -> tuple[Bucket, ...]:
        return tuple(Bucket(self._scale(one)) for one in policies)

    def _scale(self, policy: Policy) -> Policy:
        """Return a policy, for a network that of networks."""
        return policy.network or policy if self.is_network else policy

    @property
    def levels(self) -> tuple["Account", ...]:
        """Return the account, and that of its network if it has one."""
        return (self,) if self.network is None else (self, self.network)

    @property
    def site(self) -> "Account":
        """Return the account of its network; itself without one."""
        return self.network or self

    def add(self, what: Counted, change: int) -> None:
        """Change what it has at once, and its network."""
        for one in self.levels:
            setattr(one, what, getattr(one, what) + change)

    def is_full(self, what: Counted, limit: int) -> bool:
        """Return whether it, or its network, has as many as it may."""
        return any(getattr(one, what) >= limit * one.factor for one in self.levels)

    @contextmanager
    def occupy(self, what: Counted, limit: int) -> Iterator[None]:
        """Count one while the block runs. Raises TooManyWaiting."""
        if self.is_full(what, limit):
            raise TooManyWaiting(Message("{what} of this address", what=Message(what)), limit)
        self.add(what, 1)
        try:
            yield
        finally:
            self.add(what, -1)

    def is_busy(self) -> bool:
        """Return whether it, its network or their tokens took so much time lately that others come first."""
        now = self.accounts.clock()
        for bucket in self.time_buckets:  # noqa: SIM110 (a generator would take longer)
            if bucket.full_at - now > BUSY_MS * bucket.policy.token_interval_s:
                return True
        return False

    async def take_turn(self, reader: Literal["requests", "messages"]) -> None:
        """Wait for a turn in which nothing else of its site is read; if it is busy, it has half of the time.

        Requests and messages alternate: a socket has one message at a time, and else would wait for all requests.
        """
        turns = self.site.turns = self.site.turns or FairQueue(1, BUSY_TURNS, max_waiting=sys.maxsize)
        requester = Requester(reader.encode(), attended=not self.is_busy())
        started_at = await turns.acquire(requester)
        asyncio.get_running_loop().call_soon(turns.release, requester, started_at)

    def charge_time(self, seconds: float) -> None:
        """Charge time that no token and no key pays for."""
        if self.accounts.is_enabled:
            now = self.accounts.clock()
            for bucket in self.buckets[1::2]:
                bucket.take(1000 * seconds, now)

    def find_debt(self) -> RateLimited | None:
        """Return why its connections are rejected unread, if it owes so much time."""
        now = self.accounts.clock()
        owed = max(self.buckets[1::2], key=lambda one: one.full_at - (1 + MAX_DEBT) * one.policy.rate.window_s)
        wait_s = owed.full_at - (1 + MAX_DEBT) * owed.policy.rate.window_s - now
        return owed.policy.make_error(wait_s) if wait_s > 0 else None

    def leases_of(self, policy: Policy) -> tuple[TokenLease, ...]:
        """Return its lease of a policy, and that of its network if it has one."""
        if (leases := self.leases.get(policy.header)) is None:
            others = () if self.network is None else self.network.leases_of(policy)
            leases = self.leases[policy.header] = (TokenLease(self.accounts, self._scale(policy), self.client), *others)
        return leases

    async def take(self, policy: Policy, tokens: int = 1) -> tuple[TokenLease, ...]:
        """Take tokens of its lease and of its network's, if any is left in each; return the leases.

        They may then be in debt, and reject the next request. Raises RateLimited.
        """
        leases = self.leases_of(policy)
        for number, lease in enumerate(leases):
            if lease.missing > 0:
                try:
                    await lease.wait_for_token(leases)
                except BaseException:
                    refund(leases[:number], tokens)
                    raise
            lease.take(tokens)
        return leases

    def take_afterwards(self, policy: Policy, tokens: int = 1) -> None:
        """Take tokens for what was already done; the debt is limited to one quota."""
        for lease in self.leases_of(policy):
            lease.take(max(0, min(tokens, lease.tokens + lease.policy.quota)))


MAX_REPLAYS = 2
MAX_WAITING_REPLAYS = 16
"""Games that may wait for a replay; of more, the client with the most loses one, so that nobody waits for long."""

MAX_ACCOUNTS_BYTES = 40 * 1024 * 1024
"""Memory for the accounts of clients that are not connected."""

MAX_ACCOUNT_BYTES = 8_200
"""Memory of an account, at most: with a lease of each policy, a network of its own, and its shares of dicts."""

WINDOW_S = 3600.0
"""An account that was not used for so long is forgotten; its buckets in the store are not."""


class Accounts:
    """All accounts of one instance, and the policies that limit them. Without a `context` nothing is limited."""

    def __init__(
        self, limits: Limits, context: Context | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.is_enabled = limits.rate_limits
        self._context = context
        per_network = limits.addresses_per_network

        def counted(name: str, rate: RateLimit, reserved: float = 1) -> Policy:
            return Policy(name, rate, per_network=per_network, reserved=reserved)

        self.policies = (counted("requests", limits.rate_requests), counted("time", limits.rate_time, RESERVED_MS))
        self.token_policies = tuple(
            one.scaled("tokens", limits.tokens_per_address, per_network=per_network) for one in self.policies
        )
        self.drawing = Policy("pictures", BUSY)
        self.creations = counted("creations", limits.rate_creations)
        self.open_games = counted("open-games", limits.rate_open_games)
        self.joins = counted("joins", limits.rate_joins)
        self.idempotency_keys = counted("keys", limits.rate_keys)
        self.bots = counted("bots", limits.rate_bots)
        self.bot_games = counted("bot-games", limits.rate_bot_games)
        self.guesses = counted("guesses", limits.rate_guesses)
        self.replays = FairQueue(MAX_REPLAYS, max_waiting=MAX_WAITING_REPLAYS)
        """Replays of games, each of which takes as long as dozens of other requests."""
        window_s = max(WINDOW_S, *(2.0 * one.rate.window_s for one in self.policies))
        self.recent = RecentCache[str, Account](window_s, MAX_ACCOUNTS_BYTES // MAX_ACCOUNT_BYTES, clock)
        self._known = WeakValueDictionary[str, Account]()
        """Those, and what is in use: a connection, a request and an address keep the accounts that they refer to."""

    @property
    def context(self) -> Context:
        """Return what leases and charges need of the instance."""
        assert self._context is not None  # noqa: S101  nothing is charged without limits
        return self._context

    def get(self, client: str, kind: Literal["address", "network", "key"] = "address") -> Account:
        """Return the account of an address, of an IPv6 /48 network, or of the API key of this name."""
        key = client if kind == "address" else f"{kind} {client}"
        account = self.recent.recent.get(key) or self._known.get(key)
        if account is None:
            is_of_network = kind == "address" and ":" in client
            network = self.get(get_site_network(client), "network") if is_of_network else None
            account = self._known[key] = Account(self, client, network, is_network=kind == "network")
        if kind != "network" and key not in self.recent.recent:
            self.recent.put(key, account)
        return account


ACCOUNTS = web.AppKey("accounts", Accounts)
