"""Sending webhooks: to the public internet only, without redirects, and reading no response but a challenge's.

The outcome is visible to whoever registered the webhook. It does not distinguish unknown names, names of private
addresses and private addresses: all are `dns`, without a duration.

Host names of webhooks are resolved apart from all other lookups of the process. The event loop's `getaddrinfo` uses a
few threads: host names that never resolve would block those of Redis, and the end of the process. c-ares needs no
thread per lookup. Lookups are limited in time and number, in total and per site, and end when they are cancelled or the
resolver is closed.

All failures look the same from outside: unknown names, silent name servers and private addresses fail with the same
error after the same time. So nobody can use webhooks to discover names in the internal network.

Against server-side request forgery, the URL is checked when a webhook is registered (`check_url`). The address is
checked for each connection when its socket is opened (`open_public_socket`), so that a name cannot resolve to another
address in between.
"""

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pycares
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from yarl import URL

from service.fair_queue import FairQueue, QueueFull, Requester
from service.games.errors import WebhookUrlRejected
from service.games.ports import POSTPONED, TIMEOUT, RateLimit, SendResult, WebhookSender
from service.games.webhook_payloads import KeyedRateLimiter, site_of_host
from service.web.client_ip import normalize_address
from service.web.limits import Limits

Address = IPv4Address | IPv6Address

ALLOWED_LOW_PORTS = frozenset({80, 443})
FIRST_HIGH_PORT = 1024
"""From here on all ports are allowed; lower ones belong to other protocols."""

NON_PUBLIC_NETWORKS: tuple[IPv4Network | IPv6Network, ...] = (
    *map(IPv4Network, ("0.0.0.0/8", "168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4")),
    *map(IPv6Network, ("64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")),
)
"""Networks that `ipaddress` does not call private in all versions of Python.

168.63.129.16 is that of Azure's hosts: wire server, DNS, health probes. Other services of cloud providers for their
machines, credentials among them, have addresses that are not public: 169.254.0.0/16 (AWS, Google and others),
100.64.0.0/10 (Alibaba), 192.0.0.0/24 (Oracle) and fc00::/7 (AWS, Google).
"""

NAT64 = IPv6Network("64:ff9b::/96")
GLOBAL_UNICAST = IPv6Network("2000::/3")

LOCAL_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "home", "lan", "corp", "arpa", "onion")
"""Last labels of names that are never public."""


class AddressBlocked(OSError):
    """A connection would leave the public internet."""

    def __init__(self, address: object) -> None:
        super().__init__(f"{address} is not a public address")


def is_public(address: Address) -> bool:
    """Return whether an address is public and does not embed another one.

    >>> [is_public(ip_address(text)) for text in ("1.1.1.1", "10.0.0.7", "::ffff:1.1.1.1", "2606:4700::1111", "::1")]
    [True, False, False, True, False]
    """
    if isinstance(address, IPv6Address):
        if address in NAT64:
            return is_public(IPv4Address(address.packed[-4:]))
        if address not in GLOBAL_UNICAST or address.scope_id is not None:
            return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in NON_PUBLIC_NETWORKS if network.version == address.version)
    )


def open_public_socket(info: tuple[Any, ...]) -> socket.socket:
    """Return a socket for a resolved address, for `aiohttp.TCPConnector`. Raises AddressBlocked."""
    *kind, _, socket_address = info
    try:
        address = ip_address(socket_address[0])
    except ValueError as error:
        raise AddressBlocked(socket_address[0]) from error
    if not is_public(address):
        raise AddressBlocked(address)
    return socket.socket(*kind)


LOCAL = "`south-seas listen` sends events to a program on your own machine"


