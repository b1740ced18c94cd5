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
from hashlib import blake2b
from math import ceil
from typing import Never

from multidict import CIMultiDict

from service.games.buckets import BucketStore, Granted
from service.games.port import StoreError
from service.telemetry.metrics import RATE_LIMITED, rate_limited
from service.web.errors import RateLimited
from service.web.limiting.policies import Policy

__all__ = ["TRIES", "Account", "Accounts", "Asking"]

PATIENCE_S = 1.0
"""A store that takes longer does not answer."""

MOST = 100_000
"""Accounts of one policy after which those not used of late are forgotten, some 150 bytes each."""

HASH_BYTES = 16

TRIES = 5
"""Others may be faster to take what was borrowed."""


class Asking(Exception):
    """Only the store knows whether there is a token, and it is being asked."""

    def __init__(self, task: asyncio.Task[None]) -> None:
        super().__init__()
        self._task = task

    async def answered(self) -> None:
        """Wait until it has answered, or is given up."""
        await asyncio.wait([self._task])


class Account:
    """One client's."""

    __slots__ = ("asking", "bucket", "closed_until", "full_at", "left", "told")

    def __init__(self, told: "Told", now: float) -> None:
        self.told = told
        self.left = 0.0
        """Tokens; below 0, a debt."""
        self.bucket = told.quota
        """Tokens in the bucket when the store last told."""
        self.full_at = now
        """When the bucket that is used while the store does not answer is full again."""
        self.closed_until = 0.0
        """The bucket is empty till then."""
        self.asking: asyncio.Task[None] | None = None
        """The store is being asked."""

    def alone(self, wanted: int, now: float) -> Granted:
        """Take up to so many tokens out of that bucket."""
        each_s, quota = self.told.each_s, self.told.quota
        self.full_at = max(self.full_at, now)
        left = int(quota - (self.full_at - now) / each_s)
        tokens = min(wanted, left)
        self.full_at += tokens * each_s
        return Granted(tokens, left - tokens, 0.0 if left > tokens else each_s)

    def tell(self, headers: CIMultiDict[str]) -> None:
        """Say in an answer how much is left, about: what came back since the store told is not counted."""
        told = self.told
        left = self.bucket + int(self.left)
        if left > told.quota:
            left = told.quota
        elif left < 0:
            left = 0
        headers["RateLimit"] = f"{told.begin}{left};t={int((told.quota - left) * told.each_s + 0.999)}"
        headers["RateLimit-Policy"] = told.policy


class Told:
    """What the answers to all clients of a policy have in common (draft-ietf-httpapi-ratelimit-headers-11)."""

    __slots__ = ("begin", "each_s", "policy", "quota")

    def __init__(self, policy: Policy) -> None:
        self.quota = policy.size.quota
        self.each_s = policy.size.window_s / policy.size.quota
        """How long a token takes to come back."""
        self.policy = policy.header
        self.begin = f'"{policy.name}";r='


class Accounts:
    """All clients' of one policy."""

    def __init__(self, policy: Policy, store: BucketStore, clock: Callable[[], float]) -> None:
        self.policy = policy
        self.told = Told(policy)
        RATE_LIMITED.of(policy.name)  # so that the first refusal is seen
        self._store = store
        self._clock = clock
        self._portion = policy.portion
        self._low = -(self._portion // 2)
        """Where more is borrowed: early enough that a client does not notice."""
        self._young: dict[str, Account] = {}
        self._old: dict[str, Account] = {}
        """Those not used since the young ones began."""
        self._began = clock()
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._young) + len(self._old)

    async def taken(self, subject: str) -> Account:
        """Take a token, where need be when the store has answered. Raises RateLimited."""
        for _ in range(TRIES):
            try:
                return self.take(subject)
            except Asking as asking:
                await asking.answered()
        raise self._refusal(self._find(subject))

    def take(self, subject: str) -> Account:
        """Take a token. Raises RateLimited, or Asking where only the store knows."""
        account = self._young.get(subject)
        if account is None:
            account = self._find(subject)
        if account.left > self._low:
            account.left -= 1
            return account
        return self._take_last(subject, account)

    def spend(self, subject: str, tokens: int = 1) -> None:
        """Take tokens for something that was done already; what there are none for is a debt, up to a bound."""
        account = self._find(subject)
        account.left = max(account.left - tokens, -self.policy.size.quota)
        if account.left <= self._low:
            self._borrow(subject, account)

    async def checked(self, subject: str) -> None:
        """Raise RateLimited where there is no token."""
        for _ in range(TRIES):
            try:
                return self.check(subject)
            except Asking as asking:
                await asking.answered()
        raise self._refusal(self._find(subject))

    def check(self, subject: str) -> None:
        """Raise RateLimited where there is no token, or Asking where only the store knows."""
        account = self._young.get(subject) or self._old.get(subject)
        if account is not None and account.left <= -self._portion:
            self._lacking(subject, account)

    async def aclose(self) -> None:
        """End what is under way."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _take_last(self, subject: str, account: Account) -> Account:
        """Go on as long as there is anything to go on with, and have more borrowed."""
        if account.left <= -self._portion:
            self._lacking(subject, account)
        self._borrow(subject, account)
        account.left -= 1
        return account

    def _lacking(self, subject: str, account: Account) -> Never:
        self._borrow(subject, account)
        if account.asking is not None:
            raise Asking(account.asking)
        raise self._refusal(account)

    def _refusal(self, account: Account) -> RateLimited:
        rate_limited(self.policy.name)
        wait_s = max(1, ceil(account.closed_until - self._clock()))
        return RateLimited(self.policy.name, wait_s, self.policy.header)

    def _find(self, subject: str) -> Account:
        """The account of a client that was not here lately, or never."""
        now = self._clock()
        if now - self._began > self.policy.size.window_s or len(self._young) >= MOST:
            self._young, self._old, self._began = {}, self._young, now
        account = self._young.get(subject) or self._old.pop(subject, None)
        if account is None:
            account = Account(self.told, now)
        self._young[subject] = account
        return account

    def _borrow(self, subject: str, account: Account) -> None:
        if account.asking is not None or self._clock() < account.closed_until:
            return
        account.asking = task = asyncio.create_task(self._ask(subject, account))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, subject: str, account: Account) -> None:
        """Borrow what is owed, and a portion."""
        wanted = self._portion - int(account.left)
        digest = blake2b(subject.encode(), digest_size=HASH_BYTES).hexdigest()
        try:
            async with asyncio.timeout(PATIENCE_S):
                granted = await self._store.take(f"{self.policy.name}:{digest}", wanted, self.policy.size)
        except (StoreError, TimeoutError):
            granted = account.alone(wanted, self._clock())
        finally:
            account.asking = None
        account.left += granted.tokens
        account.bucket = granted.left
        account.closed_until = self._clock() + granted.wait_s
