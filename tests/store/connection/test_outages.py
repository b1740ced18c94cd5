"""A Redis that dies, hangs or cuts connections: whoever asks is told in time, and everything goes on afterwards."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from service.games.ports import Commit, CommitOutcome, Committed, GameStore, StoreUnavailable
from service.store.client import connect
from service.store.embedded.server import EmbeddedServer, embedded_server
from tests.store.commits import action, creation, diff
from tests.store.conftest import Alone
from tests.written import written


@pytest.fixture
async def server(data_dir: Path, program: Path) -> AsyncIterator[EmbeddedServer]:
    async with embedded_server(data_dir, program=program) as running:
        yield running


async def test_a_dead_server_is_told_in_time_to_everybody(server: EmbeddedServer) -> None:
    async with connect(server.url) as store:
        await store.commit(creation())
        os.kill(server.pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            outcomes = await asyncio.gather(
                store.commit(action(1)), store.load("g"), store.ping(), store.list_due(0, 1), return_exceptions=True
            )
        assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 4


async def test_a_hanging_server_is_told_in_time_and_serves_again(server: EmbeddedServer) -> None:
    async with connect(server.url, timeout_s=0.3) as store:
        await store.commit(creation())
        os.kill(server.pid, signal.SIGSTOP)
        async with asyncio.timeout(20):
            outcomes = await asyncio.gather(*(store.load("g") for _ in range(1000)), return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
        os.kill(server.pid, signal.SIGCONT)
        assert await store.commit(action(1)) == Committed()


async def test_a_restarted_server_has_the_games_and_gets_the_scripts_again(data_dir: Path, program: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(embedded_server(data_dir, program=program))
        async with connect(server.url) as store:
            await store.commit(creation())
            await written(server.url)
            os.kill(server.pid, signal.SIGKILL)
            with pytest.raises(StoreUnavailable):
                await store.ping()
            await stack.aclose()
            async with embedded_server(data_dir, program=program):
                outcomes = await asyncio.gather(store.commit(action(1)), *(store.load("g") for _ in range(20)))
                assert outcomes[0] == Committed()
                assert await store.load_diffs("g", 0, 10) == [diff(1), diff(2)]


async def test_scripts_that_were_flushed_are_sent_again(alone: Alone) -> None:
    await alone.store.commit(creation())
    await alone.redis.script_flush()
    assert await alone.store.commit(action(1)) == Committed()


async def insist(store: GameStore, commit: Commit) -> CommitOutcome:
    """Commit, again and again until the store answers."""
    async with asyncio.timeout(30):
        while True:
            with suppress(StoreUnavailable):
                return await store.commit(commit)


async def test_cut_connections_lose_and_repeat_no_commit(alone: Alone) -> None:
    """What was cut off is sent again, applied or not, and again by whoever is let down."""
    await alone.store.commit(creation())
    done = asyncio.Event()

    async def cut() -> None:
        while not done.is_set():
            await alone.redis.client_kill_filter(_type="normal", skipme=True)
            await asyncio.sleep(0.004)

    cutting = asyncio.create_task(cut())
    for version in range(1, 21):
        assert await insist(alone.store, action(version)) == Committed()
    done.set()
    await cutting
    assert await alone.store.load_diffs("g", 0, 100) == [diff(version) for version in range(1, 22)]


async def test_what_a_lost_connection_owed_is_asked_again(alone: Alone) -> None:
    await alone.store.commit(creation())
    await alone.redis.client_pause(10_000, all=False)
    committing = asyncio.create_task(alone.store.commit(action(1)))
    await asyncio.sleep(0.05)
    assert await alone.redis.client_kill_filter(_type="normal", skipme=True) >= 1
    assert not committing.done()
    await alone.redis.client_unpause()
    assert await committing == Committed()


async def test_a_closed_store_says_so(server: EmbeddedServer) -> None:
    async with connect(server.url) as store:
        await store.ping()
        waiting = asyncio.create_task(store.load("g"))
        await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        await waiting
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.load("g")


async def test_a_store_may_be_made_before_its_server(data_dir: Path, program: Path) -> None:
    async with connect(f"unix://{data_dir}/redis/redis.sock") as store:
        with pytest.raises(StoreUnavailable):
            await store.ping()
        async with embedded_server(data_dir, program=program):
            await store.ping()


async def test_what_is_no_redis_is_told(data_dir: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with (
        await asyncio.start_unix_server(answer, data_dir / "socket"),
        connect(f"unix://{data_dir}/socket", timeout_s=0.5) as store,
    ):
        with pytest.raises(StoreUnavailable, match="Protocol error"):
            await store.ping()
