"""Nobody gets all of what only a few can have at once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from aiohttp import web

from service.web.errors import Busy
from service.web.limiting.connections import GATE, client_of
from service.web.limiting.guard import GUARD

__all__ = ["DIFFS", "DRAWING", "GAMES", "REPLAYS", "Replays", "Shares", "charge", "check_open_games", "streaming"]

PICTURES = 8
"""That one address may wait for."""

DIFFS = 50
GAMES = 5
"""In an answer, so many count as one request more."""

AT_ONCE = 2
WAITING = 16
"""Games that may wait to be replayed; more are refused, so that nobody waits for long."""


class Shares:
    """What each address may have some of at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[str] = Counter()

    @contextmanager
    def one(self, address: str) -> Iterator[None]:
        """Have one. Raises Busy."""
        if self._taken[address] >= self._most:
            raise Busy
        self._taken[address] += 1
        try:
            yield
        finally:
            self._taken[address] -= 1
            if not self._taken[address]:
                del self._taken[address]


class Replays:
    """Games that are replayed from their logs, which takes as long as hundreds of other requests."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self._turn = asyncio.Semaphore(at_once)
        self._most = at_once + waiting
        self._here = 0

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a turn. Raises Busy."""
        if self._here >= self._most:
            raise Busy
        self._here += 1
        try:
            async with self._turn:
                yield
        finally:
            self._here -= 1


DRAWING = web.AppKey("drawing", Shares)
REPLAYS = web.AppKey("replays", Replays)


@asynccontextmanager
async def streaming(request: web.Request) -> AsyncIterator[str]:
    """Hold a socket or an event stream; gives the client. Raises RateLimited, TooManyOpen."""
    address, guard, gate = client_of(request), request.app[GUARD], request.app[GATE]
    if guard.on:
        await guard.streams.taken(address)
    gate.open_stream(address)
    try:
        yield address
    finally:
        gate.close_stream(address)


def charge(request: web.Request, things: int, a_token: int) -> None:
    """Count a long answer as several requests: so many things in it as one more."""
    guard, tokens = request.app[GUARD], things // a_token
    if guard.on and tokens:
        guard.more(request, client_of(request), tokens)


async def check_open_games(request: web.Request) -> None:
    """Raise RateLimited where this client makes too many games that wait for others."""
    guard = request.app[GUARD]
    if guard.on:
        await guard.open_games.taken(client_of(request))
