"""An outage of Redis is one line with the cause, a few more at growing intervals, and one line at its end."""

import asyncio
import logging
import os
import re
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from service.store.client import connect
from service.store.connection import outage_log
from service.store.connection.outage_log import CALM_S, FORGET_S, OutageLog
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore
from tests.games.game_fixture import Clock
from tests.polling import wait_until
from tests.test_background_tasks import start_instance

HOUR_S = 3600


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(1000.0)
    monkeypatch.setattr(outage_log, "monotonic", clock)
    return clock


@pytest.fixture
def outages() -> OutageLog:
    return OutageLog(
        logging.getLogger("tests.outages"), "the store", "is unavailable", "is available again", "games wait"
    )


def test_the_lines_of_a_long_outage_grow_rare(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(HOUR_S):
        outages.record_failure("refused")
        clock.now += 1
    assert caplog.messages[:2] == [
        "the store is unavailable, so games wait: refused",
        "the store still is unavailable after 10.0 s, 11 commands failed: refused",
    ]
    assert len(caplog.messages) == 11


def test_the_end_of_an_outage_is_logged_with_its_length(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    outages.record_success()
    outages.record_failure("refused")
    clock.now += 7
    outages.record_success()
    assert outages.is_open
    clock.now += CALM_S
    outages.record_success()
    assert caplog.messages[1:] == ["the store is available again after 7.0 s, 1 commands failed"]


def test_an_outage_lasts_while_only_some_calls_succeed(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(9):
        outages.record_failure("read only")
        clock.now += CALM_S / 2
        outages.record_success()
    assert caplog.messages == ["the store is unavailable, so games wait: read only"]


def test_a_store_that_fails_now_and_then_does_not_fill_the_log(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(HOUR_S // 10):
        outages.record_failure("refused")
        for _ in range(5):
            outages.record_success()
            clock.now += CALM_S
    assert len(caplog.messages) < 30
    clock.now += FORGET_S
    outages.record_failure("refused")
    assert caplog.messages[-1] == "the store is unavailable, so games wait: refused"


def test_an_outage_with_another_cause_is_logged_at_once(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for cause in ("full", "full", "no disk"):
        outages.record_failure(cause)
        for _ in range(2):
            outages.record_success()
            clock.now += CALM_S
    assert caplog.messages == [
        "the store is unavailable, so games wait: full",
        "the store is available again after 0.0 s, 1 commands failed",
        "the store is unavailable, so games wait: no disk",
        "the store is available again after 0.0 s, 1 commands failed",
    ]


async def test_a_killed_redis_is_two_lines(
    short_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(outage_log, "CALM_S", 0.2)

    async def call(store: RedisStore) -> None:
        while True:
            await asyncio.gather(store.ping(), store.load("g"), store.list_due(0, 1), return_exceptions=True)
            await asyncio.sleep(0.05)

    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(embedded_server(short_path, program=program))
        async with connect(server.url) as store, asyncio.timeout(30):
            calls = asyncio.create_task(call(store))
            os.kill(server.pid, signal.SIGKILL)
            await stack.aclose()
            await wait_until(lambda: store._client.outages.is_open)
            await asyncio.sleep(2)
            async with embedded_server(short_path, program=program):
                await wait_until(lambda: not store._client.outages.is_open)
            calls.cancel()
    lines = [line for line in caplog.messages if line.startswith("the store")]
    assert len(lines) == 2
    assert "so requests get 503, and bots, deadlines and webhooks wait: Redis: " in lines[0]
    away_s = re.match(r"the store is available again after ([0-9.]+) s", lines[1])
    assert away_s
    assert 1.8 < float(away_s[1]) < 6


async def test_an_instance_without_redis_logs_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with start_instance(tmp_path, f"unix://{tmp_path / 'no.sock'}") as instance:
        for _ in range(3):
            assert (await instance.client.get("/v1/games/nosuchgame01")).status == 503
            await asyncio.sleep(1)
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1
