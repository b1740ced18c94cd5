"""Charges of a request beyond its first token, and the slots that it occupies while it is answered."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from aiohttp import web

from service.games.bots.priority import hash_creator
from service.web.connections.client_ip import get_site_network
from service.web.connections.limiter import CONNECTION_LIMITER, get_client_address
from service.web.connections.protocol import streaming_response
from service.web.ratelimit.charges import Charge
from service.web.ratelimit.concurrency import REPLAY_QUEUE
from service.web.ratelimit.limiter import CHARGE, RATE_LIMITER

__all__ = [
    "acquire_replay_slot",
    "charge_open_game",
    "charge_request",
    "hash_client",
    "open_stream",
    "refund_request",
    "trust_issued_tokens",
]


@asynccontextmanager
async def open_stream(request: web.Request) -> AsyncIterator[str]:
    """Charge and count a WebSocket or event stream; yields the client's address.

    Raises RateLimited, TooManyConnections, Malformed.
    """
    address, rate_limiter, connections = (
        get_client_address(request),
        request.app[RATE_LIMITER],
        request.app[CONNECTION_LIMITER],
    )
    if rate_limiter.is_enabled:
        await rate_limiter.admit_stream(request, address)
    connections.add_stream(address)
    try:
        with streaming_response(request):
            yield address
    finally:
        connections.remove_stream(address)


async def charge_request(request: web.Request, tokens: int) -> None:
    """Charge a request beyond its first token, before the work is done. Raises RateLimited."""
    if tokens > 0 and (charge := request.get(CHARGE)) is not None:
        await charge.increase(tokens)


@asynccontextmanager
async def acquire_replay_slot(
    app: web.Application, address: str, charge: Charge | None, tokens: int
) -> AsyncIterator[None]:
    """Wait for a slot to replay a game, and charge it. Raises QueueFull, RateLimited."""
    async with app[REPLAY_QUEUE].acquire(address):
        if tokens > 0 and charge is not None:
            await charge.increase(tokens)
        yield


def refund_request(request: web.Request, tokens: int) -> None:
    """Refund tokens that were charged and not needed."""
    if tokens > 0 and (charge := request.get(CHARGE)) is not None:
        charge.refund(tokens)


def trust_issued_tokens(request: web.Request, tokens: Iterable[str]) -> None:
    """Trust tokens that a response issues."""
    request.app[RATE_LIMITER].trust_tokens(tokens)


def hash_client(request: web.Request) -> bytes:
    """Return the hash that stands for the client in a game that it creates: of its address, or its IPv6 /48 network."""
    return hash_creator(get_site_network(get_client_address(request)))


async def charge_open_game(request: web.Request) -> None:
    """Charge a game with open seats. Raises RateLimited."""
    rate_limiter = request.app[RATE_LIMITER]
    if rate_limiter.is_enabled:
        await rate_limiter.open_games.charge(get_client_address(request))
