"""A running deployment: which servers are primaries, and waiting for failovers."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, suppress
from typing import Any

from redis.asyncio import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from tests.polling import INTERVAL_S, TIMEOUT_S, wait_until
from tests.redis_servers.access import ADMIN_USER, Access
from tests.redis_servers.node import Node, execute_text

Replication = dict[str, str | int]


class Deployment:
    """Running servers. `url` is for the service; `nodes` hold data, `sentinels` monitor them."""

    def __init__(self, url: str, access: Access, nodes: Sequence[Node], sentinels: Sequence[Node] = ()) -> None:
        self.url = url
        self.access = access
        self.nodes = nodes
        self.sentinels = sentinels

    @property
    def admin_url(self) -> str:
        """The URL for an operator."""
        return self.url.replace(self.access.userinfo, f"{ADMIN_USER}:{self.access.admin_password}@")

    @property
    def is_cluster(self) -> bool:
        """Whether it is a Cluster."""
        return "+cluster" in self.url

    async def primaries(self) -> list[Node]:
        """Return the nodes that take writes: primaries that most sentinels, if there are any, name."""
        states = await self._read_replication()
        primaries = [node for node, state in zip(self.nodes, states, strict=True) if state.get("role") == "master"]
        if not self.sentinels:
            return primaries
        named = await asyncio.gather(
            *(_read_primary_port(sentinel) for sentinel in self.sentinels if sentinel.is_serving)
        )
        return [node for node in primaries if named.count(node.port) > len(self.sentinels) // 2]

    async def primary(self, game: str = "g") -> Node:
        """Return the primary of this game's keys. Raise RuntimeError if there is none."""
        for node in await self.primaries():
            if not self.is_cluster or await _owns_slot(node, key_slot(game.encode())):
                return node
        raise RuntimeError(f"no primary among {self.nodes}")

    async def replicas(self, primary: Node) -> list[Node]:
        """Return the nodes that replicate `primary`."""
        states = await self._read_replication()
        return [
            node for node, state in zip(self.nodes, states, strict=True) if state.get("master_port") == primary.port
        ]

    async def wait_for_promotion(self, instead_of: Node, game: str = "g") -> Node:
        """Wait until another node than `instead_of` is the primary of this game's keys, and return it."""
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                with suppress(RuntimeError):
                    if (node := await self.primary(game)) is not instead_of:
                        return node
                await asyncio.sleep(INTERVAL_S)

    async def wait_until_healthy(self) -> None:
        """Wait until every node runs, replicas are in sync, and the Cluster or the sentinels are in a consistent state.

        After a failover with Sentinel this takes about 10 s, until the old primary becomes a replica.
        """
        await wait_until(self._is_healthy)

    async def _is_healthy(self) -> bool:
        states = await self._read_replication()
        if not all(_is_in_sync(state) for state in states):
            return False
        if self.is_cluster:
            return all([await _is_cluster_ok(node) for node in self.nodes])
        return len(await self.primaries()) == sum(state["role"] == "master" for state in states)

    async def _read_replication(self) -> list[Replication]:
        return await asyncio.gather(*(_read_replication(node) for node in self.nodes))

    async def clear(self) -> None:
        """Empty all data nodes."""
        for node in await self.primaries():
            async with aclosing(node.client()) as client:
                await client.flushall()


async def _read_replication(node: Node) -> Replication:
    """Return `INFO replication`; nothing if the node does not reply, as while a sentinel changes its role."""
    if not node.is_serving:
        return {}
    try:
        async with aclosing(node.client()) as client:
            info: Replication = await client.info("replication")
    except (RedisError, OSError):
        return {}
    return info


async def _read_primary_port(sentinel: Node) -> int | None:
    """Return the port of the primary that a sentinel names; None during a failover."""
    try:
        async with aclosing(sentinel.client()) as client:
            masters: Any = await client.sentinel_masters()
    except (RedisError, OSError):
        return None
    (master,) = masters.values()
    port: int = master["port"]
    return None if master["is_sdown"] or "failover_in_progress" in master["flags"] else port


def _is_in_sync(state: Replication) -> bool:
    """Whether a replica has its primary's data; a primary always has."""
    if state.get("role") == "slave":
        return state["master_link_status"] == "up" and not state["master_sync_in_progress"]
    return "role" in state


async def cluster_lines(client: Redis, subcommand: str) -> list[str]:
    """Return the lines of `CLUSTER INFO` or `CLUSTER NODES`."""
    return (await execute_text(client, "CLUSTER", subcommand)).splitlines()


async def _is_cluster_ok(node: Node) -> bool:
    return "cluster_state:ok" in await _read_cluster(node, "INFO")


async def _owns_slot(node: Node, slot: int) -> bool:
    """Return whether the node serves this slot."""
    for line in await _read_cluster(node, "NODES"):
        fields = line.split()
        if "myself" in fields[2]:
            ranges = [part.partition("-") for part in fields[8:] if not part.startswith("[")]
            return any(int(first) <= slot <= int(last or first) for first, _, last in ranges)
    return False


async def _read_cluster(node: Node, subcommand: str) -> list[str]:
    """Return the lines of `CLUSTER INFO` or `CLUSTER NODES`; none if the node does not reply, as on a busy machine."""
    try:
        async with aclosing(node.client()) as client:
            return await cluster_lines(client, subcommand)
    except (RedisError, OSError):
        return []
