"""A name server that never answers delays only the webhooks whose names it has."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
from redis.asyncio import Redis

from tests.polling import wait_until
from tests.redis_servers import standalone
from tests.server_process import ServerProcess, start_server
from tests.web.name_server import run_name_server
from tests.web.webhook_receiver import run_receiver

HOOKS = 10

RECONNECT_S = 15.0
"""How long an instance may take to be ready again after its connections to Redis were closed."""

STOP_S = 20.0
"""How long an instance may take to stop."""

QUICK = ("--drain-time-s", "0", "--close-window-s", "0")


def unresolved_url(url: str) -> str:
    """Return the same Redis URL with a host that only `getaddrinfo` resolves."""
    return url.replace("127.0.0.1", "127.1")


async def post(session: aiohttp.ClientSession, url: str, body: Any, token: str | None = None) -> Any:
    """Send a POST that succeeds."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with session.post(url, json=body, headers=headers) as response:
        assert response.status in (200, 201), await response.text()
        return await response.json()


async def ready(session: aiohttp.ClientSession, one: ServerProcess) -> bool:
    async with session.get(f"{one.url}/readyz") as response:
        return response.status == 200


async def register_hanging_webhooks(
    session: aiohttp.ClientSession, one: ServerProcess, where: str = "stranger"
) -> None:
    """Register webhooks at sites whose names hang, and trigger their delivery."""
    created = await post(session, f"{one.url}/v1/games", {"players": [{"name": "Ana"}, {"name": "Bo"}]})
    path, owner = f"{one.url}/v1/games/{created['game']['id']}", created["owner_token"]
    for number in range(HOOKS):
        await post(session, f"{path}/webhooks", {"url": f"https://bot.{where}{number}.com/"}, owner)
    async with session.get(f"{path}/legal-moves") as response:
        move = (await response.json())["moves"][0]["id"]
    await post(session, f"{path}/actions", {"move": move}, owner)


async def close_redis_connections(session: aiohttp.ClientSession, one: ServerProcess, redis: Redis) -> None:
    """Close all connections of the instance to Redis, and wait until it is ready again."""
    await redis.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")  # type: ignore[no-untyped-call]
    async with asyncio.timeout(RECONNECT_S):
        while not await ready(session, one):  # noqa: ASYNC110  another process becomes ready
            await asyncio.sleep(0.02)


async def test_hanging_names_delay_neither_redis_nor_the_shutdown(tmp_path: Path) -> None:
    async with standalone(tmp_path) as deployment, run_name_server(lambda _: None) as names:
        url = unresolved_url(deployment.url)
        flags = (*QUICK, "--webhook-nameservers", names.address)
        async with (
            Redis.from_url(deployment.url) as redis,
            start_server(tmp_path / "data", url, *flags) as one,
            aiohttp.ClientSession() as session,
        ):
            await register_hanging_webhooks(session, one)
            await wait_until(lambda: len({*names.queried_names}) >= HOOKS)
            for _ in range(3):
                await close_redis_connections(session, one, redis)
                assert await ready(session, one)
            await register_hanging_webhooks(session, one, "last")
            await wait_until(lambda: any("last" in name for name in names.queried_names))
            async with asyncio.timeout(STOP_S):
                assert await one.stop() == 0


async def test_hanging_names_do_not_delay_other_webhooks(tmp_path: Path, redis_url: str) -> None:
    async with (
        run_name_server(lambda name: ["127.0.0.1"] if name == "good.example" else None) as names,
        run_receiver() as receiver,
    ):
        flags = (*QUICK, "--webhooks-allow-private", "--webhook-nameservers", names.address)
        async with start_server(tmp_path, redis_url, *flags) as one, aiohttp.ClientSession() as session:
            await register_hanging_webhooks(session, one)
            created = await post(session, f"{one.url}/v1/games", {"players": [{"name": "Ana"}, {"name": "Bo"}]})
            hooks = f"{one.url}/v1/games/{created['game']['id']}/webhooks"
            good = receiver.url.replace("127.0.0.1", "good.example")
            await post(session, hooks, {"url": good}, created["owner_token"])
            await wait_until(lambda: receiver.challenges)
            assert await one.stop() == 0
