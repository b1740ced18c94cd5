"""What all deployments have in common: which of their servers is the primary now."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, suppress
from typing import Any

from redis.asyncio import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from tests.redis_servers.access import Access
from tests.redis_servers.node import Node, said

__all__ = ["Deployment", "cluster_lines"]

PROMOTED_S = 40.0
HEALTHY_S = 40.0


class Deployment:
    """Servers at work. `url` is what the service is given; `nodes` hold data, `sentinels` watch them."""

    def __init__(self, url: str, access: Access, nodes: Sequence[Node], sentinels: Sequence[Node] = ()) -> None:
        self.url = url
        self.access = access
        self.nodes = nodes
        self.sentinels = sentinels

    @property
    def clustered(self) -> bool:
        """Whether it is a Cluster."""
        return "+cluster" in self.url

    async def primaries(self) -> list[Node]:
        """The nodes that take writes: those that say so and that the sentinels, where there are some, do not deny."""
        roles = await asyncio.gather(*(_role(node) for node in self.nodes))
        found = [node for node, role in zip(self.nodes, roles, strict=True) if role == "master"]
        if not self.sentinels:
            return found
        named = await asyncio.gather(*(_named(sentinel) for sentinel in self.sentinels if sentinel.serves))
        return [node for node in found if named.count(node.port) > len(self.sentinels) // 2]

    async def primary(self, game: str = "g") -> Node:
        """The node that takes writes of this game's keys; RuntimeError where there is none now."""
        for node in await self.primaries():
            if not self.clustered or await _owns(node, key_slot(game.encode())):
                return node
        raise RuntimeError(f"no primary among {self.nodes}")

    async def replicas(self, primary: Node) -> list[Node]:
        """The nodes that say that they follow `primary`."""
        follow = await asyncio.gather(*(_follows(node, primary) for node in self.nodes))
        return [node for node, follows in zip(self.nodes, follow, strict=True) if follows]

    async def promoted(self, instead_of: Node, game: str = "g") -> Node:
        """Wait until another node than `instead_of` takes writes of this game's keys, and give it."""
        async with asyncio.timeout(PROMOTED_S):
            while True:
                with suppress(RuntimeError):
                    if (node := await self.primary(game)) is not instead_of:
                        return node
                await asyncio.sleep(0.05)

    async def healthy(self) -> None:
        """Wait until every node runs, each replica has its primary's data, and Cluster or sentinels have no doubt.

        After a failover with Sentinel that takes some 10 s: so long the old primary is left alone.
        """
        async with asyncio.timeout(HEALTHY_S):
            while not await self._is_healthy():  # noqa: ASYNC110  other processes give no sign of it
                await asyncio.sleep(0.05)

    async def _is_healthy(self) -> bool:
        roles = await asyncio.gather(*(_role(node) for node in self.nodes))
        if None in roles or not all([await _is_linked(node) for node in self.nodes]):
            return False
        if self.clustered:
            return all([await _cluster_ok(node) for node in self.nodes])
        return len(await self.primaries()) == roles.count("master")

    async def clear(self) -> None:
        """Empty all data nodes."""
        for node in await self.primaries():
            async with aclosing(node.client()) as client:
                await client.flushall()


async def _role(node: Node) -> str | None:
    """`master` or `slave`; None where it does not answer."""
    if not node.serves:
        return None
    try:
        async with aclosing(node.client()) as client:
            info = await client.info("replication")
    except (RedisError, OSError):
        return None
    role: str = info["role"]
    return role


async def _named(sentinel: Node) -> int | None:
    """The port of the primary that a sentinel names."""
    try:
        async with aclosing(sentinel.client()) as client:
            masters: Any = await client.sentinel_masters()
    except (RedisError, OSError):
        return None
    (master,) = masters.values()
    port: int = master["port"]
    return None if master["is_sdown"] or "failover_in_progress" in master["flags"] else port


async def _follows(node: Node, primary: Node) -> bool:
    if not node.serves:
        return False
    async with aclosing(node.client()) as client:
        info = await client.info("replication")
    return bool(info["role"] == "slave" and info["master_port"] == primary.port)


async def _is_linked(node: Node) -> bool:
    """Whether a replica has its primary's data; a primary always has."""
    try:
        async with aclosing(node.client()) as client:
            info = await client.info("replication")
    except (RedisError, OSError):  # a sentinel that gives a server another role closes its connections
        return False
    return info["role"] == "master" or (info["master_link_status"] == "up" and not info["master_sync_in_progress"])


async def cluster_lines(client: Redis, what: str) -> list[str]:
    """The lines of `CLUSTER INFO` or `CLUSTER NODES`."""
    return (await said(client, "CLUSTER", what)).splitlines()


async def _cluster_ok(node: Node) -> bool:
    async with aclosing(node.client()) as client:
        return "cluster_state:ok" in await cluster_lines(client, "INFO")


async def _owns(node: Node, slot: int) -> bool:
    """Whether the node says that this slot is its own."""
    async with aclosing(node.client()) as client:
        for line in await cluster_lines(client, "NODES"):
            fields = line.split()
            if "myself" in fields[2]:
                ranges = [part.partition("-") for part in fields[8:] if not part.startswith("[")]
                return any(int(first) <= slot <= int(last or first) for first, _, last in ranges)
    return False
