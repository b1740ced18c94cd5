"""The connection limiter: counts connections and streams, rejects too many, and enforces their timeouts.

Budgets for unsent bytes: per address, per IPv6 /48 network, and in total.

The connection that has not been read from for the longest is dropped first; a client that reads is soon out of here.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable
from email.utils import formatdate
from itertools import starmap
from typing import Literal, Protocol, cast

from aiohttp import web

from schemas.problems import problem
from service.telemetry.metrics import RATE_LIMITED, SLOW_READERS_DROPPED, UNTRUSTED_PROXY
from service.web.app_keys import SUPERVISOR
from service.web.buckets import AddressCounter, Buckets, Policy
from service.web.client_ip import FORWARDED_FOR, TrustedProxies, get_site_network
from service.web.common_headers import CommonHeaders, new_request_id
from service.web.connection import ClientConnection, get_connection
from service.web.frames import Turns
from service.web.limits import Limits
from service.web.problems import TooManyConnections, problem_response

LOG = logging.getLogger(__name__)


class BufferedWriter(Protocol):
    """A connection with a send buffer."""

    address: str
    """The client that it writes to."""

    @property
    def kind(self) -> Literal["response", "socket", "stream"]:
        """Return what it writes."""

    def unsent_bytes(self) -> int:
        """Return the bytes in its send buffer."""

    def drop(self) -> None:
        """Close it, and discard unsent bytes."""


class SendBufferBudget:
    """The send buffers of all connections of an instance."""

    def __init__(self, per_address: int | None, per_network: int | None, in_all: int) -> None:
        self._max_per_address = per_address
        self._max_per_network = per_network
        self._max_total = in_all
        self._writers: dict[str, dict[BufferedWriter, int]] = {}
        """The connections of each address, the longest blocked first."""
        self._bytes = AddressCounter()
        """Unsent bytes of each address and each IPv6 /48 network."""
        self._addresses: dict[BufferedWriter, str] = {}
        self.total = 0
        self.dropped = 0
        """Connections dropped since the start."""

    def record(self, writer: BufferedWriter, size: int) -> None:
        """Record the unsent bytes of a connection; drop others if a budget is exceeded."""
        address = self._addresses.setdefault(writer, writer.address)
        network = get_site_network(address)
        self._set(address, writer, size)
        if self._max_per_address is not None and self._bytes[address] > self._max_per_address:
            self._drop_slow_writers((address,), self._bytes[address] - _target(self._max_per_address), writer)
        if self._max_per_network is not None and self._bytes[network] > self._max_per_network:
            addresses = [other for other in self._writers if get_site_network(other) == network]
            self._drop_slow_writers(addresses, self._bytes[network] - _target(self._max_per_network), writer)
        if self.total > self._max_total:
            self._drop_slow_writers(self._writers, self.total - _target(self._max_total), writer)

    def forget(self, writer: BufferedWriter) -> None:
        """Remove a connection whose send buffer is empty."""
        address = self._addresses.pop(writer, None)
        if address is None:
            return
        writers = self._writers[address]
        self._add(address, -writers.pop(writer))
        if not writers:
            del self._writers[address]

    def _set(self, address: str, writer: BufferedWriter, size: int) -> None:
        writers = self._writers.setdefault(address, {})
        self._add(address, size - writers.get(writer, 0))
        writers[writer] = size

    def _add(self, address: str, change: int) -> None:
        self.total += change
        self._bytes.add(address, change)

    def _drop_slow_writers(self, addresses: Iterable[str], too_much: int, latest: BufferedWriter) -> None:
        """Drop connections of these addresses, those with the most bytes first, until `too_much` bytes are freed.

        Connections that were read meanwhile are removed first. The latest one stays, even if it exceeds the budget
        alone: its client had no time to read.
        """
        aim = self.total - too_much
        for address in sorted(addresses, key=self._sort_key, reverse=True):
            if self.total <= aim:
                return
            for writer in [*self._writers[address]]:
                if (size := writer.unsent_bytes()) == 0:
                    self.forget(writer)
                else:
                    self._set(address, writer, size)
            for writer in [*self._writers.get(address, ())]:
                if self.total <= aim:
                    return
                if writer is not latest:
                    self._drop(address, writer)

    def _sort_key(self, address: str) -> tuple[int, str, int]:
        """Return the unsent bytes of the address's network, and then its own."""
        network = get_site_network(address)
        return self._bytes[network], network, self._bytes[address]

    def _drop(self, address: str, writer: BufferedWriter) -> None:
        SLOW_READERS_DROPPED.labels(writer.kind).inc()
        self.dropped += 1
        if self.dropped % 1_000 == 1:
            LOG.warning(
                "%s does not read its responses: %d unsent bytes are discarded", address, self._writers[address][writer]
            )
        self.forget(writer)
        writer.drop()


