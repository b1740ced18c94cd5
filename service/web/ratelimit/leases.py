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
from service.web.ratelimit.recent_cache import RecentTable, Subject, stored_name

__all__ = ["TRIES", "Account", "Accounts", "Asking", "settled"]

T = TypeVar("T")

PATIENCE_S = 1.0
"""A store that takes longer does not answer."""

ACCOUNT_BYTES = 384
"""That an account takes at most: itself, its numbers, its subject, its share of a dict that has just grown."""

RATE_LIMIT = istr("RateLimit")
RATE_LIMIT_POLICY = istr("RateLimit-Policy")

TRIES = 5
"""Others may be faster to take what was borrowed."""


class Asking(Exception):
    """Only the store knows whether there is a token, and it is being asked."""

    def __init__(self, account: "Account", task: asyncio.Task[None]) -> None:
        super().__init__()
        self._account = account
        self._task = task

    async def answered(self) -> None:
        """Wait until it has answered, or is given up."""
        await asyncio.wait([self._task])

    def refusal(self) -> RateLimited:
        """What to raise where that did not help."""
        return self._account.accounts.refusal(self._account)


async def settled(attempt: Callable[[], T]) -> T:
    """What an attempt gives, where need be once the store has answered. Raises what it does, but for Asking."""
    for _ in range(TRIES - 1):
        try:
            return attempt()
        except Asking as asking:
            await asking.answered()
    try:
        return attempt()
    except Asking as asking:
        raise asking.refusal() from None


class Account:
    """One client's."""

    __slots__ = ("accounts", "asking", "bucket", "closed_until", "full_at", "left", "subject")

    def __init__(self, accounts: "Accounts", subject: Subject) -> None:
        self.accounts = accounts
        """All of the same policy."""
        self.subject = subject
        self.left: float = 0
        """Tokens; below 0, a debt."""
        self.bucket = accounts.policy.quota
        """Tokens in the bucket when the store last told."""
        self.full_at = 0.0
        """When the bucket that is used while the store does not answer is full again."""
        self.closed_until = 0.0
        """The bucket is empty till then."""
        self.asking: asyncio.Task[None] | None = None
        """The store is being asked."""

    def check(self) -> None:
        """Raise RateLimited where there is no token, or Asking where only the store knows."""
        if self.left <= -self.accounts.policy.portion:
            self.accounts.lack(self)

    def spend(self, tokens: int) -> None:
        """Take tokens for what was done already; what there are none for is a debt, up to a bound."""
        self.left = min(self.left, max(self.left - tokens, -self.accounts.policy.quota))
        if self.left <= self.accounts.low:
            self.accounts.borrow(self)

    def pay(self, tokens: int) -> None:
        """Take tokens for what is going to be done, after `check`; what there are none for is a debt."""
        self.left -= tokens
        if self.left <= self.accounts.low:
            self.accounts.borrow(self)

    @property
    def remaining(self) -> int:
        """How many tokens there are, about: what came back since the store told is not counted."""
        left = self.bucket + int(self.left)
        quota = self.accounts.policy.quota
        return quota if left > quota else max(left, 0)

    def alone(self, wanted: int, now: float) -> Grant:
        """Take up to so many tokens out of the bucket that is used while the store does not answer."""
        each_s, quota = self.accounts.policy.each_s, self.accounts.policy.quota
        self.full_at = max(self.full_at, now)
        left = int(quota - (self.full_at - now) / each_s)
        tokens = min(wanted, left)
        self.full_at += tokens * each_s
        return Grant(tokens, left - tokens, 0.0 if left > tokens else each_s)

    def tell(self, headers: CIMultiDict[str]) -> None:
        """Say in an answer how much is left."""
        policy, left = self.accounts.policy, self.remaining
        headers[RATE_LIMIT] = f'"{policy.name}";r={left};t={int((policy.quota - left) * policy.each_s + 0.999)}'
        headers[RATE_LIMIT_POLICY] = policy.header


class Accounts:
    """All clients' of one policy."""

    def __init__(self, policy: Policy, store: TokenBucketStore, clock: Callable[[], float], max_bytes: int) -> None:
        self.policy = policy
        self.max_bytes = max_bytes
        """Memory that they may take."""
        RATE_LIMITED.labels(policy.name)  # so that the first refusal is seen
        self._store = store
        self._clock = clock
        self.low = -(policy.portion // 2)
        """Where more is borrowed: early enough that a client does not notice."""
        self._table = RecentTable[Account](policy.size.window_s, max_bytes // ACCOUNT_BYTES, clock)
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._table)

    def find(self, subject: Subject) -> Account:
        """A client's account, a new one where it was not here lately."""
        account = self._table.get(subject)
        if account is None:
            account = Account(self, subject)
            self._table.put(subject, account)
        return account

    def ready(self, subject: Subject) -> Account:
        """The account of a client that may go on. Raises RateLimited, or Asking where only the store knows.

        Whoever goes on subtracts what it costs from what is `left`, once all accounts that it needs are ready.
        """
        account = self._table.young.get(subject)
        if account is None:
            account = self.find(subject)
        if account.left <= self.low:
            account.check()
            self.borrow(account)
        return account

    async def taken(self, subject: Subject) -> None:
        """Take a token, where need be when the store has answered. Raises RateLimited."""
        (await settled(lambda: self.ready(subject))).left -= 1

    async def aclose(self) -> None:
        """End what is under way."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def lack(self, account: Account) -> Never:
        """Raise what `check` raises where there is no token."""
        self.borrow(account)
        if account.asking is not None:
            raise Asking(account, account.asking)
        raise self.refusal(account)

    def refusal(self, account: Account) -> RateLimited:
        """What to raise where an account is empty; it is counted."""
        RATE_LIMITED.labels(self.policy.name).inc()
        wait_s = max(1, ceil(account.closed_until - self._clock()))
        return RateLimited(self.policy.name, wait_s, self.policy.header)

    def borrow(self, account: Account) -> None:
        """Have a portion borrowed, unless that is under way, or the bucket is known to be empty."""
        if account.asking is not None or self._clock() < account.closed_until:
            return
        account.asking = task = spawn("rate-limit-lease", self._ask(account))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, account: Account) -> None:
        """Borrow what is owed, and a portion."""
        wanted = self.policy.portion - int(account.left)
        name = f"{self.policy.name}:{stored_name(account.subject)}"
        try:
            async with asyncio.timeout(PATIENCE_S):
                granted = await self._store.take(name, wanted, self.policy.size)
        except (StoreError, TimeoutError):
            granted = account.alone(wanted, self._clock())
        finally:
            account.asking = None
        account.left += granted.tokens
        account.bucket = granted.remaining
        account.closed_until = self._clock() + granted.wait_s
