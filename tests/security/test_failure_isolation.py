"""What hangs or fails - a webhook's server or name, a game's data, Redis under load - affects nothing else."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import msgspec
import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from service.games.due_work import Wakeups
from service.games.ports import SendResult
from service.games.webhook_delivery import MAX_DELIVERIES, WebhookDeliverer
from service.games.webhook_payloads import host_of_url
from service.store import keys
from service.store import topology as topology_module
from service.store.connection import parse_url
from service.store.game_store import RedisStore
from service.store.topology import ClusterTopology
from service.supervision import Supervisor
from tests.games.game_fixture import process_due
from tests.polling import TIMEOUT_S, run_ready_tasks, wait_until
from tests.redis_servers import Node, standalone
from tests.server_process import ServerProcess, start_server
from tests.telemetry.metric_samples import metrics_url, scrape, sum_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, bearer_header, create_game
from tests.web.name_server import run_name_server
from tests.web.webhook_receiver import register_webhook, run_receiver

OTHERS = 3


async def test_a_damaged_webhook_is_postponed_and_delays_no_other(
    client: Client, store: RedisStore, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    games = [await create_game(client) for _ in range(1 + OTHERS)]
    hooks = [(await register_webhook(game, f"https://{game.id}.example/"))["id"] for game in games]
    for game in games:
        await game.act_successfully()
    await redis.hset(keys.game(games[0].id), f"hook:{hooks[0]}", b"damaged")
    due = await redis.zscore(keys.WEBHOOK_SCHEDULE, f"{games[0].id} {hooks[0]}")
    sites = WebhookSites()
    worker = WebhookDeliverer(store, sites.send, time.time).worker(Wakeups())
    for _ in range(5):
        await process_due(worker)
    assert sites.answered.total() == OTHERS
    assert (await redis.zscore(keys.WEBHOOK_SCHEDULE, f"{games[0].id} {hooks[0]}") or 0) > (due or 0) > 0
    assert len([record for record in caplog.records if hooks[0] in record.getMessage()]) == 1


async def test_the_cluster_topology_is_checked_again_after_any_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topology_module, "MIN_REFRESH_INTERVAL_S", 0.001)
    topology = ClusterTopology(parse_url("redis+cluster://127.0.0.1:1/"), Supervisor())
    errors: list[Exception] = [ValueError("no node names its slots so"), RedisConnectionError("nobody is there")]
    remaining = len(errors) + 1

    async def failing() -> None:
        nonlocal remaining
        remaining -= 1
        if errors:
            raise errors.pop(0)

    monkeypatch.setattr(topology, "refresh", failing)

    def ask() -> bool:
        topology.request_refresh()
        return not remaining

    await wait_until(ask)
    await topology.aclose()


COMMANDS = 120
BYTES = 1_048_576

GAMES = 30


FULL = "too many commands wait for the store; nothing was changed: retry"

STREAM = {"Accept": "text/event-stream"}
CLIENTS = 250
"""More clients than may wait; each sends its next request at once."""

MIN_REJECTED = 2_000
"""Rejected requests after which the test checks the service."""

FLAGS = (
    *("--drain-time-s", "0", "--close-window-s", "0", "--rate-limits", "off", "--metrics-port", "0"),
    *("--max-redis-commands-in-flight", str(COMMANDS), "--max-redis-bytes-in-flight", str(BYTES)),
)

PATHS_WITHOUT_REDIS = ("/livez", "/v1/bots", "/v1/tilesets", "/", "/openapi.json")
"""What is served without Redis."""


class Move(NamedTuple):
    """A game, and its first legal move, which is always sent with the same idempotency key."""

    game: HTTPGame
    move: str

    async def act(self) -> int:
        """Post the move, and return the status."""
        response = await self.game.act({"move": self.move}, **{"Idempotency-Key": f"key of {self.game.id}"})
        await response.read()
        return response.status

    async def act_over_socket(self, socket: aiohttp.ClientWebSocketResponse) -> Any:
        """Act over a WebSocket, and return the reply."""
        key = f"key of {self.game.id}"
        await socket.send_json({"type": "act", "id": "s", "game": self.game.id, "move": self.move, "key": key})
        async with asyncio.timeout(TIMEOUT_S):
            while (message := await socket.receive_json()).get("id") != "s":
                pass
        return message


class StallingService(NamedTuple):
    """A service, and its Redis server."""

    one: ServerProcess
    node: Node
    metrics: str
    session: aiohttp.ClientSession

    async def create(self) -> Move:
        """Create a game."""
        game = await create_game(self.session)
        return Move(game, (await game.first_move())["move"])

    async def wait_until_ready(self) -> None:
        """Wait until its store replies."""
        await wait_until(self.is_ready)

    async def is_ready(self) -> bool:
        """Return whether its store replies."""
        async with self.session.get("/v1/games") as response:
            return response.status == 200


@asynccontextmanager
async def flood(session: aiohttp.ClientSession, game: HTTPGame) -> AsyncIterator[Counter[tuple[int, str | None]]]:
    """Read a game with many clients; yields how often each status and Retry-After was returned."""
    previous: Counter[tuple[int, str | None]] = Counter()

    async def read() -> None:
        while True:
            async with session.get(game.path) as response:
                await response.read()
                previous[response.status, response.headers.get("Retry-After")] += 1
            await asyncio.sleep(0.1)

    async with asyncio.TaskGroup() as group:
        reading = [group.create_task(read()) for _ in range(CLIENTS)]
        yield previous
        for one in reading:
            one.cancel()


@pytest.fixture
async def stalling(tmp_path: Path) -> AsyncIterator[StallingService]:
    async with (
        standalone(tmp_path) as deployment,
        start_server(tmp_path / "data", deployment.url, *FLAGS) as one,
        aiohttp.ClientSession(one.url, connector=aiohttp.TCPConnector(limit=0)) as session,
    ):
        yield StallingService(one, deployment.nodes[0], await metrics_url(one), session)


async def test_requests_to_a_stalled_redis_are_bounded_and_rejected_at_once(stalling: StallingService) -> None:
    game = (await stalling.create()).game
    stalling.node.pause()
    commands, in_flight, details = [0.0], [0.0], Counter[str]()
    async with asyncio.timeout(TIMEOUT_S), flood(stalling.session, game) as previous:
        while previous.total() < MIN_REJECTED or max(commands) < COMMANDS / 2 or FULL not in details:
            received = await scrape(stalling.metrics)
            commands.append(sum_samples(received, "redis_commands_in_flight"))
            in_flight.append(sum_samples(received, "http_requests_in_flight"))
            assert sum_samples(received, "redis_in_flight_bytes") <= BYTES
            for path in PATHS_WITHOUT_REDIS:
                async with stalling.session.get(path) as response:
                    assert response.status == 200, path
            async with stalling.session.get("/v1/games") as response:
                assert response.status == 503
                details[(await response.json())["detail"]] += 1
    assert {*previous} == {(503, "1")}
    assert max(commands) <= COMMANDS
    assert max(in_flight) <= COMMANDS + CLIENTS / 2  # those that were refused are answered within a moment
    stalling.node.resume()
    await stalling.wait_until_ready()

    async def is_caught_up() -> bool:
        """Whether at most the command that measures now and then is in flight; the metrics may be some seconds old."""
        return sum_samples(await scrape(stalling.metrics), "redis_commands_in_flight") <= 1

    await wait_until(is_caught_up)
    received = await scrape(stalling.metrics)
    assert sum_samples(received, "redis_errors_total", kind="busy") >= MIN_REJECTED / 2


async def test_retries_after_a_stall_are_applied_once_and_watchers_stay_connected(stalling: StallingService) -> None:
    session = stalling.session
    moves = [await stalling.create() for _ in range(GAMES)]
    before, during, sent = moves[: GAMES // 2], moves[GAMES // 2 : -1], moves[-1]
    watched = during[0].game
    async with (
        session.ws_connect(f"{watched.path}/ws") as socket,
        session.ws_connect("/v1/ws", headers=bearer_header(sent.game.owner_token)) as speaking,
        session.get(f"{watched.path}/diffs", headers=STREAM) as stream,
    ):
        assert stream.status == 200
        assert [await move.act() for move in before] == [200] * len(before)
        stalling.node.pause()
        async with asyncio.timeout(TIMEOUT_S), flood(session, before[0].game) as previous:
            while previous.total() < MIN_REJECTED:
                statuses = await asyncio.gather(*(move.act() for move in during))
                assert {*statuses} == {503}
                rejected = await sent.act_over_socket(speaking)
                assert (rejected["type"], rejected["problem"]["code"]) == ("error", "store_unavailable")
                assert rejected["problem"]["retry_after_s"] == 1
        stalling.node.resume()
        await stalling.wait_until_ready()
        assert [await move.act() for move in before + during] == [200] * (GAMES - 1)
        acknowledged = await sent.act_over_socket(speaking)
        assert (acknowledged["type"], acknowledged["version"]) == ("ack", 2)
        async with asyncio.timeout(TIMEOUT_S):
            while (message := await socket.receive_json())["type"] != "diff":
                pass
            assert message["version"] == 2
            line = b""
            while b'"type":"diff"' not in line:
                line = await stream.content.readline()
                assert line, "the stream has ended"
    for move in moves:
        assert (await move.game.get_json())["version"] == 2


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
