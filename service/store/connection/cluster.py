"""The topology of a Cluster: which primary serves a key's slot."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.crc import REDIS_CLUSTER_HASH_SLOTS
from redis.exceptions import ClusterDownError, RedisClusterException, SlotNotCoveredError

from service.store.connection.errors import CONNECTION_ERRORS
from service.store.connection.topology import (
    CONNECT_TIMEOUT_S,
    Topology,
    client_options,
    configure_client,
    record_failover,
)
from service.store.connection.url import RedisURL
from service.supervision import Supervisor

__all__ = ["ClusterTopology"]


class ClusterTopology(Topology):
    """The primaries of a Cluster, each with a client of its own.

    redis-py's RedisCluster keeps the map of slots, but executes nothing: its pipelines take neither EVALSHA nor WAIT.
    The map is refreshed when a slot is unknown or has moved, and when a primary is unreachable.
    """

    is_sharded = True

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        self._slots = RedisCluster(
            startup_nodes=[ClusterNode(host, port) for host, port in url.addresses],
            require_full_coverage=False,
            **{**client_options(url), "socket_timeout": CONNECT_TIMEOUT_S},
        )

    def primaries(self) -> Sequence[str]:
        """Return the names of all primaries with slots, as `HOST:PORT`."""
        return [node.name for node in self._slots.get_primaries()]

    def count_missing_slots(self) -> int:
        """Return for how many slots no primary is known."""
        return REDIS_CLUSTER_HASH_SLOTS - len(self._slots.nodes_manager.slots_cache)

    def primary_for_key(self, key: str) -> str | None:
        """Return the primary that serves the key's slot; None while it is unknown."""
        try:
            node = self._slots.get_node_from_key(key)
        except SlotNotCoveredError:
            node = None
        return None if node is None else node.name

    def client_for(self, primary: str) -> Redis:
        """Return the client of a node."""
        if primary not in self._clients:
            host, _, port = primary.rpartition(":")
            self._clients[primary] = configure_client(Redis(host=host, port=int(port), **client_options(self.url)))
        return self._clients[primary]

    async def refresh(self) -> None:
        """Ask one node after another for the map of slots, until one replies. Raise one of CONNECTION_ERRORS."""
        before, manager = {*self.primaries()}, self._slots.nodes_manager
        slots = manager.slots_cache
        try:  # RedisCluster.initialize() would send COMMAND as well, and refresh only once
            await manager.initialize()
        except (RedisClusterException, IndexError) as error:
            # None of the known nodes replies, or by an IndexError, none knows of slots: next time also ask the URL's.
            nodes = [ClusterNode(host, port, **manager.connection_kwargs) for host, port in self.url.addresses]
            manager.startup_nodes = {node.name: node for node in nodes} | manager.startup_nodes
            if isinstance(error, IndexError):
                raise ClusterDownError("the Cluster has no slots", status_code="CLUSTERDOWN") from error
            raise
        self.generation += 1
        if before.difference(self.primaries()):
            self._record_failovers(slots)
        former = [self._clients.pop(name) for name in before.difference(self.primaries()) if name in self._clients]
        await asyncio.gather(*(client.aclose() for client in former), return_exceptions=True)

    def _record_failovers(self, before: Mapping[int, Sequence[ClusterNode]]) -> None:
        """Record which primary took the slots of each former one."""
        after, primaries = self._slots.nodes_manager.slots_cache, {*self.primaries()}
        changes = {(nodes[0].name, after[slot][0].name) for slot, nodes in before.items() if slot in after}
        for former, primary in sorted(changes):
            if former not in primaries:
                record_failover(former, primary)

    async def aclose(self) -> None:
        """Close all connections."""
        await super().aclose()
        with suppress(*CONNECTION_ERRORS):
            await self._slots.nodes_manager.aclose()
            await self._slots.nodes_manager.aclose("startup_nodes")
