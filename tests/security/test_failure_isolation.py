"""A failure of one does not affect the others: lists, archives, indexes, webhooks.

Redis hangs under load: waiting requests are limited, everything else is served, and nothing is lost.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
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
from service.games.webhook_delivery import WebhookDeliverer
from service.store import keys
from service.store import topology as topology_module
from service.store.connection import parse_url
from service.store.game_store import RedisStore
from service.store.topology import ClusterTopology
from service.supervision import Supervisor
from tests.games.game_fixture import process_due
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import Node, standalone
from tests.server_process import ServerProcess, start_server
from tests.telemetry.metric_samples import metrics_url, scrape, sum_samples
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, bearer_header, create_game
from tests.web.webhook_receiver import register_webhook

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
    sent: list[str] = []

    async def send(url: str, headers: Any, body: bytes, /, *, challenge: bool = False) -> SendResult:
        del url
        if challenge:
            return SendResult(200, None, 1, msgspec.json.encode({"challenge": msgspec.json.decode(body)["challenge"]}))
        sent.append(headers["webhook-id"])
        return SendResult(204, None, 1)

    worker = WebhookDeliverer(store, send, time.time).worker(Wakeups())
    for _ in range(5):
        await process_due(worker)
    assert len(sent) == OTHERS
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

    async def act_over_socket(self, socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
        """Act over a WebSocket, and return the reply."""
        key = f"key of {self.game.id}"
        await socket.send_json({"type": "act", "id": "s", "game": self.game.id, "move": self.move, "key": key})
        async with asyncio.timeout(TIMEOUT_S):
            while (message := await socket.receive_json()).get("id") != "s":
                pass
        reply: dict[str, Any] = message
        return reply


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

    reading = [asyncio.create_task(read()) for _ in range(CLIENTS)]
    try:
        yield previous
    finally:
        for one in reading:
            one.cancel()
        ended = await asyncio.gather(*reading, return_exceptions=True)
        assert {type(one) for one in ended} == {asyncio.CancelledError}


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
            async for line in stream.content:
                if line.startswith(b"data:") and b'"type":"diff"' in line:
                    break
            else:
                pytest.fail("the stream has ended")
    for move in moves:
        assert (await move.game.get_json())["version"] == 2
