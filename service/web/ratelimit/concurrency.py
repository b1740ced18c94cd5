"""Nobody gets all of what only a few can have at once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager

from aiohttp import web

from service.games.bots.priority import hash_creator
from service.web.connections.client_ip import site_network
from service.web.connections.limiter import CONNECTION_LIMITER, client_address
from service.web.connections.protocol import streaming_response
from service.web.errors import QueueFull
from service.web.ratelimit.limiter import CHARGE, RATE_LIMITER

__all__ = [
    "PICTURE_SLOTS",
    "REPLAY_QUEUE",
    "ConcurrencyLimit",
    "ReplayQueue",
    "charge_open_game",
    "charge_request",
    "make_creator_key",
    "open_stream",
    "refund_request",
    "replay_slot",
    "trust_issued_tokens",
]

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


@asynccontextmanager
async def open_stream(request: web.Request) -> AsyncIterator[str]:
    """Hold a socket or an event stream; gives the client. Raises RateLimited, TooManyOpen, Malformed."""
    address, guard, gate = client_address(request), request.app[RATE_LIMITER], request.app[CONNECTION_LIMITER]
    if guard.is_enabled:
        await guard.admit_stream(request, address)
    gate.add_stream(address)
    try:
        with streaming_response(request):
            yield address
    finally:
        gate.remove_stream(address)


async def charge_request(request: web.Request, tokens: int) -> None:
    """Charge what a request costs beyond the one token of any, before the work is done. Raises RateLimited."""
    if tokens > 0 and (payer := request.get(CHARGE)) is not None:
        await payer.increase(tokens)


@asynccontextmanager
async def replay_slot(request: web.Request, tokens: int) -> AsyncIterator[None]:
    """Wait for a turn to replay a game, and charge it. Raises Busy, RateLimited."""
    async with request.app[REPLAY_QUEUE].slot(client_address(request)):
        await charge_request(request, tokens)
        yield


def refund_request(request: web.Request, tokens: int) -> None:
    """Give back what was charged, and was not needed."""
    if tokens > 0 and (payer := request.get(CHARGE)) is not None:
        payer.refund(tokens)


def trust_issued_tokens(request: web.Request, tokens: Iterable[str]) -> None:
    """Know tokens from the beginning that an answer hands out."""
    request.app[RATE_LIMITER].trust_tokens(tokens)


def make_creator_key(request: web.Request) -> bytes:
    """What stands for the client in a game that it creates: an address, of IPv6 a whole site."""
    return hash_creator(site_network(client_address(request)))


async def charge_open_game(request: web.Request) -> None:
    """Raise RateLimited where this client makes too many games that wait for others."""
    guard = request.app[RATE_LIMITER]
    if guard.is_enabled:
        await guard.open_games.charge(client_address(request))
