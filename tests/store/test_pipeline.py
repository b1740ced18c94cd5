"""Commands of one tick share a pipeline without affecting each other, and those in flight are limited."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from time import perf_counter

import pytest
from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from service.games.ports import StoreBusy, StoreUnavailable, UnreadableGame
from service.store import connection, pipeline
from service.store.connection import Command, InFlightCommands, InFlightLimits, parse_url
from service.store.pipeline import PipelinedClient, Wait
from service.store.topology import SOLE_PRIMARY, StandaloneTopology
from service.supervision import Supervisor
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import Deployment, Node, cluster, connect, standalone
from tests.store.conftest import SingleServer


@pytest.fixture
async def client(single_server: SingleServer) -> AsyncIterator[PipelinedClient]:
    async with connect(single_server.url) as store:
        yield store.client


async def test_commands_of_a_tick_share_one_connection_and_each_gets_its_own_reply(
    client: PipelinedClient, single_server: SingleServer
) -> None:
    before = (await single_server.redis.info("stats"))["total_connections_received"]
    replies = await asyncio.gather(*(client.execute("INCR", "n") for _ in range(100)))
    assert replies == list(range(1, 101))
    assert (await single_server.redis.info("stats"))["total_connections_received"] - before <= 2


async def test_commands_wait_while_connections_are_busy(client: PipelinedClient, single_server: SingleServer) -> None:
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
            await store.client.execute("SET", "k", "v", wait_for_replicas=True)


async def test_a_command_that_cannot_be_encoded_fails_and_the_next_ones_do_not(client: PipelinedClient) -> None:
    replies = await asyncio.gather(
        client.execute("ECHO", object()),  # type: ignore[arg-type]  # cannot be encoded
        client.execute("ECHO", "beside it"),
        return_exceptions=True,
    )
    assert [type(reply) for reply in replies] == [StoreUnavailable, StoreUnavailable]
    assert len(client.in_flight.commands) == 0
    assert [await client.execute("ECHO", i) for i in range(3)] == [b"0", b"1", b"2"]


async def test_a_command_to_be_sent_again_opens_no_connection_after_the_end(single_server: SingleServer) -> None:
    clients = len(await single_server.redis.client_list())
    async with connect(single_server.url) as store:
        await store.ping()
    client = store.client
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
    async with aclosing(PipelinedClient(topology, 1, TIMEOUT_S, Wait(0))) as client:
        await client.execute("SET", "k", "v")
        await client.execute("SET", "k", "v", wait_for_replicas=True)
        assert client.queues.keys() == {("first", False), ("first", True)}
        await wait_until(lambda: all(queue.is_idle for queue in client.queues.values()))
        late = client.execute("GET", "k")
        topology.name = "second"
        assert await client.execute("ECHO", "x") == b"x"
        assert client.queues.keys() == {("first", False), ("second", False)}
        assert await late == b"v"
        await wait_until(lambda: all(queue.is_idle for queue in client.queues.values()))
        await client.execute("SET", "k", "v", wait_for_replicas=True)
        assert client.queues.keys() == {("second", False), ("second", True)}


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


LOW_LIMITS = InFlightLimits(100, 100_000)


def create_command(size: int) -> Command:
    """Return a command of a given size."""
    command = Command(("GET", "k"), asyncio.get_running_loop().create_future(), wait_for_replicas=False)
    command.size = size
    return command


def admit_commands(counted_in: Sequence[InFlightCommands], *sizes: int) -> list[Command]:
    """Submit commands of these sizes, and return those that are admitted."""
    commands = [create_command(size) for size in sizes]
    for command in commands:
        with suppress(StoreBusy):
            command.admit(*counted_in)
    return [command for command in commands if command.counted_in]


def count(in_flight: InFlightCommands) -> tuple[int, int]:
    """Return the number of commands in flight, and of bytes."""
    return len(in_flight.commands), in_flight.bytes


async def test_admit_enforces_both_limits_and_a_command_above_that_of_bytes_is_admitted_alone() -> None:
    total = InFlightCommands(InFlightLimits(3, 100))
    first, *others = admit_commands([total], 10, 10, 10)
    assert len(others) == 2
    with pytest.raises(StoreBusy, match="3 commands of 30 bytes are in flight to Redis already"):
        create_command(10).admit(total)
    first.release()
    assert [command.size for command in admit_commands([total], 81, 80)] == [80]
    assert count(total) == (3, 100)
    alone = InFlightCommands(total.limits)
    (large,) = admit_commands([alone], 1000, 1)
    large.release()
    assert (large.size, len(admit_commands([alone], 1))) == (1000, 1)


async def test_one_primary_may_use_half_of_the_limits() -> None:
    total = InFlightCommands(InFlightLimits(6, 1000))
    stalled, other, third = (InFlightCommands(total.limits.per_primary()) for _ in range(3))
    assert len(admit_commands((total, stalled), 1, 1, 1, 1)) == 3
    assert len(admit_commands((total, other), 1, 1)) == 2
    (last,) = admit_commands((total, third), 1)
    assert count(total) == (6, 6)
    with pytest.raises(StoreBusy, match="6 commands of 6 bytes are in flight to Redis already"):
        create_command(1).admit(total, other)
    last.release()
    assert (count(total), count(third)) == ((5, 5), (0, 0))


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Deployment]:
    async with standalone(tmp_path) as running:
        yield running


@pytest.fixture
def node(deployment: Deployment) -> Node:
    return deployment.nodes[0]


@asynccontextmanager
async def connect_limited(
    deployment: Deployment, timeout_s: float = TIMEOUT_S, wait: Wait | None = None
) -> AsyncIterator[PipelinedClient]:
    async with connect(deployment.url, timeout_s=timeout_s, wait=wait, limits=LOW_LIMITS) as store:
        yield store.client


async def wait_until_nothing_in_flight(client: PipelinedClient) -> None:
    await wait_until(lambda: not client.in_flight.commands)
    assert client.in_flight.bytes == 0


async def wait_until_sent(client: PipelinedClient) -> None:
    """Wait until no command is queued for its pipeline."""
    await wait_until(lambda: not any(queue._queued for queue in client.queues.values()))


async def gather_outcome_types(number: int, send: Callable[[], Awaitable[object]]) -> list[type]:
    """Execute commands concurrently, and return the types of their outcomes."""
    return [type(one) for one in await asyncio.gather(*(send() for _ in range(number)), return_exceptions=True)]


async def test_a_stalled_server_reaches_the_command_limit(deployment: Deployment, node: Node) -> None:
    async with connect_limited(deployment, timeout_s=TIMEOUT_S) as client:
        await client.execute("SET", "k", "v")
        node.pause()
        pending, highest = [], 0
        for _ in range(300):  # over several ticks, while earlier commands are on their way
            pending += [asyncio.ensure_future(client.execute("GET", "k")) for _ in range(10)]
            await asyncio.sleep(0)
            highest = max(highest, len(client.in_flight.commands))
        rejected, waiting = ([one for one in pending if one.done() is finished] for finished in (True, False))
        assert (len(rejected), highest) == (2900, 100)
        assert {type(one.exception()) for one in rejected} == {StoreBusy}
        node.resume()
        assert await asyncio.gather(*waiting) == [b"v"] * 100
        await wait_until_nothing_in_flight(client)
        assert await client.execute("GET", "k") == b"v"


async def test_a_stalled_server_reaches_the_byte_limit(deployment: Deployment, node: Node) -> None:
    async with connect_limited(deployment) as client:
        await client.execute("SET", "k", "v")
        node.pause()
        pending = [client.execute("SET", "k", b"x" * 9_000) for _ in range(50)]
        assert sum(one.done() for one in pending) == 40
        assert client.in_flight.bytes <= LOW_LIMITS.bytes
        node.resume()
        await asyncio.gather(*pending, return_exceptions=True)
        await wait_until_nothing_in_flight(client)


@pytest.mark.parametrize("wait", (None, Wait(0, 200)))
async def test_a_command_that_timed_out_counts_until_it_is_released(
    deployment: Deployment, node: Node, wait: Wait | None
) -> None:
    async with connect_limited(deployment, timeout_s=1.0, wait=wait) as client:

        def write() -> Awaitable[object]:
            return client.execute("SET", "k", "v", wait_for_replicas=True)

        await write()
        node.pause()
        assert await gather_outcome_types(100, write) == [StoreUnavailable] * 100
        assert await gather_outcome_types(5, write) == [StoreBusy] * 5
        await wait_until_nothing_in_flight(client)  # the connection is closed, although the server is still silent
        node.resume()
        assert await write() == b"OK"


async def test_the_time_for_which_the_process_was_stopped_does_not_count(
    deployment: Deployment, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for commands, nor for what the connection may take, nor for how long Redis was unreachable."""
    stopped_s, time = 0.0, asyncio.get_running_loop().time
    for module in (pipeline, connection):
        monkeypatch.setattr(module, "perf_counter", lambda: perf_counter() + stopped_s)
    async with connect_limited(deployment) as client:
        await client.execute("SET", "k", "v")
        (queue,) = client.queues.values()
        node.pause()
        replies = [client.execute("GET", "k") for _ in range(10)]
        await wait_until_sent(client)
        queue.unreachable_since = time() - TIMEOUT_S
        stopped_s = 3600.0
        await wait_until(lambda: client.unreachable_s() < TIMEOUT_S)
        assert not any(reply.done() for reply in replies)
        assert [deadline > time() + 3000 for deadline in queue._limits.values()] == [True]
        node.resume()
        assert await asyncio.gather(*replies) == [b"v"] * 10


