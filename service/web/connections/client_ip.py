"""Who a client is: the address that its connection comes from, or what a trusted proxy says of it.

Only one header is read, the one that the proxies are said to write: a proxy hands on the others as the client wrote
them. `X-Forwarded-Proto` and `X-Forwarded-Host` are never read, since no answer names a scheme or a host.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPV6LENGTH, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal

from multidict import CIMultiDictProxy

__all__ = ["BadNetwork", "Header", "Network", "TrustedProxies", "normalize_address", "parse_networks", "site_network"]

Network = IPv4Network | IPv6Network

Header = Literal["x-forwarded-for", "forwarded"]

SUBSCRIBER_PREFIX_BITS = 64
"""Leading bits of an IPv6 address that one subscriber has for itself: all below them is one client."""

SITE_PREFIX_BITS = 48
"""Leading bits that all addresses of one site have in common (RFC 6177)."""

MAX_CACHED_CHARACTERS = 64
MAX_CACHED_HEADERS = 4_096
"""Characters of a header that is read only once, and how many of those: more than one address of a client is rare."""

MAX_FORWARDED_CHARACTERS = 500
"""Characters of Forwarded, from the nearest proxy on: odd quotes are read in the square of their number."""

UNKNOWN = "unknown"
"""Where a connection has ended before it could be asked."""

_PAIR = re.compile(r'(?<![^\s=;,"])([^\s=;,"]++)=("(?:[^"\\]|\\.)*"|[^;,"\s]*)', re.ASCII)
_ELEMENT = re.compile(r'((?:[^,"]|"(?:[^"\\]|\\.)*")+)')
_WITH_PORT = re.compile(r"\[([0-9a-fA-F:.]+)\](?::[\w.-]+)?|([0-9.]+):[\w.-]+", re.ASCII)


class BadNetwork(ValueError):
    """It names no network."""


def parse_networks(text: str) -> tuple[Network, ...]:
    """Networks as a setting names them: addresses or CIDR blocks with commas between them. Raises BadNetwork.

    >>> networks("10.0.0.0/8, ::1")
    (IPv4Network('10.0.0.0/8'), IPv6Network('::1/128'))
    """
    found = []
    for part in filter(None, map(str.strip, text.split(","))):
        try:
            found.append(ip_network(part))
        except ValueError as error:
            raise BadNetwork(str(error)) from error
    return tuple(found)


def normalize_address(address: IPv4Address | IPv6Address) -> str:
    """What stands for a client: an IPv4 address, or the network of an IPv6 subscriber.

    >>> normal(ip_address("::ffff:192.0.2.1")), normal(ip_address("2001:db8:1:2:3::4"))
    ('192.0.2.1', '2001:db8:1:2::')
    """
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(
        ip_network(
            (int(address) >> SUBSCRIBER_PREFIX_BITS << SUBSCRIBER_PREFIX_BITS, SUBSCRIBER_PREFIX_BITS)
        ).network_address
    )


def site_network(client: str) -> str:
    """The network that a client belongs to: itself where it has no address of IPv6.

    >>> network_of("2001:db8:1:2::"), network_of("192.0.2.1")
    ('2001:db8:1::/48', '192.0.2.1')
    """
    return _site_network(client) if ":" in client else client


@lru_cache(maxsize=MAX_CACHED_HEADERS)
def _site_network(client: str) -> str:
    beyond = IPV6LENGTH - SITE_PREFIX_BITS
    return f"{IPv6Address(int(IPv6Address(client)) >> beyond << beyond)}/{SITE_PREFIX_BITS}"


class TrustedProxies:
    """The proxies that are trusted, and what they say."""

    def __init__(self, trusted: Iterable[Network], header: Header) -> None:
        self._trusted = tuple(trusted)
        self._header = header
        self._cached_last_untrusted = lru_cache(maxsize=MAX_CACHED_HEADERS)(self._last_untrusted)
        self.has_warned = False
        """The operator has been told that there may be a proxy that should be trusted."""

    def direct_client(self, peer: object) -> str | None:
        """The client at the other end of a connection; None where that is a proxy, which says with each request."""
        address = _parse_address(str(peer[0])) if isinstance(peer, tuple) and peer else None
        if address is None:
            return UNKNOWN
        return None if self._trusts(address) else normalize_address(address)

    def forwarded_client(self, peer: object, headers: CIMultiDictProxy[str]) -> str:
        """The client that a request of a trusted proxy comes from; the proxy itself where it names none."""
        named = ",".join(headers.getall(self._header, ()))
        read = (
            self._cached_last_untrusted
            if len(named) <= MAX_CACHED_CHARACTERS and named.isascii()
            else self._last_untrusted
        )
        return read(named, str(peer[0]) if isinstance(peer, tuple) and peer else "")

    def _last_untrusted(self, named: str, peer: str) -> str:
        """From the right, the first address that no trusted proxy has. What cannot be read ends the search."""
        last = _parse_address(peer)
        for entry in reversed(_split_header(named, self._header)):
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


def _split_header(named: str, header: Header) -> list[str]:
    """What a header names, from the client on."""
    if header == "x-forwarded-for":
        return [part.strip(" \t") for part in named.split(",")] if named else []
    return [_parse_for(element) for element in _ELEMENT.findall(named[-MAX_FORWARDED_CHARACTERS:])]


def _parse_for(element: str) -> str:
    """The `for` of one element of Forwarded (RFC 7239, 4), empty where there is none.

    >>> _for('by=203.0.113.43; For="[2001:db8:cafe::17]:4711"')
    '[2001:db8:cafe::17]:4711'
    """
    named = next((value for name, value in _PAIR.findall(element) if name.lower() == "for"), "")
    return re.sub(r"\\(.)", r"\1", named.strip('"'))


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """An address, with a port or without.

    >>> _parsed("192.0.2.60:4711"), _parsed("[2001:db8::1]:80"), _parsed("unknown")
    (IPv4Address('192.0.2.60'), IPv6Address('2001:db8::1'), None)
    """
    with_port = _WITH_PORT.fullmatch(text)
    if with_port is not None:
        text = with_port[1] or with_port[2]
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None
