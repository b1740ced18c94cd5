"""The topology of Sentinel follows the primary that most sentinels name."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest
from redis.asyncio.sentinel import SentinelManagedConnection
from redis.exceptions import ConnectionError as RedisConnectionError

from service.games.ports import Committed
from service.store import keys
from service.store.client import connect
from service.store.connection.sentinel import SentinelTopology
from tests.redis_servers import SERVICE_NAME, sentinel
from tests.redis_servers.node import execute_text
from tests.store.commits import commit_until_answered, creation

GAMES = [f"g{number}" for number in range(8)]


async def test_a_manual_failover_while_the_old_primary_replies(tmp_path: Path) -> None:
    async with sentinel(tmp_path) as deployment, connect(deployment.url) as store:
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


async def test_an_outdated_sentinel_is_outvoted(tmp_path: Path) -> None:
    async with sentinel(tmp_path) as deployment:
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
            named = await asyncio.gather(*(topology._sentinel.discover_master(SERVICE_NAME) for _ in range(5)))
            assert {*named} == {("127.0.0.1", primary.port)}


async def test_a_late_answer_with_an_old_address_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sentinel(tmp_path) as deployment, connect(deployment.url) as store:
        await store.commit(creation())
        topology = store._client.topology
        assert isinstance(topology, SentinelTopology)
        sentinels, now = topology._sentinel, ("127.0.0.1", 7)
        answers = iter([sentinels.last_address, now])

        async def most_named(_: str) -> tuple[str, int]:
            address = next(answers)
            if address != now:  # meanwhile a concurrent call learns the new address
                sentinels.last_address, sentinels._answers = now, sentinels._answers + 1
            assert address is not None
            return address

        monkeypatch.setattr(sentinels, "_majority_address", most_named)
        assert await sentinels.discover_master(SERVICE_NAME) == now


async def test_a_connection_fails_if_the_primary_changes_while_it_connects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sentinel(tmp_path) as deployment, connect(deployment.url) as store:
        await store.commit(creation())
        topology = store._client.topology
        assert isinstance(topology, SentinelTopology)
        connect_to = SentinelManagedConnection.connect_to
        sentinels = topology._sentinel

        async def overtaken(connection: SentinelManagedConnection, address: tuple[str, int]) -> None:
            await connect_to(connection, address)  # type: ignore[no-untyped-call]
            sentinels.last_address = ("127.0.0.1", 7)

        monkeypatch.setattr(SentinelManagedConnection, "connect_to", overtaken)
        connection = topology._pool.make_connection()  # type: ignore[no-untyped-call]
        with pytest.raises(RedisConnectionError, match="is no longer the primary"):
            await connection.connect()
        assert not connection.is_connected


async def test_one_sentinel_of_three_is_enough(tmp_path: Path) -> None:
    async with sentinel(tmp_path) as deployment, connect(deployment.url) as store:
        killed, paused, _ = deployment.sentinels
        killed.kill()
        paused.pause()
        assert await commit_until_answered(store, creation()) == Committed()
        paused.resume()
