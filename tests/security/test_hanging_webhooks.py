"""Webhook servers that hang, registered by the dozen, delay only each other.

A name server that never answers delays only the webhooks whose names it has.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp
import msgspec
from redis.asyncio import Redis

from service.games.due_work import Wakeups
from service.games.ports import SendResult
from service.games.webhook_delivery import MAX_DELIVERIES, WebhookDeliverer
from service.games.webhook_payloads import host_of_url
from service.store.game_store import RedisStore
from service.supervision import Supervisor
from tests.polling import TIMEOUT_S, run_ready_tasks, wait_until
from tests.redis_servers import standalone
from tests.server_process import start_server
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.name_server import run_name_server
from tests.web.webhook_receiver import register_webhook, run_receiver

ROUNDS = 5


class WebhookSites:
    """Servers of which some answer and some never do; all accept their challenge by default."""

    def __init__(self) -> None:
        self.hanging: Callable[[str], bool] = lambda where: "slow" in where
        self.hang_challenges = False
        self.timed_out = asyncio.Event()
        self.under_way = Counter[str]()
        self.most = Counter[str]()
        self.answered = Counter[str]()
        self.arrived = asyncio.Condition()

    async def send(
        self, url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Receive a webhook."""
        del headers
        where = host_of_url(url)
        self.under_way[where] += 1
        self.most[where] = max(self.most[where], self.under_way[where])
        try:
            if self.hanging(where) and (self.hang_challenges or not challenge):
                await self.timed_out.wait()
                return SendResult(None, "timeout", 10_000)
        finally:
            self.under_way[where] -= 1
        if challenge:
            return SendResult(200, None, 1, msgspec.json.encode({"challenge": msgspec.json.decode(body)["challenge"]}))
        async with self.arrived:
            self.answered[where] += 1
            self.arrived.notify_all()
        return SendResult(204, None, 1)

    async def wait_until(self, what: Callable[[], bool]) -> None:
        """Wait until a webhook was received that makes the condition true."""
        async with asyncio.timeout(TIMEOUT_S), self.arrived:
            await self.arrived.wait_for(what)


class HostileInstance(NamedTuple):
    """An instance whose webhooks lead to such servers."""

    client: Client
    sites: WebhookSites

    async def create_hanging(self, hosts: int) -> list[HTTPGame]:
        """Create games with ten webhooks each, two at each of this number of hosts that hang."""
        created = [await create_game(self.client) for _ in range(-(-hosts // 5))]
        for number in range(2 * hosts):
            await register_webhook(created[number // 10], f"https://slow{number % hosts}.example/")
        return created

    async def wait_until_hanging(self, hosts: int) -> None:
        """Wait until a delivery to each of so many hosts hangs."""
        await wait_until(lambda: self.sites.under_way.total() == hosts)

    async def create_prompt(self, where: str) -> HTTPGame:
        """Create a game with a webhook at a server that answers, and wait until it has received some changes."""
        game = await create_game(self.client)
        await register_webhook(game, f"https://{where}/")
        await wait_until_proven(game, 1)
        await self.change_and_wait(game, where)
        return game

    async def change_and_wait(self, game: HTTPGame, where: str) -> None:
        """Change a game several times, and wait until a server received each change."""
        for _ in range(ROUNDS):
            before = self.sites.answered[where]
            await game.act_successfully()
            await self.sites.wait_until(lambda: self.sites.answered[where] > before)  # noqa: B023  it is waited for here


@asynccontextmanager
async def hostile(store: RedisStore) -> AsyncIterator[HostileInstance]:
    sites = WebhookSites()
    worker = WebhookDeliverer(store, sites.send, time.time).worker(Wakeups(), 0.1)
    async with serve(store, woken_webhooks=worker.wakeups) as client, Supervisor().running("webhooks", worker.run):
        yield HostileInstance(client, sites)


async def wait_until_proven(game: HTTPGame, number: int) -> None:
    """Wait until so many webhooks of a game have passed their challenge."""

    async def are_proven() -> bool:
        hooks = (await game.get_json("/webhooks"))["webhooks"]
        return [hook["status"] for hook in hooks] == ["active"] * number

    await wait_until(are_proven)


MOST_HOSTS = 60
"""Hosts that hang and leave some deliveries to others."""


async def test_hanging_servers_delay_no_other(store: RedisStore) -> None:
    async with hostile(store) as one:
        good = await one.create_prompt("good.example")
        http_games = await one.create_hanging(MOST_HOSTS)
        await asyncio.gather(*(wait_until_proven(game, 10) for game in http_games))
        await asyncio.gather(*(game.act_successfully() for game in http_games))
        await one.wait_until_hanging(MOST_HOSTS)
        await one.change_and_wait(good, "good.example")
        await one.create_prompt("fresh.example")
        assert one.sites.under_way.total() == MOST_HOSTS
        assert set(one.sites.most.values()) == {1}, "one delivery at a time to a host"


async def test_servers_that_hang_at_their_challenge_delay_no_other(store: RedisStore) -> None:
    async with hostile(store) as one:
        one.sites.hang_challenges = True
        await one.create_hanging(MOST_HOSTS)
        await one.wait_until_hanging(MOST_HOSTS)
        await one.create_prompt("fresh.example")
        assert one.sites.under_way.total() == MOST_HOSTS


async def test_others_wait_up_to_the_timeout_when_all_deliveries_hang(store: RedisStore) -> None:
    async with hostile(store) as one:
        one.sites.hang_challenges = True
        await one.create_hanging(MAX_DELIVERIES + 1)
        await one.wait_until_hanging(MAX_DELIVERIES)
        created = asyncio.create_task(one.create_prompt("fresh.example"))
        await run_ready_tasks()
        assert one.sites.under_way.total() == MAX_DELIVERIES
        one.sites.timed_out.set()
        await created


HOOKS = 10

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
    await wait_until(lambda: ready(session))


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
