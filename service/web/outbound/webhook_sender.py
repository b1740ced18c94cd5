"""Posting messages to webhooks: to the public internet only; no redirect is followed, no answer read but a challenge's.

What comes of an attempt is told to strangers. So it does not tell apart a name that is not there, one that leads inside
and an address that is inside: all are `dns`, and no time is told of them.
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
from service.games.webhooks.challenges import KeyedRateLimiter, Rate
from service.games.webhooks.sender import POSTPONED, TIMEOUT, SendResult, WebhookSender
from service.web.connections.client_ip import normalize_address
from service.web.limits import Limits
from service.web.outbound.dns import LOOKUP_TIMEOUT_S, StrangersResolver
from service.web.outbound.ssrf import AddressRefused, check_url, public_socket

USER_AGENT = "south-seas-webhooks"
MOST_HEADER_BYTES = 8190
MOST_ANSWER_BYTES = 32_768
"""No more of an answer is read: its head is smaller, and its body does not matter."""

MAX_CHALLENGE_ANSWER_BYTES = 1024

OF_ADDRESS = Rate(200, 0.5)
"""Connections for challenges to one address, or to the network of one IPv6 subscriber."""

NO_SERVER = "dns"
"""The outcome of all that leads to no server of the public internet."""

AddrInfo = tuple[Any, ...]
Sockets = Callable[[AddrInfo], socket.socket]

FAILURES = (aiohttp.ClientError, OSError, RuntimeError, WebhookUrlRejected, ValueError)
"""What sending may raise; where other loops raise OSError, uvloop may raise RuntimeError."""


class AddressBusy(OSError):
    """Too many challenges were sent to an address."""

    def __init__(self) -> None:
        super().__init__("too many challenges to one address")


class _Brief(asyncio.Protocol):
    """Hands an answer's beginning on to whoever reads it, and no more.

    Else a server that sends provisional answers (RFC 9110, 15.2) without end would keep everybody waiting: aiohttp
    reads on for the final one, as fast as they come.
    """

    def __init__(self, reader: ResponseHandler, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._left = MOST_ANSWER_BYTES
        self._data_received = reader.data_received
        self.connection_lost = reader.connection_lost  # type: ignore[method-assign]
        self.eof_received = reader.eof_received  # type: ignore[method-assign]
        self.pause_writing = reader.pause_writing  # type: ignore[method-assign]
        self.resume_writing = reader.resume_writing  # type: ignore[method-assign]

    def data_received(self, data: bytes) -> None:
        """Take what may still be read, and stop the sender after that."""
        read = data[: self._left]
        self._left -= len(read)
        if read:
            self._data_received(read)
        if not self._left and not self._transport.is_closing():
            self._transport.pause_reading()


class _Connector(aiohttp.TCPConnector):
    """Makes connections that read that much."""

    async def connect(self, *args: Any, **options: Any) -> Connection:
        """Connect, and read from then on with bounds."""
        connection = await super().connect(*args, **options)
        if connection.protocol is not None and connection.transport is not None:
            connection.transport.set_protocol(_Brief(connection.protocol, connection.transport))
        return connection


@asynccontextmanager
async def posting(limits: Limits, resolver: AbstractResolver | None = None) -> AsyncIterator[WebhookSender]:
    """What posts a body with headers to a URL; connections are not kept."""
    allow_private = limits.webhooks_allow_private
    lookup_s = min(LOOKUP_TIMEOUT_S, limits.webhook_timeout_s / 2)
    names = resolver or StrangersResolver(
        allow_private=allow_private, nameservers=limits.webhook_nameservers, timeout_s=lookup_s
    )
    sockets = _any_socket if allow_private else public_socket
    try:
        async with (
            _session(limits, names, sockets) as messages,
            _session(limits, names, _rationed(sockets)) as challenges,
        ):
            yield _Poster(messages, challenges, allow_private=allow_private)
    finally:
        await names.close()


def _session(limits: Limits, names: AbstractResolver, sockets: Sockets) -> aiohttp.ClientSession:
    connector = _Connector(force_close=True, limit=0, use_dns_cache=False, resolver=names, socket_factory=sockets)
    return aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=limits.webhook_timeout_s),
        headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        max_line_size=MOST_HEADER_BYTES,
        max_field_size=MOST_HEADER_BYTES,
    )


class _Poster:
    """Sends messages with one session, and challenges, which are rationed, with another."""

    def __init__(
        self, messages: aiohttp.ClientSession, challenges: aiohttp.ClientSession, *, allow_private: bool
    ) -> None:
        self._messages = messages
        self._challenges = challenges
        self._allow_private = allow_private

    async def __call__(
        self, url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Send one; nothing is raised."""
        began = time.perf_counter()
        status, answer = None, b""
        session = self._challenges if challenge else self._messages
        try:
            check_url(url, allow_private=self._allow_private)
            async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
                if challenge and 200 <= response.status < 300:
                    answer = await _read(response)
                status = response.status
                response.close()
            failure = _judge(status)
        except FAILURES as error:
            failure = _why(error)
        latency_s = 0.0 if failure == NO_SERVER else time.perf_counter() - began
        return SendResult(status, failure, int(latency_s * 1000), answer)


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The beginning of an answer's body, which is all of it where it is a right one."""
    answer = b""
    while len(answer) <= MAX_CHALLENGE_ANSWER_BYTES and (more := await response.content.read(1024)):
        answer += more
    return answer


def _any_socket(info: AddrInfo) -> socket.socket:
    family, kind, protocol, _, _ = info
    return socket.socket(family=family, type=kind, proto=protocol)


def _rationed(sockets: Sockets) -> Sockets:
    """Sockets for challenges, which no address shall get many of: somebody else may be there."""
    paces = KeyedRateLimiter(time.monotonic)

    def ration(info: AddrInfo) -> socket.socket:
        made = sockets(info)
        address = normalize_address(ip_address(info[4][0]))
        if paces.wait_s(address, OF_ADDRESS):
            made.close()
            raise AddressBusy
        paces.take(address, OF_ADDRESS)
        return made

    return ration


def _judge(status: int) -> str | None:
    """Why an answer is none of success; None where it is."""
    if 200 <= status < 300:
        return None
    return "redirect" if 300 <= status < 400 else "status"


def _why(error: Exception) -> str:
    """Why nothing was answered, in a word that tells nothing of the network here."""
    match error:
        case aiohttp.ClientConnectorError(os_error=AddressBusy()):
            return POSTPONED
        case (
            WebhookUrlRejected()
            | AddressRefused()
            | aiohttp.InvalidURL()
            | aiohttp.ClientConnectorDNSError()
            | aiohttp.ClientConnectorError(os_error=AddressRefused())
        ):
            return NO_SERVER
        case TimeoutError():
            return TIMEOUT
        case aiohttp.ClientSSLError():
            return "tls"
        case aiohttp.ClientConnectorError():
            return "connect"
        case _:
            return "broken"
