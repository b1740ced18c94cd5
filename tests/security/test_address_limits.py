"""Limits of an address for all of its tokens, and of an IPv6 network for all of its addresses."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from ipaddress import ip_network
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import ClientResponse

from service.fair_queue import ANONYMOUS
from service.store.game_store import RedisStore
from service.web.accounts import Accounts
from service.web.charge import Charge
from service.web.connection_limiter import ConnectionLimiter
from service.web.limits import Limits
from service.web.renderer import IMAGE_RENDERER, ImageRenderer
from tests.polling import wait_until
from tests.security.limited_client import (
    count_statuses,
    make_limits,
    open_client_at,
    open_socket,
)
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game
from tests.web.watcher_client import connect_watcher

PROXIED = (ip_network("127.0.0.0/8"),)


def tokens_of(game: HTTPGame) -> list[str]:
    """Return all tokens of a game."""
    return [game.owner_token, game.spectator_token, *game.seat_tokens.values()]


def remaining(answer: ClientResponse) -> tuple[str, int]:
    """Return the limit that a response names, and its remaining tokens."""
    result = re.fullmatch(r'"([a-z-]+)";r=(\d+);t=\d+', answer.headers["RateLimit"])
    assert result is not None
    return result[1], int(result[2])


async def test_all_tokens_of_an_address_share_a_limit(store: RedisStore) -> None:
    """Twelve tokens with 20 requests each; the address with 100 of all."""
    async with serve(store, make_limits(rate_requests=20, tokens_per_address=5)) as client:
        games = [await create_game(client) for _ in range(3)]
        result: Counter[int] = Counter()
        for game in games:
            for token in tokens_of(game):
                result += await count_statuses(15, lambda game=game, token=token: game.get(token=token))
        assert sum(len(tokens_of(game)) for game in games) == 12
        assert result[200] == 100
        last = await client.get(games[0].path, headers=bearer_header(games[-1].spectator_token))
        problem = await check_problem(last, 429, "rate_limited")
        assert problem["retry_after_s"] > 0
        assert last.headers["RateLimit-Policy"] == '"tokens-requests";q=100;w=3600'
        assert remaining(last) == ("tokens-requests", 0)
        async with open_client_at(client, "127.0.0.2") as other:
            token = games[-1].spectator_token
            assert (await other.get(games[-1].path, headers=bearer_header(token))).status == 200


async def test_requests_and_messages_share_the_limit_of_a_token(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=60)) as client:
        game = await create_game(client)
        assert await count_statuses(20, game.get) == {200: 20}
        assert (await count_statuses(20, lambda: game.act({"move": "i9"}))) == {422: 20}
        async with connect_watcher(client, token=game.owner_token) as watcher:
            types = Counter[str]()
            for _ in range(40):
                await watcher.send({"type": "ping"})
                types[(await watcher.receive())["type"]] += 1
        assert types == {"pong": 19, "error": 21}  # the upgrade counts too


async def test_a_response_names_the_limit_that_is_nearest(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=30, tokens_per_address=2)) as client:
        first, second, third = [await create_game(client) for _ in range(3)]
        received = [remaining(await first.get()) for _ in range(25)]
        assert received == [("requests", left) for left in range(29, 4, -1)]
        received = [remaining(await second.get()) for _ in range(24)]
        assert received == [("tokens-requests", left) for left in range(34, 10, -1)]
        assert remaining(await third.get()) == ("tokens-requests", 10)


@pytest.fixture
async def proxied(store: RedisStore) -> AsyncIterator[Client]:
    """Start an instance behind a proxy, so that clients may come from any address."""
    size = make_limits(rate_requests=30, tokens_per_address=1, rate_creations=6, trusted_proxies=PROXIED)
    async with serve(store, size) as client:
        yield client


def from_subnet(number: int, site: int = 1) -> dict[str, str]:
    """Return the header of a client in one of a site's networks."""
    return {"X-Forwarded-For": f"2001:db8:{site:x}:{number:x}::7"}


