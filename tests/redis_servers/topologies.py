"""Deployments: standalone, with Sentinel, and as a Cluster.

`settings` are additional lines of each data server's configuration, as `"appendfsync always"`. By default the servers
have an append-only file with `appendfsync everysec`.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import quote

from redis.asyncio import Redis

from tests.polling import wait_until
from tests.redis_servers.access import PEER_USER, Access, create_access
from tests.redis_servers.deployment import Deployment, cluster_lines
from tests.redis_servers.node import HOST, Node, execute_text, reserve_ports
from tests.tools import REDIS, REDIS_WITH_TLS, require

SERVICE_NAME = "the-games"
"""The name by which the sentinels know the primary."""

SLOTS = 16384
CLUSTER_CONFIG = Path(__file__).parents[2] / "deploy" / "redis" / "cluster.conf"

DATA_CONFIG = (
    *("appendonly yes", "appendfsync everysec", 'save ""'),  # as deploy/redis/redis.conf
    "repl-diskless-sync-delay 0",
    "repl-ping-replica-period 1",
)


def _require_program(access: Access) -> Path:
    return require(REDIS if access.certificate is None else REDIS_WITH_TLS)


@contextmanager
def _running(nodes: Sequence[Node]) -> Iterator[None]:
    """Run nodes, and kill them at the end."""
    with ExitStack() as stack:
        for node in nodes:
            stack.callback(node.kill)
            node.start()
        yield


@asynccontextmanager
async def standalone(
    directory: Path, *, access: Access | None = None, settings: Sequence[str] = ()
) -> AsyncIterator[Deployment]:
    """Run a single server."""
    access = access or create_access(directory)
    (port,) = reserve_ports(1)
    node = Node(
        _require_program(access), directory / "node0", port, access, [*DATA_CONFIG, *access.server_config(), *settings]
    )
    scheme = "redis" if access.certificate is None else "rediss"
    url = f"{scheme}://{access.userinfo}{node.address}/0{access.format_query({})}"
    with _running([node]):
        await node.wait_until_ready()
        yield Deployment(url, access, [node])


@asynccontextmanager
async def sentinel(
    directory: Path,
    *,
    replicas: int = 2,
    sentinels: int = 3,
    down_after_ms: int = 1000,
    access: Access | None = None,
    settings: Sequence[str] = (),
    program: Path | None = None,
) -> AsyncIterator[Deployment]:
    """Run a primary, its replicas, and sentinels that know all of them from the start.

    `program` is the data servers', by default the preferred one on this machine.
    """
    access = access or create_access(directory)
    ports = reserve_ports(1 + replicas + sentinels)
    data_ports, sentinel_ports = ports[: 1 + replicas], ports[1 + replicas :]
    nodes = []
    for number, port in enumerate(data_ports):
        replicaof = [f"replicaof {HOST} {data_ports[0]}"] if number else []
        lines = [*DATA_CONFIG, *access.server_config(), *replicaof, *settings]
        nodes.append(Node(program or _require_program(access), directory / f"node{number}", port, access, lines))
    sentinel_nodes = _create_sentinels(directory, data_ports, sentinel_ports, access, down_after_ms)
    scheme = "redis+sentinel" if access.certificate is None else "rediss+sentinel"
    hosts = ",".join(node.address for node in sentinel_nodes)
    query = access.format_query({"sentinel_password": access.admin_password})
    url = f"{scheme}://{access.userinfo}{hosts}/{quote(SERVICE_NAME)}/0{query}"
    deployment = Deployment(url, access, nodes, sentinel_nodes)
    with _running([*nodes, *sentinel_nodes]):
        await asyncio.gather(*(node.wait_until_ready() for node in (*nodes, *sentinel_nodes)))
        await deployment.wait_until_healthy()
        yield deployment


def _create_sentinels(
    directory: Path, data_ports: Sequence[int], sentinel_ports: Sequence[int], access: Access, down_after_ms: int
) -> list[Node]:
    """Create sentinels that know each other and the replicas, which would take them some seconds to discover."""
    ids = {port: secrets.token_hex(20) for port in sentinel_ports}
    sentinel_nodes = []
    for number, port in enumerate(sentinel_ports):
        lines = [
            f"requirepass {access.admin_password}",
            f"sentinel sentinel-pass {access.admin_password}",
            f"sentinel myid {ids[port]}",
            f"sentinel monitor {SERVICE_NAME} {HOST} {data_ports[0]} {len(sentinel_ports) // 2 + 1}",
            f"sentinel auth-user {SERVICE_NAME} {PEER_USER}",
            f"sentinel auth-pass {SERVICE_NAME} {access.admin_password}",
            f"sentinel down-after-milliseconds {SERVICE_NAME} {down_after_ms}",
            f"sentinel failover-timeout {SERVICE_NAME} {max(3 * down_after_ms, 3000)}",
            f"sentinel parallel-syncs {SERVICE_NAME} {len(data_ports)}",
            *(f"sentinel known-replica {SERVICE_NAME} {HOST} {replica}" for replica in data_ports[1:]),
            *(
                f"sentinel known-sentinel {SERVICE_NAME} {HOST} {other} {ids[other]}"
                for other in sentinel_ports
                if other != port
            ),
            *access.tls_config(),
        ]
        sentinel_nodes.append(Node(_require_program(access), directory / f"sentinel{number}", port, access, lines))
    return sentinel_nodes


@asynccontextmanager
async def cluster(
    directory: Path,
    *,
    primaries: int = 3,
    replicas: int = 1,
    node_timeout_ms: int = 1000,
    access: Access | None = None,
    settings: Sequence[str] = (),
) -> AsyncIterator[Deployment]:
    """Run primaries with an equal share of the slots, each with `replicas`, with the settings in `deploy/redis`."""
    access = access or create_access(directory)
    count = primaries * (1 + replicas)
    ports = reserve_ports(2 * count)
    common = [
        *(line for line in CLUSTER_CONFIG.read_text(encoding="utf-8").splitlines() if not line.startswith("#")),
        f"cluster-node-timeout {node_timeout_ms}",
        *(["tls-cluster yes"] if access.certificate is not None else []),
    ]
    nodes = []
    for number in range(count):
        lines = [*DATA_CONFIG, *access.server_config(), *common, f"cluster-port {ports[count + number]}", *settings]
        nodes.append(Node(_require_program(access), directory / f"node{number}", ports[number], access, lines))
    scheme = "redis+cluster" if access.certificate is None else "rediss+cluster"
    hosts = ",".join(node.address for node in nodes[:primaries])
    deployment = Deployment(f"{scheme}://{access.userinfo}{hosts}{access.format_query({})}", access, nodes)
    with _running(nodes):
        await asyncio.gather(*(node.wait_until_ready() for node in nodes))
        await _create_cluster(nodes, ports[count:], primaries)
        await deployment.wait_until_healthy()
        yield deployment


async def _create_cluster(nodes: Sequence[Node], buses: Sequence[int], primaries: int) -> None:
    """Join nodes into a Cluster, in which node i + primaries * n replicates node i."""
    bounds = [SLOTS * number // primaries for number in range(primaries + 1)]
    ids: list[str] = []
    for number, node in enumerate(nodes):
        async with aclosing(node.client()) as client:
            ids.append(await execute_text(client, "CLUSTER", "MYID"))
            await execute_text(client, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            if number < primaries:
                await execute_text(client, "CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)
    for node in nodes:
        async with aclosing(node.client()) as client:
            for other, bus in zip(nodes, buses, strict=True):
                await execute_text(client, "CLUSTER", "MEET", HOST, other.port, bus)
    for number, node in enumerate(nodes[primaries:]):
        async with aclosing(node.client()) as client:
            await _wait_for_handshakes(client, len(nodes))
            await execute_text(client, "CLUSTER", "REPLICATE", ids[number % primaries])


async def _wait_for_handshakes(client: Redis, count: int) -> None:
    """Wait until a node has completed the handshake with all others."""

    async def are_complete() -> bool:
        nodes = await cluster_lines(client, "NODES")
        return len(nodes) == count and not any("handshake" in line for line in nodes)

    await wait_until(are_complete)
