"""Two instances on Redis as it is deployed: games go on over HTTP and sockets, also while the primary is killed."""

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

TABLE = {"players": [{"name": "Ana"}, {"name": "Bo"}]}

BEFORE = 10
"""Actions before the primary is killed."""


@pytest.fixture(params=("sentinel", "cluster"))
async def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Deployment]:
    access = create_access(tmp_path, tls=is_installed(REDIS_WITH_TLS))
    made = sentinel(tmp_path, access=access) if request.param == "sentinel" else cluster(tmp_path, access=access)
    async with made as running:
        yield running


class Watcher:
    """A socket that follows one game."""

    def __init__(self) -> None:
        self.versions: list[int] = []

    async def follow(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Note every version; a snapshot, which comes first, has one too."""
        async for message in socket:
            output: dict[str, Any] = message.json()
            if output["type"] == "diff":
                self.versions.append(output["version"])

    async def reach(self, version: int) -> None:
        """Return when it was told this version."""
        await wait_until(lambda: self.versions and self.versions[-1] >= version)


async def act(
    session: aiohttp.ClientSession, urls: list[str], created: dict[str, Any], moves: list[Any]
) -> dict[str, Any]:
    """Do one action, on the other instance than before, and in turn until it is acknowledged, with one key."""
    headers = {"Authorization": f"Bearer {created['owner_token']}", "Idempotency-Key": secrets.token_hex(16)}
    path = f"/v1/games/{created['game']['id']}/actions?include=legal_moves"
    async with asyncio.timeout(40):
        while True:
            urls.append(urls.pop(0))
            async with session.post(urls[0] + path, json={"move": moves[0]["id"]}, headers=headers) as response:
                answer: dict[str, Any] = await response.json()
            if response.status == 200:
                return answer
            assert (response.status, answer["code"]) == (503, "store_unavailable"), answer
            await asyncio.sleep(0.1)


async def test_games_go_on_over_two_instances_while_the_primary_is_killed(
    deployment: Deployment, tmp_path: Path
) -> None:
    async with (
        start_server(tmp_path / "a", deployment.url) as one,
        start_server(tmp_path / "b", deployment.url) as two,
        aiohttp.ClientSession() as session,
    ):
        async with session.post(f"{one.url}/v1/games?include=legal_moves", json=TABLE) as response:
            created = await response.json()
            assert response.status == 201, created
        game, watcher, urls = created["game"]["id"], Watcher(), [one.url, two.url]
        async with session.ws_connect(f"{two.url}/v1/games/{game}/ws") as socket:
            following = asyncio.create_task(watcher.follow(socket))
            acknowledged: list[int] = []
            moves = created["legal_moves"]["moves"]
            for number in range(2 * BEFORE):
                if number == BEFORE:
                    await watcher.reach(acknowledged[-1])
                    (await deployment.primary(game)).kill()
                answer = await act(session, urls, created, moves)
                acknowledged.append(answer["version"])
                moves = answer["legal_moves"]["moves"]
            await watcher.reach(acknowledged[-1])
            following.cancel()
        async with session.get(f"{two.url}/v1/games/{game}/diffs?since=0&limit=1000") as response:
            log = (await response.json())["diffs"]
    assert acknowledged == [*range(2, 2 + 2 * BEFORE)]
    assert [diff["version"] for diff in log] == [1, *acknowledged]
    assert watcher.versions == [*range(watcher.versions[0], acknowledged[-1] + 1)]