async def test_all_addresses_of_a_network_share_a_limit(proxied: Client) -> None:
    """What comes without tokens, from 20 addresses of a /48 with 30 requests each."""
    result: Counter[int] = Counter()
    for number in range(20):
        result += await count_statuses(10, lambda number=number: proxied.get("/v1/bots", headers=from_subnet(number)))
    assert result[200] == 60
    last = await proxied.get("/v1/bots", headers=from_subnet(99))
    assert last.headers["RateLimit-Policy"] == '"network-requests";q=60;w=3600'
    assert (await proxied.get("/v1/bots", headers=from_subnet(1, site=2))).status == 200


async def test_all_tokens_of_a_network_share_a_limit(proxied: Client) -> None:
    games = [await create_game(proxied) for _ in range(5)]
    result: Counter[int] = Counter()
    for number, game in enumerate(games * 2):
        sent = {**bearer_header(game.owner_token), **from_subnet(number)}
        result += await count_statuses(10, lambda game=game, sent=sent: proxied.get(game.path, headers=sent))
    assert result[200] == 60
    elsewhere = {**bearer_header(games[0].spectator_token), **from_subnet(1, site=2)}
    assert (await proxied.get(games[0].path, headers=elsewhere)).status == 200


async def test_the_pictures_of_a_network_take_turns_with_others(store: RedisStore) -> None:
    """And none waits for a large one."""
    async with serve(store, Limits(trusted_proxies=PROXIED)) as client:
        workers, drawn = client.app[IMAGE_RENDERER]._workers, list[int]()

        async def draw(width: int, site: int) -> None:
            path = f"/v1/tilesets/lagoon/tiles/start.png?width={width}"
            assert (await client.get(path, headers=from_subnet(width, site))).status == 200
            drawn.append(width)

        async with asyncio.TaskGroup() as group:
            occupied = [await worker.queue.acquire(ANONYMOUS) for worker in workers.values()]
            for waiting, (width, site) in enumerate([(4096, 1), (101, 1), (102, 1), (103, 1), (201, 2)], start=1):
                group.create_task(draw(width, site))
                await wait_until(partial(do_pictures_wait, client.app[IMAGE_RENDERER], waiting))
            workers[False].queue.release(ANONYMOUS, occupied[0])
            await wait_until(lambda: len(drawn) == 4)
            workers[True].queue.release(ANONYMOUS, occupied[1])
        assert drawn == [101, 201, 102, 103, 4096]


def do_pictures_wait(renderer: ImageRenderer, number: int) -> bool:
    """Return whether this number of pictures waits for the workers."""
    return sum(worker.queue.queue_length(attended=True) for worker in renderer._workers.values()) == number


async def test_the_streams_of_a_network_are_limited(store: RedisStore) -> None:
    size = Limits(max_streams_per_address=2, trusted_proxies=PROXIED)
    async with serve(store, size) as client, AsyncExitStack() as stack:
        for number in range(4):
            await stack.enter_async_context(client.ws_connect("/v1/ws", headers=from_subnet(number)))
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
        await check_problem(await client.get("/v1/ws", headers=from_subnet(9) | upgrade), 429, "rate_limited")
        assert await open_socket(client, **from_subnet(9, site=2)) == 101


def test_the_connections_of_a_network_are_limited() -> None:
    accounts = Accounts(Limits(max_connections_per_address=3))
    limiter = ConnectionLimiter(accounts)

    def connect(client: str) -> Any:
        return Mock(client=client, charge=Charge(accounts.get(client)))

    of_site = [connect(f"2001:db8:1:{number % 4}::") for number in range(7)]
    *accepted, rejected = [limiter.add(connection) for connection in of_site]
    assert accepted == [b""] * 6
    assert rejected.startswith(b"HTTP/1.1 429 ")
    elsewhere = connect("2001:db8:2::")
    assert limiter.add(elsewhere) == b""
    for connection in (*of_site, elsewhere):
        limiter.remove(connection)
    levels = {level for one in (*of_site, elsewhere) for level in one.charge.account.levels}
    assert [account.connections for account in levels] == [0] * 7
