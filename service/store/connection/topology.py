"""Which servers are primaries, and redis-py's client of each: one server, whom the sentinels name, or a Cluster's.

redis-py does not retry: `service.store.connection.pipeline` does, which knows for how long a command is worth it.
Nor does it bound each read: there is one time-out around each pipeline, which makes a commit a third cheaper.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, cast

from hiredis import pack_command
from redis.asyncio import Redis, RedisCluster, Sentinel
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import MasterNotFoundError, SentinelConnectionPool, SentinelManagedConnection
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisClusterException, SlotNotCoveredError
from redis.maint_notifications import MaintNotificationsConfig

from service.store.connection.command import Argument
from service.store.connection.errors import CONNECTION_ERRORS
from service.store.connection.url import Credentials, RedisURL
from service.supervision import SupervisedTask, Supervisor, spawn

__all__ = ["ClusterTopology", "SentinelTopology", "StandaloneTopology", "Topology", "create_topology"]

CONNECT_TIMEOUT_S = 1.0
"""For a connection, and for each reply of those who are asked where primaries are."""

SENTINEL_POLL_INTERVAL_S = 1.0
"""How often the sentinels are asked who the primary is."""

SOLE_PRIMARY = "primary"
"""The name of the only one."""


class Topology:
    """What all have in common; what none overrides is for one primary at a time.

    Made inside the event loop; connects when something is sent; `aclose` it.
    """

    is_sharded = False
    """Whether several primaries share the keys by slot."""
    has_failover = True
    """Whether another server may become the primary."""
    check_task = ("redis-leave", 0.5)
    """The name of the task that a suspicion starts, and the least time between two in seconds."""

    _client: Redis

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        self.url = url
        self.supervisor = supervisor
        self.generation = 0
        """Counts whenever a primary may be another than before."""
        self._check_task: asyncio.Task[None] | None = None
        self._checked_at = float("-inf")

    def primaries(self) -> Sequence[str]:
        """Names of the primaries that are known."""
        return [SOLE_PRIMARY]

    def primary_for_key(self, key: str) -> str | None:
        """The primary that has this key; None while that is not known."""
        del key
        return SOLE_PRIMARY

    def client_for(self, primary: str) -> Redis:
        """The client of a primary."""
        del primary
        return self._client

    def request_check(self) -> None:
        """A primary may be another: its connection was lost, or it says so. Look into that soon."""
        now = asyncio.get_running_loop().time()
        name, interval_s = self.check_task
        if (
            self.has_failover
            and now - self._checked_at >= interval_s
            and (self._check_task is None or self._check_task.done())
        ):
            self._checked_at = now
            self._check_task = spawn(name, self._check())

    async def refresh(self) -> None:
        """Find out who the primaries are. Raises one of LOST."""

    async def aclose(self) -> None:
        """Close all connections."""
        if self._check_task is not None:
            self._check_task.cancel()
            await asyncio.gather(self._check_task, return_exceptions=True)
        await self._close()

    async def _check(self) -> None:
        """Look into a suspicion."""

    async def _close(self) -> None:
        await self._client.aclose()


class StandaloneTopology(Topology):
    """One server, always at the same address."""

    has_failover = False

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        address = url.addresses[0]
        at = {"host": address.host, "port": address.port} if address.port else {"unix_socket_path": address.host}
        self._client = configure_client(Redis(**at, db=url.database, **client_options(url)))


class QuorumSentinel(Sentinel):
    """Sentinels of which most count. redis-py's own believes the first one that answers, also with old news.

    Nor does it put up with two tasks that ask at once: one sentinel may be lost of its list (pull request 4331).
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # type: ignore[no-untyped-call]
        self._queries: set[asyncio.Task[tuple[str, int] | None]] = set()
        self.last_address: tuple[str, int] | None = None
        """The address that was named last."""
        self._answers = 0

    async def discover_master(self, service_name: str) -> tuple[str, int]:
        """The address that most sentinels name. Raises MasterNotFoundError where none names any.

        An answer that another one overtakes with other news is asked for again.
        """
        while True:
            answers = self._answers
            address = await self._majority_address(service_name)
            if address == self.last_address or answers == self._answers:
                self.last_address = address
                self._answers += 1
                return address

    async def _majority_address(self, service_name: str) -> tuple[str, int]:
        asking = [
            spawn("sentinel", self._query(sentinel, service_name), expected=CONNECTION_ERRORS)
            for sentinel in self.sentinels
        ]
        for task in asking:
            self._queries.add(task)
            task.add_done_callback(self._queries.discard)
        named: Counter[tuple[str, int]] = Counter()
        reason = "they do not know it"
        for reply in asyncio.as_completed(asking):
            try:
                address = await reply
            except CONNECTION_ERRORS as error:
                reason = str(error)
                continue
            if address is not None:
                named[address] += 1
                if named[address] > len(asking) // 2:
                    return address
        if not named:
            raise MasterNotFoundError(f"no sentinel names a primary for {service_name!r} ({reason})")
        return named.most_common(1)[0][0]

    async def _query(self, sentinel: Redis, service_name: str) -> tuple[str, int] | None:
        """What one sentinel says. Raises one of LOST."""
        asking = sentinel.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", service_name)  # type: ignore[no-untyped-call]
        address: tuple[str, int] | None = await asking
        return address

    async def aclose(self) -> None:
        """Close all connections."""
        asking = [*self._queries]
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await super().aclose()


