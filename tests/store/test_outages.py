"""Commands fail in time during an outage and succeed after it; each cause is one line, and its end another."""

import asyncio
import logging
import os
import re
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from service.games.ports import Committed, StoreUnavailable
from service.store import connection
from service.store.connection import FORGET_S, OutageLog
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore
from tests.games.game_fixture import Clock
from tests.polling import INTERVAL_S, in_background, wait_until
from tests.redis_servers import cluster, connect
from tests.store.commits import action, commit_until_answered, creation, diff
from tests.store.conftest import SingleServer
from tests.test_supervision import start_instance

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


def test_lines_of_a_long_outage_grow_rare(outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(HOUR_S):
        outages.record_failure(REFUSED)
        clock.now += 1
    assert caplog.messages[:2] == [f"{BEGIN}refused", "Redis still fails commands after 10.0 s, 11 until now: refused"]
    outages.record_writable(clock.now)
    outages.record_writable(clock.now)
    assert caplog.messages[11:] == ["Redis takes writes again after 60 min 0 s, 3,600 commands failed"]


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


def test_a_second_outage_ends_in_calm(outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
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


def test_each_cause_is_logged_just_once(outages: OutageLog, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
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
    called = [0]

    async def call(store: RedisStore) -> None:
        while True:
            await asyncio.gather(store.ping(), store.load("g"), store.due_games.list_due(0, 1), return_exceptions=True)
            called[0] += 1
            await asyncio.sleep(INTERVAL_S)

    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(embedded_server(short_path, program=program))
        async with connect(server.url) as store, in_background(store.health.run(), call(store)):
            os.kill(server.pid, signal.SIGKILL)
            await stack.aclose()
            await wait_until(lambda: store.client.outages.is_open)
            before = called[0]
            await wait_until(lambda: called[0] > before + 5)
            async with embedded_server(short_path, program=program):
                await wait_until(lambda: not store.client.outages.is_open)
    lines = [line for line in caplog.messages if line.startswith(("Redis fails", "Redis still", "Redis takes"))]
    assert len(lines) == 2
    assert "so requests get 503, and bots, deadlines and webhooks wait: Redis: " in lines[0]
    assert re.match(r"Redis takes writes again after [0-9.]+ s", lines[1])


async def test_a_lost_part_of_a_cluster_is_one_outage_while_the_rest_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with cluster(tmp_path, replicas=0) as deployment, connect(deployment.url, timeout_s=1) as store:
        await wait_until(store.health.probe)
        killed = await deployment.primary("g0")
        killed.kill()

        async def call() -> None:
            while True:
                await asyncio.gather(*(store.load(f"g{number}") for number in range(8)), return_exceptions=True)
                await asyncio.sleep(INTERVAL_S)

        probe = AsyncMock(wraps=store.health.probe)
        monkeypatch.setattr(store.health, "probe", probe)
        async with in_background(store.health.run(), call()):
            await wait_until(lambda: probe.await_count == 2)
            lines = [line for line in caplog.messages if "again" in line]
            killed.start()
            await wait_until(lambda: not store.client.outages.is_open)
    assert lines == []
    assert len([line for line in caplog.messages if line.startswith("Redis fails commands")]) == 1
    assert len([line for line in caplog.messages if line.startswith("Redis takes writes again")]) == 1


async def test_an_instance_without_redis_logs_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with start_instance(tmp_path, f"unix://{tmp_path / 'no.sock'}") as instance:
        for _ in range(20):
            assert (await instance.client.get("/v1/games/nosuchgame01")).status == 503
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


async def test_killed_connections_neither_lose_nor_repeat_commits(single_server: SingleServer) -> None:
    """The client sends commands of a killed connection again, and the caller repeats those that fail."""
    await single_server.store.commit(creation())

    async def cut() -> None:
        while True:
            await single_server.redis.client_kill_filter(_type="normal", skipme=True)
            await asyncio.sleep(0.004)

    async with in_background(cut()):
        for version in range(1, 21):
            assert await commit_until_answered(single_server.store, action(version)) == Committed()
    assert await single_server.store.load_diffs("g", 0, 100) == [diff(version) for version in range(1, 22)]


async def test_a_closed_store_raises_store_unavailable(single_server: SingleServer) -> None:
    async with connect(single_server.url) as store:
        await store.ping()
        waiting = asyncio.create_task(store.load("g"))
        await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        await waiting
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.load("g")


async def test_a_store_may_be_created_before_its_server(short_path: Path, program: Path) -> None:
    async with connect(f"unix://{short_path}/redis/redis.sock") as store:
        with pytest.raises(StoreUnavailable):
            await store.ping()
        async with embedded_server(short_path, program=program):
            await store.ping()


async def test_a_server_that_is_no_redis(short_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with (
        await asyncio.start_unix_server(answer, short_path / "socket"),
        connect(f"unix://{short_path}/socket") as store,
    ):
        with pytest.raises(StoreUnavailable, match="Protocol error"):
            await store.ping()
