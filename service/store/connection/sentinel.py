"""The topology of Sentinel: one primary, which the sentinels replace after a failure.

`# type: ignore[no-untyped-call]` stands where redis-py's own functions lack annotations: its asyncio modules have
`py.typed`, but annotate only part of their functions. The comments can go when redis-py annotates these.
"""

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

from redis.asyncio import Redis, Sentinel
from redis.asyncio.sentinel import MasterNotFoundError, SentinelConnectionPool, SentinelManagedConnection
from redis.exceptions import ConnectionError as RedisConnectionError

from service.store.connection.errors import CONNECTION_ERRORS, is_error_reply
from service.store.connection.topology import (
    CONNECT_TIMEOUT_S,
    SOLE_PRIMARY,
    Topology,
    client_options,
    configure_client,
    record_failover,
)
from service.store.connection.url import RedisURL
from service.supervision import SupervisedTask, Supervisor, spawn

__all__ = ["PrimaryUnknown", "SentinelTopology"]

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
        client = self._sentinel.master_for(url.service_name, connection_pool_class=_PrimaryPool)
        self._clients[SOLE_PRIMARY] = configure_client(client, _PrimaryConnection)
        self._pool: _PrimaryPool = client.connection_pool
        self._poll_task: SupervisedTask | None = None

    def client_for(self, primary: str) -> Redis:
        """Return the client, which connects to the current primary."""
        if self._poll_task is None:
            self._poll_task = self.supervisor.start("sentinel-watch", self._poll_sentinels)
        return super().client_for(primary)

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
        address: tuple[str, int] | None = await query
        return address

    async def aclose(self) -> None:
        """Close all connections."""
        queries = [*self._queries]
        for query in queries:
            query.cancel()
        await asyncio.gather(*queries, return_exceptions=True)
        await super().aclose()
