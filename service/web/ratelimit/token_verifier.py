"""Asking the store whether a token is good, where an address has guessed so much that it would be refused otherwise.

A token that this instance does not know may be a guess, or that of somebody who was with another instance so far. So
nobody is refused for what others of the address have guessed. But each address has its tokens looked at one after the
other, and no faster than a bound: so guessing costs the service little, and finds out little.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

from aiohttp import web

__all__ = ["MAX_CHECKS_PER_S", "TokenVerifier"]

MAX_CHECKS_PER_S = 200
"""Tokens of one address that are looked at in a second: each costs about as much as reading a game."""

MAX_WAITING = 1_000
"""Requests and messages of one address that wait for it: as many as it may have connections."""


class TokenVerifier:
    """The tokens that are looked at; `opens` says whether a token opens a game, or any one where none is named."""

    def __init__(self, opens: Callable[[str | None, str], Awaitable[bool]]) -> None:
        self._opens = opens
        self._locks: dict[str, asyncio.Lock] = {}
        """Of each address that somebody waits for."""
        self._waiting: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many wait, or are being looked at."""
        return self._waiting.total()

    async def is_valid(self, address: str, request: web.BaseRequest | None, game: str | None, token: str) -> bool:
        """Whether the store knows a token. Nobody looks for a client that has gone. Raises StoreUnavailable."""
        if self._waiting[address] >= MAX_WAITING:
            return False
        self._waiting[address] += 1
        turn, pause_s = self._locks.setdefault(address, asyncio.Lock()), 0.0
        try:
            await turn.acquire()
        except asyncio.CancelledError:
            self._remove_waiter(address)
            raise
        try:
            if request is not None and request.transport is None:
                return False
            pause_s = 1 / MAX_CHECKS_PER_S
            return await self._opens(game, token)
        finally:
            asyncio.get_running_loop().call_later(pause_s, self._release, address, turn)

    def _release(self, address: str, turn: asyncio.Lock) -> None:
        """Let the next one have its turn."""
        turn.release()
        self._remove_waiter(address)

    def _remove_waiter(self, address: str) -> None:
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address], self._locks[address]
