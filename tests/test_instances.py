"""Instances as processes: killed, stopped, failed over or full of sockets, they lose no acknowledged action."""

import asyncio
import os
import random
import resource
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import msgspec
import pytest
from aiohttp import ClientResponse, ClientSession, TCPConnector

from benchmarks.watcher_clients import watch_game
from south_seas import Backoff, Client, UnreachableError
from south_seas.models import Created, CreateGame, Diff, SeatRequest
from tests.polling import TIMEOUT_S, rounds, wait_for_aof_flush, wait_until
from tests.redis_servers import Deployment, cluster, create_access, sentinel, standalone
from tests.server_process import start_server
from tests.telemetry.metric_samples import metrics_url, scrape, sum_samples
from tests.tools import REDIS_WITH_TLS, is_installed, run_program
from tests.web.http_game import HTTPGame, create_game

KILLS = 3


def child_of(pid: int) -> int | None:
    """Return the only child of a process, if it has one."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0]) if children else None


class Player:
    """Acts with an idempotency key until the instance is killed, and retries on the next one with the same key."""

    def __init__(self, created: Created) -> None:
        self.created = created
        self.moves = created.legal_moves.moves if created.legal_moves else []
        self.key, self.chance = secrets.token_hex(16), random.Random(1)
        self.move = self.moves[0]
        self.acknowledged: list[int] = []

    async def play(self, url: str) -> None:
        """Play until the connection breaks or the game is over."""
        async with Client(url, self.created.owner_token, backoff=Backoff(max_attempts=1)) as client:
            while self.moves:
                try:
                    result = await client.act(self.created.game.id, self.move, key=self.key, include_legal_moves=True)
                except UnreachableError:
                    return
                self.acknowledged.append(result.version)
                self.moves = result.legal_moves.moves if result.legal_moves else []
                self.key = secrets.token_hex(16)
                self.move = self.chance.choice(self.moves) if self.moves else self.move

    async def wait_for_more(self, count: int) -> None:
        """Wait until so many more actions are acknowledged, or the game is over."""
        wanted = len(self.acknowledged) + count
        await wait_until(lambda: len(self.acknowledged) >= wanted or not self.moves)


async def create(url: str) -> Created:
    """Create a game of two people."""
    async with Client(url) as client:
        players = [SeatRequest(name="Ana"), SeatRequest(name="Bo")]
        return await client.create(CreateGame(players=players), include_legal_moves=True)


@pytest.mark.parametrize("embedded", (False, True), ids=("redis", "embedded"))
async def test_kill_9_at_any_moment_loses_no_acknowledged_action_and_repeats_none(
    tmp_path: Path, redis_url: str, *, embedded: bool
) -> None:
    redis = None if embedded else redis_url
    chance = random.Random(7)
    player: Player | None = None
    for _ in range(KILLS):
        async with start_server(tmp_path, redis) as instance:
            assert (child_of(instance.process.pid) is not None, (tmp_path / "redis").exists()) == (embedded, embedded)
            if player is None:
                player = Player(await create(instance.url))
            playing = asyncio.create_task(player.play(instance.url))
            await player.wait_for_more(chance.randint(1, 6))
            await instance.stop(signal.SIGKILL)
            await playing
    assert player is not None
    async with start_server(tmp_path, redis) as instance, aiohttp.ClientSession(instance.url) as session:
        await player.play(instance.url)
        log = await HTTPGame(session, msgspec.to_builtins(player.created)).log()
    assert player.acknowledged == list(range(2, len(player.acknowledged) + 2))
    assert [diff["version"] for diff in log] == [1, *player.acknowledged]
    assert log[-1]["events"][-1]["type"] == "game_finished"


async def test_sigterm_drains_requests_closes_sockets_and_exits_with_0(tmp_path: Path) -> None:
    flags = ("--drain-time-s", "10", "--close-window-s", "0.2")
    async with start_server(tmp_path, None, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        game = await create_game(session)
        socket = await session.ws_connect(f"{game.path}/ws")
        assert [(await socket.receive_json())["type"] for _ in range(3)] == ["welcome", "subscribed", "snapshot"]
        instance.process.send_signal(signal.SIGTERM)
        await _until_status(session, "/readyz", 503)
        assert (await game.get()).status == 200
        assert (await socket.receive_json())["type"] == "closing"
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == 1001
        async with asyncio.timeout(TIMEOUT_S):
            assert await instance.process.wait() == 0


async def test_a_second_signal_stops_at_once(tmp_path: Path) -> None:
    async with (
        start_server(tmp_path, None, "--drain-time-s", "300") as instance,
        aiohttp.ClientSession(instance.url) as session,
        session.ws_connect("/v1/ws"),
    ):
        instance.process.send_signal(signal.SIGINT)
        await _until_status(session, "/readyz", 503)
        assert await instance.stop(signal.SIGINT) == 0


async def test_a_paused_instance_reads_what_redis_has_answered_before_commands_time_out(tmp_path: Path) -> None:
    """As a machine that migrates, or a container that is throttled, for longer than the timeout of a command."""
    async with (
        standalone(tmp_path) as deployment,
        start_server(tmp_path, deployment.url, "--rate-limits", "off", "--metrics-port", "0") as instance,
        ClientSession(instance.url, connector=TCPConnector(limit=0)) as session,
    ):
        metrics, (redis,) = await metrics_url(instance), deployment.nodes
        for _ in rounds():  # until all are sent before the first has waited for 2 s, the limit of a pipeline
            await _until_status(session, "/v1/games", 200)
            games = [(game, await game.first_move()) for game in [await create_game(session) for _ in range(4)]]
            redis.pause()
            tasks = [asyncio.create_task(request) for game, move in games for request in (game.get(), game.act(move))]

            async def are_sent(tasks: Sequence[asyncio.Task[ClientResponse]] = tasks) -> bool:
                sent = sum_samples(await scrape(metrics), "redis_commands_in_flight")
                return sent >= len(tasks) or any(task.done() for task in tasks)

            await wait_until(are_sent)
            instance.process.send_signal(signal.SIGSTOP)
            redis.resume()
            await asyncio.sleep(7)  # a command may take 5 s
            are_paused = not any(task.done() for task in tasks)
            instance.process.send_signal(signal.SIGCONT)
            responses = await asyncio.gather(*tasks)
            if are_paused:
                assert {response.status for response in responses} == {200}
                break


async def test_an_embedded_redis_that_is_killed_is_restarted_with_its_games(tmp_path: Path) -> None:
    async with start_server(tmp_path) as instance, aiohttp.ClientSession(instance.url) as session:
        assert f"; the games are in an embedded server, in {tmp_path}." in instance.printed
        game = await create_game(session)
        redis = child_of(instance.process.pid)
        assert redis is not None
        await wait_for_aof_flush(f"unix://{tmp_path / 'redis' / 'redis.sock'}")
        os.kill(redis, signal.SIGKILL)

        async def is_replaced() -> bool:
            async with session.get(game.path) as response:
                return response.status == 200 and child_of(instance.process.pid) not in (None, redis)

        await wait_until(is_replaced)
        assert await game.get_json() == game.created["game"]


async def test_sigterm_to_the_embedded_redis_stops_the_service_after_its_drain_time(tmp_path: Path) -> None:
    """A supervisor may send SIGTERM to all processes of a service at once."""
    flags = ("--drain-time-s", "10", "--close-window-s", "0")
    async with start_server(tmp_path, None, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        game = await create_game(session)
        redis = child_of(instance.process.pid)
        assert redis is not None
        os.kill(redis, signal.SIGTERM)
        async with asyncio.timeout(TIMEOUT_S):
            await _until_status(session, "/readyz", 503)
            await _until_status(session, game.path, 200)
            assert await instance.process.wait() == 0


async def _until_status(session: aiohttp.ClientSession, url: str, status: int) -> None:
    async def has_status() -> bool:
        async with session.get(url) as response:
            return response.status == status

    await wait_until(has_status)


async def test_a_used_data_directory_or_port_is_an_error_of_one_line(tmp_path: Path) -> None:
    async with start_server(tmp_path) as instance:
        port = instance.url.rpartition(":")[2]
        for flags in (("--data-dir", str(tmp_path)), ("--data-dir", str(tmp_path / "other"), "--port", port)):
            command = (sys.executable, "-m", "service.main", "serve", "--port", "0")
            second = await run_program(*command, *flags)
            assert (second.returncode, second.stdout) == (1, "")
            (line,) = [line for line in second.stderr.splitlines() if line.startswith("south-seas: ")]
            assert "--port" in line
            assert "Traceback" not in second.stderr


ACTIONS_BEFORE_KILL = 10


@pytest.fixture(params=("sentinel", "cluster"))
async def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Deployment]:
    access = create_access(tmp_path, tls=is_installed(REDIS_WITH_TLS))
    start = sentinel if request.param == "sentinel" else cluster
    async with start(tmp_path, access=access) as running:
        yield running


async def test_two_instances_go_on_after_the_primary_is_killed(deployment: Deployment, tmp_path: Path) -> None:
    retrying = Backoff(max_attempts=None, max_wait_s=0.2)
    async with (
        start_server(tmp_path / "a", deployment.url) as one,
        start_server(tmp_path / "b", deployment.url) as two,
        Client(one.url, backoff=retrying) as here,
        Client(two.url, backoff=retrying) as there,
    ):
        created = await create(one.url)
        game, moves = created.game.id, created.legal_moves.moves if created.legal_moves else []
        clients = [client.with_token(created.owner_token) for client in (there, here)]
        acknowledged, received = list[int](), list[int]()
        async with there.subscribe(game) as subscription, asyncio.timeout(TIMEOUT_S):

            async def receive() -> None:
                while subscription.version < acknowledged[-1]:
                    event = await subscription.next_event()
                    assert isinstance(event, Diff), event  # the socket stays open
                    received.append(event.version)

            for number in range(2 * ACTIONS_BEFORE_KILL):
                if number == ACTIONS_BEFORE_KILL:
                    await receive()
                    (await deployment.primary(game)).kill()
                result = await clients[number % 2].act(game, moves[0], include_legal_moves=True)
                acknowledged.append(result.version)
                moves = result.legal_moves.moves if result.legal_moves else []
            await receive()
        log = [diff["version"] async for diff in there.log(game)]
    assert acknowledged == [*range(2, 2 + 2 * ACTIONS_BEFORE_KILL)]
    assert log == [1, *acknowledged]
    assert received == acknowledged


SOCKETS = 10_000

DIFFS = 8

OPEN_FILES = SOCKETS + 500

SOCKET_BYTES = 22_000
"""The limit for an idle socket. It takes 21,050 bytes."""

SPARE = 10
"""The number of connections to Redis that may be opened during the test."""


def memory(pid: int) -> int:
    """Return the resident memory of a process in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def files(pid: int) -> int:
    """Return the number of open files of a process."""
    return len([*Path(f"/proc/{pid}/fd").iterdir()])


