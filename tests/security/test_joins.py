"""A client that takes all open seats: joins have their own limit, and owners can empty a seat."""

from typing import Any

from aiohttp import ClientSession

from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.security.limited_client import count_statuses, make_limits, open_client_at, read_status
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game

WAITING = [{"name": "Ana"}, {"open": True}, {"open": True}]


async def join(client: Client | ClientSession, table: HTTPGame, name: str = "Bo", **headers: str) -> Any:
    """Take an open seat."""
    return await client.post(f"{table.path}/seats", json={"name": name}, headers=headers)


async def test_nobody_takes_the_seats_of_all_games(store: RedisStore) -> None:
    """By default: without the limit all forty games were joined within a second."""
    async with serve(store) as client:
        tables = [await create_game(client, WAITING) for _ in range(40)]
        answers = [await join(client, table) for table in tables]
        result = [answer.status for answer in answers]
        assert 20 <= result.count(200) <= 21
        assert result.count(200) + result.count(429) == 40
        received = await check_problem(answers[-1], 429, "rate_limited")
        assert "joins" in received["detail"]
        assert answers[-1].headers["RateLimit"].startswith('"joins";r=0;')
        assert 0 < received["retry_after_s"] <= 60
        async with open_client_at(client, "127.0.0.2") as other:
            assert (await join(other, tables[-1])).status == 200


async def test_what_is_refused_does_not_count_and_neither_does_an_invitation(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_joins=20)) as client:
        table = await create_game(client, WAITING)
        refusals = await count_statuses(30, lambda: join(client, table, "Ana"))
        assert refusals == {409: 30}
        for _ in range(15):
            private = await create_game(client, WAITING, visibility="private")
            for name in ("Bo", "Cy"):
                assert (
                    await read_status(await join(client, private, name, **bearer_header(private.spectator_token)))
                    == 200
                )
        assert (await join(client, table)).status == 200


async def test_the_owner_gets_a_seat_back_that_a_stranger_took(store: RedisStore) -> None:
    async with serve(store, Limits()) as client:
        table = await create_game(client, WAITING)
        stranger = (await (await join(client, table, "Anna")).json())["token"]
        assert (await client.delete(f"{table.path}/seats/1", headers=bearer_header(table.owner_token))).status == 200
        assert (await client.get(table.path, headers=bearer_header(stranger))).status == 401
        assert (await (await join(client, table)).json())["seat"] == 1


async def test_new_tokens_count_as_creations(store: RedisStore) -> None:
    """Each leaves an entry in what games are found by."""
    async with serve(store, make_limits(rate_creations=20)) as client:
        table = await create_game(client, WAITING)
        path = f"{table.path}/seats/0/token"
        result = await count_statuses(40, lambda: client.post(path, headers=bearer_header(table.owner_token)))
        assert 19 <= result[200] <= 20
        assert result[200] + result[429] == 40
