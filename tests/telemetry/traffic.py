"""Traffic over two instances that touches every metric once."""

import asyncio
from typing import Any

import aiohttp

NEW_GAME = {"players": [{"name": "A"}, {"bot": "expert"}], "first_seat": 0}


async def run_traffic(one: str, other: str) -> None:
    """Play on one instance and watch on both; request pictures, provoke rejections, and use bots and webhooks."""
    async with aiohttp.ClientSession() as session:
        created = await post(session, f"{one}/v1/games", {"players": [{"name": "A"}, {"bot": "expert"}]})
        game, token = created["game"]["id"], {"Authorization": f"Bearer {created['owner_token']}"}
        path = f"/v1/games/{game}"
        async with (
            session.ws_connect(f"{one}{path}/ws") as actual,
            session.ws_connect(f"{other}{path}/ws") as there,
            session.get(f"{other}{path}/diffs", headers={"Accept": "text/event-stream"}) as stream,
        ):
            version = created["game"]["version"]
            for _ in range(4):
                move = await wait_for_move(session, f"{one}{path}/legal-moves")
                version = (await post(session, f"{one}{path}/actions", {"move": move}, token))["version"]
            for socket in (actual, there):
                await read_until_version(socket, version)
                await socket.send_json({"type": "ping"})
            await stream.content.readline()
        for picture in ("board.svg", "board.svg", "board.png"):
            async with session.get(f"{one}{path}/{picture}") as response:
                assert response.status == 200
        async with session.get(f"{one}/v1/games/none") as response:
            assert response.status == 404
        async with session.get(f"{one}/v1/games") as response:
            assert response.status == 200


async def wait_for_move(session: aiohttp.ClientSession, url: str) -> str:
    """Return a move of seat 0, once the bot has moved."""
    async with asyncio.timeout(20):
        while True:
            async with session.get(url) as response:
                legal = await response.json()
            if legal["seat"] == 0:
                move: str = legal["moves"][0]["id"]
                return move
            await asyncio.sleep(0.1)


async def post(session: aiohttp.ClientSession, url: str, body: Any, headers: dict[str, str] | None = None) -> Any:
    """Send a request that must succeed; return its response."""
    async with session.post(url, json=body, headers=headers) as response:
        assert response.status in (200, 201), await response.text()
        return await response.json()


async def read_until_version(socket: aiohttp.ClientWebSocketResponse, version: int) -> None:
    """Read until a version was received, as a snapshot or a diff."""
    async with asyncio.timeout(20):
        reached = 0
        while reached < version:
            received = await socket.receive_json()
            reached = {"diff": received, "snapshot": received.get("game", {})}.get(received["type"], {}).get(
                "version", 0
            )