def check_url(text: str, *, allow_private: bool) -> None:
    """Raise WebhookUrlRejected unless a webhook may have this URL, as far as the text shows."""
    url = _parse_url(text)
    if url.scheme != "https" and not (allow_private and url.scheme == "http"):
        schemes = "https:// or http://" if allow_private else f"https://; {LOCAL}"
        raise WebhookUrlRejected(f"the URL must begin with {schemes}")
    if "@" in urlsplit(text).netloc or url.raw_user is not None or url.raw_password is not None:
        raise WebhookUrlRejected("the URL must not contain a user name or password")
    if url.raw_fragment:
        raise WebhookUrlRejected("the URL must not contain a fragment")
    host = (url.raw_host or "").rstrip(".").lower()
    if not host:
        raise WebhookUrlRejected("the URL has no host")
    if allow_private:
        return
    if url.port is None or not (url.port in ALLOWED_LOW_PORTS or url.port >= FIRST_HIGH_PORT):
        raise WebhookUrlRejected(
            f"port {url.port} belongs to another protocol: use 443, 80, or {FIRST_HIGH_PORT} and above"
        )
    _check_host(host)


def _parse_url(text: str) -> URL:
    if any(character.isspace() or not character.isprintable() or character == "\\" for character in text):
        raise WebhookUrlRejected("the URL contains an invalid character")
    try:
        url = URL(text)
        _ = url.port, url.raw_host, urlsplit(text).netloc
    except (ValueError, IndexError) as error:  # yarl raises IndexError for `https://[::1]@`
        raise WebhookUrlRejected("this is not a URL") from error
    return url


def _check_host(host: str) -> None:
    """Raise WebhookUrlRejected unless the host is a public address, or a name that may be public."""
    try:
        address = ip_address(host)
    except ValueError:
        pass
    else:
        if not is_public(address):
            raise WebhookUrlRejected(f"{address} is not a public address; {LOCAL}")
        return
    last = host.rpartition(".")[2]
    if last[:1].isdigit() or ":" in host or "%" in host:
        raise WebhookUrlRejected(f"{host} is an unusual spelling of an address: write it as usual, or use a name")
    if "." not in host or last in LOCAL_NAMES:
        raise WebhookUrlRejected(f"{host} is not a public host name; {LOCAL}")


def parse_nameservers(text: str) -> tuple[str, ...]:
    """Return the name servers of a text, separated by commas, each `ADDRESS` or `ADDRESS:PORT`.

    Raises ValueError.

    >>> parse_nameservers("192.0.2.53:5353, 2001:db8::53,[2001:db8::53]:53")
    ('192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:53')
    """
    nameservers = tuple(filter(None, map(str.strip, text.split(","))))
    for nameserver in nameservers:
        try:
            _check_nameserver(nameserver)
        except ValueError as error:
            raise ValueError(f"{nameserver} is neither ADDRESS nor ADDRESS:PORT") from error
    return nameservers


def _check_nameserver(text: str) -> None:
    try:
        ip_address(text)
    except ValueError:
        address, _, port = text.rpartition(":")
        ip_address(address.removeprefix("[").removesuffix("]"))
        if not 0 < int(port) < 65536:
            raise


logger = logging.getLogger(__name__)

LOOKUP_TIMEOUT_S = 2.5
"""Timeout of a lookup; a failed one always takes that long."""

MAX_LOOKUPS = 192
"""Concurrent lookups: more than there are deliveries, so that names that never resolve block no others."""

MAX_LOOKUPS_PER_SITE = 4

MAX_ADDRESSES = 4
"""Addresses of a name that are tried; its owner may list any number of other people's."""

MAX_CACHED_LOOKUPS = 1_000
"""Lookups after which the cache is emptied; c-ares caches each answer for as long as its TTL says."""

QUERY_TIMEOUT_S, MAX_QUERIES = 1.0, 4
"""Together more than LOOKUP_TIMEOUT_S."""

FLAGS = pycares.ARES_FLAG_EDNS | pycares.ARES_FLAG_IGNTC | pycares.ARES_FLAG_NOSEARCH
"""Answers fit a datagram, so they are small and quick to read; no search domains are tried."""


class NameResolutionFailed(OSError):
    """A name has no public address; clients are not told why."""


