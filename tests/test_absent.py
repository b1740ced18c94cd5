"""Games with absent players, on instances as processes: each turn times out once, even if all were down."""

import signal
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp

from tests.polling import wait_until
from tests.server_process import start_server
from tests.web.http_game import HTTPGame, create_game

PLAYERS = [{"name": "Ana"}, {"name": "Bo"}, {"name": "Cy"}]
TIMEOUT_S = 15


async def create(session: aiohttp.ClientSession, policy: str) -> HTTPGame:
    return await create_game(session, PLAYERS, turn_timeout_s=1, on_timeout=policy)


async def wait_for_timeouts(game: HTTPGame, turns: int) -> list[dict[str, Any]]:
    """Wait until this number of turns has timed out, and return the log."""
    log: list[dict[str, Any]] = []

    async def have_timed_out() -> bool:
        log[:] = await game.log()
        return sum(count_timeouts(log).values()) >= turns

    await wait_until(have_timed_out, TIMEOUT_S)
    assert [diff["version"] for diff in log] == [*range(1, len(log) + 1)]
    return log


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
        aiohttp.ClientSession(one.url) as session,
        aiohttp.ClientSession(two.url) as other_session,
    ):
        games = [await create(at, policy) for at in (session, other_session) for policy in ("pass", "bot")]
        for log in [await wait_for_timeouts(HTTPGame(session, game.created), turns=2) for game in games]:
            assert max(count_timeouts(log).values()) == 1
            assert {diff["by"] for diff in log} <= {None, "clock", "bot"}


async def test_deadlines_that_passed_while_all_instances_were_down_are_processed_at_start(
    tmp_path: Path, redis_url: str
) -> None:
    async with start_server(tmp_path, redis_url) as instance, aiohttp.ClientSession(instance.url) as session:
        game = await create(session, "resign")
        deadline = datetime.fromisoformat((await game.get_json())["turn"]["deadline"])
        await instance.stop(signal.SIGKILL)
    await wait_until(lambda: datetime.now(UTC) > deadline + timedelta(seconds=1))
    async with (
        start_server(tmp_path / "one", redis_url) as one,
        start_server(tmp_path / "two", redis_url) as two,
        aiohttp.ClientSession(one.url) as session,
        aiohttp.ClientSession(two.url) as other_session,
    ):
        log = await wait_for_timeouts(HTTPGame(session, game.created), turns=2)
        assert await HTTPGame(other_session, game.created).log() == log
    assert max(count_timeouts(log).values()) == 1
    assert log[-1]["events"][-1]["type"] == "game_finished"
