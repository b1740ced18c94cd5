import asyncio
import os
import signal
from pathlib import Path

from redis.asyncio import Redis

from schemas.problems import PROBLEM_TYPES
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore, connect
from service.web.app_keys import DRAINING
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, check_problem
from tests.web.watcher_client import connect_watcher


async def test_an_instance_is_alive_and_ready(client: Client) -> None:
    for path in ("/livez", "/readyz"):
        response = await client.get(path)
        assert response.status == 200
        assert await response.json() == {"status": "ok"}


async def test_a_draining_instance_is_not_ready_and_closes_connections(store: RedisStore) -> None:
    async with serve(store) as client:
        client.app[DRAINING].set()
        problem = await check_problem(await client.get("/readyz"), 503, "draining")
        assert problem["retry_after_s"] == 1
        response = await client.get("/livez")
        assert response.status == 200
        assert response.headers["Connection"] == "close"
        created = await client.post("/v1/games", json={"players": TWO_PLAYERS})
        assert created.status == 201


async def test_an_instance_without_its_store_is_alive_and_ready_and_says_503_where_it_needs_it(tmp_path: Path) -> None:
    async with embedded_server(tmp_path) as server, connect(server.url, timeout_s=1.5) as store, serve(store) as client:
        created = await client.post("/v1/games", json={"players": TWO_PLAYERS})
        game = (await created.json())["game"]["id"]
        os.kill(server.pid, signal.SIGSTOP)
        try:
            for path in ("/livez", "/readyz", "/", "/v1/tilesets", "/v1/bots"):
                assert (await client.get(path)).status == 200
            for path in (f"/v1/games/{game}", "/v1/games"):
                problem = await check_problem(await client.get(path), 503, "store_unavailable")
                assert problem["retry_after_s"] == 1
                assert problem["title"] == PROBLEM_TYPES["store_unavailable"].title
        finally:
            os.kill(server.pid, signal.SIGCONT)
        async with asyncio.timeout(20):
            while (await client.get(f"/v1/games/{game}")).status != 200:  # noqa: ASYNC110  Redis gives no sign of it
                await asyncio.sleep(0.1)


async def test_a_full_store_is_read_and_only_writes_get_503(tmp_path: Path) -> None:
    async with embedded_server(tmp_path) as server, connect(server.url) as store, serve(store) as client:
        created = await (await client.post("/v1/games", json={"players": TWO_PLAYERS})).json()
        path = f"/v1/games/{created['game']['id']}"
        async with Redis.from_url(server.url) as redis:
            await redis.config_set("maxmemory", 1)
        before = read_samples()
        reads = (path, f"{path}/legal-moves", f"{path}/diffs", f"{path}/scores", f"{path}/tiles", f"{path}/board.svg")
        for read in ("/readyz", "/", "/v1/games", *reads):
            assert (await client.get(read)).status == 200, read
        async with connect_watcher(client, f"{path}/ws") as watcher:
            assert [await watcher.receive(tag) for tag in ("subscribed", "snapshot")]
        act = client.post(f"{path}/actions", json={}, headers={"Authorization": f"Bearer {created['owner_token']}"})
        assert (await act).status == 400
        problem = await check_problem(
            await client.post("/v1/games", json={"players": TWO_PLAYERS}), 503, "store_unavailable"
        )
        assert problem["retry_after_s"] == 1
        assert grown(before, "store_unavailable_total", cause="full") == 1


async def test_the_index_has_valid_paths(client: Client) -> None:
    index = await (await client.get("/")).json()
    for name in ("openapi", "games", "tilesets"):
        assert (await client.get(index[name])).status == 200
