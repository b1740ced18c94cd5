"""Limits of requests, joins and tokens, by address behind proxies and by IPv6 network, over all instances."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from ipaddress import ip_network
from secrets import token_hex
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import ClientResponse, ClientSession, web
from multidict import CIMultiDict, CIMultiDictProxy
from redis.asyncio import Redis

from service.fair_queue import ANONYMOUS, FairQueue, Requester
from service.store.game_store import RedisStore
from service.web import client_ip
from service.web.accounts import ACCOUNTS, Accounts
from service.web.assembly import ROUTES
from service.web.charge import Charge
from service.web.client_ip import TrustedProxies, get_site_network, parse_networks
from service.web.connection import ClientConnection
from service.web.connection_limiter import ConnectionLimiter
from service.web.limits import Limits
from tests.games.game_fixture import load_game
from tests.polling import wait_until
from tests.security.limited_client import (
    count_admitted,
    count_statuses,
    every_kind,
    make_limits,
    open_client_at,
    open_socket,
    read_status,
    request_game,
)
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, FrozenClock, TurnCounter, serve
from tests.web.http_game import TWO_PLAYERS, bearer_header, check_problem, create_game
from tests.web.raw_http import make_head, open_connection, read_raw, read_to_end
from tests.web.watcher_client import connect_watcher

PROXIED = (ip_network("127.0.0.0/8"),)


def remaining(answer: ClientResponse) -> tuple[str, int]:
    """Return the limit that a response names, and its remaining tokens."""
    result = re.fullmatch(r'"([a-z-]+)";r=(\d+);t=\d+', answer.headers["RateLimit"])
    assert result is not None
    return result[1], int(result[2])


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


async def test_the_games_of_a_network_have_one_creator(proxied: Client, store: RedisStore) -> None:
    """Their bots take turns as those of one client."""
    created = [await (await request_game(proxied, **from_subnet(*one))).json() for one in ((1, 1), (2, 1), (1, 2))]
    one, sibling, elsewhere = [(await load_game(store, each["game"]["id"])).creator for each in created]
    assert one == sibling != elsewhere


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


async def test_clients_of_a_trusted_proxy_have_limits_of_their_own(proxied: Client) -> None:
    assert (await count_statuses(12, lambda: request_game(proxied, **{"X-Forwarded-For": "192.0.2.1"})))[201] <= 7
    for addresses, status in (("192.0.2.1", 429), ("192.0.2.2", 201), ("192.0.2.2, 192.0.2.1", 429)):
        assert await read_status(await request_game(proxied, **{"X-Forwarded-For": addresses})) == status


async def test_headers_of_untrusted_peers_are_ignored(store: RedisStore, caplog: pytest.LogCaptureFixture) -> None:
    trusted = (ip_network("10.0.0.0/8"),)
    async with serve(store, make_limits(rate_creations=5, trusted_proxies=trusted)) as client:
        numbers = iter(range(100))

        def ask() -> Any:
            lie = f"192.0.2.{next(numbers)}"
            return request_game(client, **{"X-Forwarded-For": lie, "Forwarded": f"for={lie}", "X-Real-IP": lie})

        assert (await count_statuses(20, ask))[201] <= 6
    (warned,) = [record for record in caplog.records if record.name == "service.web.client_ip"]
    assert "--trusted-proxies" in warned.getMessage()


async def test_no_response_of_a_shared_cache_contains_the_host_or_scheme_of_the_request(store: RedisStore) -> None:
    lies = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "evil"}
    lies["Forwarded"] = "host=evil.example;proto=evil"
    paths = ("/", "/openapi.json", "/asyncapi.json", "/docs", "/docs/", "/problems/malformed", "/v1/games")
    async with serve(store) as client, ClientSession(client.make_url("/")) as session:
        created = await session.post("/v1/games", json={"players": TWO_PLAYERS}, headers=lies)
        assert created.headers["Location"].startswith("/v1/games/")
        for answer in [created, *[await session.get(path, headers=lies, allow_redirects=False) for path in paths]]:
            assert "evil" not in await answer.text() or answer.headers["Cache-Control"] == "private, no-cache"
            assert "evil" not in str(answer.headers)


def test_only_the_nearest_forwarded_addresses_are_read() -> None:
    """A client may send thousands, and all of them may be a trusted proxy's."""
    value = "192.0.2.1, " + ", ".join(["10.0.0.1"] * 5_000)
    assert client_ip._split_addresses(value) == ["10.0.0.1"] * client_ip.MAX_FORWARDED_ADDRESSES
    assert forwarded_client(value) == "10.0.0.1"


WAITING = [{"name": "Ana"}, {"open": True}, {"open": True}]


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


POLICY = '"creations";q=20;w=3600'


