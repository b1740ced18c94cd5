"""Rates of requests by trusted tokens and by addresses, over all instances."""

import asyncio
import re
from collections import Counter
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import web
from redis.asyncio import Redis

from service.fair_queue import ANONYMOUS, FairQueue
from service.games.ports import StoreUnavailable
from service.store.game_store import RedisStore, connect
from service.web.accounts import ACCOUNTS, Accounts
from service.web.assembly import ROUTES
from service.web.client_ip import parse_networks
from service.web.connection import ClientConnection
from service.web.limits import Limits
from tests.polling import wait_until
from tests.security.limited_client import (
    count_admitted,
    count_statuses,
    make_limits,
    open_client_at,
    request_game,
)
from tests.web.app_server import Client, FrozenClock, serve
from tests.web.http_game import bearer_header, check_problem, create_game
from tests.web.raw_http import make_head, open_connection, read_raw, read_to_end

POLICY = '"creations";q=20;w=3600'


async def test_creations_of_an_address_are_limited_with_a_retry_time(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_creations=20)) as client:
        answers = [await request_game(client) for _ in range(30)]
        result = Counter(answer.status for answer in answers)
        assert 20 <= result[201] <= 21  # one portion, which is a twentieth, is the instance's own risk
        assert result[201] + result[429] == 30
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


async def test_all_instances_exceed_a_limit_by_at_most_a_portion_each(store: RedisStore, redis_url: str) -> None:
    size = make_limits(rate_creations=40)
    async with connect(redis_url) as second, serve(store, size) as here, serve(second, size) as there:
        answered = await asyncio.gather(
            *(count_statuses(40, lambda each=each: request_game(each)) for each in (here, there))
        )
        assert 40 <= sum(each[201] for each in answered) <= 40 + 2 * 2


async def test_an_address_that_guesses_may_only_use_trusted_tokens(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_guesses=20)) as client:
        game = await create_game(client)
        assert (await game.get()).status == 200
        assert 20 <= await count_admitted(60, lambda: client.get("/v1/games/nowhere"), 404) <= 23
        assert (await client.get(game.path)).status == 429
        assert (await game.get(token="x" * 43)).status == 429
        assert (await game.get()).status == 200
        assert (await client.get("/v1/games")).status == 200
        async with open_client_at(client, "127.0.0.2") as other:
            assert (await other.get(game.path)).status == 200


async def test_games_with_open_seats_have_their_own_limit(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_open_games=5)) as client:
        waiting = {"players": [{"name": "Ana"}, {"open": True}]}
        result = await count_statuses(12, lambda: client.post("/v1/games", json=waiting))
        assert 5 <= result[201] <= 6
        last = await client.post("/v1/games", json=waiting)
        assert last.headers["RateLimit"].startswith('"open-games";r=0;')
        assert (await request_game(client)).status == 201


async def test_every_counted_response_reports_its_limit(store: RedisStore) -> None:
    """Errors, redirections and empty responses too."""
    async with serve(store, make_limits(rate_requests=1000)) as client:
        game = await create_game(client)
        owner = bearer_header(game.owner_token)
        tag = (await game.get()).headers["ETag"]
        for response, status in (
            (await client.get("/"), 200),
            (await game.get(), 200),
            (await game.get(**{"If-None-Match": tag}), 304),
            (await game.get("/board.svg"), 200),
            (await game.get("/diffs", Accept="text/event-stream"), 200),
            (await client.get(game.path, headers=bearer_header("x")), 401),
            (await client.get("/v1/games/none"), 404),
            (await client.get("/nowhere"), 404),
            (await client.put("/v1/games"), 405),
            (await game.act({"move": "i0"}), 422),
            (await client.post("/v1/games", data=b"{}"), 415),
            (await client.post("/v1/games", json={}), 400),
            (await client.post(f"{game.path}/actions", json={"move": "i0"}), 401),
            (await client.get("/v1/ws"), 426),
            (await client.delete(game.path, headers=owner), 200),
        ):
            assert response.status == status, await response.text()
            assert re.fullmatch(r'"[a-z-]+";r=\d+;t=\d+', response.headers["RateLimit"])
            assert re.fullmatch(r'"[a-z-]+";q=\d+;w=\d+', response.headers["RateLimit-Policy"])


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
            response = await read_raw(reader)
            assert status in {None, response.status}


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
    turns, finish, is_over = [0], ClientConnection.finish_response, asyncio.Event()
    answered_in: list[int] = []

    async def record(connection: ClientConnection, *parts: Any) -> tuple[web.StreamResponse, bool]:
        response = await finish(connection, *parts)
        answered_in.append(turns[0])
        return response

    async def count_turns() -> None:
        while not is_over.is_set():
            await asyncio.sleep(0)
            turns[0] += 1

    monkeypatch.setattr(ClientConnection, "finish_response", record)
    counting = asyncio.create_task(count_turns())
    async with open_connection(client) as (_, writer):
        writer.write(request_bytes * PIPELINED)
        await wait_until(lambda: len(answered_in) == PIPELINED)
    is_over.set()
    await counting
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


async def test_limits_apply_while_redis_is_unavailable(store: RedisStore) -> None:
    store.buckets = Mock(take=AsyncMock(side_effect=StoreUnavailable("out of reach")))
    async with serve(store, make_limits(rate_creations=20)) as client:
        assert 20 <= await count_admitted(40, lambda: request_game(client), 201) <= 21


def test_every_path_below_a_game_checks_its_token() -> None:
    """Else a made-up one could become known there."""
    for one in ROUTES:
        if one.path.startswith("/v1/games/"):
            assert one.access != "none", one.path


async def test_a_busy_client_takes_turns_and_holds_up_no_other(store: RedisStore) -> None:
    """Its requests wait for each other, from how many connections they come."""
    async with serve(store) as client, open_client_at(client, "127.0.0.2") as other:
        accounts = client.app[ACCOUNTS]
        accounts.clock = FrozenClock()
        account = accounts.get("127.0.0.1")
        account.turns = turns = FairQueue(1)
        turn = await turns.acquire(ANONYMOUS)
        assert (await client.get("/v1/bots")).status == 200  # it is not busy yet
        account.charge_time(0.2)
        async with asyncio.TaskGroup() as group:
            busy = [group.create_task(client.get("/v1/bots")) for _ in range(3)]
            await wait_until(lambda: turns.queue_length(attended=False) == 3)
            assert (await other.get("/v1/bots")).status == 200
            turns.release(ANONYMOUS, turn)
        assert [task.result().status for task in busy] == [200] * 3


@pytest.mark.parametrize("client", ("192.0.2.1", "2001:db8::1"))
@pytest.mark.parametrize("spent_s", (0.04, 0.06))
async def test_after_the_turn_of_a_busy_client_comes_as_long_a_pause(
    monkeypatch: pytest.MonkeyPatch, client: str, spent_s: float
) -> None:
    account, now = Accounts(Limits(), clock=FrozenClock()).get(client), 1_000.0
    account.charge_time(spent_s)
    monkeypatch.setattr("service.fair_queue.perf_counter", lambda: now)
    await account.take_turn()
    now += 3_600
    await asyncio.sleep(0)
    following = asyncio.ensure_future(account.take_turn())
    await asyncio.sleep(0)
    assert following.done() is (spent_s < 0.05)
    following.cancel()