@contextmanager
def open_files(number: int) -> Iterator[None]:
    """Raise the limit of open files of this process and its children. Fail if the machine does not allow it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    is_allowed = hard == resource.RLIM_INFINITY or hard >= number
    assert is_allowed, f"a process may open {hard} files (ulimit -Hn), and this test needs {number}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.timeout(600)
async def test_ten_thousand_sockets(tmp_path: Path, redis_url: str) -> None:
    """Each gets every diff; they answer no pings."""
    flags = ("--drain-time-s", "0", "--rate-limits", "off", "--ping-interval-s", "3600")

    async def act() -> None:
        for _ in range(DIFFS):
            await game.act_successfully()

    with open_files(OPEN_FILES):
        async with (
            start_server(tmp_path, redis_url, *flags) as service,
            aiohttp.ClientSession(service.url) as session,
        ):
            game = await create_game(session)
            port, path = urlsplit(service.url).port, f"{game.path}/ws?since=1"
            assert port is not None
            pid, before = service.process.pid, memory(service.process.pid)
            files_before = files(pid)
            async with watch_game(port, path, SOCKETS) as watchers:
                assert files(pid) >= SOCKETS
                assert (memory(pid) - before) / SOCKETS < SOCKET_BYTES
                await watchers.measure(DIFFS, act)
            await wait_until(lambda: files(pid) <= files_before + SPARE)
            assert await service.stop() == 0
