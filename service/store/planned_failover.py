"""Making a replica the primary on purpose, so that no acknowledged write is lost.

`SENTINEL FAILOVER` by itself assumes that the primary cannot be reached: it promotes a replica while the primary still
takes writes, which are then discarded (docs/durability.md). So the primary hands over first. Redis' own FAILOVER pauses
writes, waits until the replica has all of them, and makes the primary its replica; from then on no server that the
sentinels name takes writes. Then `SENTINEL FAILOVER` lets the sentinels follow: they promote the replica with the
lowest `replica-priority`, so the others get a higher one for the time. In a Cluster, CLUSTER FAILOVER does all of this
by itself.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from service.store.connection import CONNECTION_ERRORS, RedisURL, to_store_error
from service.store.topology import client_options

COMMAND_TIMEOUT_S = 3.0
HANDOVER_TIMEOUT_S = 2.0
"""How long the primary may wait for the replica before it continues as the primary."""

SETTLE_TIMEOUT_S = 40.0
"""How long the sentinels and the other replicas may take to follow."""

MAX_LAG_S = 2
"""Seconds since a replica's last acknowledgement."""

POLL_INTERVAL_S = 0.05

Report = Callable[[str], None]


class PlannedFailoverError(Exception):
    """A failover that is not safe now, or did not complete; the message says why, and what the state is."""


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


async def fail_over(url: RedisURL, primary: str | None, report: Report) -> None:
    """Let the primary hand over to a replica that is in sync, and report each step.

    `primary` (HOST:PORT) is required for a Cluster. The URL's user needs the rights of an operator. Raises
    PlannedFailoverError.
    """
    try:
        async with AsyncExitStack() as stack:
            servers = _Servers(url, stack)
            if url.topology == "sentinel":
                await _SentinelFailover(servers, url, report).run(primary)
            elif url.topology == "cluster":
                await _fail_over_cluster(servers, primary, report)
            else:
                raise PlannedFailoverError("a single server has no replica that could take over")
    except CONNECTION_ERRORS as error:
        raise PlannedFailoverError(str(to_store_error(error))) from error


class _Servers:
    """Clients of servers, which are closed with the stack."""

    def __init__(self, url: RedisURL, stack: AsyncExitStack) -> None:
        self._options = {**client_options(url), "socket_timeout": COMMAND_TIMEOUT_S, "decode_responses": True}
        self._sentinel_options = {**self._options, **url.sentinel_login, "db": 0}
        self._stack = stack
        self._clients: dict[Address, Redis] = {}

    def at(self, address: Address, *, sentinel: bool = False) -> Redis:
        """Return the client of a server."""
        if address not in self._clients:
            options = self._sentinel_options if sentinel else self._options
            self._clients[address] = Redis(host=address.host, port=address.port, **options)
            self._stack.push_async_callback(self._clients[address].aclose)
        return self._clients[address]

    async def execute(self, address: Address, *command: str | int, sentinel: bool = False) -> Any:
        """Execute a command for which redis-py has no types."""
        return await self.at(address, sentinel=sentinel).execute_command(*command)  # type: ignore[no-untyped-call]

    async def replication(self, address: Address) -> dict[str, Any]:
        """Return a server's INFO replication. Sentinels close a server's connections when they change its role."""
        try:
            info: dict[str, Any] = await self.at(address).info("replication")
        except ResponseError:
            raise
        except CONNECTION_ERRORS:
            info = await self.at(address).info("replication")
        return info

    async def check_replicas(self, primary: Address) -> list[Address]:
        """Return the replicas of a primary, all of which are in sync. Raise PlannedFailoverError."""
        info = await self.replication(primary)
        if info["role"] != "master":
            raise PlannedFailoverError(f"{primary} is no primary")
        replicas = [info[f"slave{number}"] for number in range(info["connected_slaves"])]
        if not replicas:
            raise PlannedFailoverError(f"{primary} has no replica")
        for replica in replicas:
            if replica["state"] != "online" or replica["lag"] > MAX_LAG_S:
                address = f"{replica['ip']}:{replica['port']}"
                raise PlannedFailoverError(f"the replica {address} is not in sync ({replica['state']})")
        return [Address(replica["ip"], replica["port"]) for replica in replicas]

    async def is_replica_of(self, address: Address, primary: Address) -> bool:
        """Return whether a server replicates `primary` and is in sync."""
        try:
            info = await self.replication(address)
        except CONNECTION_ERRORS:
            return False
        replicates = info["role"] == "slave" and (info["master_host"], info["master_port"]) == primary
        return replicates and info["master_link_status"] == "up"


