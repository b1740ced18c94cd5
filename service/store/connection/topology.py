"""Which servers are primaries, and redis-py's client of each. This module has the base class and the single server.

`service.store.connection.sentinel` has the topology of Sentinel, `service.store.connection.cluster` that of a Cluster.

redis-py does not retry and does not bound each read. `service.store.connection.pipeline` does both: it knows how long a
command is worth retrying, and one timeout around each pipeline makes a commit a third cheaper.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Any

from hiredis import pack_command
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.maint_notifications import MaintNotificationsConfig

from service.store.connection.command import Argument
from service.store.connection.errors import CONNECTION_ERRORS
from service.store.connection.url import RedisURL
from service.supervision import Supervisor, spawn
from service.telemetry.metrics import REDIS_FAILOVERS

__all__ = [
    "CONNECT_TIMEOUT_S",
    "SOLE_PRIMARY",
    "StandaloneTopology",
    "Topology",
    "client_options",
    "configure_client",
    "record_failover",
]

logger = logging.getLogger(__name__)

SOLE_PRIMARY = "primary"
"""The name of the primary of topologies that have only one."""

CONNECT_TIMEOUT_S = 1.0
"""The timeout for connecting, and for each reply of sentinels and of nodes that are asked for the slots."""

MIN_REFRESH_INTERVAL_S = 0.1
"""The least time between two refreshes that commands request."""


class Topology:
    """The base of all topologies. What a subclass does not override is for one primary at a time.

    Create it inside the event loop, and `aclose` it. It connects with the first command.
    """

    is_sharded = False
    """Whether several primaries share the keys by slot."""
    has_failover = True
    """Whether another server may become the primary."""

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        self.url = url
        self.supervisor = supervisor
        self.generation = 0
        """Increases whenever the primaries may have changed."""
        self._clients: dict[str, Redis] = {}
        """By primary."""
        self._refreshing: asyncio.Task[None] | None = None
        self._refreshed_at = float("-inf")

    def primaries(self) -> Sequence[str]:
        """Return the names of the known primaries."""
        return [SOLE_PRIMARY]

    def count_missing_slots(self) -> int:
        """Return for how many slots no primary is known."""
        return 0

    def primary_for_key(self, key: str) -> str | None:
        """Return the name of the primary that serves this key; None while it is unknown."""
        del key
        return SOLE_PRIMARY

    def client_for(self, primary: str) -> Redis:
        """Return the client of a primary."""
        return self._clients[primary]

    def request_refresh(self) -> None:
        """Refresh soon: a connection was lost, or an error reply says that there was a failover."""
        now = asyncio.get_running_loop().time()
        is_running = self._refreshing is not None and not self._refreshing.done()
        if self.has_failover and not is_running and now - self._refreshed_at >= MIN_REFRESH_INTERVAL_S:
            self._refreshed_at = now
            # If it fails, commands without a reply request the next one, until they time out.
            self._refreshing = spawn("redis-topology", self.refresh(), expected=CONNECTION_ERRORS)

    async def refresh(self) -> None:
        """Update which servers are primaries. Raise one of CONNECTION_ERRORS."""

    async def aclose(self) -> None:
        """Close all connections."""
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        await asyncio.gather(*(client.aclose() for client in self._clients.values()), return_exceptions=True)


def record_failover(former: str, primary: str) -> None:
    """Log and count that another server has become the primary."""
    REDIS_FAILOVERS.inc()
    logger.warning("Redis has failed over: the primary changed from %s to %s", former, primary)


class StandaloneTopology(Topology):
    """One server, always at the same address."""

    has_failover = False

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        host, port = url.addresses[0]
        self._clients[SOLE_PRIMARY] = configure_client(Redis(host=host, port=port, **client_options(url)))


def client_options(url: RedisURL) -> dict[str, Any]:
    """Return the keyword arguments of redis-py's clients."""
    return {
        **url.options,
        "protocol": 3,
        "socket_timeout": None,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),
        "driver_info": None,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def configure_client(client: Redis, *mixins: type) -> Redis:
    """Let a client return replies with the types of RESP3, and pack commands in C.

    `mixins` are further base classes of its connections.
    """
    client.response_callbacks.clear()
    pool = client.connection_pool
    pool.connection_class = type("PackedConnection", (_HiredisPackingMixin, *mixins, pool.connection_class), {})
    return client


class _HiredisPackingMixin:
    """A connection that packs commands with hiredis.

    It can go when redis-py's asynchronous connections do so, as its synchronous ones do: they pack in Python.
    """

    def pack_command(self, *arguments: Argument) -> list[bytes]:
        """Encode one command. The names of redis-py's own commands may have two words, as "CLIENT SETINFO"."""
        name = arguments[0]
        split = (*name.encode().split(), *arguments[1:]) if isinstance(name, str) else arguments
        return [pack_command(split)]  # type: ignore[arg-type]  # hiredis declares the argument as a tuple of one item

    def pack_commands(self, commands: Iterable[tuple[Argument, ...]]) -> list[bytes]:
        """Encode the commands of a pipeline into one buffer. They are the store's, with names of one word."""
        return [b"".join(map(pack_command, commands))]  # type: ignore[arg-type]  # as above
