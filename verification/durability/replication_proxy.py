"""A proxy between a primary and its replicas and sentinels, which simulates a network partition.

Writers use the primary's own address, not the proxy.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from urllib.parse import urlsplit

from tests.polling import wait_until
from tests.redis_servers import HOST, PEER_USER, SERVICE_NAME, Deployment, Node
from tests.tcp_proxy import Proxy, run_proxy

SETUP_TIMEOUT_S = 30.0


@asynccontextmanager
async def replicate_through_proxy(deployment: Deployment, primary: Node) -> AsyncIterator[Proxy]:
    """Make the replicas and sentinels of a deployment reach its primary through a proxy."""
    async with run_proxy(f"http://{primary.address}") as proxy:
        port = urlsplit(proxy.url).port
        assert port is not None
        for sentinel in deployment.sentinels:
            await _monitor_at(sentinel, port, len(deployment.sentinels) // 2 + 1)
        for node in deployment.nodes:
            if node is not primary:
                async with aclosing(node.client()) as client:
                    await client.replicaof(HOST, port)
        await wait_until(lambda: _is_ready(deployment, primary, port), SETUP_TIMEOUT_S)
        yield proxy


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
