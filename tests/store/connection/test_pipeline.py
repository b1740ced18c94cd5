"""Commands of one tick share a pipeline, but do not affect each other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from redis.asyncio import Redis

from service.games.ports import StoreUnavailable
from service.store.connection import Command, parse_url
from service.store.game_store import connect
from service.store.pipeline import PipelinedClient, Wait
from service.store.topology import SOLE_PRIMARY, StandaloneTopology
from service.supervision import Supervisor
from tests.polling import wait_until
from tests.store.conftest import SingleServer


@pytest.fixture
async def client(single_server: SingleServer) -> AsyncIterator[PipelinedClient]:
    async with connect(single_server.url) as store:
        yield store._client


async def test_each_command_gets_its_own_reply(client: PipelinedClient) -> None:
    replies = await asyncio.gather(*(client.execute("ECHO", i) for i in range(1000)))
    assert replies == [str(i).encode() for i in range(1000)]


async def test_commands_of_one_tick_share_a_connection_in_order(
    client: PipelinedClient, single_server: SingleServer
) -> None:
    before = (await single_server.redis.info("stats"))["total_connections_received"]
    replies = await asyncio.gather(*(client.execute("INCR", "n") for _ in range(100)))
    assert replies == list(range(1, 101))
    assert (await single_server.redis.info("stats"))["total_connections_received"] - before <= 2


async def test_commands_queue_while_all_connections_are_busy(
    client: PipelinedClient, single_server: SingleServer
) -> None:
    async def some() -> None:
        for _ in range(20):
            await client.execute("INCR", "n")

    await asyncio.gather(*(some() for _ in range(50)))
    assert await single_server.redis.get("n") == b"1000"
    assert len(await single_server.redis.client_list()) <= 4


async def test_an_error_reply_does_not_affect_other_commands(client: PipelinedClient) -> None:
    replies = await asyncio.gather(
        client.execute("SET", "k", "v"),
        client.execute("HGET", "k", "f"),
        client.execute("GET", "k"),
        return_exceptions=True,
    )
    assert (replies[0], replies[2]) == (b"OK", b"v")
    assert isinstance(replies[1], StoreUnavailable)
    assert "WRONGTYPE" in str(replies[1])


async def test_an_error_reply_to_wait_fails_the_command(single_server: SingleServer) -> None:
    async with connect(single_server.url, wait=Wait(1, -1)) as store:
        with pytest.raises(StoreUnavailable, match="timeout is negative"):
            await store._client.execute("SET", "k", "v", wait_for_replicas=True)


async def test_a_command_that_cannot_be_encoded_fails_and_the_next_ones_do_not(client: PipelinedClient) -> None:
    replies = await asyncio.gather(
        client.execute("ECHO", object()),  # type: ignore[arg-type]  # cannot be encoded
        client.execute("ECHO", "beside it"),
        return_exceptions=True,
    )
    assert [type(reply) for reply in replies] == [StoreUnavailable, StoreUnavailable]
    assert len(client.in_flight.commands) == 0
    assert [await client.execute("ECHO", i) for i in range(3)] == [b"0", b"1", b"2"]


async def test_a_command_that_was_to_be_sent_again_opens_no_connection_after_the_end(
    single_server: SingleServer,
) -> None:
    clients = len(await single_server.redis.client_list())
    async with connect(single_server.url) as store:
        await store.ping()
    client = store._client
    late = Command(("ECHO", "late"), asyncio.get_running_loop().create_future(), wait_for_replicas=False)
    client.dispatch(late)
    assert not any(task.get_name() == "redis-pipeline" for task in asyncio.all_tasks())
    assert len(await single_server.redis.client_list()) == clients


class MovingTopology(StandaloneTopology):
    """One server under changing names, as after failovers."""

    is_sharded = True
    name = "first"

    def primaries(self) -> list[str]:
        return [self.name]

    def primary_for_key(self, key: str) -> str:
        del key
        return self.name

    def client_for(self, primary: str) -> Redis:
        del primary
        return super().client_for(SOLE_PRIMARY)


async def test_the_queue_of_a_former_primary_lives_until_it_is_idle(single_server: SingleServer) -> None:
    topology = MovingTopology(parse_url(single_server.url), Supervisor())
    async with aclosing(PipelinedClient(topology, 1, 5.0, Wait(0))) as client:
        await client.execute("SET", "k", "v")
        await client.execute("SET", "k", "v", wait_for_replicas=True)
        assert client._queues.keys() == {("first", False), ("first", True)}
        await wait_until(lambda: all(queue.is_idle for queue in client._queues.values()))
        late = client.execute("GET", "k")
        topology.name = "second"
        assert await client.execute("ECHO", "x") == b"x"
        assert client._queues.keys() == {("first", False), ("second", False)}
        assert await late == b"v"
        await wait_until(lambda: all(queue.is_idle for queue in client._queues.values()))
        await client.execute("SET", "k", "v", wait_for_replicas=True)
        assert client._queues.keys() == {("second", False), ("second", True)}


async def test_a_cancelled_command_does_not_affect_others(client: PipelinedClient) -> None:
    async def echo(i: int) -> bytes:
        return bytes(await client.execute("ECHO", i))

    tasks = [asyncio.create_task(echo(i)) for i in range(30)]
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    await asyncio.sleep(0)
    for task in tasks[1::3]:
        task.cancel()
    replies = await asyncio.gather(*tasks, return_exceptions=True)
    assert replies[2::3] == [str(i).encode() for i in range(2, 30, 3)]
    assert {type(reply) for i, reply in enumerate(replies) if i % 3 != 2} == {asyncio.CancelledError}
    assert await client.execute("ECHO", "after") == b"after"
