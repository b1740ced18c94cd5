"""Two instances on Sentinel and Cluster: games continue over HTTP and sockets when the primary is killed."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.polling import wait_until
from tests.redis_servers import Deployment, cluster, create_access, sentinel
from tests.server_process import start_server
from tests.tools import REDIS_WITH_TLS, is_installed
from tests.web.http_game import HTTPGame, create_game

ACTIONS_BEFORE_KILL = 10


@pytest.fixture(params=("sentinel", "cluster"))
async def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Deployment]:
    access = create_access(tmp_path, tls=is_installed(REDIS_WITH_TLS))
    start = sentinel if request.param == "sentinel" else cluster
    async with start(tmp_path, access=access) as running:
        yield running


class Watcher:
    """Records the versions that a socket receives."""

    def __init__(self) -> None:
        self.versions: list[int] = []

    async def read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Record the version of every diff."""
        async for message in socket:
            received: dict[str, Any] = message.json()
            if received["type"] == "diff":
                self.versions.append(received["version"])

    async def wait_for_version(self, version: int) -> None:
        """Wait until it has received this version."""
        await wait_until(lambda: self.versions and self.versions[-1] >= version)


async def act(games: list[HTTPGame], move: str) -> dict[str, Any]:
    """Send an action to the instances in turn, with the same key, until one acknowledges it."""
    key = {"Idempotency-Key": secrets.token_hex(16)}
    async with asyncio.timeout(40):
        while True:
            games.append(games.pop(0))
            response = await games[0].act({"move": move}, query="?include=legal_moves", **key)
            body: dict[str, Any] = await response.json()
            if response.status == 200:
                return body
            assert (response.status, body["code"]) == (503, "store_unavailable"), body
            await asyncio.sleep(0.1)


async def test_games_continue_on_two_instances_after_the_primary_is_killed(
    deployment: Deployment, tmp_path: Path
) -> None:
    async with (
        start_server(tmp_path / "a", deployment.url) as one,
        start_server(tmp_path / "b", deployment.url) as two,
        aiohttp.ClientSession(one.url) as session,
        aiohttp.ClientSession(two.url) as other_session,
    ):
        game = await create_game(session)
        other_game, watcher = HTTPGame(other_session, game.created), Watcher()
        async with other_session.ws_connect(f"{game.path}/ws") as socket:
            reader = asyncio.create_task(watcher.read(socket))
            acknowledged: list[int] = []
            games, moves = [game, other_game], await game.legal_moves()
            for number in range(2 * ACTIONS_BEFORE_KILL):
                if number == ACTIONS_BEFORE_KILL:
                    await watcher.wait_for_version(acknowledged[-1])
                    (await deployment.primary(game.id)).kill()
                result = await act(games, moves[0]["id"])
                acknowledged.append(result["version"])
                moves = result["legal_moves"]["moves"]
            await watcher.wait_for_version(acknowledged[-1])
            reader.cancel()
        log = await other_game.log()
    assert acknowledged == [*range(2, 2 + 2 * ACTIONS_BEFORE_KILL)]
    assert [diff["version"] for diff in log] == [1, *acknowledged]
    assert watcher.versions == [*range(watcher.versions[0], acknowledged[-1] + 1)]