class SentinelTopology(Topology):
    """A primary that sentinels replace. They are asked before each connection, and every second."""

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        options = client_options(url)
        asking = {**options, **login_options(url.sentinel_credentials)}
        self._sentinel = QuorumSentinel(
            [(address.host, address.port) for address in url.addresses],
            sentinel_kwargs={**asking, "socket_timeout": CONNECT_TIMEOUT_S, "decode_responses": True},
            **options,
        )
        self._client: Redis = configure_client(
            self._sentinel.master_for(url.service_name, db=url.database), PrimaryConnection
        )
        self._pool = cast("SentinelConnectionPool", self._client.connection_pool)
        self._address: tuple[str, int] | None = None
        self._poll_task: SupervisedTask | None = None

    def client_for(self, primary: str) -> Redis:
        """The client of whoever is the primary."""
        if self._poll_task is None:
            self._poll_task = self.supervisor.start("sentinel-watch", self._poll_sentinels)
        return super().client_for(primary)

    async def refresh(self) -> None:
        """Ask the sentinels, and leave the primary where they name another. Raises one of LOST."""
        address = await self._pool.get_master_address()  # type: ignore[no-untyped-call]
        if self._address not in (None, address):
            await self._check()
        self._address = address

    async def _close(self) -> None:
        if self._poll_task is not None:
            await self.supervisor.stop(self._poll_task)
        await super()._close()
        await self._sentinel.aclose()

    async def _check(self) -> None:
        """Close all connections, or they stay with a demoted primary (redis-py issues 3867, 3874)."""
        self.generation += 1
        with suppress(*CONNECTION_ERRORS):
            await self._pool.disconnect()

    async def _poll_sentinels(self) -> None:
        """Find out within a second that another is the primary, also where the old one still answers."""
        while True:
            with suppress(*CONNECTION_ERRORS):
                await self.refresh()
            await asyncio.sleep(SENTINEL_POLL_INTERVAL_S)


