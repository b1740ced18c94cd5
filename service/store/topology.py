"""Which servers are the primaries: one, that which sentinels name, or those of a Cluster.

redis-py does not retry and does not bound each read. `service.store.pipeline` does both: it knows how long a
command is worth retrying, and one timeout around each pipeline makes a commit a third cheaper.

The topology of Sentinel: one primary, which the sentinels replace after a failure.

`# type: ignore[no-untyped-call]` stands where redis-py's own functions lack annotations: its asyncio modules have
`py.typed`, but annotate only part of their functions. The comments can go when redis-py annotates these.

The topology of a Cluster: which primary serves a key's slot.
"""

import asyncio
import logging
import ssl
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from hiredis import pack_command
from redis.asyncio import Redis, RedisCluster, Sentinel
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.connection import SSLConnection
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import MasterNotFoundError, SentinelConnectionPool, SentinelManagedConnection
from redis.backoff import NoBackoff
from redis.crc import REDIS_CLUSTER_HASH_SLOTS
from redis.exceptions import ClusterDownError, RedisClusterException, SlotNotCoveredError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.maint_notifications import MaintNotificationsConfig

from service.store.connection import CONNECTION_ERRORS, Argument, RedisURL, is_error_reply, tls_context
from service.supervision import SupervisedTask, Supervisor, spawn
from service.telemetry.metrics import REDIS_FAILOVERS, REDIS_SENTINELS_DOWN

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
        self.refreshing: asyncio.Task[None] | None = None
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
        """Refresh soon: a connection was lost, or an error reply says that there was a failover.

        A single server that is a replica now is left: the next connection resolves its name again.
        """
        now = asyncio.get_running_loop().time()
        is_running = self.refreshing is not None and not self.refreshing.done()
        if not is_running and now - self._refreshed_at >= MIN_REFRESH_INTERVAL_S:
            self._refreshed_at = now
            # If it fails, commands without a reply request the next one, until they time out.
            refreshing = self.refresh if self.has_failover else self.client_for(SOLE_PRIMARY).connection_pool.disconnect
            self.refreshing = spawn("redis-topology", refreshing(), expected=CONNECTION_ERRORS)

    async def refresh(self) -> None:
        """Update which servers are primaries. Raise one of CONNECTION_ERRORS."""

    async def address(self, primary: str) -> tuple[str, int]:
        """Return host and port of a primary. Raise one of CONNECTION_ERRORS."""
        options = self.client_for(primary).connection_pool.connection_kwargs
        return options["host"], options["port"]

    async def read_certificate_end(self) -> float:
        """Return when the first certificate of the primaries ends, in Unix seconds; 0 if none is verified.

        Raise one of CONNECTION_ERRORS.
        """
        ends = [0.0]
        for primary in self.primaries() if "ssl" in self.url.options else ():
            host, port = await self.address(primary)
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                _, writer = await asyncio.open_connection(host, port, ssl=tls_context(self.url.options))
            certificate = writer.get_extra_info("peercert")
            writer.transport.abort()  # nothing was sent: nobody waits for the end of TLS
            if certificate:
                ends.append(ssl.cert_time_to_seconds(certificate["notAfter"]))
        return min(ends[1:] or ends)

    async def aclose(self) -> None:
        """Close all connections."""
        if self.refreshing is not None:
            self.refreshing.cancel()
            await asyncio.gather(self.refreshing, return_exceptions=True)
        await asyncio.gather(*(client.aclose() for client in self._clients.values()), return_exceptions=True)


def record_failover(former: str, primary: str) -> None:
    """Log and count that another server has become the primary."""
    REDIS_FAILOVERS.inc()
    logger.warning("Redis has failed over: the primary changed from %s to %s", former, primary)


class StandaloneTopology(Topology):
    """One server. The name in the URL may move to another one, when that is promoted."""

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
    _extend_connections(client, _HiredisPackingMixin, *mixins)
    return client


def _extend_connections(client: Redis, *mixins: type) -> None:
    """Give the connections of a client further base classes."""
    pool = client.connection_pool
    bases = (*mixins, _FreshFilesMixin, pool.connection_class)
    pool.connection_class = type("ExtendedConnection", bases, {"options": pool.connection_kwargs})


class _FreshFilesMixin:
    """A connection that uses the files of TLS as they are when it connects."""

    options: Mapping[str, Any]

    async def connect(self) -> None:
        """Connect. Raise one of CONNECTION_ERRORS."""
        if isinstance(self, SSLConnection):
            self.ssl_context.context = tls_context(self.options)
        await super().connect()  # type: ignore[misc]  # of the class that it is mixed into


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


SENTINEL_POLL_INTERVAL_S = 1.0
"""How often the sentinels are asked for the primary's address."""


class PrimaryUnknown(MasterNotFoundError):
    """All sentinels reply, and none names the primary: the name or their password is wrong."""


