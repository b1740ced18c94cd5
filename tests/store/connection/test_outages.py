"""A Redis that dies, hangs or closes connections: commands fail in time, and succeed again afterwards."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from service.games.ports import Committed, StoreUnavailable
from service.store.embedded import EmbeddedServer, embedded_server
from service.store.game_store import connect
from tests.aof_flush import wait_for_aof_flush
from tests.polling import wait_until
from tests.store.commits import action, commit_until_answered, creation, diff
from tests.store.conftest import SingleServer


@pytest.fixture
async def server(short_path: Path, program: Path) -> AsyncIterator[EmbeddedServer]:
    async with embedded_server(short_path, program=program) as running:
        yield running


async def test_all_commands_fail_in_time_if_the_server_dies(server: EmbeddedServer) -> None:
    async with connect(server.url) as store:
        await store.commit(creation())
        os.kill(server.pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            outcomes = await asyncio.gather(
                store.commit(action(1)), store.load("g"), store.ping(), store.list_due(0, 1), return_exceptions=True
            )
        assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 4


async def test_commands_time_out_while_the_server_hangs(server: EmbeddedServer) -> None:
    async with connect(server.url, timeout_s=1.0) as store:
        await store.commit(creation())
        os.kill(server.pid, signal.SIGSTOP)
        async with asyncio.timeout(20):
            outcomes = await asyncio.gather(*(store.load("g") for _ in range(1000)), return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
        os.kill(server.pid, signal.SIGCONT)
        assert await store.commit(action(1)) == Committed()


async def test_scripts_are_sent_again_after_a_restart(short_path: Path, program: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(embedded_server(short_path, program=program))
        async with connect(server.url) as store:
            await store.commit(creation())
            await wait_for_aof_flush(server.url)
            os.kill(server.pid, signal.SIGKILL)
            with pytest.raises(StoreUnavailable):
                await store.ping()
            await stack.aclose()
            async with embedded_server(short_path, program=program):
                outcomes = await asyncio.gather(store.commit(action(1)), *(store.load("g") for _ in range(20)))
                assert outcomes[0] == Committed()
                assert await store.load_diffs("g", 0, 10) == [diff(1), diff(2)]


async def test_scripts_are_sent_again_after_script_flush(single_server: SingleServer) -> None:
    await single_server.store.commit(creation())
    await single_server.redis.script_flush()
    assert await single_server.store.commit(action(1)) == Committed()


async def test_killed_connections_neither_lose_nor_repeat_commits(single_server: SingleServer) -> None:
    """The client sends commands of a killed connection again, and the caller repeats those that fail."""
    await single_server.store.commit(creation())
    finished = asyncio.Event()

    async def cut() -> None:
        while not finished.is_set():
            await single_server.redis.client_kill_filter(_type="normal", skipme=True)
            await asyncio.sleep(0.004)

    cutting = asyncio.create_task(cut())
    for version in range(1, 21):
        assert await commit_until_answered(single_server.store, action(version)) == Committed()
    finished.set()
    await cutting
    assert await single_server.store.load_diffs("g", 0, 100) == [diff(version) for version in range(1, 22)]


async def test_commands_of_a_killed_connection_are_sent_again(single_server: SingleServer) -> None:
    await single_server.store.commit(creation())
    await single_server.redis.client_pause(10_000, all=False)
    committing = asyncio.create_task(single_server.store.commit(action(1)))

    async def is_paused() -> bool:
        return any("b" in client["flags"] for client in await single_server.redis.client_list())

    await wait_until(is_paused)
    assert await single_server.redis.client_kill_filter(_type="normal", skipme=True) >= 1
    assert not committing.done()
    await single_server.redis.client_unpause()
    assert await committing == Committed()


async def test_a_closed_store_raises_store_unavailable(server: EmbeddedServer) -> None:
    async with connect(server.url) as store:
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
        connect(f"unix://{short_path}/socket", timeout_s=0.5) as store,
    ):
        with pytest.raises(StoreUnavailable, match="Protocol error"):
            await store.ping()
