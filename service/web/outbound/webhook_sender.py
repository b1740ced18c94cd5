"""Sending webhooks: to the public internet only, without redirects, and reading no response but a challenge's.

The outcome is visible to whoever registered the webhook. It does not distinguish unknown names, names of private
addresses and private addresses: all are `dns`, without a duration.
"""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection

from service.games.errors import WebhookUrlRejected
from service.games.ports.game_store import RateLimit
from service.games.ports.webhook_store import POSTPONED, TIMEOUT, SendResult, WebhookSender
from service.games.webhooks.challenges import KeyedRateLimiter
from service.web.client_ip import normalize_address
from service.web.limits import Limits
from service.web.outbound.dns import LOOKUP_TIMEOUT_S, WebhookResolver
from service.web.outbound.ssrf import AddressBlocked, check_url, open_public_socket

USER_AGENT = "south-seas-webhooks"
MAX_HEADER_BYTES = 8190
MAX_RESPONSE_BYTES = 32_768
"""Bytes of a response that are read: its head is smaller, and its body does not matter."""

MAX_CHALLENGE_RESPONSE_BYTES = 1024

CHALLENGES_PER_ADDRESS = RateLimit(200, 100)
"""Challenges to one address, or to one IPv6 subscriber's network."""

DNS_FAILURE = "dns"
"""The outcome for everything that is no public server."""

AddrInfo = tuple[Any, ...]
SocketFactory = Callable[[AddrInfo], socket.socket]

SEND_ERRORS = (aiohttp.ClientError, OSError, RuntimeError, WebhookUrlRejected, ValueError)
"""Exceptions of sending; where other event loops raise OSError, uvloop may raise RuntimeError."""


class ChallengeLimitReached(OSError):
    """Too many challenges were sent to an address."""

    def __init__(self) -> None:
        super().__init__("too many challenges to one address")


class _BoundedProtocol(asyncio.Protocol):
    """Passes the beginning of a response to aiohttp, and pauses reading after it.

    Otherwise a server could send provisional responses (RFC 9110, 15.2) without end, which aiohttp reads until the
    final one. It can go when aiohttp limits them.
    """

    def __init__(self, reader: ResponseHandler, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._remaining = MAX_RESPONSE_BYTES
        self._data_received = reader.data_received
        # Everything but `data_received` is aiohttp's. Its bound methods are assigned, which mypy does not allow for
        # methods of a class; wrappers could drift from the signatures. They can go when aiohttp limits provisional
        # responses, together with this class.
        self.connection_lost = reader.connection_lost  # type: ignore[method-assign]
        self.eof_received = reader.eof_received  # type: ignore[method-assign]
        self.pause_writing = reader.pause_writing  # type: ignore[method-assign]
        self.resume_writing = reader.resume_writing  # type: ignore[method-assign]

    def data_received(self, data: bytes) -> None:
        """Pass on what is within the limit, then pause reading."""
        read = data[: self._remaining]
        self._remaining -= len(read)
        if read:
            self._data_received(read)
        if not self._remaining and not self._transport.is_closing():
            self._transport.pause_reading()


class _BoundedConnector(aiohttp.TCPConnector):
    """A connector whose connections are limited in what they read."""

    async def connect(self, *args: Any, **options: Any) -> Connection:
        """Connect, and limit what is read from then on."""
        connection = await super().connect(*args, **options)
        if connection.protocol is not None and connection.transport is not None:
            connection.transport.set_protocol(_BoundedProtocol(connection.protocol, connection.transport))
        return connection


@asynccontextmanager
async def open_webhook_sender(limits: Limits, resolver: AbstractResolver | None = None) -> AsyncIterator[WebhookSender]:
    """Return what posts a body with headers to a URL; connections are not reused."""
    allow_private = limits.webhooks_allow_private
    lookup_s = min(LOOKUP_TIMEOUT_S, limits.webhook_timeout_s / 2)
    resolver_used = resolver or WebhookResolver(
        allow_private=allow_private, nameservers=limits.webhook_nameservers, timeout_s=lookup_s
    )
    open_socket = _open_any_socket if allow_private else open_public_socket
    try:
        async with (
            _open_session(limits, resolver_used, open_socket) as messages,
            _open_session(limits, resolver_used, _limit_challenges(open_socket)) as challenges,
        ):
            yield _WebhookSender(messages, challenges, allow_private=allow_private)
    finally:
        await resolver_used.close()


def _open_session(limits: Limits, names: AbstractResolver, sockets: SocketFactory) -> aiohttp.ClientSession:
    connector = _BoundedConnector(
        force_close=True, limit=0, use_dns_cache=False, resolver=names, socket_factory=sockets
    )
    return aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=limits.webhook_timeout_s),
        headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
    )


class _WebhookSender:
    """Sends payloads with one session, and challenges, which are limited per address, with another."""

    def __init__(
        self, messages: aiohttp.ClientSession, challenges: aiohttp.ClientSession, *, allow_private: bool
    ) -> None:
        self._message_session = messages
        self._challenge_session = challenges
        self._allow_private = allow_private

    async def __call__(
        self, url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Send a payload or a challenge; never raises."""
        started_at = time.perf_counter()
        status, body_read = None, b""
        session = self._challenge_session if challenge else self._message_session
        try:
            check_url(url, allow_private=self._allow_private)
            async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
                if challenge and 200 <= response.status < 300:
                    body_read = await _read_beginning(response)
                status = response.status
                response.close()
            failure = _classify_status(status)
        except SEND_ERRORS as error:
            failure = _classify_error(error)
        latency_s = 0.0 if failure == DNS_FAILURE else time.perf_counter() - started_at
        return SendResult(status, failure, int(latency_s * 1000), body_read)


async def _read_beginning(response: aiohttp.ClientResponse) -> bytes:
    """Return the beginning of a response's body, which is all of it if the response is right."""
    body = b""
    while len(body) <= MAX_CHALLENGE_RESPONSE_BYTES and (more := await response.content.read(1024)):
        body += more
    return body


def _open_any_socket(info: AddrInfo) -> socket.socket:
    family, kind, protocol, _, _ = info
    return socket.socket(family=family, type=kind, proto=protocol)


def _limit_challenges(sockets: SocketFactory) -> SocketFactory:
    """Wrap a socket factory to limit the challenges per address, which may be another person's server."""
    paces = KeyedRateLimiter(time.monotonic)

    def ration(info: AddrInfo) -> socket.socket:
        opened = sockets(info)
        address = normalize_address(ip_address(info[4][0]))
        if paces.wait_s(address, CHALLENGES_PER_ADDRESS):
            opened.close()
            raise ChallengeLimitReached
        paces.take(address, CHALLENGES_PER_ADDRESS)
        return opened

    return ration


def _classify_status(status: int) -> str | None:
    """Return why a status is a failure; None for success."""
    if 200 <= status < 300:
        return None
    return "redirect" if 300 <= status < 400 else "status"


def _classify_error(error: Exception) -> str:
    """Return why there was no response, in a word that reveals nothing of the internal network."""
    match error:
        case aiohttp.ClientConnectorError(os_error=ChallengeLimitReached()):
            return POSTPONED
        case (
            WebhookUrlRejected()
            | AddressBlocked()
            | aiohttp.InvalidURL()
            | aiohttp.ClientConnectorDNSError()
            | aiohttp.ClientConnectorError(os_error=AddressBlocked())
        ):
            return DNS_FAILURE
        case TimeoutError():
            return TIMEOUT
        case aiohttp.ClientSSLError():
            return "tls"
        case aiohttp.ClientConnectorError():
            return "connect"
        case _:
            return "broken"
