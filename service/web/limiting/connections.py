"""Connections, as bytes come and go: how many there may be, and how long a client may take over anything.

A client may not make anybody wait, nor keep a connection for long without using it: a request's head has to come in one
go, an answer has to be read. One look at all connections every few seconds is all that this costs.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from resource import RLIMIT_NOFILE, getrlimit
from typing import Any, cast

from aiohttp import web

from schemas.base import encode
from schemas.problems import MEDIA_TYPE, problem
from service.telemetry.metrics import rate_limited
from service.web.errors import TooManyOpen
from service.web.limiting.proxies import NOBODY, Proxies
from service.web.limits import Limits
from service.web.problems import TOO_MANY_OPEN_S

__all__ = ["GATE", "Gate", "GuardedConnection", "client_of", "sweeping", "warn_of_proxy"]

LOG = logging.getLogger(__name__)

FORWARDED = {"x-forwarded-for", "forwarded"}

LOOK_EVERY_S = 5.0
AT_ONCE = 1_000
"""Connections looked at before others get their turn on the event loop."""

MOST_HEAD = 65_536
"""Bytes of a request's head, whose lines have limits of their own."""

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


class Gate:
    """All connections of one instance, and the streams (sockets, event streams) on them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.proxies = Proxies(limits.trusted_proxies, limits.forwarded_header)
        self.open: dict[GuardedConnection, None] = {}
        self.of_address: Counter[str] = Counter()
        self.streams: Counter[str] = Counter()
        self.refused = 0
        """Connections, since the start."""
        _, most = getrlimit(RLIMIT_NOFILE)
        self._most = min(limits.max_connections, most - SPARE_FILES) if most > 0 else limits.max_connections

    def enter(self, connection: "GuardedConnection") -> bytes:
        """Count a new connection; gives what refuses it, nothing where it may stay."""
        client = connection.client
        self.open[connection] = None
        if client is not None:
            self.of_address[client] += 1
        refusal = b""
        if len(self.open) > self._most:
            refusal = FULL
        elif client is not None and self._has_too_many(client):
            refusal = TOO_MANY
        if refusal:
            self._tell(client)
        return refusal

    def _tell(self, client: str | None) -> None:
        """Log the first connection that is refused, and then every thousandth."""
        rate_limited("connections")
        self.refused += 1
        if self.refused % 1_000 == 1:
            LOG.warning(
                "connections are refused: %d are open, %d of them from %s, the latest to be refused",
                len(self.open),
                self.of_address[client or ""],
                client or "a trusted proxy",
            )

    def leave(self, connection: "GuardedConnection") -> None:
        """Forget one that is closed."""
        if connection in self.open:
            del self.open[connection]
            if connection.client is not None:
                _less(self.of_address, connection.client)

    def open_stream(self, address: str) -> None:
        """Count a socket or an event stream. Raises TooManyOpen."""
        most = self.limits.max_streams_per_address
        if self.limits.rate_limits and self.streams[address] >= most:
            rate_limited("open-streams")
            raise TooManyOpen("sockets and event streams of this address", most)
        self.streams[address] += 1

    def close_stream(self, address: str) -> None:
        """Forget one."""
        _less(self.streams, address)

    async def keep_looking(self) -> None:
        """Look at all connections, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for number, connection in enumerate([*self.open]):
                connection.look(loop.time())
                if number % AT_ONCE == AT_ONCE - 1:
                    await asyncio.sleep(0)

    def _has_too_many(self, client: str) -> bool:
        return self.limits.rate_limits and self.of_address[client] > self.limits.max_connections_per_address


def _less(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]


class GuardedConnection(web.RequestHandler):
    """One connection."""

    __slots__ = ("begun", "client", "gate", "head", "stuck_since")

    def __init__(self, manager: web.Server, *, gate: Gate, loop: asyncio.AbstractEventLoop, **options: Any) -> None:
        super().__init__(manager, loop=loop, **options)
        self.gate = gate
        self.client: str | None = NOBODY
        """Who is at the other end; None for a trusted proxy."""
        self.begun = 0.0
        """When a head began that is not whole yet; 0 where there is none."""
        self.head = 0
        """Its bytes so far."""
        self.stuck_since = 0.0
        """Since when the client has not read all that was sent; 0 where it has."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, or refuse to."""
        self.client = self.gate.proxies.direct(transport.get_extra_info("peername"))
        if self.client is not None:  # a proxy that uses a connection as it is closed would fail somebody's request
            self._keepalive_timeout = self.gate.limits.keep_alive_s
        super().connection_made(transport)
        refusal = self.gate.enter(self)
        if refusal:
            cast("asyncio.Transport", transport).write(refusal)
            self.force_close()

    def connection_lost(self, exc: BaseException | None) -> None:
        """End."""
        self.gate.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come; where it is no whole head, the time runs."""
        super().data_received(data)
        if self._waiter is None:
            return
        if self._messages:
            self.begun = 0.0
            self.head = 0
            return
        if not self.begun:
            self.begun = self._loop.time()
        self.head += len(data)
        if self.head > MOST_HEAD:
            self.force_close()

    def look(self, now: float) -> None:
        """Close it where the client takes too long."""
        transport, limits = self.transport, self.gate.limits
        if transport is None or self._payload_parser is not None:
            return  # it is closed, or a socket, which has bounds of its own
        if self.begun and now - self.begun > limits.request_timeout_s:
            self.force_close()
        elif not transport.get_write_buffer_size():
            self.stuck_since = 0.0
        elif not self.stuck_since:
            self.stuck_since = now
        elif now - self.stuck_since > limits.answer_timeout_s:
            transport.abort()


GATE = web.AppKey("gate", Gate)


def client_of(request: web.BaseRequest) -> str:
    """Who asks."""
    connection = request.protocol
    if not isinstance(connection, GuardedConnection):
        return request.remote or NOBODY
    client = connection.client
    return connection.gate.proxies.forwarded(connection.peername, request.headers) if client is None else client


def warn_of_proxy(request: web.BaseRequest) -> None:
    """Tell the operator, once, where who is refused may be a proxy with everybody behind it."""
    connection = request.protocol
    if not isinstance(connection, GuardedConnection) or connection.client is None:
        return
    proxies = connection.gate.proxies
    if not proxies.warned and not FORWARDED.isdisjoint(map(str.lower, request.headers)):
        proxies.warned = True
        LOG.warning(
            "%s is limited as one client, but says that it forwards for others: if it is your proxy, name it in "
            "--trusted-proxies",
            connection.client,
        )


async def sweeping(app: web.Application) -> AsyncIterator[None]:
    """Look at the connections as long as the application runs."""
    task = asyncio.create_task(app[GATE].keep_looking())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