class _SentinelFailover:
    """A planned failover behind sentinels."""

    def __init__(self, servers: _Servers, url: RedisURL, report: Report) -> None:
        self._servers = servers
        self._sentinels = [Address(*address) for address in url.addresses]
        self._service = url.service_name
        self._report = report

    async def run(self, expected: str | None) -> None:
        """Check that it is safe, hand over, and let the sentinels follow."""
        primary, leader = await self._check_sentinels()
        if expected not in (None, str(primary)):
            raise PlannedFailoverError(f"the primary is {primary}, not {expected}")
        replicas = await self._servers.check_replicas(primary)
        self._report(f"{primary} is the primary; its {len(replicas)} replicas are in sync, and all Sentinels agree")
        async with self._preferred_replica(leader, replicas) as target:
            await self._promote(leader, primary, target, replicas)

    async def _promote(self, leader: Address, primary: Address, target: Address, replicas: Sequence[Address]) -> None:
        """Let the primary hand over to this replica, and all others follow it."""
        started_at = monotonic()
        await self._hand_over(primary, target)
        self._report(f"{primary} has stopped writes and handed over to {target}")
        try:
            await self._servers.execute(leader, "SENTINEL", "FAILOVER", self._service, sentinel=True)
        except ResponseError as error:  # on any other the sentinel may have begun, and going back would lose writes
            await self._hand_over(target, primary)
            raise PlannedFailoverError(f"{leader} refused ({error}), so {primary} is the primary again") from error
        await _wait_until(partial(self._is_named, target), f"most Sentinels do not name {target} yet")
        self._report(f"the Sentinels follow; writes were stopped for {monotonic() - started_at:.1f} s")
        for server in (primary, *(one for one in replicas if one != target)):
            await _wait_until(partial(self._servers.is_replica_of, server, target), f"{server} does not follow yet")
        self._report(f"{target} is the primary, and all other servers are its replicas")

    async def _check_sentinels(self) -> tuple[Address, Address]:
        """Return the primary that all sentinels name, and a sentinel. Raise PlannedFailoverError."""
        named: dict[Address, Address] = {}
        for sentinel in self._sentinels:
            client = self._servers.at(sentinel, sentinel=True)
            try:
                state: Any = await client.sentinel_master(self._service)
                await client.sentinel_ckquorum(self._service)
            except CONNECTION_ERRORS as error:
                raise PlannedFailoverError(f"the Sentinel {sentinel} cannot tell: {error}") from error
            if {*state["flags"]} - {"master"}:
                raise PlannedFailoverError(f"the Sentinel {sentinel} says of the primary: {', '.join(state['flags'])}")
            named[sentinel] = Address(state["ip"], state["port"])
        if len({*named.values()}) != 1:
            votes = ", ".join(f"{sentinel} names {primary}" for sentinel, primary in named.items())
            raise PlannedFailoverError(f"the Sentinels do not agree: {votes}")
        sentinel, primary = next(iter(named.items()))
        return primary, sentinel

    @asynccontextmanager
    async def _preferred_replica(self, leader: Address, replicas: Sequence[Address]) -> AsyncIterator[Address]:
        """Let a sentinel prefer one replica to all others, by their priorities, while the block runs."""
        priorities = {address: await self._read_priority(address) for address in replicas}
        candidates = [address for address in replicas if priorities[address]]
        if not candidates:
            raise PlannedFailoverError("the Sentinels may promote none of the replicas: their replica-priority is 0")
        target = min(candidates, key=lambda address: priorities[address])
        lowest = priorities[target]
        raised = {one: lowest + 1 for one in candidates if one != target and priorities[one] == lowest}
        try:
            for address, priority in raised.items():
                await self._servers.at(address).config_set("replica-priority", priority)
            if raised:
                self._report(f"the Sentinels are to prefer {target}: they learn of it within 10 s")

            async def is_known() -> bool:
                return (priorities | raised).items() <= (await self._known_priorities(leader)).items()

            await _wait_until(is_known, f"the Sentinel {leader} does not prefer {target}")
            yield target
        finally:
            for address in raised:
                await self._restore_priority(address, priorities[address])

    async def _read_priority(self, address: Address) -> int:
        """Return a replica's priority; 0 if it may not be promoted."""
        return int((await self._servers.execute(address, "CONFIG", "GET", "replica-priority"))["replica-priority"])

    async def _known_priorities(self, leader: Address) -> dict[Address, int]:
        """Return the priority of each replica that a sentinel knows; 0 if it would not promote it now."""
        known = await self._servers.at(leader, sentinel=True).sentinel_slaves(self._service)
        return {
            Address(one["ip"], one["port"]): one["slave-priority"] if {*one["flags"]} == {"slave"} else 0
            for one in known
        }

    async def _restore_priority(self, address: Address, priority: int) -> None:
        """Set a replica's priority, also in its file, which sentinels let it write."""
        for _ in range(2):  # sentinels close a server's connections when they change its role
            with suppress(*CONNECTION_ERRORS):
                await self._servers.at(address).config_set("replica-priority", priority)
                await self._servers.at(address).config_rewrite()
                return

    async def _hand_over(self, primary: Address, target: Address) -> None:
        """Make `target` the primary, and `primary` its replica, by Redis' own FAILOVER. Raise PlannedFailoverError."""
        timeout_ms = int(HANDOVER_TIMEOUT_S * 1000)
        await self._servers.execute(primary, "FAILOVER", "TO", *target, "TIMEOUT", timeout_ms)

        async def is_over() -> bool:
            return (await self._servers.replication(primary)).get("master_failover_state") == "no-failover"

        await _wait_until(is_over, f"{primary} still hands over to {target}")
        if (await self._servers.replication(target))["role"] != "master":
            raise PlannedFailoverError(f"{target} did not catch up in {HANDOVER_TIMEOUT_S:.0f} s: nothing has changed")

    async def _is_named(self, target: Address) -> bool:
        """Return whether most sentinels name this primary."""
        votes = 0
        for sentinel in self._sentinels:
            query = ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._service)
            with suppress(*CONNECTION_ERRORS):
                reply = await self._servers.execute(sentinel, *query, sentinel=True)
                votes += reply is not None and Address(reply[0], int(reply[1])) == target
        return votes > len(self._sentinels) // 2


