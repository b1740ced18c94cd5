"""The connection limiter: counts connections, rejects too many, and enforces their timeouts.

Budgets for unsent bytes: per address, per IPv6 /48 network, and in total.

The connection that has not been read from for the longest is dropped first; a client that reads is soon out of here.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Literal, Protocol

from aiohttp import web

from service.games.errors import ServiceError
from service.telemetry.metrics import RATE_LIMITED, SLOW_READERS_DROPPED
from service.web.accounts import Account, Accounts
from service.web.app import SUPERVISOR, App
from service.web.charge import Charge
from service.web.client_ip import TrustedProxies
from service.web.limits import Limits
from service.web.problems import InstanceFull, TooManyConnections, problem_response, to_problem
from service.web.response_heads import CommonHeaders, new_request_id

LOG = logging.getLogger(__name__)


class Connection(Protocol):
    """A connection of a client."""

    charge: Charge
    """Of the current request; its account is that of the client."""
    client: str | None
    """The address of the client that opened it; None for a trusted proxy."""
    kind: Literal["response", "socket", "stream"]
    """What it writes."""

    def unsent_bytes(self) -> int:
        """Return the bytes in its send buffer."""

    def drop(self) -> None:
        """Close it, and discard unsent bytes."""

    def check_timeouts(self, now: float) -> None:
        """Close it if its client takes too long."""

    def force_close(self) -> None:
        """Close it after the response that is written."""


class SendBufferBudget:
    """The send buffers of all connections of an instance."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: dict[Account, dict[Connection, int]] = {}
        """The connections of each account, the longest blocked first, and their unsent bytes."""
        self._accounts: dict[Connection, Account] = {}
        self.total = 0
        self.dropped = 0
        """Connections dropped since the start."""

    def record(self, connection: Connection, size: int) -> None:
        """Record the unsent bytes of a connection; drop others if a budget is exceeded."""
        account = self._accounts.setdefault(connection, connection.charge.account)
        self._set(account, connection, size)
        for level in account.levels if self._limits.rate_limits else ():
            limit = self._limits.max_unsent_bytes_per_address * level.factor
            if level.unsent_bytes > limit:
                accounts = [one for one in self._connections if level in one.levels] if level.is_network else (level,)
                self._drop_slow_readers(accounts, level.unsent_bytes - _target(limit), connection)
        if self.total > (limit := self._limits.max_unsent_bytes_total):
            self._drop_slow_readers(self._connections, self.total - _target(limit), connection)

    def forget(self, connection: Connection) -> None:
        """Remove a connection whose send buffer is empty."""
        account = self._accounts.pop(connection, None)
        if account is not None:
            self._set(account, connection, 0)
            del self._connections[account][connection]
            if not self._connections[account]:
                del self._connections[account]

    def _set(self, account: Account, connection: Connection, size: int) -> None:
        connections = self._connections.setdefault(account, {})
        change = size - connections.get(connection, 0)
        self.total += change
        account.add("unsent_bytes", change)
        connections[connection] = size

    def _drop_slow_readers(self, accounts: Iterable[Account], too_much: int, latest: Connection) -> None:
        """Drop connections of these accounts, those with the most bytes first, until `too_much` bytes are freed.

        Connections that were read meanwhile are removed first. The latest one stays, even if it exceeds the budget
        alone: its client had no time to read.
        """
        aim = self.total - too_much
        for account in sorted(
            accounts, key=lambda one: (one.site.unsent_bytes, one.site.client, one.unsent_bytes), reverse=True
        ):
            if self.total <= aim:
                return
            for connection in [*self._connections[account]]:
                if (size := connection.unsent_bytes()) == 0:
                    self.forget(connection)
                else:
                    self._set(account, connection, size)
            for connection in [*self._connections.get(account, ())]:
                if self.total <= aim:
                    return
                if connection is not latest:
                    self._drop(account, connection)

    def _drop(self, account: Account, connection: Connection) -> None:
        SLOW_READERS_DROPPED.labels(connection.kind).inc()
        self.dropped += 1
        if self.dropped % 1_000 == 1:
            unsent_bytes = self._connections[account][connection]
            LOG.warning("%s does not read its responses: %d unsent bytes are discarded", account.client, unsent_bytes)
        self.forget(connection)
        connection.drop()


def _target(budget: int) -> int:
    """Return the bytes to leave: less than the budget, so that the next response needs no room again."""
    return budget * 7 // 8


CONNECTION_S = 0.0003
"""What a connection takes of aiohttp and the event loop, which cannot be timed."""

SWEEP_INTERVAL_S = 5.0
BATCH_SIZE = 100
"""Connections that are checked before the event loop runs other tasks."""


class ConnectionLimiter:
    """All connections of one instance."""

    def __init__(self, accounts: Accounts) -> None:
        self.accounts = accounts
        self.limits = limits = accounts.limits
        self.proxies = TrustedProxies(limits.trusted_proxies)
        self.connections: dict[Connection, None] = {}
        self.rejected = 0
        """Connections since the start."""
        self.common_headers = CommonHeaders(limits)
        self.send_buffers = SendBufferBudget(limits)

    def add(self, connection: Connection) -> bytes:
        """Count a new connection; return the whole response that rejects it unread, empty if it is accepted."""
        limits, account = self.limits, connection.charge.account
        refusal: ServiceError | None = None
        self.connections[connection] = None
        if len(self.connections) > limits.max_connections:
            refusal = InstanceFull("connections to this instance", limits.max_connections, "max-connections")
            RATE_LIMITED.labels("all-connections").inc()
        elif connection.client is not None and limits.rate_limits:
            if account.is_full("connections", most := limits.max_connections_per_address):
                refusal = TooManyConnections("connections of this address", most, "max-connections-per-address")
                RATE_LIMITED.labels("connections").inc()
            else:
                refusal = account.find_debt()
        if connection.client is not None:
            account.add("connections", 1)
            account.charge_time(CONNECTION_S)
        if refusal is None:
            return b""
        self._log_rejection(connection)
        response = problem_response(to_problem(refusal))
        self.common_headers.add_to(response, new_request_id())
        return response.encode()

    def _log_rejection(self, connection: Connection) -> None:
        """Log the first rejected connection, and then every thousandth."""
        self.rejected += 1
        if self.rejected % 1_000 == 1:
            number, client = connection.charge.account.connections, connection.client or "a trusted proxy"
            text = "connections are rejected: %d are open, %d of them from %s, which was rejected last"
            LOG.warning(text, len(self.connections), number, client)

    def remove(self, connection: Connection) -> None:
        """Remove a closed connection."""
        if connection in self.connections:
            del self.connections[connection]
            if connection.client is not None:
                connection.charge.account.add("connections", -1)

    async def enforce_timeouts(self) -> None:
        """Check the timeouts of all connections until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            now = loop.time()
            for number, connection in enumerate([*self.connections]):
                try:
                    connection.check_timeouts(now)
                except Exception:  # one connection that fails must not keep all others open
                    LOG.exception("the timeouts of a connection could not be checked: it is closed")
                    connection.force_close()
                if number % BATCH_SIZE == BATCH_SIZE - 1:
                    await asyncio.sleep(0)


CONNECTION_LIMITER = web.AppKey("connection_limiter", ConnectionLimiter)


@asynccontextmanager
async def run_timeout_sweep(app: App) -> AsyncIterator[None]:
    """Check connections for timeouts while the application runs."""
    async with app[SUPERVISOR].running("connection-timeouts", app[CONNECTION_LIMITER].enforce_timeouts):
        yield
