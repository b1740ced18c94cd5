"""Redis hangs under load: waiting requests are limited, everything else is served, and nothing is lost."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest

from service.games.ports import StoreBusy
from service.web.problems import error_response
from tests.polling import wait_until
from tests.redis_servers import Node, standalone
from tests.server_process import ServerProcess, start_server
from tests.telemetry.metric_samples import Samples, metrics_url, scrape, sum_samples
from tests.web.http_game import bearer_header

COMMANDS = 120
BYTES = 1_048_576

GAMES = 30

WITHIN_S = 120

FULL = "too many commands wait for the store: retry later with the same Idempotency-Key"

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


class Game(NamedTuple):
    """A game, and its first legal action."""

    path: str
    token: str
    move: str

    @property
    def id(self) -> str:
        """Return the game's id."""
        return self.path.rpartition("/")[2]

    def request(self) -> dict[str, Any]:
        """Return the arguments of a POST of the action, with a new idempotency key."""
        return {
            "json": {"move": self.move},
            "headers": {**bearer_header(self.token), "Idempotency-Key": f"key of {self.path}"},
        }


class StallingService(NamedTuple):
    """A service, and its Redis server."""

    one: ServerProcess
    node: Node
    metrics: str
    session: aiohttp.ClientSession

    async def create(self) -> Game:
        """Create a game."""
        async with self.session.post("/v1/games", json={"players": [{"name": "Ana"}, {"name": "Bo"}]}) as response:
            assert response.status == 201
            created = await response.json()
        path = f"/v1/games/{created['game']['id']}"
        async with self.session.get(f"{path}/legal-moves") as response:
            return Game(path, created["owner_token"], (await response.json())["moves"][0]["id"])

    async def scrape_metrics(self) -> Samples:
        """Return its metrics."""
        return await scrape(self.metrics)

    async def wait_until_ready(self) -> None:
        """Wait until it is ready."""
        async with asyncio.timeout(30):
            while True:
                async with self.session.get("/readyz") as response:
                    if response.status == 200:
                        return
                await asyncio.sleep(0.05)


@asynccontextmanager
async def flood(session: aiohttp.ClientSession, game: Game) -> AsyncIterator[Counter[tuple[int, str | None]]]:
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
    game = await stalling.create()
    stalling.node.pause()
    commands, in_flight, details = [0.0], [0.0], Counter[str]()
    async with asyncio.timeout(WITHIN_S), flood(stalling.session, game) as previous:
        while previous.total() < MIN_REJECTED or max(commands) < COMMANDS / 2 or FULL not in details:
            received = await stalling.scrape_metrics()
            commands.append(sum_samples(received, "redis_commands_in_flight"))
            in_flight.append(sum_samples(received, "http_requests_in_flight"))
            assert sum_samples(received, "redis_in_flight_bytes") <= BYTES
            for path in PATHS_WITHOUT_REDIS:
                async with stalling.session.get(path) as response:
                    assert response.status == 200, path
            async with stalling.session.get("/readyz") as response:
                assert response.status == 503
                details[(await response.json())["detail"]] += 1
    assert {*previous} == {(503, "1")}
    assert max(commands) <= COMMANDS
    assert max(in_flight) <= COMMANDS + CLIENTS / 2  # those that were refused are answered within a moment
    stalling.node.resume()
    await stalling.wait_until_ready()
    received = await stalling.scrape_metrics()
    assert sum_samples(received, "redis_commands_in_flight") <= 1  # what measures now and then
    assert sum_samples(received, "redis_errors_total", kind="busy") >= MIN_REJECTED / 2


async def act(session: aiohttp.ClientSession, game: Game) -> int:
    async with session.post(f"{game.path}/actions", **game.request()) as response:
        await response.read()
        return response.status


async def act_over_socket(socket: aiohttp.ClientWebSocketResponse, game: Game) -> dict[str, Any]:
    """Act over a WebSocket; return the response."""
    await socket.send_json({"type": "act", "id": "s", "game": game.id, "move": game.move, "key": f"key of {game.path}"})
    async with asyncio.timeout(30):
        while (message := await socket.receive_json()).get("id") != "s":
            pass
    answer: dict[str, Any] = message
    return answer


async def test_retries_after_a_stall_are_applied_once_and_watchers_stay_connected(stalling: StallingService) -> None:
    session = stalling.session
    games = [await stalling.create() for _ in range(GAMES)]
    before, during, sent = games[: GAMES // 2], games[GAMES // 2 : -1], games[-1]
    watched = during[0]
    async with (
        session.ws_connect(f"{watched.path}/ws") as socket,
        session.ws_connect("/v1/ws", headers=bearer_header(sent.token)) as speaking,
        session.get(f"{watched.path}/diffs", headers=STREAM) as stream,
    ):
        assert stream.status == 200
        assert [await act(session, game) for game in before] == [200] * len(before)
        stalling.node.pause()
        async with asyncio.timeout(WITHIN_S), flood(session, before[0]) as previous:
            while previous.total() < MIN_REJECTED:
                statuses = await asyncio.gather(*(act(session, game) for game in during))
                assert {*statuses} == {503}
                rejected = await act_over_socket(speaking, sent)
                assert (rejected["type"], rejected["problem"]["code"]) == ("error", "store_unavailable")
                assert rejected["problem"]["retry_after_s"] == 1
        stalling.node.resume()
        await stalling.wait_until_ready()
        assert [await act(session, game) for game in before + during] == [200] * (GAMES - 1)
        acknowledged = await act_over_socket(speaking, sent)
        assert (acknowledged["type"], acknowledged["version"]) == ("ack", 2)
        async with asyncio.timeout(30):
            while (message := await socket.receive_json())["type"] != "diff":
                pass
            assert message["version"] == 2
            async for line in stream.content:
                if line.startswith(b"data:") and b'"type":"diff"' in line:
                    break
            else:
                pytest.fail("the stream has ended")
    for game in games:
        async with session.get(game.path) as response:
            assert (await response.json())["version"] == 2


async def test_rejections_are_logged_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    rejected = [error_response(StoreBusy("120 commands wait")) for _ in range(MIN_REJECTED)]
    assert {(one.status, one.headers["Retry-After"]) for one in rejected} == {(503, "1")}
    await wait_until(lambda: any("the last of" in line for line in caplog.messages))
    assert len(caplog.messages) <= 10
