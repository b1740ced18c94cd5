"""Metrics of Redis: durations by command, errors and retries, availability."""

import asyncio
import os
import signal
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import pytest
from redis.asyncio import Redis

from service.games.ports import StoreUnavailable
from service.store.client import connect
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore
from tests.polling import wait_until
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
        store = await stack.enter_async_context(connect(server.url, timeout_s=0.5))
        before = read_samples()
        await store.commit(creation())
        await store.load("g")
        await asyncio.gather(*(store.load("g") for _ in range(10)))
        assert grown(before, "redis_command_duration_seconds_count", command="HMGET") == 11
        assert grown(before, "redis_command_duration_seconds_count", command="EVAL") >= 1
        await store.commit(action(1))
        assert grown(before, "redis_command_duration_seconds_count", command="commit.lua") == 1
        assert (level(store, "redis_up"), grown(before, "redis_errors_total")) == (1, 0)

        os.kill(server.pid, signal.SIGSTOP)
        with pytest.raises(StoreUnavailable):
            await store.load("g")
        os.kill(server.pid, signal.SIGCONT)
        assert (grown(before, "redis_errors_total", kind="timeout"), grown(before, "redis_errors_total")) == (1, 1)

        os.kill(server.pid, signal.SIGKILL)
        async with asyncio.timeout(20):
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
            waiting = asyncio.ensure_future(store.ping())

            async def is_paused() -> bool:
                return any("b" in client["flags"] for client in await operator.client_list())

            await wait_until(is_paused)
            await topology.client_for(*topology.primaries()).connection_pool.disconnect()
            await operator.client_unpause()
        await waiting
        assert (grown(before, "redis_retries_total"), grown(before, "redis_errors_total")) == (1, 0)
