"""Verification of tokens and API keys with the store, for addresses that have made too many guesses.

A token that this instance does not trust may be a guess, or it may have been used with another instance so far. No
client is rejected for the guesses of others at its address. The tokens of an address are checked one after the other
at a bounded rate, so guessing costs the service little and reveals little.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

from aiohttp import web

__all__ = ["MAX_CHECKS_PER_S", "TokenVerifier"]

MAX_CHECKS_PER_S = 200
"""Tokens of one address that are checked per second; each check costs as much as reading a game."""

MAX_WAITING = 1_000
"""Requests and messages of one address that may wait: as many as it may have connections."""


class TokenVerifier:
    """A queue per address for checks of tokens."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        """One for each address with waiting checks."""
        self._waiting: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of waiting and running checks."""
        return self._waiting.total()

    async def is_valid(
        self, address: str, request: web.BaseRequest | None, check: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Return whether the store knows a token; False without a check if the client has disconnected.

        Raises StoreUnavailable.
        """
        if self._waiting[address] >= MAX_WAITING:
            return False
        self._waiting[address] += 1
        lock, pause_s = self._locks.setdefault(address, asyncio.Lock()), 0.0
        try:
            await lock.acquire()
        except asyncio.CancelledError:
            self._remove_waiter(address)
            raise
        try:
            if request is not None and request.transport is None:
                return False
            pause_s = 1 / MAX_CHECKS_PER_S
            return await check()
        finally:
            asyncio.get_running_loop().call_later(pause_s, self._release, address, lock)

    def _release(self, address: str, lock: asyncio.Lock) -> None:
        """Let the next check of an address start."""
        lock.release()
        self._remove_waiter(address)

    def _remove_waiter(self, address: str) -> None:
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address], self._locks[address]
