"""Traffic over two instances that touches every metric once."""

import asyncio

import aiohttp

from tests.api_key_fixture import api_key_header
from tests.polling import wait_until
from tests.web.http_game import TWO_PLAYERS, HTTPGame, create_game


async def run_traffic(one: str, other: str, api_key: str) -> None:
    """Play on one instance and watch on both; request pictures, provoke rejections, and use bots and an API key."""
    async with aiohttp.ClientSession(one) as session:
        game = await create_game(session, [{"name": "A"}, {"bot": "expert"}])
        path = game.path
        async with (
            session.ws_connect(f"{path}/ws") as actual,
            session.ws_connect(f"{other}{path}/ws") as there,
            session.get(f"{other}{path}/diffs", headers={"Accept": "text/event-stream"}) as stream,
        ):
            version = game.created["game"]["version"]
            for _ in range(4):
                await wait_until(lambda: is_on_turn(game))
                version = (await game.act_successfully())["version"]
            for socket in (actual, there):
                await read_until_version(socket, version)
                await socket.send_json({"type": "ping"})
            await stream.content.readline()
        for picture in ("board.svg", "board.svg", "board.png"):
            async with session.get(f"{path}/{picture}") as response:
                assert response.status == 200
        async with session.get("/v1/games/none") as response:
            assert response.status == 404
        async with session.get("/v1/games") as response:
            assert response.status == 200
        await exceed_quota(session, api_key_header(api_key))


async def exceed_quota(session: aiohttp.ClientSession, headers: dict[str, str]) -> None:
    """Create a game with an API key, and send requests with it until one is rejected."""
    async with session.post("/v1/games", json={"players": TWO_PLAYERS}, headers=headers) as response:
        assert response.status == 201
    while response.status != 429:
        async with session.get("/v1/keys/me", headers=headers) as response:
            assert response.status in {200, 429}


async def is_on_turn(game: HTTPGame) -> bool:
    """Return whether seat 0 is on turn, as the bot may take its time."""
    return bool((await game.get_json("/legal-moves"))["seat"] == 0)


async def read_until_version(socket: aiohttp.ClientWebSocketResponse, version: int) -> None:
    """Read until a version was received, as a snapshot or a diff."""
    async with asyncio.timeout(20):
        reached = 0
        while reached < version:
            received = await socket.receive_json()
            reached = {"diff": received, "snapshot": received.get("game", {})}.get(received["type"], {}).get(
                "version", 0
            )
