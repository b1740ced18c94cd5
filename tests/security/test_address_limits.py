"""Limits of an address for all of its tokens, and of an IPv6 network for all of its addresses.

The client's address, behind proxies and with forged headers.

A client that takes all open seats: joins have their own limit, and owners can empty a seat.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from ipaddress import ip_network
from secrets import token_hex
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import ClientResponse, ClientSession
from multidict import CIMultiDict, CIMultiDictProxy

from service.store.game_store import RedisStore
from service.web import client_ip
from service.web.accounts import Accounts
from service.web.charge import Charge
from service.web.client_ip import TrustedProxies, get_site_network, parse_networks
from service.web.connection_limiter import ConnectionLimiter
from service.web.limits import Limits
from tests.security.limited_client import (
    count_statuses,
    make_limits,
    open_client_at,
    open_socket,
    read_status,
    request_game,
)
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, HTTPGame, check_problem, create_game
from tests.web.watcher_client import connect_watcher

PROXIED = (ip_network("127.0.0.0/8"),)


def remaining(answer: ClientResponse) -> tuple[str, int]:
    """Return the limit that a response names, and its remaining tokens."""
    result = re.fullmatch(r'"([a-z-]+)";r=(\d+);t=\d+', answer.headers["RateLimit"])
    assert result is not None
    return result[1], int(result[2])


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


TRUSTED = parse_networks("10.0.0.0/8, 127.0.0.1, fd00::/8")


def forwarded_client(*lines: str, peer: str = "10.0.0.1") -> str:
    """Return the client that a request of a trusted peer names."""
    headers = CIMultiDict(("X-Forwarded-For", line) for line in lines)
    return TrustedProxies(TRUSTED).forwarded_client(peer, CIMultiDictProxy(headers))


@pytest.mark.parametrize(
    ("lines", "client"),
    (
        *(((line,), "192.0.2.1") for line in ("192.0.2.1", "192.0.2.1:8080", "::ffff:192.0.2.1")),
        *(((line,), "192.0.2.1") for line in ("192.0.2.1, 10.1.1.1", "6.6.6.6, 192.0.2.1")),
        (("6.6.6.6, 192.0.2.1, 10.1.1.1, 10.1.1.2",), "192.0.2.1"),
        (("6.6.6.6", "192.0.2.1"), "192.0.2.1"),
        (("10.3.3.3, 10.2.2.2",), "10.3.3.3"),
        (("[2001:db8::1]:80",), "2001:db8::"),
        (("2001:db8:0:1:dead::1",), "2001:db8:0:1::"),
        (("::ffff:10.0.0.9, ::ffff:10.0.0.8",), "10.0.0.9"),
        (("192.0.2.1, unknown, 10.1.1.1",), "10.1.1.1"),
        *(((line,), "10.0.0.1") for line in ("192.0.2.1, _hidden", "192.0.2.1, <script>", "")),
        ((), "10.0.0.1"),
        (("fe80::1%eth0",), "fe80::"),
    ),
)
def test_the_client_is_the_last_address_that_is_no_trusted_proxy(lines: tuple[str, ...], client: str) -> None:
    assert forwarded_client(*lines) == client


@pytest.mark.parametrize(
    ("value", "cached"), (("192.0.2.1".ljust(64), 1), ("192.0.2.1".ljust(65), 0), ("192.0.2.1, \u00fc", 0))
)
def test_only_short_headers_are_cached(value: str, cached: int) -> None:
    """Many long ones would fill the memory."""
    proxies = TrustedProxies(TRUSTED)
    headers = CIMultiDictProxy(CIMultiDict({"x-forwarded-for": value}))
    for _ in range(2):
        proxies.forwarded_client("10.0.0.1", headers)
    assert proxies._cached_last_untrusted.cache_info()[:] == (cached, cached, client_ip.MAX_CACHED_HEADERS, cached)
    assert client_ip._site_network.cache_info().maxsize == client_ip.MAX_CACHED_HEADERS


def test_the_network_of_an_ipv6_client_is_its_site() -> None:
    assert get_site_network("2001:db8:1:ffff::") == "2001:db8:1::/48"
    assert get_site_network("192.0.2.1") == "192.0.2.1"


def test_a_connection_that_closed_has_an_unknown_client() -> None:
    assert forwarded_client(peer="") == "unknown"


def test_the_direct_client_is_the_peer_unless_it_is_a_trusted_proxy() -> None:
    proxies = TrustedProxies(TRUSTED)
    assert proxies.direct_client("192.0.2.1") == "192.0.2.1"
    assert proxies.direct_client("2001:db8:1:2:3::4") == "2001:db8:1:2::"
    assert proxies.direct_client("10.7.7.7") is None
    assert proxies.direct_client("::ffff:10.7.7.7") is None
    assert proxies.direct_client("") == "unknown"


@pytest.fixture
async def behind_proxy(store: RedisStore) -> AsyncIterator[Client]:
    """Start an instance that trusts this machine as a proxy."""
    async with serve(store, make_limits(rate_creations=5, trusted_proxies=(ip_network("127.0.0.1"),))) as client:
        yield client


async def test_clients_of_a_trusted_proxy_have_limits_of_their_own(behind_proxy: Client) -> None:
    assert (await count_statuses(10, lambda: request_game(behind_proxy, **{"X-Forwarded-For": "192.0.2.1"})))[201] <= 6
    assert await read_status(await request_game(behind_proxy, **{"X-Forwarded-For": "192.0.2.1"})) == 429
    assert await read_status(await request_game(behind_proxy, **{"X-Forwarded-For": "192.0.2.2"})) == 201
    assert await read_status(await request_game(behind_proxy, **{"X-Forwarded-For": "192.0.2.2, 192.0.2.1"})) == 429


async def test_forwarding_headers_of_untrusted_peers_are_ignored(
    store: RedisStore, caplog: pytest.LogCaptureFixture
) -> None:
    trusted = (ip_network("10.0.0.0/8"),)
    async with serve(store, make_limits(rate_creations=5, trusted_proxies=trusted)) as client:
        numbers = iter(range(100))

        def ask() -> Any:
            lie = f"192.0.2.{next(numbers)}"
            return request_game(client, **{"X-Forwarded-For": lie, "Forwarded": f"for={lie}", "X-Real-IP": lie})

        assert (await count_statuses(20, ask))[201] <= 6
    (warned,) = [record for record in caplog.records if record.name == "service.web.client_ip"]
    assert "--trusted-proxies" in warned.getMessage()


async def test_no_response_contains_the_host_or_scheme_of_the_request(store: RedisStore) -> None:
    lies = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "evil"}
    lies["Forwarded"] = "host=evil.example;proto=evil"
    paths = ("/", "/openapi.json", "/asyncapi.json", "/docs", "/docs/", "/problems/malformed", "/v1/games")
    async with serve(store) as client, ClientSession(client.make_url("/")) as session:
        created = await session.post("/v1/games", json={"players": TWO_PLAYERS}, headers=lies)
        assert created.headers["Location"].startswith("/v1/games/")
        for answer in [created, *[await session.get(path, headers=lies, allow_redirects=False) for path in paths]]:
            assert "evil" not in await answer.text()
            assert "evil" not in str(answer.headers)


def test_only_the_nearest_forwarded_addresses_are_read() -> None:
    """A client may send thousands, and all of them may be a trusted proxy's."""
    value = "192.0.2.1, " + ", ".join(["10.0.0.1"] * 5_000)
    assert client_ip._split_addresses(value) == ["10.0.0.1"] * client_ip.MAX_FORWARDED_ADDRESSES
    assert forwarded_client(value) == "10.0.0.1"