class WebhookResolver(AbstractResolver):
    """A resolver for webhooks, with its own `nameservers` (`ADDRESS` or `ADDRESS:PORT`) or the system's."""

    def __init__(
        self, *, allow_private: bool, nameservers: Sequence[str] = (), timeout_s: float = LOOKUP_TIMEOUT_S
    ) -> None:
        self._allow_private = allow_private
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        # Without `lookups`: pycares 5.2 passes c-ares memory that it has freed, and then lookups fail now and then.
        self._channel = pycares.Channel(
            # Search domains are allowed where private addresses are.
            flags=FLAGS & ~pycares.ARES_FLAG_NOSEARCH if allow_private else FLAGS,
            timeout=QUERY_TIMEOUT_S,
            tries=MAX_QUERIES,
            servers=nameservers or None,
        )
        self._lookups = FairQueue(MAX_LOOKUPS, max_each=MAX_LOOKUPS_PER_SITE)
        self._lookups_since_reset = 0

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a name that may be connected to. Raises NameResolutionFailed."""
        until = self._loop.time() + self._timeout_s
        try:
            async with asyncio.timeout_at(until):
                async with self._lookups.slot(Requester(site_of_host(host).encode())):
                    addresses = await self._query(host, family)
        except (TimeoutError, QueueFull, pycares.AresError, UnicodeError, ValueError) as error:
            logger.debug("the host name of a webhook could not be resolved: %r: %r", host, error)
            addresses = []
        usable = self._select_addresses(host, addresses)
        if not usable:
            await asyncio.sleep(until - self._loop.time())
            raise NameResolutionFailed(None, "the name has no public address")
        return [
            ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
            for family, address in usable
        ]

    async def close(self) -> None:
        """Cancel all lookups."""
        self._channel.cancel()
        self._channel.close()

    async def _query(self, host: str, family: socket.AddressFamily) -> list[tuple[socket.AddressFamily, str]]:
        """Return all addresses of a name. Raises AresError."""
        self._lookups_since_reset += 1
        if self._lookups_since_reset > MAX_CACHED_LOOKUPS:
            self._lookups_since_reset = 0
            self._channel.reinit()
        future: asyncio.Future[pycares.AddrInfoResult] = self._loop.create_future()

        def resolve(result: pycares.AddrInfoResult, errno: int | None) -> None:
            if future.done():
                return
            if errno is None:
                future.set_result(result)
            else:
                future.set_exception(pycares.AresError(errno, pycares.errno.strerror(errno)))

        def resolve_from_thread(result: pycares.AddrInfoResult, errno: int | None) -> None:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(resolve, result, errno)

        self._channel.getaddrinfo(host, None, family=family, type=socket.SOCK_STREAM, callback=resolve_from_thread)
        return [(socket.AddressFamily(node.family), node.addr[0].decode()) for node in (await future).nodes]

    def _select_addresses(
        self, host: str, addresses: Sequence[tuple[socket.AddressFamily, str]]
    ) -> list[tuple[socket.AddressFamily, str]]:
        if self._allow_private:
            return [*addresses[:MAX_ADDRESSES]]
        public = [(family, address) for family, address in addresses if is_public(ip_address(address))]
        if len(public) < len(addresses):
            logger.debug("the host name of a webhook resolves to a private address: %r", host)
        return public[:MAX_ADDRESSES]


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


@dataclass(frozen=True)
class _WebhookSender:
    """Sends payloads with one session, and challenges, which are limited per address, with another."""

    messages: aiohttp.ClientSession
    challenges: aiohttp.ClientSession
    allow_private: bool

    async def __call__(
        self, url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Send a payload or a challenge; never raises."""
        started_at = time.perf_counter()
        status, body_read = None, b""
        session = self.challenges if challenge else self.messages
        try:
            check_url(url, allow_private=self.allow_private)
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
    return socket.socket(*info[:3])


def _limit_challenges(sockets: SocketFactory) -> SocketFactory:
    """Wrap a socket factory to limit the challenges per address, which may be another person's server."""
    paces = KeyedRateLimiter(time.monotonic)

    def ration(info: AddrInfo) -> socket.socket:
        opened = sockets(info)
        if paces.take({normalize_address(ip_address(info[4][0])): CHALLENGES_PER_ADDRESS}):
            opened.close()
            raise ChallengeLimitReached
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
