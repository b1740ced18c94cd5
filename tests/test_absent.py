"""Games with absent players, on instances as processes: each turn times out once, even if all were down."""

import asyncio
import signal
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp

from tests.polling import wait_until
from tests.server_process import start_server

GAME_REQUEST = {"players": [{"name": "Ana"}, {"name": "Bo"}, {"name": "Cy"}], "turn_timeout_s": 1}
TIMEOUT_S = 15


async def create(session: aiohttp.ClientSession, url: str, policy: str) -> str:
    async with session.post(f"{url}/v1/games", json={**GAME_REQUEST, "on_timeout": policy}) as response:
        assert response.status == 201
        game: str = (await response.json())["game"]["id"]
        return game


async def log_of(session: aiohttp.ClientSession, url: str, game: str) -> list[dict[str, Any]]:
    async with session.get(f"{url}/v1/games/{game}/diffs?since=0&limit=1000") as response:
        assert response.status == 200
        diffs: list[dict[str, Any]] = (await response.json())["diffs"]
        assert [diff["version"] for diff in diffs] == [*range(1, len(diffs) + 1)]
        return diffs


async def wait_for_timeouts(session: aiohttp.ClientSession, url: str, game: str, turns: int) -> list[dict[str, Any]]:
    """Wait until this number of turns has timed out, and return the log."""
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            log = await log_of(session, url, game)
            if sum(count_timeouts(log).values()) >= turns:
                return log
            await asyncio.sleep(0.1)


def count_timeouts(log: list[dict[str, Any]]) -> Counter[int]:
    """Return how often each turn timed out."""
    turn, result = 0, Counter[int]()
    for diff in log:
        for event in diff["events"]:
            result[turn] += event["type"] == "turn_timed_out"
            turn = event["number"] if event["type"] == "turn_started" else turn
    return result


async def test_two_instances_time_out_each_turn_once_without_watchers(tmp_path: Path, redis_url: str) -> None:
    async with (
        start_server(tmp_path / "one", redis_url) as one,
        start_server(tmp_path / "two", redis_url) as two,
        aiohttp.ClientSession() as session,
    ):
        games = [await create(session, url, policy) for url in (one.url, two.url) for policy in ("pass", "bot")]
        logs = [await wait_for_timeouts(session, one.url, game, turns=2) for game in games]
        for log in logs:
            assert max(count_timeouts(log).values()) == 1
            assert {diff["by"] for diff in log} <= {None, "clock", "bot"}


async def test_deadlines_that_passed_while_all_instances_were_down_are_processed_at_start(
    tmp_path: Path, redis_url: str
) -> None:
    async with aiohttp.ClientSession() as session:
        async with start_server(tmp_path, redis_url) as instance:
            game = await create(session, instance.url, "resign")
            async with session.get(f"{instance.url}/v1/games/{game}") as response:
                deadline = datetime.fromisoformat((await response.json())["turn"]["deadline"])
            await instance.stop(signal.SIGKILL)
        await wait_until(lambda: datetime.now(UTC) > deadline + timedelta(seconds=1))
        async with start_server(tmp_path / "one", redis_url) as one, start_server(tmp_path / "two", redis_url) as two:
            log = await wait_for_timeouts(session, one.url, game, turns=2)
            assert await log_of(session, two.url, game) == log
        assert max(count_timeouts(log).values()) == 1
        assert log[-1]["events"][-1]["type"] == "game_finished"
