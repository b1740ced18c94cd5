"""`/v1/keys/me`, and creating, joining and rematches with an API key."""

import os
import signal
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from aiohttp import ClientSession
from redis.asyncio import Redis

from schemas.problems import PROBLEM_TYPES
from service.games.api_key import UNKNOWN_KEY, generate_secret
from service.store import keys
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore
from service.web.app import DRAINING
from service.web.routes import service
from tests.api_key_fixture import add_api_key, api_key_header
from tests.polling import wait_until
from tests.redis_servers import connect
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, check_problem, create_game
from tests.web.watcher_client import watch_game


async def test_an_instance_is_alive_and_ready(client: Client) -> None:
    for path in ("/livez", "/readyz"):
        response = await client.get(path)
        assert response.status == 200
        assert await response.json() == {"status": "ok"}


async def test_a_draining_instance_is_not_ready_and_closes_connections(store: RedisStore) -> None:
    async with serve(store) as client:
        client.app[DRAINING].set()
        assert (await check_problem(await client.get("/readyz"), 503, "draining"))["retry_after_s"] == 1
        response = await client.get("/livez")
        assert (response.status, response.headers["Connection"]) == (200, "close")
        assert (await client.post("/v1/games", json={"players": TWO_PLAYERS})).status == 201


async def test_an_instance_without_its_store_is_ready_and_says_503_where_it_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "UNREACHABLE_S", 0.2)
    async with embedded_server(tmp_path) as server, connect(server.url) as store, serve(store) as client:
        game = await create_game(client)
        store.client.timeout_s = 1.5

        async def is_ready_with_store() -> bool:
            return (await client.get("/readyz?store=1")).status == 200

        async def is_unready_with_store() -> bool:
            return not await is_ready_with_store()

        assert await is_ready_with_store()
        os.kill(server.pid, signal.SIGSTOP)
        try:
            for path in ("/livez", "/readyz", "/", "/v1/tilesets", "/v1/bots"):
                assert (await client.get(path)).status == 200
            for path in (game.path, "/v1/games"):
                problem = await check_problem(await client.get(path), 503, "store_unavailable")
                assert problem["retry_after_s"] == 1
                assert problem["title"] == PROBLEM_TYPES["store_unavailable"].title
            await wait_until(is_unready_with_store)
            await check_problem(await client.get("/readyz?store=1"), 503, "store_unavailable")
            assert (await client.get("/readyz?store=0")).status == 200
        finally:
            os.kill(server.pid, signal.SIGCONT)

        async def is_read() -> bool:
            return (await game.get()).status == 200

        await wait_until(is_read)
        assert await is_ready_with_store()


async def test_a_full_store_is_read_and_only_writes_get_503(tmp_path: Path) -> None:
    async with embedded_server(tmp_path) as server, connect(server.url) as store, serve(store) as client:
        game = await create_game(client)
        async with Redis.from_url(server.url) as redis:
            await redis.config_set("maxmemory", 1)
        before = read_samples()
        reads = ("", "/legal-moves", "/diffs", "/scores", "/tiles", "/board.svg")
        for read in ("/readyz", "/", "/v1/games", *(game.path + one for one in reads)):
            assert (await client.get(read)).status == 200, read
        async with watch_game(client, game.id) as watcher:
            assert watcher.copy_of(game.id).snapshots == 1
        assert (await game.act({})).status == 400
        rejected = await client.post("/v1/games", json={"players": TWO_PLAYERS})
        assert (await check_problem(rejected, 503, "store_unavailable"))["retry_after_s"] == 1
        assert grown(before, "store_unavailable_total", cause="full") == 1


async def test_the_index_has_valid_paths(client: Client) -> None:
    index = await (await client.get("/")).json()
    async with ClientSession(client.make_url("/")) as session:
        for name in ("openapi", "asyncapi", "games", "tilesets", "docs", "clients"):
            assert (await session.get(index[name])).status == 200


OPEN = {"open": True}


