"""A paced load on real instances: actions over HTTP, sockets that watch, and what all of it took of the processors."""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from time import perf_counter, process_time
from typing import NamedTuple, cast

from redis.asyncio import Redis

from benchmarks.action import service
from benchmarks.answers import OK, Answers
from benchmarks.asked import actions, create
from benchmarks.processes import CORES, Server, redis
from benchmarks.sample import SampleGame
from benchmarks.watchers import UPGRADE

STEP_S = 0.001
SETTLE_S = 0.5
"""Before and after: until what follows a game's making, or its last action, is over."""
PATIENCE_S = 10.0


class Shape(NamedTuple):
    """A load, and how it is spread."""

    instances: int
    games: int
    actions_s: float
    sockets_per_game: int = 0
    by_game: bool = False
    """All that belongs to a game goes to one instance."""
    act_at: int | None = None
    """All actions go to this instance; None: each game's players sit at two instances, at random."""
    watch_at: int | None = None
    """All sockets are at this one."""


class Took(NamedTuple):
    """What a trial measured."""

    seconds: list[float]
    """Of each action, from when it was due to its answer."""
    wall_s: float
    service_s: list[float]
    """Processor seconds of each instance."""
    redis_s: float
    client_s: float
    received_bytes: int
    """By all sockets."""
    moved: float
    """The share of actions before which another instance acted."""

    def each_us(self, spent_s: float) -> float:
        """Microseconds for each action."""
        return spent_s / len(self.seconds) * 1e6


class Place(NamedTuple):
    """Where a trial runs."""

    redis_url: str
    servers: list[Server]


@asynccontextmanager
async def place(instances: int) -> AsyncIterator[Place]:
    """So many instances on one Redis, all free to run on any core."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(redis())
        yield Place(url, [await stack.enter_async_context(service(url, on=CORES)) for _ in range(instances)])


async def trial(where: Place, shape: Shape, played: Sequence[SampleGame], seconds: float) -> Took:
    """So many seconds of the load on the first instances; raises RuntimeError where an action is refused."""
    servers, chance = where.servers[: shape.instances], random.Random(11)

    def at(game: int, fixed: int | None) -> Server:
        if fixed is not None:
            return servers[fixed]
        return servers[game % len(servers) if shape.by_game else chance.randrange(len(servers))]

    async with AsyncExitStack() as stack, aclosing(Redis.from_url(where.redis_url)) as asking:
        tables = []
        for number in range(shape.games):
            table = await _table(played[number % len(played)], partial(at, number), shape)
            tables.append(table)
            stack.callback(table.close)
        await asyncio.sleep(SETTLE_S)
        before, wall, client = await _spent(asking, servers), perf_counter(), process_time()
        await _paced(tables, shape.actions_s, seconds)
        wall, client = perf_counter() - wall, process_time() - client
        await asyncio.sleep(SETTLE_S)
        *of_servers, of_redis = (b - a for a, b in zip(before, await _spent(asking, servers), strict=True))
    times = [second for table in tables for second in table.seconds]
    moved = sum(table.ports[0] != table.ports[1] for table in tables) / len(tables)
    return Took(times, wall, of_servers, of_redis, client, sum(table.received for table in tables), moved)


async def _spent(asking: Redis, servers: Sequence[Server]) -> list[float]:
    """Processor seconds so far, of each instance and last of Redis."""
    cpu = await asking.info("cpu")
    return [*(server.cpu_s() for server in servers), float(cpu["used_cpu_user"] + cpu["used_cpu_sys"])]


async def _paced(tables: Sequence["_Table"], rate: float, seconds: float) -> None:
    """Actions at a steady rate, one game after another, and then all answers."""
    loop = asyncio.get_running_loop()
    begin, sent = loop.time(), 0
    while (now := loop.time()) < begin + seconds:
        while begin + sent / rate <= now:
            tables[sent % len(tables)].act(perf_counter() - (now - begin - sent / rate))
            sent += 1
        await asyncio.sleep(STEP_S)
    async with asyncio.timeout(PATIENCE_S):
        while any(table.busy for table in tables):  # noqa: ASYNC110 (hundreds of tables: an event each costs more)
            await asyncio.sleep(STEP_S)


async def _table(game: SampleGame, at: Callable[[int | None], Server], shape: Shape) -> "_Table":
    """A new game with the connections of its two players, who act in turn, and its sockets."""
    loop = asyncio.get_running_loop()
    first = at(shape.act_at)
    created = await create(first, game.seed)
    table = _Table(actions(created, game.moves))
    for server in (first, at(shape.act_at)):
        _, player = await loop.create_connection(partial(_Player, table), "127.0.0.1", server.port)
        table.players.append(player)
        table.ports.append(server.port)
    for _ in range(shape.sockets_per_game):
        transport, socket = await loop.create_connection(_Socket, "127.0.0.1", at(shape.watch_at).port)
        transport.write(UPGRADE.format(path=f"/v1/games/{created.id}/ws").encode())
        table.sockets.append(socket)
    async with asyncio.timeout(PATIENCE_S):
        for socket in table.sockets:
            await socket.watching.wait()
    return table


class _Table:
    """A game that is played: its players take turns at their connections."""

    def __init__(self, requests: Sequence[bytes]) -> None:
        self.players: list[_Player] = []
        self.ports: list[int] = []
        """Where they play."""
        self.sockets: list[_Socket] = []
        self.seconds: list[float] = []
        self.busy = False
        self._requests = deque(requests)
        self._due: deque[float] = deque()

    @property
    def received(self) -> int:
        """Bytes that its sockets got of diffs."""
        return sum(socket.received for socket in self.sockets)

    def act(self, due: float) -> None:
        """The next action, when the one before is answered; what comes after the last is left out."""
        if len(self._due) < len(self._requests):
            self._due.append(due)
            self._go_on()

    def answered(self, answer: bytes) -> None:
        """An action is done."""
        if not answer.startswith(OK):
            raise RuntimeError(answer.decode())
        self.seconds.append(perf_counter() - self._due.popleft())
        self.busy = False
        self._go_on()

    def close(self) -> None:
        """Close all connections."""
        for player in self.players:
            player.transport.abort()
        for socket in self.sockets:
            socket.transport.abort()

    def _go_on(self) -> None:
        if self._due and not self.busy:
            self.busy = True
            self.players[len(self.seconds) % len(self.players)].transport.write(self._requests.popleft())


class _Player(Answers):
    """A player's connection."""

    def __init__(self, table: _Table) -> None:
        super().__init__()
        self._table = table

    def answered(self, answer: bytes) -> None:
        self._table.answered(answer)


class _Socket(asyncio.Protocol):
    """A socket that watches a game; it counts the bytes that come after the snapshot."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.received = 0
        self.watching = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self.watching.is_set():
            self.received += len(data)
        elif b'"type":"snapshot"' in data:
            self.watching.set()