def _target(budget: int) -> int:
    """Return the bytes to leave: less than the budget, so that the next response needs no room again."""
    return budget * 7 // 8


MAX_BUCKETS_BYTES = 8 * 1024 * 1024
"""Memory for what clients have left."""

RESERVED_MS = 10.0
"""Time that a request must have left, and that is reserved until it is answered: many at once are not all done unpaid.

More than most requests take, less than the dearest.
"""

MAX_DEBT = 1 / 3
"""An address may owe a third of the time that it has."""

CONNECTION_S = 0.0003
"""What a connection takes of aiohttp and the event loop, which cannot be timed."""

SWEEP_INTERVAL_S = 5.0
BATCH_SIZE = 1_000
"""Connections that are checked before the event loop runs other tasks."""


def _make_send_buffer_budget(limits: Limits) -> SendBufferBudget:
    """Return the budget for send buffers."""
    in_all = limits.max_unsent_bytes_total
    if not limits.rate_limits:
        return SendBufferBudget(None, None, in_all)
    of_address = limits.max_unsent_bytes_per_address
    return SendBufferBudget(of_address, of_address * limits.addresses_per_network, in_all)


class ConnectionLimiter:
    """All connections of one instance, and the streams (WebSockets and event streams) on them."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.clock = clock
        per_network = limits.addresses_per_network
        requests = Policy("requests", limits.rate_requests, per_network=per_network)
        time = Policy("time", limits.rate_time, per_network=per_network, reserved=RESERVED_MS)
        self.clients = Buckets((requests, time), clock, MAX_BUCKETS_BYTES)
        """The requests and the milliseconds that are left to each address, and to each trusted token."""
        self.proxies = TrustedProxies(limits.trusted_proxies)
        self.connections: dict[ClientConnection, None] = {}
        self.connections_per_address = AddressCounter()
        """Connections of each address, and of each IPv6 /48 network."""
        self.turns = Turns()
        """Of sockets, by the IPv6 /48 network of their client, or its IPv4 address."""
        self.streams_per_address = AddressCounter()
        """Streams, likewise."""
        self.rejected = 0
        """Connections since the start."""
        self.common_headers = CommonHeaders(limits)
        self.send_buffers = _make_send_buffer_budget(limits)

    def add(self, connection: ClientConnection) -> bytes:
        """Count a new connection; return the response that rejects it, empty if it is accepted."""
        client, max_connections = connection.client, self.limits.max_connections_per_address
        self.connections[connection] = None
        refusal, policy = b"", "connections"
        if len(self.connections) > self.limits.max_connections:
            policy = "all-connections"
            refusal = self._encode_refusal(
                "instance_unavailable", "this instance has reached its maximum number of connections"
            )
        elif client is not None and (
            self._is_at_limit(self.connections_per_address, client, max_connections) or self.is_in_debt(client)
        ):
            refusal = self._encode_refusal("rate_limited", "too many connections from this address")
        if client is not None:
            self.connections_per_address.add(client, 1)
            self.charge_address(client, CONNECTION_S)
        if refusal:
            RATE_LIMITED.labels(policy).inc()
            self._log_rejection(client)
        return refusal

    def _encode_refusal(self, code: str, detail: str) -> bytes:
        """Return a complete response for a connection that is rejected before anything is read."""
        response = problem_response(problem(code, detail, retry_after_s=TooManyConnections.retry_after_s))
        headers, body = response.headers, cast("bytes", response.body)
        self.common_headers.add_to(headers, new_request_id())
        headers.update({"Content-Length": str(len(body)), "Connection": "close", "Date": formatdate(usegmt=True)})
        status = f"HTTP/1.1 {response.status} {response.reason}"
        return "\r\n".join((status, *starmap("{}: {}".format, headers.items()), "", "")).encode() + body

    def _log_rejection(self, client: str | None) -> None:
        """Log the first rejected connection, and then every thousandth."""
        self.rejected += 1
        if self.rejected % 1_000 == 1:
            LOG.warning(
                "connections are rejected: %d are open, %d of them from %s, which was rejected last",
                len(self.connections),
                self.connections_per_address[client or ""],
                client or "a trusted proxy",
            )

    def charge_address(self, address: str, seconds: float) -> None:
        """Charge an address for what no client pays: it was malformed, or beyond a limit."""
        if self.limits.rate_limits:
            now = self.clock()
            for bucket in self.clients.of_address(address)[1::2]:
                bucket.take(1000 * seconds, now)

    def is_in_debt(self, address: str) -> bool:
        """Return whether an address owes so much time that its connections are rejected unread."""
        now = self.clock()
        for bucket in self.clients.of_address(address)[1::2]:
            if bucket.full_at - now > (1 + MAX_DEBT) * bucket.policy.rate.window_s:
                return True
        return False

    def remove(self, connection: ClientConnection) -> None:
        """Remove a closed connection."""
        if connection in self.connections:
            del self.connections[connection]
            if connection.client is not None:
                self.connections_per_address.add(connection.client, -1)

    def add_stream(self, address: str) -> None:
        """Count a stream. Raises TooManyConnections."""
        limit = self.limits.max_streams_per_address
        if self._is_at_limit(self.streams_per_address, address, limit):
            RATE_LIMITED.labels("open-streams").inc()
            raise TooManyConnections("sockets and event streams of this address", limit)
        self.streams_per_address.add(address, 1)

    def remove_stream(self, address: str) -> None:
        """Remove a stream."""
        self.streams_per_address.add(address, -1)

    async def enforce_timeouts(self) -> None:
        """Check the timeouts of all connections until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            for number, connection in enumerate([*self.connections]):
                try:
                    connection.check_timeouts(loop.time())
                except Exception:  # one connection that fails must not keep all others open
                    LOG.exception("the timeouts of a connection could not be checked: it is closed")
                    connection.force_close()
                if number % BATCH_SIZE == BATCH_SIZE - 1:
                    await asyncio.sleep(0)

    def _is_at_limit(self, counter: AddressCounter, client: str, limit: int) -> bool:
        """Return whether a client, or its network, has as many as it may."""
        if not self.limits.rate_limits:
            return False
        per_network = limit * self.limits.addresses_per_network
        return counter[client] >= limit or (":" in client and counter[get_site_network(client)] >= per_network)


CONNECTION_LIMITER = web.AppKey("connection_limiter", ConnectionLimiter)


def report_untrusted_proxy(request: web.BaseRequest) -> None:
    """Count a rejected request if its client may be a proxy with many clients behind it, and log the first."""
    connection = get_connection(request)
    proxies = connection.limiter.proxies
    if connection.client is None or FORWARDED_FOR not in request.headers:
        return
    UNTRUSTED_PROXY.inc()
    if not proxies.has_warned:
        proxies.has_warned = True
        LOG.warning(
            "%s is limited as one client, but forwards for others: if it is your proxy, add it to --trusted-proxies",
            connection.client,
        )


async def run_timeout_sweep(app: web.Application) -> AsyncIterator[None]:
    """Check connections for timeouts while the application runs."""
    async with app[SUPERVISOR].running("connection-timeouts", app[CONNECTION_LIMITER].enforce_timeouts):
        yield
