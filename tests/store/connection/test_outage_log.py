"""An outage of Redis is a line for each cause, a few more at growing intervals, and one line at its end."""

import asyncio
import logging
import os
import re
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from service.games.ports import StoreUnavailable
from service.store import connection
from service.store.connection import FORGET_S, OutageLog
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore, connect
from tests.background import in_background
from tests.games.game_fixture import Clock
from tests.polling import wait_until
from tests.redis_servers import cluster
from tests.test_background_tasks import start_instance

HOUR_S = 3600


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(1000.0)
    monkeypatch.setattr(connection, "monotonic", clock)
    return clock


@pytest.fixture
def outages() -> OutageLog:
    return OutageLog(logging.getLogger("tests.outages"))


REFUSED, FULL, NO_DISK = (StoreUnavailable(cause, cause=cause) for cause in ("refused", "full", "disk"))
BEGIN = "Redis fails commands, so requests get 503, and bots, deadlines and webhooks wait: "


def test_the_lines_of_a_long_outage_grow_rare(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(HOUR_S):
        outages.record_failure(REFUSED)
        clock.now += 1
    assert caplog.messages[:2] == [
        f"{BEGIN}refused",
        "Redis still fails commands after 10.0 s, 11 until now: refused",
    ]
    assert len(caplog.messages) == 11


def test_the_end_of_an_outage_is_logged_with_its_length(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    outages.record_writable(clock.now)
    for _ in range(4_394):
        outages.record_failure(REFUSED)
    clock.now += 296
    outages.record_writable(clock.now)
    outages.record_writable(clock.now)
    assert caplog.messages[1:] == ["Redis takes writes again after 4 min 56 s, 4,394 commands failed"]


def test_a_probe_ends_no_outage_in_which_something_failed_meanwhile(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    began_at = clock.now
    clock.now += 1
    outages.record_failure(REFUSED)
    outages.record_writable(began_at)
    assert outages.is_open
    assert caplog.messages == [f"{BEGIN}refused"]


def test_a_store_that_fails_now_and_then_does_not_fill_the_log(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(HOUR_S // 10):
        outages.record_failure(REFUSED)
        clock.now += 5
        outages.record_writable(clock.now)
        clock.now += 5
    assert caplog.messages[:3] == [
        f"{BEGIN}refused",
        "Redis takes writes again after 5.0 s, 1 commands failed",
        f"{BEGIN}refused",
    ]
    assert len(caplog.messages) < 15
    assert outages.is_open


def test_an_outage_after_another_ends_after_a_calm_time(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for calm_s in (0, 10, 20, 40):
        outages.record_failure(REFUSED)
        clock.now += 1
        outages.record_writable(clock.now)
        assert outages.is_open == (calm_s > 0)
        clock.now += calm_s
        outages.record_writable(clock.now)
        assert not outages.is_open
    assert caplog.messages == [f"{BEGIN}refused", "Redis takes writes again after 1.0 s, 1 commands failed"] * 4
    clock.now += FORGET_S
    outages.record_failure(REFUSED)
    clock.now += 1
    outages.record_writable(clock.now)
    assert not outages.is_open


def test_each_cause_is_logged_once_in_an_outage(
    outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for error in (REFUSED, FULL, REFUSED, FULL, NO_DISK):
        outages.record_failure(error)
        clock.now += 1
    outages.record_writable(clock.now)
    assert caplog.messages == [
        f"{BEGIN}refused",
        "Redis still fails commands after 1.0 s, 2 until now: full",
        "Redis still fails commands after 4.0 s, 5 until now: disk",
        "Redis takes writes again after 5.0 s, 5 commands failed",
    ]


async def test_a_killed_redis_is_two_lines(short_path: Path, program: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def call(store: RedisStore) -> None:
        while True:
            await asyncio.gather(store.ping(), store.load("g"), store.list_due(0, 1), return_exceptions=True)
            await asyncio.sleep(0.05)

    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(embedded_server(short_path, program=program))
        async with connect(server.url) as store, in_background(store.health.run()), asyncio.timeout(30):
            calls = asyncio.create_task(call(store))
            os.kill(server.pid, signal.SIGKILL)
            await stack.aclose()
            await wait_until(lambda: store._client.outages.is_open)
            await asyncio.sleep(2)
            async with embedded_server(short_path, program=program):
                await wait_until(lambda: not store._client.outages.is_open)
            calls.cancel()
    lines = [line for line in caplog.messages if line.startswith(("Redis fails", "Redis still", "Redis takes"))]
    assert len(lines) == 2
    assert "so requests get 503, and bots, deadlines and webhooks wait: Redis: " in lines[0]
    away_s = re.match(r"Redis takes writes again after ([0-9.]+) s", lines[1])
    assert away_s
    assert 1.8 < float(away_s[1]) < 6


async def test_a_lost_part_of_a_cluster_is_one_outage_while_the_rest_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        cluster(tmp_path, replicas=0) as deployment,
        connect(deployment.url, timeout_s=1) as store,
    ):
        await wait_until(store.health.probe)
        killed = await deployment.primary("g0")
        killed.kill()

        async def call() -> None:
            while True:
                await asyncio.gather(*(store.load(f"g{number}") for number in range(8)), return_exceptions=True)
                await asyncio.sleep(0.05)

        async with in_background(store.health.run(), call()):
            await asyncio.sleep(8)
            lines = [line for line in caplog.messages if "again" in line]
            killed.start()
            await wait_until(lambda: not store._client.outages.is_open)
    assert lines == []
    assert len([line for line in caplog.messages if line.startswith("Redis fails commands")]) == 1
    assert len([line for line in caplog.messages if line.startswith("Redis takes writes again")]) == 1


async def test_an_instance_without_redis_logs_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with start_instance(tmp_path, f"unix://{tmp_path / 'no.sock'}") as instance:
        for _ in range(3):
            assert (await instance.client.get("/v1/games/nosuchgame01")).status == 503
            await asyncio.sleep(1)
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1
