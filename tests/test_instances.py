"""Instances as processes: killed, stopped and restarted, they lose no acknowledged action."""

import asyncio
import os
import random
import secrets
import signal
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.aof_flush import wait_for_aof_flush
from tests.polling import wait_until
from tests.programs import run_program
from tests.server_process import start_server
from tests.web.http_game import HTTPGame, create_game

KILLS = 3


def child_of(pid: int) -> int | None:
    """Return the only child of a process, if it has one."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0]) if children else None


class Player:
    """Acts with an idempotency key until the instance is killed, and retries on the next one with the same key."""

    def __init__(self, game: HTTPGame, moves: list[dict[str, Any]]) -> None:
        self.game = game
        self.moves = moves
        self.key = secrets.token_hex(16)
        self.move = moves[0]["id"]
        self.acknowledged: list[int] = []
        self.chance = random.Random(1)

    async def play(self, session: aiohttp.ClientSession) -> None:
        """Play until the connection breaks or the game is over."""
        self.game.client = session
        while self.moves:
            body, headers = {"move": self.move}, {"Idempotency-Key": self.key}
            try:
                response = await self.game.act(body, query="?include=legal_moves", **headers)
                result = await response.json()
            except aiohttp.ClientError:
                return
            assert response.status == 200, result
            self.acknowledged.append(result["version"])
            self.moves = result["legal_moves"]["moves"]
            self.key = secrets.token_hex(16)
            self.move = self.chance.choice(self.moves)["id"] if self.moves else ""

    async def wait_for_more(self, count: int) -> None:
        """Wait until so many more actions are acknowledged, or the game is over."""
        wanted = len(self.acknowledged) + count
        await wait_until(lambda: len(self.acknowledged) >= wanted or not self.moves)


@pytest.mark.parametrize("embedded", (False, True), ids=("redis", "embedded"))
async def test_kill_9_at_any_moment_loses_no_acknowledged_action_and_repeats_none(
    tmp_path: Path, redis_url: str, *, embedded: bool
) -> None:
    redis = None if embedded else redis_url
    chance = random.Random(7)
    player: Player | None = None
    for _ in range(KILLS):
        async with start_server(tmp_path, redis) as instance, aiohttp.ClientSession(instance.url) as session:
            assert (child_of(instance.process.pid) is not None, (tmp_path / "redis").exists()) == (embedded, embedded)
            if player is None:
                game = await create_game(session)
                player = Player(game, await game.legal_moves())
            playing = asyncio.create_task(player.play(session))
            await player.wait_for_more(chance.randint(1, 6))
            await instance.stop(signal.SIGKILL)
            await playing
    assert player is not None
    async with start_server(tmp_path, redis) as instance, aiohttp.ClientSession(instance.url) as session:
        await player.play(session)
        log = await player.game.log()
    assert player.acknowledged == list(range(2, len(player.acknowledged) + 2))
    assert [diff["version"] for diff in log] == [1, *player.acknowledged]
    assert log[-1]["events"][-1]["type"] == "game_finished"


async def test_sigterm_drains_requests_closes_sockets_and_exits_with_0(tmp_path: Path) -> None:
    flags = ("--drain-time-s", "0.5", "--close-window-s", "0.2")
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
        async with asyncio.timeout(10):
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


async def test_games_survive_a_restart_of_the_embedded_default(tmp_path: Path) -> None:
    flags = ("--drain-time-s", "0")
    async with start_server(tmp_path, None, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        game = await create_game(session)
        assert await instance.stop() == 0
    async with start_server(tmp_path) as instance, aiohttp.ClientSession(instance.url) as session:
        assert await HTTPGame(session, game.created).get_json() == game.created["game"]


async def test_an_embedded_redis_that_is_killed_is_restarted_with_its_games(tmp_path: Path) -> None:
    async with start_server(tmp_path) as instance, aiohttp.ClientSession(instance.url) as session:
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
    flags = ("--drain-time-s", "2", "--close-window-s", "0")
    async with start_server(tmp_path, None, *flags) as instance, aiohttp.ClientSession(instance.url) as session:
        game = await create_game(session)
        redis = child_of(instance.process.pid)
        assert redis is not None
        os.kill(redis, signal.SIGTERM)
        async with asyncio.timeout(20):
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
            second = await run_program(*command, *flags, timeout_s=20)
            assert (second.returncode, second.stdout) == (1, "")
            (line,) = [line for line in second.stderr.splitlines() if line.startswith("south-seas: ")]
            assert "--port" in line
            assert "Traceback" not in second.stderr
