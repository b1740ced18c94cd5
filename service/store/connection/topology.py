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

from service.store.connection.command import Value
from service.store.connection.errors import LOST
from service.store.connection.url import Login, RedisURL
from service.supervision import SupervisedTask, Supervisor, spawn

__all__ = ["Cluster", "OneServer", "Replicated", "Topology", "topology_of"]

CONNECT_TIMEOUT_S = 1.0
"""For a connection, and for each reply of those who are asked where primaries are."""

WATCH_INTERVAL_S = 1.0
"""How often the sentinels are asked who the primary is."""

_ONE = "primary"
"""The name of the only one."""


class Topology:
    """What all have in common; what none overrides is for one primary at a time.

    Made inside the event loop; connects when something is sent; `aclose` it.
    """

    sharded = False
    """Whether several primaries share the keys by slot."""
    replaces = True
    """Whether another server may become the primary."""
    checks = ("redis-leave", 0.5)
    """The name of the task that a suspicion starts, and the least time between two in seconds."""

    _client: Redis

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        self.url = url
        self.supervisor = supervisor
        self.changes = 0
        """Counts whenever a primary may be another than before."""
        self._checking: asyncio.Task[None] | None = None
        self._checked_at = float("-inf")

    def primaries(self) -> Sequence[str]:
        """Names of the primaries that are known."""
        return [_ONE]

    def primary_of(self, key: str) -> str | None:
        """The primary that has this key; None while that is not known."""
        del key
        return _ONE

    def client(self, primary: str) -> Redis:
        """The client of a primary."""
        del primary
        return self._client

    def suspect(self) -> None:
        """A primary may be another: its connection was lost, or it says so. Look into that soon."""
        now = asyncio.get_running_loop().time()
        name, interval_s = self.checks
        if self.replaces and now - self._checked_at >= interval_s and (self._checking is None or self._checking.done()):
            self._checked_at = now
            self._checking = spawn(name, self._check())

    async def refresh(self) -> None:
        """Find out who the primaries are. Raises one of LOST."""

    async def aclose(self) -> None:
        """Close all connections."""
        if self._checking is not None:
            self._checking.cancel()
            await asyncio.gather(self._checking, return_exceptions=True)
        await self._close()

    async def _check(self) -> None:
        """Look into a suspicion."""

    async def _close(self) -> None:
        await self._client.aclose()


class OneServer(Topology):
    """One server, always at the same address."""

    replaces = False

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        address = url.addresses[0]
        at = {"host": address.host, "port": address.port} if address.port else {"unix_socket_path": address.host}
        self._client = _plain(Redis(**at, db=url.database, **_options(url)))