async def test_an_unreachable_server_reaches_the_command_limit(deployment: Deployment, node: Node) -> None:
    async with connect_limited(deployment, timeout_s=0.5) as client:
        node.kill()
        outcomes = await gather_outcome_types(150, lambda: client.execute("GET", "k"))
        assert (outcomes.count(StoreBusy), outcomes.count(StoreUnavailable)) == (50, 100)
        await wait_until_nothing_in_flight(client)


async def test_every_outcome_releases_the_command(deployment: Deployment, node: Node) -> None:
    async with connect_limited(deployment, wait=Wait(1, 1)) as client:
        sent = (
            client.execute("SET", "k", "v"),
            client.execute("HGET", "k", "f"),
            client.execute("EVALSHA", "0" * 40, 1, "k"),
            client.execute("SET", "k", "v", wait_for_replicas=True),
        )
        outcomes = await asyncio.gather(*sent, return_exceptions=True)
        assert [type(one) for one in outcomes] == [bytes, UnreadableGame, NoScriptError, StoreUnavailable]
        assert len(client.in_flight.commands) == 0
        node.pause()
        cancelled, *retried = (client.execute("GET", "k") for _ in range(10))
        await wait_until_sent(client)
        cancelled.cancel()
        await client.topology.client_for(*client.topology.primaries()).connection_pool.disconnect()
        await wait_until(lambda: len(client.in_flight.commands) != 10)
        assert len(client.in_flight.commands) == 9  # which are sent again
        node.resume()
        assert await asyncio.gather(*retried) == [b"v"] * 9
        assert len(client.in_flight.commands) == 0
        node.pause()
        closed = [client.execute("GET", "k") for _ in range(10)]
        await wait_until_sent(client)
    assert {type(one.exception()) for one in closed} == {StoreUnavailable}
    assert count(client.in_flight) == (0, 0)


async def test_a_stalled_primary_does_not_block_the_others(tmp_path: Path) -> None:
    async with (
        cluster(tmp_path, replicas=0, node_timeout_ms=60_000) as deployment,
        connect_limited(deployment) as client,
    ):
        games = [f"g{number}" for number in range(30)]
        await asyncio.gather(*(client.execute("SET", game, game) for game in games))
        stalled = await deployment.primary(games[0])
        owners = {game: await deployment.primary(game) for game in games}
        stalled.pause()
        pending = [client.execute("GET", games[0]) for _ in range(200)]
        assert sum(one.done() for one in pending) == 150
        others = [game for game, owner in owners.items() if owner is not stalled]
        for _ in range(20):
            assert await asyncio.gather(*(client.execute("GET", game) for game in others)) == [
                game.encode() for game in others
            ]
        stalled.resume()
        await asyncio.gather(*pending, return_exceptions=True)
        await wait_until_nothing_in_flight(client)