async def list_page(client: Client, secret: str, **query: str) -> Any:
    response = await client.get("/v1/keys/me/games", params=query, headers=api_key_header(secret))
    assert response.status == 200, await response.text()
    assert "Api-Key" in response.headers["Vary"]
    return await response.json()


async def list_ids(client: Client, secret: str, **query: str) -> list[str]:
    return [game["id"] for game in (await list_page(client, secret, **query))["games"]]


@pytest.fixture
async def secret(store: RedisStore) -> str:
    return await add_api_key(store)


async def test_the_holder_reads_the_quotas(client: Client, secret: str) -> None:
    response = await client.get("/v1/keys/me", headers=api_key_header(secret))
    assert (response.status, response.headers["Cache-Control"]) == (200, "private, no-cache")
    assert "Api-Key" in response.headers["Vary"]
    key = await response.json()
    quotas = dict.fromkeys(("games_per_hour", "requests_per_minute", "bot_turns_per_hour"), 1_000)
    dates = {"created_at": key["created_at"], "rotated_at": key["created_at"], "previous_secret_expires_at": None}
    assert key == {"name": "discord-bot", **quotas, **dates}
    assert secret not in await response.text()


async def test_all_games_of_a_key_are_listed(client: Client, secret: str, store: RedisStore) -> None:
    games = [
        await create_game(client, headers=api_key_header(secret), visibility="private"),
        await create_game(client, [{"name": "Ana"}, OPEN], headers=api_key_header(secret)),
    ]
    others: tuple[dict[str, str], ...] = ({}, api_key_header(await add_api_key(store, "other")))
    _, other = [await create_game(client, headers=header) for header in others]
    await store.client.execute("ZADD", keys.game_index("key.discord-bot"), 2**33, other.id)
    page = await list_page(client, secret)
    assert {game["id"] for game in page["games"]} == {game.id for game in games}
    assert (page["next_cursor"], {"board", "discarded"} & page["games"][0].keys()) == (None, set())
    assert await list_ids(client, secret, status="waiting") == [games[1].id]
    assert await list_ids(client, secret, status="finished") == []


async def test_the_key_stays_when_seats_change(client: Client, secret: str, store: RedisStore) -> None:
    game = await create_game(client, [{"name": "Ana"}, OPEN], headers=api_key_header(secret))
    assert (await game.join()).status == 200
    loaded = await store.load(game.id)
    assert loaded is not None
    assert loaded.access.api_key == "discord-bot"
    assert await list_ids(client, secret) == [game.id]


async def test_an_unknown_key_is_unauthorized_everywhere(client: Client, unlimited: Client) -> None:
    for one in (client, unlimited):
        game = await create_game(one, [{"name": "Ana"}, OPEN])
        header = api_key_header(generate_secret("discord-bot"))
        for response in (
            await one.get("/v1/keys/me/games", headers=header),
            await one.post("/v1/games", json={"players": TWO_PLAYERS}, headers=header),
            await game.join(**header),
            await game.post("/rematch", **header),
            await game.post("/webhooks", {"url": "https://bot.example.org/"}, **header),
            await game.post("/seats/0/token", **header),
        ):
            assert (await check_problem(response, 401, "unauthorized"))["detail"] == UNKNOWN_KEY
        assert (await game.get_json())["status"] == "waiting"


async def test_two_keys_in_one_request_are_malformed(client: Client, secret: str) -> None:
    response = await client.post(
        "/v1/games", json={"players": TWO_PLAYERS}, headers=[("Api-Key", secret), ("Api-Key", secret)]
    )
    await check_problem(response, 400, "malformed", "Api-Key")


async def test_games_are_counted_by_the_name_of_their_key(client: Client, secret: str) -> None:
    before = read_samples()
    key = token_hex(16)
    for _ in range(2):  # the second is the first one's retry
        await create_game(client, headers={**api_key_header(secret), "Idempotency-Key": key})
    assert grown(before, "api_key_games_total", key="discord-bot") == 1