async def test_creations_of_an_address_are_limited_with_a_retry_time(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_creations=20)) as client:
        before, answers = read_samples(), [await request_game(client) for _ in range(30)]
        result = Counter(answer.status for answer in answers)
        assert 20 <= result[201] <= 21  # one portion, which is a twentieth, is the instance's own risk
        assert result[201] + result[429] == 30
        assert grown(before, "rate_limited_total", policy="creations") == result[429]
        assert grown(before, "problems_total", code="rate_limited", via="http") == result[429]
        last = answers[-1]
        received = await check_problem(last, 429, "rate_limited")
        assert received["retry_after_s"] == int(last.headers["Retry-After"])
        assert 60 < received["retry_after_s"] <= 180
        assert last.headers["RateLimit-Policy"] == POLICY
        assert last.headers["RateLimit"] == f'"creations";r=0;t={received["retry_after_s"]}'
        first = answers[0]
        assert first.headers["RateLimit-Policy"] == POLICY
        assert re.fullmatch(r'"creations";r=\d+;t=\d+', first.headers["RateLimit"])
        left = [int(answer.headers["RateLimit"].split(";")[1].removeprefix("r=")) for answer in answers]
        assert left == sorted(left, reverse=True)
        async with open_client_at(client, "127.0.0.2") as other:
            assert (await request_game(other)).status == 201


async def test_games_with_open_seats_have_their_own_limit(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_open_games=5)) as client:
        waiting = {"players": [{"name": "Ana"}, {"open": True}]}
        assert 5 <= (await count_statuses(12, lambda: client.post("/v1/games", json=waiting)))[201] <= 6
        assert (await client.post("/v1/games", json=waiting)).headers["RateLimit"].startswith('"open-games";r=0;')
        assert (await request_game(client)).status == 201


async def test_every_counted_response_reports_its_limit(store: RedisStore) -> None:
    """Errors, redirections and empty responses too."""
    async with serve(store, make_limits(rate_requests=1000)) as client, every_kind(client) as answers:
        for answer in answers:
            if answer.url.path != "/livez":
                assert re.fullmatch(r'"[a-z-]+";r=\d+;t=\d+', answer.headers["RateLimit"])
                assert re.fullmatch(r'"[a-z-]+";q=\d+;w=\d+', answer.headers["RateLimit-Policy"])


@pytest.mark.parametrize(("method", "status"), (("HEAD", 200), ("OPTIONS", 204)))
async def test_head_and_options_count_as_any_request(store: RedisStore, method: str, status: int) -> None:
    async with serve(store, make_limits(rate_requests=20)) as client:
        game = await create_game(client)
        for path, headers in (("/v1/games", {}), (game.path, bearer_header(game.owner_token))):

            def ask(path: str = path, headers: dict[str, str] = headers) -> Any:
                return client.request(method, path, headers=headers)

            assert 19 <= await count_admitted(30, ask, status) <= 21


async def test_a_preflight_is_answered_despite_guesses_of_others(store: RedisStore) -> None:
    """It carries no token, and says nothing of the game."""
    async with serve(store, make_limits(rate_guesses=5)) as client:
        assert (await count_statuses(10, lambda: client.get("/v1/games/nowhere")))[429] >= 4
        assert (await client.options("/v1/games/nowhere")).status == 204


PIPELINED = 32


async def test_a_connection_over_its_limit_is_closed(store: RedisStore) -> None:
    """So that what it has pipelined is not answered request by request."""
    async with serve(store, make_limits(rate_requests=10)) as client, open_connection(client) as (reader, writer):
        writer.write(make_head("/v1/games", method="OPTIONS") * PIPELINED)
        received = (await read_to_end(reader)).decode()
    statuses = re.findall(r"^HTTP/1.1 (\d+)", received, re.MULTILINE)
    assert statuses == ["204"] * (len(statuses) - 1) + ["429"]
    assert 10 <= statuses.count("204") <= 11
    assert received.partition(" 429 ")[2].count("Connection: close") == 1


@pytest.mark.parametrize(
    "request_bytes", (make_head("/livez"), make_head("/readyz"), make_head("/v1/games", "Api-Key: x", "Api-Key: y"))
)
async def test_what_is_not_charged_cannot_be_repeated_on_a_connection(client: Client, request_bytes: bytes) -> None:
    async with open_connection(client) as (reader, writer):
        writer.write(request_bytes.replace(b"GET /v1", b"POST /v1") * PIPELINED)
        received = await read_to_end(reader)
    assert received.count(b"HTTP/1.1 ") == 1
    assert b"Connection: close" in received


async def test_the_connection_of_a_trusted_proxy_stays_open(store: RedisStore) -> None:
    """It is shared by many clients."""
    limits = make_limits(rate_requests=5, trusted_proxies=parse_networks("127.0.0.1"))
    async with serve(store, limits) as client, open_connection(client) as (reader, writer):
        for address, status in (*[("192.0.2.1", None)] * 10, ("192.0.2.1", 429), ("192.0.2.2", 200)):
            writer.write(make_head("/v1/bots", f"X-Forwarded-For: {address}"))
            assert status in {None, (await read_raw(reader)).status}