class SentinelTopology(Topology):
    """A primary that sentinels replace. They are asked for its address before each connection, and every second."""

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        options = client_options(url)
        sentinel_options = {**options, **url.sentinel_login, "db": 0, "socket_timeout": CONNECT_TIMEOUT_S}
        self._sentinel = _QuorumSentinel(
            url.addresses, sentinel_kwargs={**sentinel_options, "decode_responses": True}, **options
        )
        for one in self._sentinel.sentinels:
            _extend_connections(one)
        client = self._sentinel.master_for(url.service_name, connection_pool_class=_PrimaryPool)
        self._clients[SOLE_PRIMARY] = configure_client(client, _PrimaryConnection)
        self._pool: _PrimaryPool = client.connection_pool
        self._poll_task: SupervisedTask | None = None

    def client_for(self, primary: str) -> Redis:
        """Return the client, which connects to the current primary."""
        if self._poll_task is None:
            self._poll_task = self.supervisor.start("sentinel-watch", self._poll_sentinels)
        return super().client_for(primary)

    async def address(self, primary: str) -> tuple[str, int]:
        """Return the address that the sentinels name. Raise one of CONNECTION_ERRORS."""
        del primary
        return await self._pool.get_master_address()

    async def refresh(self) -> None:
        """Ask the sentinels, and disconnect if they name another primary. Raise one of CONNECTION_ERRORS."""
        await self._pool.get_master_address()

    async def aclose(self) -> None:
        """Close all connections."""
        if self._poll_task is not None:
            await self.supervisor.stop(self._poll_task)
        await super().aclose()
        await self._sentinel.aclose()

    async def _poll_sentinels(self) -> None:
        """Notice a failover within a second, even if the old primary still replies."""
        while True:
            with suppress(*CONNECTION_ERRORS):
                await self.refresh()
            await asyncio.sleep(SENTINEL_POLL_INTERVAL_S)


class _PrimaryPool(SentinelConnectionPool):
    """A pool that leaves a demoted primary at once. It can go when redis-py's does (issues 3867 and 3874)."""

    _recorded_address: tuple[str, int] | None = None

    async def get_master_address(self) -> tuple[str, int]:
        """Return the primary's address, and record a failover if it has changed. Raise one of CONNECTION_ERRORS."""
        address: tuple[str, int] = await super().get_master_address()  # type: ignore[no-untyped-call]
        former, self._recorded_address = self._recorded_address or address, address
        if former != address:
            record_failover(*(f"{host}:{port}" for host, port in (former, address)))
        return address

    async def disconnect(self, inuse_connections: bool = True) -> None:  # noqa: FBT001, FBT002  redis-py's signature
        """Close all connections, also those in use, which redis-py leaves open if the primary's address changes."""
        del inuse_connections
        await super().disconnect()


class _PrimaryConnection(SentinelManagedConnection):
    """A connection that fails if the primary changes while it connects, when its pool could not close it yet."""

    async def connect_to(self, address: tuple[str, int]) -> None:
        """Connect. Raise ConnectionError if another server is the primary by then."""
        await super().connect_to(address)  # type: ignore[no-untyped-call]
        if address != self.connection_pool.master_address:
            await self.disconnect()
            raise RedisConnectionError(f"{address[0]}:{address[1]} is no longer the primary")


class _QuorumSentinel(Sentinel):
    """Sentinels that are asked at once, and of which the majority counts.

    redis-py's own class believes the first sentinel that replies, even if it is out of date. Concurrent callers may
    also lose a sentinel from its list (pull request 4331).
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # type: ignore[no-untyped-call]
        self._queries: set[asyncio.Task[tuple[str, int] | None]] = set()
        self._down: set[Redis] = set()
        """The sentinels that did not answer when they were asked last."""
        self._lock = asyncio.Lock()

    async def discover_master(self, service_name: str) -> tuple[str, int]:
        """Return the address that most sentinels name. Raise MasterNotFoundError if none names any."""
        async with self._lock:  # so that no answer replaces a later one
            return await self._majority_address(service_name)

    async def _majority_address(self, service_name: str) -> tuple[str, int]:
        queries = [
            spawn("sentinel", self._query(sentinel, service_name), expected=CONNECTION_ERRORS)
            for sentinel in self.sentinels
        ]
        for query in queries:
            self._queries.add(query)
            query.add_done_callback(self._queries.discard)
        votes: Counter[tuple[str, int]] = Counter()
        reason, all_reply = "they do not know it", True
        for reply in asyncio.as_completed(queries):
            try:
                address = await reply
            except CONNECTION_ERRORS as error:
                reason = str(error)
                all_reply = all_reply and is_error_reply(error)
                continue
            if address is not None:
                votes[address] += 1
                if votes[address] > len(queries) // 2:
                    return address
        if not votes:
            text = f"no sentinel names a primary for {service_name!r} ({reason})"
            raise PrimaryUnknown(text) if all_reply else MasterNotFoundError(text)
        return votes.most_common(1)[0][0]

    async def _query(self, sentinel: Redis, service_name: str) -> tuple[str, int] | None:
        """Return the address that one sentinel names. Raise one of CONNECTION_ERRORS."""
        query = sentinel.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", service_name)  # type: ignore[no-untyped-call]
        try:
            address: tuple[str, int] | None = await query
        except CONNECTION_ERRORS:
            self._down.add(sentinel)
            raise
        else:
            self._down.discard(sentinel)
            return address
        finally:
            REDIS_SENTINELS_DOWN.set(len(self._down))

    async def aclose(self) -> None:
        """Close all connections."""
        queries = [*self._queries]
        for query in queries:
            query.cancel()
        await asyncio.gather(*queries, return_exceptions=True)
        await super().aclose()


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
