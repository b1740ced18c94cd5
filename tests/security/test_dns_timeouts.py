"""A name server that never answers delays only the webhooks whose names it has."""

import asyncio
from pathlib import Path

import aiohttp
from redis.asyncio import Redis

from tests.polling import wait_until
from tests.redis_servers import standalone
from tests.server_process import start_server
from tests.web.http_game import create_game
from tests.web.name_server import run_name_server
from tests.web.webhook_receiver import register_webhook, run_receiver

HOOKS = 10

RECONNECT_S = 15.0
"""How long an instance may take to be ready again after its connections to Redis were closed."""

STOP_S = 20.0
"""How long an instance may take to stop."""

QUICK = ("--drain-time-s", "0", "--close-window-s", "0")


def unresolved_url(url: str) -> str:
    """Return the same Redis URL with a host that only `getaddrinfo` resolves."""
    return url.replace("127.0.0.1", "127.1")


async def ready(session: aiohttp.ClientSession) -> bool:
    async with session.get("/readyz") as response:
        return response.status == 200


async def register_hanging_webhooks(session: aiohttp.ClientSession, where: str = "stranger") -> None:
    """Register webhooks at sites whose names hang, and trigger their delivery."""
    game = await create_game(session)
    for number in range(HOOKS):
        await register_webhook(game, f"https://bot.{where}{number}.com/")
    await game.act_successfully()


async def close_redis_connections(session: aiohttp.ClientSession, redis: Redis) -> None:
    """Close all connections of the instance to Redis, and wait until it is ready again."""
    await redis.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")  # type: ignore[no-untyped-call]
    await wait_until(lambda: ready(session), RECONNECT_S)


async def test_hanging_names_delay_neither_redis_nor_the_shutdown(tmp_path: Path) -> None:
    async with standalone(tmp_path) as deployment, run_name_server(lambda _: None) as names:
        url = unresolved_url(deployment.url)
        flags = (*QUICK, "--webhook-nameservers", names.address)
        async with (
            Redis.from_url(deployment.url) as redis,
            start_server(tmp_path / "data", url, *flags) as one,
            aiohttp.ClientSession(one.url) as session,
        ):
            await register_hanging_webhooks(session)
            await wait_until(lambda: len({*names.queried_names}) >= HOOKS)
            for _ in range(3):
                await close_redis_connections(session, redis)
                assert await ready(session)
            await register_hanging_webhooks(session, "last")
            await wait_until(lambda: any("last" in name for name in names.queried_names))
            async with asyncio.timeout(STOP_S):
                assert await one.stop() == 0


async def test_hanging_names_do_not_delay_other_webhooks(tmp_path: Path, redis_url: str) -> None:
    async with (
        run_name_server(lambda name: ["127.0.0.1"] if name == "good.example" else None) as names,
        run_receiver() as receiver,
    ):
        flags = (*QUICK, "--webhooks-allow-private", "--webhook-nameservers", names.address)
        async with start_server(tmp_path, redis_url, *flags) as one, aiohttp.ClientSession(one.url) as session:
            await register_hanging_webhooks(session)
            await register_webhook(await create_game(session), receiver.url.replace("127.0.0.1", "good.example"))
            await wait_until(lambda: receiver.challenges)
            assert await one.stop() == 0