class _Sentinels(Sentinel):
    """Sentinels of which most count. redis-py's own believes the first one that answers, also with old news.

    Nor does it put up with two tasks that ask at once: one sentinel may be lost of its list (pull request 4331).
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # type: ignore[no-untyped-call]
        self._asking: set[asyncio.Task[tuple[str, int] | None]] = set()
        self.latest: tuple[str, int] | None = None
        """The address that was named last."""
        self._answers = 0

    async def discover_master(self, service_name: str) -> tuple[str, int]:
        """The address that most sentinels name. Raises MasterNotFoundError where none names any.

        An answer that another one overtakes with other news is asked for again.
        """
        while True:
            answers = self._answers
            address = await self._most_named(service_name)
            if address == self.latest or answers == self._answers:
                self.latest = address
                self._answers += 1
                return address

    async def _most_named(self, service_name: str) -> tuple[str, int]:
        asking = [spawn("sentinel", self._ask(sentinel, service_name), expected=LOST) for sentinel in self.sentinels]
        for task in asking:
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)
        named: Counter[tuple[str, int]] = Counter()
        reason = "they do not know it"
        for reply in asyncio.as_completed(asking):
            try:
                address = await reply
            except LOST as error:
                reason = str(error)
                continue
            if address is not None:
                named[address] += 1
                if named[address] > len(asking) // 2:
                    return address
        if not named:
            raise MasterNotFoundError(f"no sentinel names a primary for {service_name!r} ({reason})")
        return named.most_common(1)[0][0]

    async def _ask(self, sentinel: Redis, service_name: str) -> tuple[str, int] | None:
        """What one sentinel says. Raises one of LOST."""
        asking = sentinel.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", service_name)  # type: ignore[no-untyped-call]
        address: tuple[str, int] | None = await asking
        return address

    async def aclose(self) -> None:
        """Close all connections."""
        asking = [*self._asking]
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await super().aclose()


class Replicated(Topology):
    """A primary that sentinels replace. They are asked before each connection, and every second."""

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        options = _options(url)
        asking = {**options, **_login(url.sentinel_login)}
        self._sentinel = _Sentinels(
            [(address.host, address.port) for address in url.addresses],
            sentinel_kwargs={**asking, "socket_timeout": CONNECT_TIMEOUT_S, "decode_responses": True},
            **options,
        )
        self._client: Redis = _plain(self._sentinel.master_for(url.service, db=url.database), _ToPrimary)
        self._pool = cast("SentinelConnectionPool", self._client.connection_pool)
        self._address: tuple[str, int] | None = None
        self._watching: SupervisedTask | None = None

    def client(self, primary: str) -> Redis:
        """The client of whoever is the primary."""
        if self._watching is None:
            self._watching = self.supervisor.start("sentinel-watch", self._watch)
        return super().client(primary)

    async def refresh(self) -> None:
        """Ask the sentinels, and leave the primary where they name another. Raises one of LOST."""
        address = await self._pool.get_master_address()  # type: ignore[no-untyped-call]
        if self._address not in (None, address):
            await self._check()
        self._address = address

    async def _close(self) -> None:
        if self._watching is not None:
            await self.supervisor.stop(self._watching)
        await super()._close()
        await self._sentinel.aclose()

    async def _check(self) -> None:
        """Close all connections, or they stay with a demoted primary (redis-py issues 3867, 3874)."""
        self.changes += 1
        with suppress(*LOST):
            await self._pool.disconnect()

    async def _watch(self) -> None:
        """Find out within a second that another is the primary, also where the old one still answers."""
        while True:
            with suppress(*LOST):
                await self.refresh()
            await asyncio.sleep(WATCH_INTERVAL_S)


class Cluster(Topology):
    """The primaries of a Cluster, each with a client of its own: redis-py's cluster pipelines take no EVALSHA and WAIT.

    Who has which slot is asked where that is not known, when a slot was moved, and when a primary cannot be reached.
    """

    sharded = True
    checks = ("cluster-topology", 0.1)

    def __init__(self, url: RedisURL, supervisor: Supervisor) -> None:
        super().__init__(url, supervisor)
        self._cluster = self._found_by_url()
        self._clients: dict[str, Redis] = {}

    def primaries(self) -> Sequence[str]:
        """All that have slots."""
        return [node.name for node in self._cluster.get_primaries()]

    def primary_of(self, key: str) -> str | None:
        """Who has the key's slot; None while that is not known."""
        try:
            node = self._cluster.get_node_from_key(key)
        except SlotNotCoveredError:
            node = None
        return None if node is None else node.name

    def client(self, primary: str) -> Redis:
        """The client of a node."""
        if primary not in self._clients:
            host, _, port = primary.rpartition(":")
            self._clients[primary] = _plain(Redis(host=host, port=int(port), **_options(self.url)))
        return self._clients[primary]

    async def refresh(self) -> None:
        """Ask one node after another until one tells who has which slot. Raises one of LOST."""
        before = {*self.primaries()}
        try:  # RedisCluster.initialize() would ask for COMMAND as well, and only once
            await self._cluster.nodes_manager.initialize()
        except RedisClusterException:  # nobody of those that were found last answers
            await self._forget()
            self._cluster = self._found_by_url()
            raise
        now = {*self.primaries()}
        self.changes += 1
        gone = [self._clients.pop(primary) for primary in before - now if primary in self._clients]
        await asyncio.gather(*(client.aclose() for client in gone), return_exceptions=True)

    async def _close(self) -> None:
        await asyncio.gather(*(client.aclose() for client in self._clients.values()), return_exceptions=True)
        await self._forget()

    async def _check(self) -> None:
        with suppress(*LOST):  # what waits for it comes again, and says so when it is too old
            await self.refresh()

    def _found_by_url(self) -> RedisCluster:
        """A client that knows no more than the nodes of the URL."""
        return RedisCluster(
            startup_nodes=[ClusterNode(address.host, address.port) for address in self.url.addresses],
            require_full_coverage=False,
            **{**_options(self.url), "socket_timeout": CONNECT_TIMEOUT_S},
        )

    async def _forget(self) -> None:
        """Close what redis-py's client of the Cluster has opened."""
        with suppress(*LOST):
            await self._cluster.nodes_manager.aclose()
            await self._cluster.nodes_manager.aclose("startup_nodes")


def topology_of(url: RedisURL, supervisor: Supervisor) -> Topology:
    """The topology that a URL names."""
    return {"one": OneServer, "sentinel": Replicated, "cluster": Cluster}[url.kind](url, supervisor)


def _options(url: RedisURL) -> dict[str, Any]:
    """What every client of redis-py is made with."""
    return {
        **_login(url.login),
        **url.tls,
        "protocol": 3,
        "socket_timeout": None,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),
        "driver_info": None,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def _login(login: Login) -> dict[str, str | None]:
    return {"username": login.user or None, "password": login.password or None}


def _plain(client: Redis, *mixins: type) -> Redis:
    """Have it give replies as RESP3 has them, as the store says what each command returns, and pack commands in C."""
    client.response_callbacks.clear()
    pool = client.connection_pool
    pool.connection_class = type("PackedConnection", (_Packing, *mixins, pool.connection_class), {})
    return client


class _Packing:
    """A connection that packs commands as redis-py's synchronous ones do; its asynchronous ones do it in Python."""

    def pack_command(self, *words: Value) -> list[bytes]:
        """One command in the protocol. redis-py's own commands have their names in one word, as "CLIENT SETINFO"."""
        name = words[0]
        split = (*name.encode().split(), *words[1:]) if isinstance(name, str) else words
        return [pack_command(split)]  # type: ignore[arg-type]  # typed as if there were one word

    def pack_commands(self, commands: Iterable[tuple[Value, ...]]) -> list[bytes]:
        """Several in one."""
        return [b"".join([self.pack_command(*command)[0] for command in commands])]


class _ToPrimary(SentinelManagedConnection):
    """A connection that does not outlive the news of another primary while it is made: nothing would close it later."""

    async def connect_to(self, address: tuple[str, int]) -> None:
        """Connect. Raises ConnectionError where another is the primary by then."""
        await super().connect_to(address)  # type: ignore[no-untyped-call]
        if address != self.connection_pool.sentinel_manager.latest:
            await self.disconnect()
            raise RedisConnectionError(f"{address[0]}:{address[1]} is the primary no more")
