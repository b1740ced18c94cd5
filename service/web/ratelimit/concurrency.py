"""Nobody gets all of what only a few can have at once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from aiohttp import web

from service.web.errors import QueueFull

__all__ = ["PICTURE_SLOTS", "REPLAY_QUEUE", "ConcurrencyLimit", "ReplayQueue"]

MAX_PICTURES_PER_ADDRESS = 8
"""That one address may wait for."""

MAX_REPLAYS = 2
MAX_WAITING_REPLAYS = 16
"""Games that may wait to be replayed; more are refused, so that nobody waits for long."""

MAX_REPLAYS_PER_ADDRESS = 4
"""Of both together, for one address."""


class ConcurrencyLimit:
    """What each address may have some of at once."""

    def __init__(self, most: int) -> None:
        self._max_per_address = most
        self._in_use: Counter[str] = Counter()

    @contextmanager
    def slot(self, address: str) -> Iterator[None]:
        """Have one. Raises Busy."""
        if self._in_use[address] >= self._max_per_address:
            raise QueueFull
        self._in_use[address] += 1
        try:
            yield
        finally:
            self._in_use[address] -= 1
            if not self._in_use[address]:
                del self._in_use[address]


class ReplayQueue:
    """Games that are replayed from their logs, which takes as long as dozens of other requests."""

    def __init__(
        self, at_once: int = MAX_REPLAYS, waiting: int = MAX_WAITING_REPLAYS, each: int = MAX_REPLAYS_PER_ADDRESS
    ) -> None:
        self._semaphore = asyncio.Semaphore(at_once)
        self._max_total = at_once + waiting
        self._total = 0
        self._per_address = ConcurrencyLimit(each)

    @asynccontextmanager
    async def slot(self, address: str) -> AsyncIterator[None]:
        """Wait for a turn. Raises Busy."""
        if self._total >= self._max_total:
            raise QueueFull
        with self._per_address.slot(address):
            self._total += 1
            try:
                async with self._semaphore:
                    yield
            finally:
                self._total -= 1


PICTURE_SLOTS = web.AppKey("drawing", ConcurrencyLimit)
REPLAY_QUEUE = web.AppKey("replays", ReplayQueue)
