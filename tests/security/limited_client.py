"""Clients of an instance with limits: from addresses of their own, counting statuses; responses of all kinds."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import ClientResponse, ClientSession, TCPConnector, WSServerHandshakeError

from service.games.ports import RateLimit
from service.web.limits import Limits
from tests.web.app_server import Client
from tests.web.http_game import TWO_PLAYERS, bearer_header, create_game

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


PATHS = ("/", "/nowhere", "/docs", "/docs/api", "/docs/rules", "/favicon.svg", "/openapi.json", "/livez", "/v1/games")
BELOW_A_GAME = ("", "/board.svg", "/board.png", "/board.txt")


@asynccontextmanager
async def every_kind(client: Client) -> AsyncIterator[list[ClientResponse]]:
    """Return responses of all kinds."""
    game = await create_game(client)
    actions, owner = f"{game.path}/actions", bearer_header(game.owner_token)
    tag, act = (await game.get()).headers["ETag"], {"move": "i0"}
    async with ClientSession(client.make_url("/")) as browser:
        kinds = (
            (200, await browser.get(f"{game.path}/diffs", headers={"Accept": "text/event-stream"})),
            (304, await browser.get(game.path, headers={"If-None-Match": tag})),
            (200, await browser.get("/", headers={"Accept": "text/html"})),
            (201, await request_game(browser)),
            (204, await browser.options("/v1/games")),
            (302, await browser.get("/docs", allow_redirects=False)),
            (400, await browser.post("/v1/games", json={})),
            (401, await browser.get(game.path, headers=bearer_header("x"))),
            (401, await browser.post(actions, json=act)),
            (404, await browser.get("/v1/games/none")),
            (405, await browser.put("/v1/games")),
            (415, await browser.post("/v1/games", data=b"{}")),
            (422, await browser.post(actions, json=act, headers=owner)),
            (426, await browser.get("/v1/ws")),
            *[(404 if path == "/nowhere" else 200, await browser.get(path)) for path in PATHS],
            *[(200, await browser.get(game.path + path)) for path in BELOW_A_GAME],
            (200, await browser.delete(game.path, headers=owner)),
        )
        for status, answer in kinds:
            assert answer.status == status, answer
        yield [answer for _, answer in kinds]
        for _, answer in kinds:
            answer.close()


async def request_game(session: Client | ClientSession, **headers: str) -> ClientResponse:
    """Request a new game."""
    return await session.post("/v1/games", json={"players": TWO_PLAYERS}, headers=headers)
