"""Clients of an instance with limits: from addresses of their own, counting statuses."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import ClientResponse, ClientSession, TCPConnector, WSServerHandshakeError

from service.games.ports import RateLimit
from service.web.limits import Limits
from tests.web.app_server import Client
from tests.web.http_game import TWO_PLAYERS

REFILL_S = 3600
"""Seconds that refill a bucket: no token comes back during a test."""


def make_limits(**sizes: Any) -> Limits:
    """Return limits whose `rate_...` are given as quotas that do not refill."""
    values: dict[str, Any] = {
        name: RateLimit(value, REFILL_S) if name in RATES else value for name, value in sizes.items()
    }
    return Limits(**values)


RATES = {name for name in Limits._fields if name.startswith("rate_") and name != "rate_limits"}


@asynccontextmanager
async def open_client_at(client: Client, address: str) -> AsyncIterator[ClientSession]:
    """Open a client that connects from another address of this machine."""
    connector = TCPConnector(local_addr=(address, 0))
    async with ClientSession(client.make_url("/"), connector=connector) as session:
        yield session


async def read_status(response: ClientResponse) -> int:
    """Read a response, and return its status."""
    await response.read()
    return response.status


async def count_statuses(times: int, ask: Any) -> Counter[int]:
    """Return how often each status was returned, one request after the other."""
    return Counter([await read_status(await ask()) for _ in range(times)])


async def count_admitted(times: int, ask: Any, status: int = 200) -> int:
    """Return how many of the requests get this status; limits must reject all others."""
    statuses = await count_statuses(times, ask)
    assert statuses[status] + statuses[429] == times, statuses
    return statuses[status]


async def open_socket(client: Client, path: str = "/v1/ws", **headers: str) -> int:
    """Open a WebSocket and close it; return the status of the handshake."""
    try:
        async with client.ws_connect(path, headers=headers):
            return 101
    except WSServerHandshakeError as rejected:
        return rejected.status


async def request_game(session: Client | ClientSession, **headers: str) -> ClientResponse:
    """Request a new game."""
    return await session.post("/v1/games", json={"players": TWO_PLAYERS}, headers=headers)
