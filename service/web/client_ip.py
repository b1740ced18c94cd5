"""Who a client is: its address, also behind trusted proxies, or the hash of its token; and the path before these."""

import logging
import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPV6LENGTH, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple

from multidict import CIMultiDictProxy

from service.telemetry.metrics import UNTRUSTED_PROXY

LOG = logging.getLogger(__name__)

MAYBE_A_PROXY = "%s is limited as one client, but forwards for others: if it is your proxy, add it to --trusted-proxies"

Network = IPv4Network | IPv6Network

FORWARDED_FOR = "X-Forwarded-For"
FORWARDED_PREFIX = "X-Forwarded-Prefix"

SUBSCRIBER_PREFIX_BITS = 64
"""Prefix of an IPv6 subscriber; all addresses below it are one client."""

SITE_PREFIX_BITS = 48
"""Prefix of an IPv6 site (RFC 6177)."""

MAX_CACHED_CHARACTERS = 64
MAX_CACHED_HEADERS = 4_096
"""Length and number of headers whose result is cached; a client with several addresses is rare."""

MAX_FORWARDED_ADDRESSES = 32
"""Addresses of X-Forwarded-For that are read, from the nearest proxy on."""

UNKNOWN = "unknown"
"""The address of a connection that closed before it could be read."""

_WITH_PORT = re.compile(r"\[([0-9a-fA-F:.]+)\](?::[\w.-]+)?|([0-9.]+):[\w.-]+", re.ASCII)


_BASE_PATH = re.compile(r"(?=.{0,100}$)(/[\w~-][\w.~-]*)*", re.ASCII)


def parse_base_path(text: str) -> str:
    """Return a path that stands before all of the service's, without a slash at the end. Raises ValueError.

    >>> parse_base_path("/games/"), parse_base_path("/")
    ('/games', '')
    """
    path = text.removesuffix("/")
    if _BASE_PATH.fullmatch(path) is None:
        raise ValueError(f"{text} is no path: write it as /games, of letters, digits and - . _ ~")
    return path


def parse_networks(text: str) -> tuple[Network, ...]:
    """Return the networks of a text, addresses or CIDR blocks separated by commas. Raises ValueError.

    >>> parse_networks("10.0.0.0/8, ::1")
    (IPv4Network('10.0.0.0/8'), IPv6Network('::1/128'))
    """
    return tuple(map(ip_network, filter(None, map(str.strip, text.split(",")))))


def normalize_address(address: IPv4Address | IPv6Address) -> str:
    """Return the client of an address: an IPv4 address, or an IPv6 subscriber's network.

    >>> normalize_address(ip_address("::ffff:192.0.2.1")), normalize_address(ip_address("2001:db8:1:2:3::4"))
    ('192.0.2.1', '2001:db8:1:2::')
    """
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    beyond = IPV6LENGTH - SUBSCRIBER_PREFIX_BITS
    return str(IPv6Address(int(address) >> beyond << beyond))


def get_site_network(client: str) -> str:
    """Return the /48 network of an IPv6 client; an IPv4 client itself.

    >>> get_site_network("2001:db8:1:2::"), get_site_network("192.0.2.1")
    ('2001:db8:1::/48', '192.0.2.1')
    """
    return _site_network(client) if ":" in client else client


@lru_cache(maxsize=MAX_CACHED_HEADERS)
def _site_network(client: str) -> str:
    beyond = IPV6LENGTH - SITE_PREFIX_BITS
    return f"{IPv6Address(int(IPv6Address(client)) >> beyond << beyond)}/{SITE_PREFIX_BITS}"


class TrustedProxies:
    """The trusted proxies, which name the client in X-Forwarded-For."""

    def __init__(self, trusted: Iterable[Network]) -> None:
        self._trusted = tuple(trusted)
        self._cached_last_untrusted = lru_cache(maxsize=MAX_CACHED_HEADERS)(self._last_untrusted)
        self.direct_client = lru_cache(maxsize=MAX_CACHED_HEADERS)(self._direct_client)
        """Returns the client of a connection from an address; None for a trusted proxy, which names one per request."""
        self._has_warned = False
        """Whether the operator was warned of a proxy that may have to be trusted."""

    def _direct_client(self, peer_address: str) -> str | None:
        address = _parse_address(peer_address)
        if address is None:
            return UNKNOWN
        return None if self._trusts(address) else normalize_address(address)

    def report_untrusted(self, client: str | None, headers: CIMultiDictProxy[str]) -> None:
        """Count a rejected request if its client may be a proxy with many clients behind it, and log the first."""
        if client is None or FORWARDED_FOR not in headers:
            return
        UNTRUSTED_PROXY.inc()
        if not self._has_warned:
            self._has_warned = True
            LOG.warning(MAYBE_A_PROXY, client)

    def forwarded_client(self, peer_address: str, headers: CIMultiDictProxy[str]) -> str:
        """Return the client of a request from a trusted proxy; the proxy itself if it names none."""
        value = ",".join(headers.getall(FORWARDED_FOR, ()))
        is_cached = len(value) <= MAX_CACHED_CHARACTERS and value.isascii()
        return (self._cached_last_untrusted if is_cached else self._last_untrusted)(value, peer_address)

    @staticmethod
    def forwarded_base_path(headers: CIMultiDictProxy[str]) -> str:
        """Return the path that trusted proxies have removed, each its part; empty if they name none, or no path.

        Each adds its part behind those of the proxies before it, as Traefik's and Spring's do, with a slash or without.
        """
        parts = ",".join(headers.getall(FORWARDED_PREFIX, ())).split(",")
        paths = (part.strip(" \t").removesuffix("/").removeprefix("/") for part in parts)
        base_path = "".join(f"/{path}" for path in paths if path)
        return base_path if _BASE_PATH.fullmatch(base_path) else ""

    def _last_untrusted(self, value: str, peer_address: str) -> str:
        """Return the first address from the right that is no trusted proxy's; stop at what is no address."""
        last = _parse_address(peer_address)
        for entry in reversed(_split_addresses(value)):
            address = _parse_address(entry)
            if address is None:
                break
            last = address
            if not self._trusts(address):
                break
        return UNKNOWN if last is None else normalize_address(last)

    def _trusts(self, address: IPv4Address | IPv6Address) -> bool:
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address in network for network in self._trusted)


def _split_addresses(value: str) -> list[str]:
    """Return the nearest addresses of X-Forwarded-For, the client first."""
    return [part.strip(" \t") for part in value.rsplit(",", MAX_FORWARDED_ADDRESSES)[-MAX_FORWARDED_ADDRESSES:]]


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address, given with a port or without; None if it is none.

    >>> _parse_address("192.0.2.60:4711"), _parse_address("[2001:db8::1]:80"), _parse_address("unknown")
    (IPv4Address('192.0.2.60'), IPv6Address('2001:db8::1'), None)
    """
    with_port = _WITH_PORT.fullmatch(text)
    if with_port is not None:
        text = with_port[1] or with_port[2]
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


HASH_BYTES = 16


def make_bucket_key(client: str) -> str:
    """Return the key of a client's bucket, a hash: a copy of the store must not reveal addresses."""
    return blake2b(client.encode(), digest_size=HASH_BYTES, person=b"address").hexdigest()


class BearerToken(NamedTuple):
    """The token of an Authorization header."""

    text: str | None
    """None without the header."""
    id: bytes
    """What stands for it in rate limits."""
    lines: list[str]
    """The lines of the header."""
