"""The topology of Sentinel follows the primary that most sentinels name."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from redis.asyncio.sentinel import SentinelManagedConnection
from redis.exceptions import ConnectionError as RedisConnectionError

from service.games.ports import Committed
from service.store import keys
from service.store.game_store import RedisStore, connect
from service.store.topology import SentinelTopology
from tests.polling import run_ready_tasks, wait_until
from tests.redis_servers import SERVICE_NAME, Deployment, sentinel
from tests.redis_servers.node import execute_text
from tests.store.commits import commit_until_answered, creation

GAMES = [f"g{number}" for number in range(8)]


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Deployment]:
    async with sentinel(tmp_path) as running:
        yield running


@pytest.fixture
async def store(deployment: Deployment) -> AsyncIterator[RedisStore]:
    async with connect(deployment.url) as store:
        yield store


@pytest.fixture
async def topology(store: RedisStore) -> SentinelTopology:
    """Return a topology with a connection to the primary."""
    await store.commit(creation())
    assert isinstance(store._client.topology, SentinelTopology)
    return store._client.topology


async def test_a_manual_failover_while_the_old_primary_replies(deployment: Deployment, store: RedisStore) -> None:
    await store.commit(creation("before"))
    old = await deployment.primary()
    async with aclosing(deployment.sentinels[0].client()) as client:
        await execute_text(client, "SENTINEL", "FAILOVER", SERVICE_NAME)
    new = await deployment.wait_for_promotion(old)
    async with asyncio.timeout(20), aclosing(new.client()) as client:
        number = 0
        while not await client.exists(keys.game(f"g{number}")):
            number += 1
            await commit_until_answered(store, creation(f"g{number}"))
    assert old.is_serving


async def test_an_outdated_sentinel_is_outvoted(deployment: Deployment) -> None:
    primary = await deployment.primary()
    (other, *_) = await deployment.replicas(primary)
    async with aclosing(deployment.sentinels[0].client()) as client:
        await execute_text(client, "SENTINEL", "REMOVE", SERVICE_NAME)
        await execute_text(client, "SENTINEL", "MONITOR", SERVICE_NAME, "127.0.0.1", other.port, 2)
    async with connect(deployment.url) as store:
        for game in GAMES:
            assert await store.commit(creation(game)) == Committed()
        topology = store._client.topology
        assert isinstance(topology, SentinelTopology)
        for late in deployment.sentinels[1:]:
            late.pause()
        discovering = asyncio.create_task(topology._sentinel.discover_master(SERVICE_NAME))
        await asyncio.sleep(0.2)  # the outdated one answers first
        for late in deployment.sentinels[1:]:
            late.resume()
        assert await discovering == ("127.0.0.1", primary.port)


async def test_a_late_answer_with_an_old_address_does_not_replace_a_newer_one(
    topology: SentinelTopology, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = ("127.0.0.1", 7), ("127.0.0.1", 8)
    answered = asyncio.Event()
    asked: list[str] = []

    async def answer(name: str) -> tuple[str, int]:
        asked.append(name)
        if len(asked) > 1:
            return new
        await answered.wait()
        return old

    monkeypatch.setattr(topology._sentinel, "_majority_address", answer)
    late = asyncio.create_task(topology.refresh())
    await wait_until(lambda: asked)
    newer = asyncio.create_task(topology.refresh())
    await run_ready_tasks()
    answered.set()
    await asyncio.gather(late, newer)
    assert topology._pool.master_address == new


async def test_connections_in_use_are_closed_when_the_sentinels_name_another_primary(
    topology: SentinelTopology, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = topology._pool
    connection = await pool.get_connection()  # type: ignore[no-untyped-call]
    assert connection.is_connected
    monkeypatch.setattr(topology._sentinel, "_majority_address", AsyncMock(return_value=("127.0.0.1", 7)))
    await topology.refresh()
    assert not connection.is_connected
    await pool.release(connection)


async def test_a_connection_fails_if_the_primary_changes_while_it_connects(
    topology: SentinelTopology, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_to = SentinelManagedConnection.connect_to
    pool = topology._pool

    async def overtaken(connection: SentinelManagedConnection, address: tuple[str, int]) -> None:
        await connect_to(connection, address)  # type: ignore[no-untyped-call]
        pool.master_address = ("127.0.0.1", 7)

    monkeypatch.setattr(SentinelManagedConnection, "connect_to", overtaken)
    connection = pool.make_connection()  # type: ignore[no-untyped-call]
    with pytest.raises(RedisConnectionError, match="is no longer the primary"):
        await connection.connect()
    assert not connection.is_connected


async def test_one_sentinel_of_three_is_enough(deployment: Deployment, store: RedisStore) -> None:
    killed, paused, _ = deployment.sentinels
    killed.kill()
    paused.pause()
    assert await commit_until_answered(store, creation()) == Committed()
    paused.resume()