async def _fail_over_cluster(servers: _Servers, expected: str | None, report: Report) -> None:
    """Let a primary of a Cluster hand over to a replica."""
    if expected is None:
        raise PlannedFailoverError("name the primary of the Cluster that is to hand over: --primary HOST:PORT")
    host, _, port = expected.rpartition(":")
    primary = Address(host, int(port) if port.isdecimal() else 0)
    if "cluster_state:ok" not in await servers.execute(primary, "CLUSTER", "INFO"):
        raise PlannedFailoverError("the state of the Cluster is not ok")
    target, *others = await servers.check_replicas(primary)
    report(f"{primary} is a primary; its {len(others) + 1} replicas are in sync")
    started_at = monotonic()
    await servers.execute(target, "CLUSTER", "FAILOVER")

    async def is_primary() -> bool:
        return bool((await servers.replication(target))["role"] == "master")

    await _wait_until(is_primary, f"{target} was not elected; {primary} is still the primary")
    report(
        f"{primary} has handed over to {target}; writes to its slots were stopped for {monotonic() - started_at:.1f} s"
    )
    for server in (primary, *others):
        await _wait_until(partial(servers.is_replica_of, server, target), f"{server} does not follow yet")
    report(f"{target} is the primary, and the other servers of its slots are its replicas")


async def _wait_until(condition: Callable[[], Awaitable[bool]], otherwise: str) -> None:
    """Wait until the condition is true. Raise PlannedFailoverError after SETTLE_TIMEOUT_S."""
    try:
        async with asyncio.timeout(SETTLE_TIMEOUT_S):
            while not await condition():  # noqa: ASYNC110  other processes set no event
                await asyncio.sleep(POLL_INTERVAL_S)
    except TimeoutError:
        raise PlannedFailoverError(f"{otherwise}, after {SETTLE_TIMEOUT_S:.0f} s") from None