WAITING = [{"name": "Ana"}, {"open": True}, {"open": True}]


async def test_joins_of_an_address_are_limited(client: Client) -> None:
    """By default: without the limit all forty games were joined within a second."""
    games = [await create_game(client, WAITING) for _ in range(40)]
    answers = [await game.join() for game in games]
    result = [answer.status for answer in answers]
    assert 20 <= result.count(200) <= 21
    assert result.count(200) + result.count(429) == 40
    received = await check_problem(answers[-1], 429, "rate_limited")
    assert "joins" in received["detail"]
    assert answers[-1].headers["RateLimit"].startswith('"joins";r=0;')
    assert 0 < received["retry_after_s"] <= 60
    assert [player["kind"] for player in (await games[-1].get_json())["players"]] == ["human", "open", "open"]
    async with open_client_at(client, "127.0.0.2") as other:
        assert (await HTTPGame(other, games[-1].created).join()).status == 200


async def test_rejected_joins_and_invitations_are_not_counted(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_joins=20)) as client:
        game = await create_game(client, WAITING)
        assert await count_statuses(30, lambda: game.join("Ana")) == {409: 30}
        for _ in range(15):
            private = await create_game(client, WAITING, visibility="private")
            for name in ("Bo", "Cy"):
                assert (await private.join(name, private.spectator_token)).status == 200
        assert (await game.join()).status == 200


async def test_joins_with_any_token_of_a_public_game_are_limited(client: Client) -> None:
    """Else the token of a seat that was taken before would take the others."""
    four_open = [{"name": "Ana"}, *[{"open": True}] * 4]
    result = []
    for _ in range(20):
        game = await create_game(client, four_open)
        tokens = (None, game.owner_token, game.spectator_token, game.created["seats"][0]["token"])
        for name, token in zip(("Bo", "Cy", "Di", "Ed"), tokens, strict=True):
            result.append((await game.join(name, token)).status)
    assert 20 <= result.count(200) <= 21
    assert result.count(200) + result.count(429) == 80


async def test_a_join_that_is_repeated_with_its_key_counts_once(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_joins=1)) as client:
        game = await create_game(client, WAITING)
        headers = {"Idempotency-Key": token_hex(16)}
        for _ in range(3):
            assert (await game.join(**headers)).status == 200