class ClusterTopology(Topology):
    """The primaries of a Cluster, each with a client of its own: redis-py's cluster pipelines take no EVALSHA and WAIT.

    Who has which slot is asked where that is not known, when a slot was moved, and when a primary cannot be reached.
    """

    is_sharded = True
    check_task = ("cluster-topology", 0.1)

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        self._cluster = self._new_cluster_client()
        self._clients: dict[str, Redis] = {}

    def primaries(self) -> Sequence[str]:
        """All that have slots."""
        return [node.name for node in self._cluster.get_primaries()]

    def primary_for_key(self, key: str) -> str | None:
        """Who has the key's slot; None while that is not known."""
        try:
            node = self._cluster.get_node_from_key(key)
        except SlotNotCoveredError:
            node = None
        return None if node is None else node.name

    def client_for(self, primary: str) -> Redis:
        """The client of a node."""
        if primary not in self._clients:
            host, _, port = primary.rpartition(":")
            self._clients[primary] = configure_client(Redis(host=host, port=int(port), **client_options(self.url)))
        return self._clients[primary]

    async def refresh(self) -> None:
        """Ask one node after another until one tells who has which slot. Raises one of LOST."""
        before = {*self.primaries()}
        try:  # RedisCluster.initialize() would ask for COMMAND as well, and only once
            await self._cluster.nodes_manager.initialize()
        except RedisClusterException:  # nobody of those that were found last answers
            await self._close_cluster_client()
            self._cluster = self._new_cluster_client()
            raise
        now = {*self.primaries()}
        self.generation += 1
        gone = [self._clients.pop(primary) for primary in before - now if primary in self._clients]
        await asyncio.gather(*(client.aclose() for client in gone), return_exceptions=True)

    async def _close(self) -> None:
        await asyncio.gather(*(client.aclose() for client in self._clients.values()), return_exceptions=True)
        await self._close_cluster_client()

    async def _check(self) -> None:
        with suppress(*CONNECTION_ERRORS):  # what waits for it comes again, and says so when it is too old
            await self.refresh()

    def _new_cluster_client(self) -> RedisCluster:
        """A client that knows no more than the nodes of the URL."""
        return RedisCluster(
            startup_nodes=[ClusterNode(address.host, address.port) for address in self.url.addresses],
            require_full_coverage=False,
            **{**client_options(self.url), "socket_timeout": CONNECT_TIMEOUT_S},
        )

    async def _close_cluster_client(self) -> None:
        """Close what redis-py's client of the Cluster has opened."""
        with suppress(*CONNECTION_ERRORS):
            await self._cluster.nodes_manager.aclose()
            await self._cluster.nodes_manager.aclose("startup_nodes")


def create_topology(url: RedisURL, supervisor: Supervisor) -> Topology:
    """The topology that a URL names."""
    return {"one": StandaloneTopology, "sentinel": SentinelTopology, "cluster": ClusterTopology}[url.kind](
        url, supervisor
    )


def client_options(url: RedisURL) -> dict[str, Any]:
    """What every client of redis-py is made with."""
    return {
        **login_options(url.credentials),
        **url.tls,
        "protocol": 3,
        "socket_timeout": None,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),
        "driver_info": None,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def login_options(login: Credentials) -> dict[str, str | None]:
    return {"username": login.user or None, "password": login.password or None}


def configure_client(client: Redis, *mixins: type) -> Redis:
    """Have it give replies as RESP3 has them, as the store says what each command returns, and pack commands in C."""
    client.response_callbacks.clear()
    pool = client.connection_pool
    pool.connection_class = type("PackedConnection", (HiredisPackingMixin, *mixins, pool.connection_class), {})
    return client


class HiredisPackingMixin:
    """A connection that packs commands as redis-py's synchronous ones do; its asynchronous ones do it in Python."""

    def pack_command(self, *words: Argument) -> list[bytes]:
        """One command in the protocol. redis-py's own commands have their names in one word, as "CLIENT SETINFO"."""
        name = words[0]
        split = (*name.encode().split(), *words[1:]) if isinstance(name, str) else words
        return [pack_command(split)]  # type: ignore[arg-type]  # typed as if there were one word

    def pack_commands(self, commands: Iterable[tuple[Argument, ...]]) -> list[bytes]:
        """Several in one."""
        return [b"".join([self.pack_command(*command)[0] for command in commands])]


class PrimaryConnection(SentinelManagedConnection):
    """A connection that does not outlive the news of another primary while it is made: nothing would close it later."""

    async def connect_to(self, address: tuple[str, int]) -> None:
        """Connect. Raises ConnectionError where another is the primary by then."""
        await super().connect_to(address)  # type: ignore[no-untyped-call]
        if address != self.connection_pool.sentinel_manager.last_address:
            await self.disconnect()
            raise RedisConnectionError(f"{address[0]}:{address[1]} is the primary no more")
