"""Which servers are primaries, and redis-py's client of each. This module has the base class and the single server.

`service.store.connection.sentinel` has the topology of Sentinel, `service.store.connection.cluster` that of a Cluster.

redis-py does not retry and does not bound each read. `service.store.connection.pipeline` does both: it knows how long a
command is worth retrying, and one timeout around each pipeline makes a commit a third cheaper.
"""

import asyncio
from collections.abc import Sequence

from redis.asyncio import Redis

from service.store.connection.client_options import client_options, configure_client
from service.store.connection.url import RedisURL
from service.supervision import Supervisor, spawn

__all__ = ["StandaloneTopology", "Topology"]

SOLE_PRIMARY = "primary"
"""The name of the primary of topologies that have only one."""


class Topology:
    """The base of all topologies. What a subclass does not override is for one primary at a time.

    Create it inside the event loop, and `aclose` it. It connects with the first command.
    """

    is_sharded = False
    """Whether several primaries share the keys by slot."""
    has_failover = True
    """Whether another server may become the primary."""
    check_task = ("redis-leave", 0.5)
    """The name of the task that checks for a failover, and the least time between two checks in seconds."""

    _client: Redis

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        self.url = url
        self.supervisor = supervisor
        self.generation = 0
        """Increases whenever the primaries may have changed."""
        self._check_task: asyncio.Task[None] | None = None
        self._checked_at = float("-inf")

    def primaries(self) -> Sequence[str]:
        """Return the names of the known primaries."""
        return [SOLE_PRIMARY]

    def primary_for_key(self, key: str) -> str | None:
        """Return the name of the primary that serves this key; None while it is unknown."""
        del key
        return SOLE_PRIMARY

    def client_for(self, primary: str) -> Redis:
        """Return the client of a primary."""
        del primary
        return self._client

    def request_check(self) -> None:
        """Check soon whether there was a failover: a connection was lost, or an error reply says so."""
        now = asyncio.get_running_loop().time()
        name, interval_s = self.check_task
        is_running = self._check_task is not None and not self._check_task.done()
        if self.has_failover and not is_running and now - self._checked_at >= interval_s:
            self._checked_at = now
            self._check_task = spawn(name, self._check())

    async def refresh(self) -> None:
        """Update which servers are primaries. Raise one of CONNECTION_ERRORS."""

    async def aclose(self) -> None:
        """Close all connections."""
        if self._check_task is not None:
            self._check_task.cancel()
            await asyncio.gather(self._check_task, return_exceptions=True)
        await self._close()

    async def _check(self) -> None:
        """Check for a failover."""

    async def _close(self) -> None:
        await self._client.aclose()


class StandaloneTopology(Topology):
    """One server, always at the same address."""

    has_failover = False

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        host, port = url.addresses[0]
        address = {"host": host, "port": port} if port else {"unix_socket_path": host}
        self._client = configure_client(Redis(**address, db=url.database, **client_options(url)))
