"""What Redis has not answered has a bound: more is refused at once, and all that ended in any way counts no more."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from redis.exceptions import NoScriptError

from service.games.ports import StoreBusy, StoreUnavailable, UnreadableGame
from service.store.client import create_client
from service.store.connection.command import Command, InFlightCommands, InFlightLimits
from service.store.connection.pipeline import PipelinedClient, Wait
from tests.redis_servers import Deployment, Node, cluster, sentinel, standalone

FEW = InFlightLimits(100, 100_000)


def sized(size: int) -> Command:
    """A command that counts so many bytes."""
    command = Command(("GET", "k"), asyncio.get_running_loop().create_future(), wait_for_replicas=False)
    command.size = size
    return command


def admitted(in_flight: InFlightCommands, *sizes: int) -> list[Command]:
    """Those of these commands that are admitted."""
    commands = [sized(size) for size in sizes]
    for command in commands:
        with suppress(StoreBusy):
            in_flight.admit(command)
    return [command for command in commands if command.in_flight is in_flight]


def count(in_flight: InFlightCommands) -> tuple[int, int]:
    """How many commands, and bytes."""
    return len(in_flight.commands), in_flight.bytes


async def test_so_many_commands_and_bytes_are_admitted() -> None:
    all_of_them = InFlightCommands(InFlightLimits(3, 100))
    first, *others = admitted(all_of_them, 10, 10, 10)
    assert len(others) == 2
    with pytest.raises(StoreBusy, match="3 commands of 30 bytes are in flight to Redis already"):
        all_of_them.admit(sized(10))
    first.release()
    assert [command.size for command in admitted(all_of_them, 81, 80)] == [80]
    assert count(all_of_them) == (3, 100)


async def test_a_command_that_is_larger_than_the_limit_goes_alone() -> None:
    all_of_them = InFlightCommands(InFlightLimits(3, 100))
    (large,) = admitted(all_of_them, 1000, 1)
    assert large.size == 1000
    large.release()
    assert len(admitted(all_of_them, 1)) == 1


async def test_one_primary_of_several_has_half() -> None:
    all_of_them = InFlightCommands(InFlightLimits(6, 1000))
    stalled, other, third = (all_of_them.share_of(name) for name in ("stalled", "other", "third"))
    assert len(admitted(stalled, 1, 1, 1, 1)) == 3
    assert len(admitted(other, 1, 1)) == 2
    (last,) = admitted(third, 1)
    assert count(all_of_them) == (6, 6)
    with pytest.raises(StoreBusy, match="6 commands of 6 bytes are in flight to Redis already"):
        other.admit(sized(1))
    last.release()
    all_of_them.drop_other_shares({"other"})
    assert all_of_them.share_of("stalled") is stalled  # something of its is in flight
    assert all_of_them.share_of("third") is not third


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Deployment]:
    async with standalone(tmp_path) as running:
        yield running


@pytest.fixture
def node(deployment: Deployment) -> Node:
    return deployment.nodes[0]


def made(deployment: Deployment, timeout_s: float = 5.0, wait: Wait | None = None) -> PipelinedClient:
    return create_client(deployment.url, timeout_s=timeout_s, wait=wait, limits=FEW)


async def nothing_in_flight(client: PipelinedClient) -> None:
    async with asyncio.timeout(20):
        while client.in_flight.commands:  # noqa: ASYNC110  the server answers when it likes
            await asyncio.sleep(0.02)
    assert client.in_flight.bytes == 0


async def outcomes(number: int, send: Callable[[], Awaitable[object]]) -> list[type]:
    """What came of so many commands, by type."""
    return [type(one) for one in await asyncio.gather(*(send() for _ in range(number)), return_exceptions=True)]


async def test_a_server_that_stalls_holds_so_many_and_no_more(deployment: Deployment, node: Node) -> None:
    client = made(deployment, timeout_s=20.0)
    await client.execute("SET", "k", "v")
    node.pause()
    held, most = [], 0
    for _ in range(300):  # over several ticks, while what was written before is on its way
        held += [asyncio.ensure_future(client.execute("GET", "k")) for _ in range(10)]
        await asyncio.sleep(0)
        most = max(most, len(client.in_flight.commands))
    refused, waiting = ([one for one in held if one.done() is done] for done in (True, False))
    assert (len(refused), most) == (2900, 100)
    assert {type(one.exception()) for one in refused} == {StoreBusy}
    node.resume()
    assert await asyncio.gather(*waiting) == [b"v"] * 100
    await nothing_in_flight(client)
    assert await client.execute("GET", "k") == b"v"
    await client.aclose()


async def test_so_many_bytes_and_no_more(deployment: Deployment, node: Node) -> None:
    client = made(deployment)
    await client.execute("SET", "k", "v")
    node.pause()
    held = [client.execute("SET", "k", b"x" * 9_900) for _ in range(50)]
    assert sum(one.done() for one in held) == 40
    assert client.in_flight.bytes <= FEW.bytes
    node.resume()
    await asyncio.gather(*held, return_exceptions=True)
    await nothing_in_flight(client)
    await client.aclose()


async def test_what_was_given_up_counts_until_nothing_holds_it(deployment: Deployment, node: Node) -> None:
    client = made(deployment, timeout_s=0.3)
    await client.execute("SET", "k", "v")
    node.pause()
    assert await outcomes(100, lambda: client.execute("GET", "k")) == [StoreUnavailable] * 100
    assert await outcomes(5, lambda: client.execute("GET", "k")) == [StoreBusy] * 5
    await nothing_in_flight(client)  # the connection is given up, although the server still says nothing
    assert len(client.in_flight.commands) == 0
    node.resume()
    await client.aclose()


async def test_a_server_that_is_away_holds_so_many_and_no_more(deployment: Deployment, node: Node) -> None:
    client = made(deployment, timeout_s=0.5)
    node.kill()
    came = await outcomes(150, lambda: client.execute("GET", "k"))
    assert (came.count(StoreBusy), came.count(StoreUnavailable)) == (50, 100)
    await nothing_in_flight(client)
    await client.aclose()


async def test_whatever_becomes_of_a_command_it_counts_no_more(deployment: Deployment, node: Node) -> None:
    client = made(deployment)
    sent = (
        client.execute("SET", "k", "v"),
        client.execute("HGET", "k", "f"),
        client.execute("EVALSHA", "0" * 40, 1, "k"),
    )
    came = await asyncio.gather(*sent, return_exceptions=True)
    assert [type(one) for one in came] == [bytes, UnreadableGame, NoScriptError]
    assert len(client.in_flight.commands) == 0
    node.pause()
    cancelled, *lost = (client.execute("GET", "k") for _ in range(10))
    await asyncio.sleep(0.05)
    cancelled.cancel()
    await client.topology.client_for(*client.topology.primaries()).connection_pool.disconnect()
    async with asyncio.timeout(5):
        while len(client.in_flight.commands) == 10:  # noqa: ASYNC110  it has no event
            await asyncio.sleep(0)
    assert len(client.in_flight.commands) == 9  # which are asked again
    node.resume()
    assert await asyncio.gather(*lost) == [b"v"] * 9
    assert len(client.in_flight.commands) == 0
    node.pause()
    closed = [client.execute("GET", "k") for _ in range(10)]
    await asyncio.sleep(0.05)
    await client.aclose()
    assert {type(one.exception()) for one in closed} == {StoreUnavailable}
    assert count(client.in_flight) == (0, 0)


async def test_what_waits_for_replicas_is_in_flight(tmp_path: Path) -> None:
    async with sentinel(tmp_path, replicas=1, sentinels=1, down_after_ms=60_000) as deployment:
        client = made(deployment, wait=Wait(1, 200))
        await client.execute("SET", "k", "v", wait_for_replicas=True)
        assert len(client.in_flight.commands) == 0
        (replica,) = await deployment.replicas(await deployment.primary())
        replica.pause()
        came = await outcomes(120, lambda: client.execute("SET", "k", "v", wait_for_replicas=True))
        assert (came.count(StoreBusy), came.count(StoreUnavailable)) == (20, 100)
        assert len(client.in_flight.commands) == 0
        replica.resume()
        assert await client.execute("SET", "k", "v", wait_for_replicas=True) == b"OK"
        cancelled = [client.execute("SET", "k", "v", wait_for_replicas=True) for _ in range(10)]
        await asyncio.sleep(0)
        for one in cancelled:
            one.cancel()
        await nothing_in_flight(client)
        await client.aclose()


async def test_a_primary_that_stalls_leaves_half_to_the_others(tmp_path: Path) -> None:
    async with cluster(tmp_path, replicas=0, node_timeout_ms=60_000) as deployment:
        client = made(deployment)
        games = [f"g{number}" for number in range(30)]
        await asyncio.gather(*(client.execute("SET", game, game) for game in games))
        stalled = await deployment.primary(games[0])
        owners = {game: await deployment.primary(game) for game in games}
        stalled.pause()
        held = [client.execute("GET", games[0]) for _ in range(200)]
        assert sum(one.done() for one in held) == 150
        others = [game for game, owner in owners.items() if owner is not stalled]
        for _ in range(20):
            assert await asyncio.gather(*(client.execute("GET", game) for game in others)) == [
                game.encode() for game in others
            ]
        stalled.resume()
        await asyncio.gather(*held, return_exceptions=True)
        await nothing_in_flight(client)
        await client.aclose()
