"""The wire between a primary and those who would take its place, which can be made to carry nothing more.

Nobody is told: connections stay open and new ones are taken, as in a network that drops what it should carry. Writers
that have the primary's own address do not need the wire.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress

from tests.redis_servers import SERVICE, Deployment, Node
from tests.redis_servers.access import PEER
from tests.redis_servers.node import HOST

__all__ = ["Wire", "wired"]

REWIRED_S = 30.0
CHUNK = 1 << 16


class Wire:
    """Carries all that comes to its port to a node, until it is cut."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._carries = asyncio.Event()
        self._carries.set()
        self._connections: set[asyncio.Task[None]] = set()

    def cut(self) -> None:
        """Carry nothing more, in silence."""
        self._carries.clear()

    def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        task = asyncio.create_task(self._carry(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def aclose(self) -> None:
        """Let go of all connections."""
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._carries.wait()
            there, back = await asyncio.open_connection(HOST, self._node.port)
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._pump(reader, back))
                    both.create_task(self._pump(there, writer))
            finally:
                back.transport.abort()
        finally:
            writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(CHUNK):
                await self._carries.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def wired(deployment: Deployment, primary: Node) -> AsyncIterator[Wire]:
    """Have replicas and sentinels of a deployment reach its primary by a wire alone."""
    wire = Wire(primary)
    server = await asyncio.start_server(wire.take, HOST, 0)
    try:
        port = server.sockets[0].getsockname()[1]
        for sentinel in deployment.sentinels:
            await _watch(sentinel, port, len(deployment.sentinels) // 2 + 1)
        for node in deployment.nodes:
            if node is not primary:
                async with aclosing(node.client()) as client:
                    await client.replicaof(HOST, port)
        async with asyncio.timeout(REWIRED_S):
            while not await _is_ready(deployment, primary, port):  # noqa: ASYNC110  other processes give no sign of it
                await asyncio.sleep(0.05)
        yield wire
    finally:
        server.close()
        await wire.aclose()


async def _watch(sentinel: Node, port: int, quorum: int) -> None:
    """Have a sentinel watch the primary at another port."""
    async with aclosing(sentinel.client()) as client:
        before = await client.sentinel_master(SERVICE)
        assert isinstance(before, dict)
        await client.sentinel_remove(SERVICE)
        await client.sentinel_monitor(SERVICE, HOST, port, quorum)
        for name in ("down-after-milliseconds", "failover-timeout", "parallel-syncs"):
            await client.sentinel_set(SERVICE, name, before[name])
        await client.sentinel_set(SERVICE, "auth-user", PEER)
        await client.sentinel_set(SERVICE, "auth-pass", sentinel.access.inner)


async def _is_ready(deployment: Deployment, primary: Node, port: int) -> bool:
    """Whether all sentinels know all others again, and all replicas have what the primary has."""
    replicas, sentinels = len(deployment.nodes) - 1, len(deployment.sentinels)
    for sentinel in deployment.sentinels:
        async with aclosing(sentinel.client()) as client:
            told = await client.sentinel_master(SERVICE)
        assert isinstance(told, dict)
        if (told["num-slaves"], told["num-other-sentinels"]) != (replicas, sentinels - 1) or told["is_sdown"]:
            return False
    for node in deployment.nodes:
        async with aclosing(node.client()) as client:
            info = await client.info("replication")
        if node is not primary and (info["master_port"], info["master_link_status"]) != (port, "up"):
            return False
    return True
