"""Metrics of Redis: durations by command, errors and retries, availability."""

import asyncio
import os
import signal
import time
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import pytest
from redis.asyncio import Redis

from service.games.ports import StoreUnavailable
from service.store import health, keys
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore, connect
from service.telemetry import clock
from service.telemetry.clock import ClockOffset
from tests.polling import TIMEOUT_S, wait_until
from tests.store.commits import action, creation
from tests.telemetry.metric_samples import grown, read_samples, sum_samples


def level(store: RedisStore, name: str) -> float:
    store.monitor.register_gauges()
    return sum_samples(read_samples(), name)


async def test_commands_are_timed_by_name_and_errors_counted_by_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with AsyncExitStack() as stack, AsyncExitStack() as first:
        server = await first.enter_async_context(embedded_server(Path("d")))
        store = await stack.enter_async_context(connect(server.url))
        before = read_samples()
        await store.commit(creation())
        await store.load("g")
        await asyncio.gather(*(store.load("g") for _ in range(10)))
        assert grown(before, "redis_command_duration_seconds_count", command="HMGET") == 11
        assert grown(before, "redis_command_duration_seconds_count", command="EVAL") >= 1
        await store.commit(action(1))
        assert grown(before, "redis_command_duration_seconds_count", command="commit.lua") == 1
        assert (level(store, "redis_up"), grown(before, "redis_errors_total")) == (1, 0)

        store._client._timeout_s = 0.9
        os.kill(server.pid, signal.SIGSTOP)
        with pytest.raises(StoreUnavailable):
            await store.load("g")
        os.kill(server.pid, signal.SIGCONT)
        store._client._timeout_s = TIMEOUT_S
        assert (grown(before, "redis_errors_total", kind="timeout"), grown(before, "redis_errors_total")) == (1, 1)

        os.kill(server.pid, signal.SIGKILL)
        async with asyncio.timeout(TIMEOUT_S):
            while level(store, "redis_up"):
                with pytest.raises(StoreUnavailable):
                    await store.ping()
        assert grown(before, "redis_errors_total", kind="connection") > 0
        await first.aclose()
        async with embedded_server(Path("d")):
            await store.ping()
            assert level(store, "redis_up") == 1


async def test_a_command_is_retried_after_its_connection_was_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with embedded_server(Path("d")) as server, connect(server.url) as store:
        await store.ping()
        before = read_samples()
        topology = store._client.topology
        async with aclosing(Redis.from_url(server.url)) as operator:
            await operator.client_pause(10_000, all=False)
            waiting = store._client.execute("SET", keys.PROBE, "", "EX", 60)

            async def is_paused() -> bool:
                return any("b" in client["flags"] for client in await operator.client_list())

            await wait_until(is_paused)
            assert (level(store, "redis_commands_in_flight"), level(store, "redis_in_flight_bytes")) == (1, 5 * 40)
            await topology.client_for(*topology.primaries()).connection_pool.disconnect()
            await operator.client_unpause()
        await waiting
        assert (level(store, "redis_commands_in_flight"), level(store, "redis_in_flight_bytes")) == (0, 0)
        assert (grown(before, "redis_retries_total"), grown(before, "redis_errors_total")) == (1, 0)


async def test_the_monitor_follows_the_clock_of_redis_and_measures_how_late_work_is(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    measurements = [ClockOffset(3600.0, 0.25)]

    async def measure() -> ClockOffset:
        if not measurements:
            raise StoreUnavailable("no reply")
        return measurements[0]

    monkeypatch.setattr(clock, "_offset", clock._offset)
    monkeypatch.setattr(health, "MEASURE_INTERVAL_S", 0)
    monkeypatch.setattr(health, "RETRY_DELAY_S", 0)
    monkeypatch.setattr(store.monitor, "measure_clock_offset", measure)
    began_at = int(time.time())
    await store.commit(creation(due_at=began_at + 3600 - 100))
    running = asyncio.create_task(store.monitor.run())
    await wait_until(lambda: sum_samples(read_samples(), "overdue_seconds", work="games"))
    assert 99 <= sum_samples(read_samples(), "overdue_seconds") < 160
    assert read_samples()["south_seas_overdue_seconds", frozenset({("work", "webhooks")})] == 0
    assert sum_samples(read_samples(), "redis_clock_error_seconds") == 0.25
    assert clock.now() >= began_at + 3600
    await wait_until(lambda: abs(sum_samples(read_samples(), "backup_time_seconds") - clock.now()) < 60)
    await store.transfer.record_backup(3)
    await wait_until(lambda: sum_samples(read_samples(), "backup_missing_games") == 3)
    assert began_at - 1 <= sum_samples(read_samples(), "backup_time_seconds") < began_at + 1800
    measurements.clear()
    await wait_until(lambda: not [name for name, _ in read_samples() if name == "south_seas_overdue_seconds"])
    assert sum_samples(read_samples(), "redis_clock_offset_seconds") == 3600
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
