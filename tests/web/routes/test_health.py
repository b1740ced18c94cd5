import asyncio
import os
import signal
from pathlib import Path

from schemas.problems import PROBLEM_TYPES
from service.store.client import connect
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore
from service.web.app_keys import DRAINING
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, check_problem


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


async def test_an_instance_without_its_store_is_alive_and_not_ready(tmp_path: Path) -> None:
    async with embedded_server(tmp_path) as server, connect(server.url, timeout_s=1.5) as store, serve(store) as client:
        created = await client.post("/v1/games", json={"players": TWO_PLAYERS})
        game = (await created.json())["game"]["id"]
        os.kill(server.pid, signal.SIGSTOP)
        try:
            assert (await client.get("/livez")).status == 200
            reads = [client.get(path) for path in ("/readyz", f"/v1/games/{game}", "/v1/games")]
            for response in await asyncio.gather(*reads, client.post("/v1/games", json={"players": TWO_PLAYERS})):
                problem = await check_problem(response, 503, "store_unavailable")
                assert problem["retry_after_s"] == 1
                assert problem["title"] == PROBLEM_TYPES["store_unavailable"].title
        finally:
            os.kill(server.pid, signal.SIGCONT)
        async with asyncio.timeout(20):
            while (await client.get("/readyz")).status != 200:  # noqa: ASYNC110  Redis gives no sign of it
                await asyncio.sleep(0.1)


async def test_the_index_has_valid_paths(client: Client) -> None:
    index = await (await client.get("/")).json()
    for name in ("openapi", "games", "tilesets"):
        assert (await client.get(index[name])).status == 200
