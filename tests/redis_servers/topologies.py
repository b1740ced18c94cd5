"""Deployments started: standalone, with Sentinel, as a Cluster.

`settings` are lines added to each data server's configuration (`"appendfsync always"`, `"min-replicas-to-write 1"`).
Data is appended to a file, as is fit for games, without ever waiting for a disk.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import quote

from redis.asyncio import Redis

from tests.redis_servers.access import PEER, Access, secured
from tests.redis_servers.deployment import Deployment, cluster_lines
from tests.redis_servers.node import HOST, Node, free_ports, said
from tests.tools import REDIS, REDIS_WITH_TLS, require

__all__ = ["SERVICE", "cluster", "sentinel", "standalone"]

SERVICE = "the-games"
"""The name that the sentinels know the primary by."""

SLOTS = 16384
KNOWN_S = 20.0

DATA = ("appendonly yes", "appendfsync everysec", 'save ""', "repl-diskless-sync-delay 0", "repl-ping-replica-period 1")


def _program(access: Access) -> Path:
    return require(REDIS if access.certificate is None else REDIS_WITH_TLS)


@contextmanager
def _running(nodes: Sequence[Node]) -> Iterator[None]:
    """The nodes at work; killed at the end, whatever happens."""
    with ExitStack() as stack:
        for node in nodes:
            stack.callback(node.kill)
            node.start()
        yield


@asynccontextmanager
async def standalone(
    directory: Path, *, access: Access | None = None, settings: Sequence[str] = ()
) -> AsyncIterator[Deployment]:
    """One server."""
    access = access or secured(directory)
    (port,) = free_ports(1)
    node = Node(_program(access), directory / "node0", port, access, [*DATA, *access.settings(), *settings])
    scheme = "redis" if access.certificate is None else "rediss"
    url = f"{scheme}://{access.user}{node.address}/0{access.query({})}"
    with _running([node]):
        await node.ready()
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
) -> AsyncIterator[Deployment]:
    """A primary, its replicas, and sentinels that know all of them from the start."""
    access = access or secured(directory)
    ports = free_ports(1 + replicas + sentinels)
    data, watching = ports[: 1 + replicas], ports[1 + replicas :]
    nodes = []
    for number, port in enumerate(data):
        follows = [f"replicaof {HOST} {data[0]}"] if number else []
        lines = [*DATA, *access.settings(), *follows, *settings]
        nodes.append(Node(_program(access), directory / f"node{number}", port, access, lines))
    guards = _guards(directory, data, watching, access, down_after_ms)
    scheme = "redis+sentinel" if access.certificate is None else "rediss+sentinel"
    hosts = ",".join(guard.address for guard in guards)
    query = access.query({"sentinel_password": access.inner})
    url = f"{scheme}://{access.user}{hosts}/{quote(SERVICE)}/0{query}"
    deployment = Deployment(url, access, nodes, guards)
    with _running([*nodes, *guards]):
        await asyncio.gather(*(node.ready() for node in (*nodes, *guards)))
        await deployment.healthy()
        yield deployment


def _guards(
    directory: Path, data: Sequence[int], watching: Sequence[int], access: Access, down_after_ms: int
) -> list[Node]:
    """The sentinels: told of each other and of the replicas, which they would find out within some seconds."""
    ids = {port: secrets.token_hex(20) for port in watching}
    guards = []
    for number, port in enumerate(watching):
        lines = [
            f"requirepass {access.inner}",
            f"sentinel sentinel-pass {access.inner}",
            f"sentinel myid {ids[port]}",
            f"sentinel monitor {SERVICE} {HOST} {data[0]} {len(watching) // 2 + 1}",
            f"sentinel auth-user {SERVICE} {PEER}",
            f"sentinel auth-pass {SERVICE} {access.inner}",
            f"sentinel down-after-milliseconds {SERVICE} {down_after_ms}",
            f"sentinel failover-timeout {SERVICE} {max(3 * down_after_ms, 3000)}",
            f"sentinel parallel-syncs {SERVICE} {len(data)}",
            *(f"sentinel known-replica {SERVICE} {HOST} {replica}" for replica in data[1:]),
            *(f"sentinel known-sentinel {SERVICE} {HOST} {other} {ids[other]}" for other in watching if other != port),
            *access.transport(),
        ]
        guards.append(Node(_program(access), directory / f"sentinel{number}", port, access, lines))
    return guards


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
    """Primaries with an equal share of the slots, and so many replicas of each."""
    access = access or secured(directory)
    count = primaries * (1 + replicas)
    ports = free_ports(2 * count)
    common = [
        "cluster-enabled yes",
        f"cluster-node-timeout {node_timeout_ms}",
        "cluster-replica-validity-factor 0",
        *(["tls-cluster yes"] if access.certificate is not None else []),
    ]
    nodes = []
    for number in range(count):
        lines = [*DATA, *access.settings(), *common, f"cluster-port {ports[count + number]}", *settings]
        nodes.append(Node(_program(access), directory / f"node{number}", ports[number], access, lines))
    scheme = "redis+cluster" if access.certificate is None else "rediss+cluster"
    hosts = ",".join(node.address for node in nodes[:primaries])
    deployment = Deployment(f"{scheme}://{access.user}{hosts}{access.query({})}", access, nodes)
    with _running(nodes):
        await asyncio.gather(*(node.ready() for node in nodes))
        await _join(nodes, ports[count:], primaries)
        await deployment.healthy()
        yield deployment


async def _join(nodes: Sequence[Node], buses: Sequence[int], primaries: int) -> None:
    """Make one Cluster of them: node i + primaries * n follows node i."""
    bounds = [SLOTS * number // primaries for number in range(primaries + 1)]
    ids: list[str] = []
    for number, node in enumerate(nodes):
        async with aclosing(node.client()) as client:
            ids.append(await said(client, "CLUSTER", "MYID"))
            await said(client, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            if number < primaries:
                await said(client, "CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)
    for node in nodes:
        async with aclosing(node.client()) as client:
            for other, bus in zip(nodes, buses, strict=True):
                await said(client, "CLUSTER", "MEET", HOST, other.port, bus)
    for number, node in enumerate(nodes[primaries:]):
        async with aclosing(node.client()) as client:
            await _known(client, len(nodes))
            await said(client, "CLUSTER", "REPLICATE", ids[number % primaries])


async def _known(client: Redis, count: int) -> None:
    """Wait until a node has shaken hands with all others."""
    async with asyncio.timeout(KNOWN_S):
        while True:
            nodes = await cluster_lines(client, "NODES")
            if len(nodes) == count and not any("handshake" in line for line in nodes):
                return
            await asyncio.sleep(0.05)