@pytest.mark.parametrize(
    "request_bytes",
    (
        make_head("/v1/games", method="OPTIONS"),
        make_head("/nowhere"),
        make_head("/v1/bots"),
        make_head("/v1/games", "Content-Type: text/plain", "Content-Length: 0", method="POST"),
    ),
)
async def test_a_connection_gets_one_response_in_a_turn_of_the_loop(
    client: Client, monkeypatch: pytest.MonkeyPatch, request_bytes: bytes
) -> None:
    turns, finish, answered_in = TurnCounter(), ClientConnection.finish_response, list[int]()

    async def record(connection: ClientConnection, *parts: Any) -> tuple[web.StreamResponse, bool]:
        response = await finish(connection, *parts)
        answered_in.append(turns.count)
        return response

    monkeypatch.setattr(ClientConnection, "finish_response", record)
    async with open_connection(client) as (_, writer):
        writer.write(request_bytes * PIPELINED)
        await wait_until(lambda: len(answered_in) == PIPELINED)
    turns.stop()
    assert len(set(answered_in)) == PIPELINED


async def test_probes_are_never_rate_limited(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=2)) as client:
        assert (await count_statuses(10, lambda: client.get("/v1/games")))[429] >= 7
        assert await count_statuses(10, lambda: client.get("/readyz")) == {200: 10}
        assert await count_statuses(10, lambda: client.get("/livez")) == {200: 10}


async def test_buckets_do_not_identify_clients(store: RedisStore, redis: Redis) -> None:
    async with serve(store, make_limits(rate_creations=10)) as client:
        game = await create_game(client)
        await game.get()
        guess = bearer_header("x" * 43)
        await count_statuses(15, lambda: client.get(game.path, headers=guess))
        await count_statuses(9, lambda: request_game(client))
        keys: list[Any] = []

        async def are_stored() -> bool:
            keys[:] = await redis.keys("south-seas:bucket:*")
            return len(keys) >= 2

        await wait_until(are_stored)
    for key in keys:
        assert re.fullmatch(rb"south-seas:bucket:[a-z-]+:[0-9a-f]{32}", key)
        assert await redis.pttl(key) > 0


def test_every_path_below_a_game_checks_its_token() -> None:
    """Else a made-up one could become known there."""
    for one in ROUTES:
        if one.path.startswith("/v1/games/"):
            assert one.access != "none", one.path


async def test_busy_clients_take_turns_and_delay_no_other(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its requests wait for each other, from how many connections they come; a message waits for one of them."""
    served, take_slot = list[str](), FairQueue._take_slot

    def record(queue: FairQueue, requester: Requester) -> None:
        take_slot(queue, requester)
        served.append(requester.client.decode())

    async with serve(store) as client, open_client_at(client, "127.0.0.2") as other, connect_watcher(client) as watcher:
        accounts = client.app[ACCOUNTS]
        accounts.clock = FrozenClock()
        account = accounts.get("127.0.0.1")
        account.turns = turns = FairQueue(1)
        turn = await turns.acquire(ANONYMOUS)
        assert (await client.get("/v1/bots")).status == 200  # it is not busy yet
        account.charge_time(0.2)
        monkeypatch.setattr(FairQueue, "_take_slot", record)
        async with asyncio.TaskGroup() as group:
            busy = [group.create_task(client.get("/v1/bots")) for _ in range(3)]
            await wait_until(lambda: turns.queue_length(attended=False) == 3)
            assert (await other.get("/v1/bots")).status == 200
            await watcher.send({"type": "ping"})
            await wait_until(lambda: turns.queue_length(attended=False) == 4)
            turns.release(ANONYMOUS, turn)
        assert [task.result().status for task in busy] == [200] * 3
        assert (await watcher.receive())["type"] == "pong"
    assert served[:4] == ["requests", "messages", "requests", "requests"]


@pytest.mark.parametrize("clients", (("192.0.2.1", "192.0.2.1"), ("2001:db8::", "2001:db8:0:1::")))
@pytest.mark.parametrize("spent_s", (0.01, 0.03))
async def test_after_the_turn_of_a_busy_client_comes_as_long_a_pause(
    monkeypatch: pytest.MonkeyPatch, clients: tuple[str, str], spent_s: float
) -> None:
    (account, sibling), now = map(Accounts(Limits(), clock=FrozenClock()).get, clients), 1_000.0
    account.charge_time(spent_s)
    monkeypatch.setattr("service.fair_queue.perf_counter", lambda: now)
    await account.take_turn("requests")
    now += 3_600
    await asyncio.sleep(0)
    following = asyncio.ensure_future(sibling.take_turn("requests"))
    await asyncio.sleep(0)
    assert following.done() is (spent_s < 0.02)
    following.cancel()
