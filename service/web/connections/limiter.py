"""All connections of an instance: how many there may be, who is at their other ends, and what they hold together."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from resource import RLIMIT_NOFILE, getrlimit

from aiohttp import web

from schemas.base import encode
from schemas.problems import MEDIA_TYPE, problem
from service.telemetry.metrics import RATE_LIMITED
from service.web.app_keys import SUPERVISOR
from service.web.connections.client_ip import Proxies, network_of
from service.web.connections.protocol import GuardedConnection, connection_of
from service.web.connections.send_buffers import UnreadBudget
from service.web.errors import TooManyOpen
from service.web.limits import Limits
from service.web.problems import TOO_MANY_OPEN_S

__all__ = ["GATE", "Gate", "client_of", "sweeping", "warn_of_proxy"]

LOG = logging.getLogger(__name__)

FORWARDED = {"x-forwarded-for", "forwarded"}

LOOK_EVERY_S = 5.0
AT_ONCE = 1_000
"""Connections looked at before others get their turn on the event loop."""

SPARE_FILES = 100
"""Open files that are no client's connections."""


def _refusal(status: str, code: str, detail: str) -> bytes:
    """A whole answer, for who is refused before anything was read."""
    body = encode(problem(code, detail, retry_after_s=TOO_MANY_OPEN_S))
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {MEDIA_TYPE}\r\nContent-Length: {len(body)}\r\n"
        f"Retry-After: {TOO_MANY_OPEN_S}\r\nConnection: close\r\nAccess-Control-Allow-Origin: *\r\n\r\n"
    )
    return head.encode() + body


FULL = _refusal("503 Service Unavailable", "store_unavailable", "this instance has as many connections as it can")
TOO_MANY = _refusal("429 Too Many Requests", "rate_limited", "too many connections come from this address")


def _unread_budget(limits: Limits) -> UnreadBudget:
    """What clients may have to read."""
    in_all = limits.max_unsent_bytes_in_all
    if not limits.rate_limits:
        return UnreadBudget(None, None, in_all)
    of_address = limits.max_unsent_bytes_per_address
    return UnreadBudget(of_address, of_address * limits.addresses_per_network, in_all)


class Gate:
    """All connections of one instance, and the streams (sockets, event streams) on them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.proxies = Proxies(limits.trusted_proxies, limits.forwarded_header)
        self.open: dict[GuardedConnection, None] = {}
        self.of_address: Counter[str] = Counter()
        """Connections of each address, and of each network of IPv6."""
        self.streams: Counter[str] = Counter()
        """Sockets and event streams, likewise."""
        self.refused = 0
        """Connections, since the start."""
        self.unread = _unread_budget(limits)
        _, most = getrlimit(RLIMIT_NOFILE)
        self._most = min(limits.max_connections, most - SPARE_FILES) if most > 0 else limits.max_connections

    def enter(self, connection: GuardedConnection) -> bytes:
        """Count a new connection; gives what refuses it, nothing where it may stay."""
        client = connection.client
        self.open[connection] = None
        refusal = b""
        if len(self.open) > self._most:
            refusal = FULL
        elif client is not None and self._has_all(self.of_address, client, self.limits.max_connections_per_address):
            refusal = TOO_MANY
        if client is not None:
            _count(self.of_address, client, 1)
        if refusal:
            self._tell(client)
        return refusal

    def _tell(self, client: str | None) -> None:
        """Log the first connection that is refused, and then every thousandth."""
        RATE_LIMITED.labels("connections").inc()
        self.refused += 1
        if self.refused % 1_000 == 1:
            LOG.warning(
                "connections are refused: %d are open, %d of them from %s, the latest to be refused",
                len(self.open),
                self.of_address[client or ""],
                client or "a trusted proxy",
            )

    def leave(self, connection: GuardedConnection) -> None:
        """Forget one that is closed."""
        if connection in self.open:
            del self.open[connection]
            if connection.client is not None:
                _count(self.of_address, connection.client, -1)

    def open_stream(self, address: str) -> None:
        """Count a socket or an event stream. Raises TooManyOpen."""
        most = self.limits.max_streams_per_address
        if self._has_all(self.streams, address, most):
            RATE_LIMITED.labels("open-streams").inc()
            raise TooManyOpen("sockets and event streams of this address", most)
        _count(self.streams, address, 1)

    def close_stream(self, address: str) -> None:
        """Forget one."""
        _count(self.streams, address, -1)

    async def keep_looking(self) -> None:
        """Look at all connections, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for number, connection in enumerate([*self.open]):
                try:
                    connection.look(loop.time())
                except Exception:
                    LOG.exception("a connection could not be looked at: it is closed, the others are looked at")
                    connection.force_close()
                if number % AT_ONCE == AT_ONCE - 1:
                    await asyncio.sleep(0)

    def _has_all(self, counter: Counter[str], client: str, most: int) -> bool:
        """Whether a client has as many as it may, or its network as many as some such clients together."""
        if not self.limits.rate_limits:
            return False
        network = network_of(client)
        return counter[client] >= most or (
            network != client and counter[network] >= most * self.limits.addresses_per_network
        )


def _count(counter: Counter[str], client: str, change: int) -> None:
    """Count for a client, and for its network where it has one."""
    for one in {client, network_of(client)}:
        counter[one] += change
        if counter[one] <= 0:
            del counter[one]


GATE = web.AppKey("gate", Gate)


def client_of(request: web.BaseRequest) -> str:
    """Who asks."""
    connection = connection_of(request)
    client = connection.client
    return connection.gate.proxies.forwarded(connection.peername, request.headers) if client is None else client


def warn_of_proxy(request: web.BaseRequest) -> None:
    """Tell the operator, once, where who is refused may be a proxy with everybody behind it."""
    connection = connection_of(request)
    proxies = connection.gate.proxies
    if (
        connection.client is not None
        and not proxies.warned
        and not FORWARDED.isdisjoint(map(str.lower, request.headers))
    ):
        proxies.warned = True
        LOG.warning(
            "%s is limited as one client, but says that it forwards for others: if it is your proxy, name it in "
            "--trusted-proxies",
            connection.client,
        )


async def sweeping(app: web.Application) -> AsyncIterator[None]:
    """Look at the connections as long as the application runs."""
    async with app[SUPERVISOR].running("connection-timeouts", app[GATE].keep_looking):
        yield
