"""What a request is charged beyond its first token, and the slots that it occupies while it is answered."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from aiohttp import web

from service.games.bots.priority import hash_creator
from service.web.connections.client_ip import site_network
from service.web.connections.limiter import CONNECTION_LIMITER, client_address
from service.web.connections.protocol import streaming_response
from service.web.ratelimit.concurrency import REPLAY_QUEUE
from service.web.ratelimit.limiter import CHARGE, RATE_LIMITER

__all__ = [
    "charge_open_game",
    "charge_request",
    "hash_client",
    "open_stream",
    "refund_request",
    "replay_slot",
    "trust_issued_tokens",
]


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


def hash_client(request: web.Request) -> bytes:
    """What stands for the client in a game that it creates: an address, of IPv6 a whole site."""
    return hash_creator(site_network(client_address(request)))


async def charge_open_game(request: web.Request) -> None:
    """Raise RateLimited where this client makes too many games that wait for others."""
    guard = request.app[RATE_LIMITER]
    if guard.is_enabled:
        await guard.open_games.charge(client_address(request))
