"""A proxy between a primary and its replicas and sentinels, which simulates a network partition.

When it stops forwarding, connections stay open and new ones are accepted, as in a network that drops packets. Writers
use the primary's own address, not the proxy.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress

from tests.polling import wait_until
from tests.redis_servers import SERVICE_NAME, Deployment, Node
from tests.redis_servers.access import PEER_USER
from tests.redis_servers.node import HOST

__all__ = ["ReplicationProxy", "replicate_through_proxy"]

SETUP_TIMEOUT_S = 30.0
CHUNK_BYTES = 1 << 16


class ReplicationProxy:
    """Forwards connections to a node, until `stop_forwarding`."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._is_forwarding = asyncio.Event()
        self._is_forwarding.set()
        self._connections: set[asyncio.Task[None]] = set()

    def stop_forwarding(self) -> None:
        """Drop everything from now on, without closing connections."""
        self._is_forwarding.clear()

    def handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward one connection."""
        task = asyncio.create_task(self._forward(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def aclose(self) -> None:
        """Close all connections."""
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._is_forwarding.wait()
            upstream_reader, upstream_writer = await asyncio.open_connection(HOST, self._node.port)
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._pump(reader, upstream_writer))
                    group.create_task(self._pump(upstream_reader, writer))
            finally:
                upstream_writer.transport.abort()
        finally:
            writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(CHUNK_BYTES):
                await self._is_forwarding.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def replicate_through_proxy(deployment: Deployment, primary: Node) -> AsyncIterator[ReplicationProxy]:
    """Make the replicas and sentinels of a deployment reach its primary through a proxy."""
    proxy = ReplicationProxy(primary)
    server = await asyncio.start_server(proxy.handle_connection, HOST, 0)
    try:
        port = server.sockets[0].getsockname()[1]
        for sentinel in deployment.sentinels:
            await _monitor_at(sentinel, port, len(deployment.sentinels) // 2 + 1)
        for node in deployment.nodes:
            if node is not primary:
                async with aclosing(node.client()) as client:
                    await client.replicaof(HOST, port)
        await wait_until(lambda: _is_ready(deployment, primary, port), SETUP_TIMEOUT_S)
        yield proxy
    finally:
        server.close()
        await proxy.aclose()


async def _monitor_at(sentinel: Node, port: int, quorum: int) -> None:
    """Make a sentinel monitor the primary at another port."""
    async with aclosing(sentinel.client()) as client:
        before = await client.sentinel_master(SERVICE_NAME)
        assert isinstance(before, dict)
        await client.sentinel_remove(SERVICE_NAME)
        await client.sentinel_monitor(SERVICE_NAME, HOST, port, quorum)
        for name in ("down-after-milliseconds", "failover-timeout", "parallel-syncs"):
            await client.sentinel_set(SERVICE_NAME, name, before[name])
        await client.sentinel_set(SERVICE_NAME, "auth-user", PEER_USER)
        await client.sentinel_set(SERVICE_NAME, "auth-pass", sentinel.access.admin_password)


async def _is_ready(deployment: Deployment, primary: Node, port: int) -> bool:
    """Return whether all sentinels know each other again, and all replicas are in sync."""
    replicas, sentinels = len(deployment.nodes) - 1, len(deployment.sentinels)
    for sentinel in deployment.sentinels:
        async with aclosing(sentinel.client()) as client:
            master = await client.sentinel_master(SERVICE_NAME)
        assert isinstance(master, dict)
        if (master["num-slaves"], master["num-other-sentinels"]) != (replicas, sentinels - 1) or master["is_sdown"]:
            return False
    for node in deployment.nodes:
        async with aclosing(node.client()) as client:
            info = await client.info("replication")
        if node is not primary and (info["master_port"], info["master_link_status"]) != (port, "up"):
            return False
    return True
