"""Nobody gets all of what only a few can have at once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager

from aiohttp import web

from service.games.bots.priority import hash_creator
from service.web.connections.client_ip import network_of
from service.web.connections.limiter import GATE, client_of
from service.web.connections.protocol import lasting
from service.web.errors import Busy
from service.web.ratelimit.limiter import GUARD, PAYER

__all__ = [
    "DRAWING",
    "REPLAYS",
    "Replays",
    "Shares",
    "charge",
    "check_open_games",
    "creator_here",
    "give_back",
    "handed_out",
    "replaying",
    "streaming",
]

PICTURES = 8
"""That one address may wait for."""

AT_ONCE = 2
WAITING = 16
"""Games that may wait to be replayed; more are refused, so that nobody waits for long."""

REPLAYS_EACH = 4
"""Of both together, for one address."""


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
    """Games that are replayed from their logs, which takes as long as dozens of other requests."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING, each: int = REPLAYS_EACH) -> None:
        self._turn = asyncio.Semaphore(at_once)
        self._most = at_once + waiting
        self._here = 0
        self._shares = Shares(each)

    @asynccontextmanager
    async def one(self, address: str) -> AsyncIterator[None]:
        """Wait for a turn. Raises Busy."""
        if self._here >= self._most:
            raise Busy
        with self._shares.one(address):
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
    """Hold a socket or an event stream; gives the client. Raises RateLimited, TooManyOpen, Malformed."""
    address, guard, gate = client_of(request), request.app[GUARD], request.app[GATE]
    if guard.on:
        await guard.open_stream(request, address)
    gate.open_stream(address)
    try:
        with lasting(request):
            yield address
    finally:
        gate.close_stream(address)


async def charge(request: web.Request, tokens: int) -> None:
    """Charge what a request costs beyond the one token of any, before the work is done. Raises RateLimited."""
    if tokens > 0 and (payer := request.get(PAYER)) is not None:
        await payer.pay(tokens)


@asynccontextmanager
async def replaying(request: web.Request, tokens: int) -> AsyncIterator[None]:
    """Wait for a turn to replay a game, and charge it. Raises Busy, RateLimited."""
    async with request.app[REPLAYS].one(client_of(request)):
        await charge(request, tokens)
        yield


def give_back(request: web.Request, tokens: int) -> None:
    """Give back what was charged, and was not needed."""
    if tokens > 0 and (payer := request.get(PAYER)) is not None:
        payer.give_back(tokens)


def handed_out(request: web.Request, tokens: Iterable[str]) -> None:
    """Know tokens from the beginning that an answer hands out."""
    request.app[GUARD].learn(tokens)


def creator_here(request: web.Request) -> bytes:
    """What stands for the client in a game that it creates: an address, of IPv6 a whole site."""
    return hash_creator(network_of(client_of(request)))


async def check_open_games(request: web.Request) -> None:
    """Raise RateLimited where this client makes too many games that wait for others."""
    guard = request.app[GUARD]
    if guard.on:
        await guard.open_games.pay(client_of(request))
