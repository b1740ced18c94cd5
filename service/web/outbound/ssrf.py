"""Protection from server-side request forgery: webhooks may only lead to the public internet.

The URL is checked when a webhook is registered (`check_url`). The address is checked for each connection when its
socket is opened (`open_public_socket`), so that a name cannot resolve to another address in between.
"""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from yarl import URL

from service.games.errors import WebhookUrlRejected

Address = IPv4Address | IPv6Address

ALLOWED_LOW_PORTS = frozenset({80, 443})
FIRST_HIGH_PORT = 1024
"""From here on all ports are allowed; lower ones belong to other protocols."""

NON_PUBLIC_NETWORKS: tuple[IPv4Network | IPv6Network, ...] = (
    *map(IPv4Network, ("0.0.0.0/8", "192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4")),
    *map(IPv6Network, ("64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")),
)
"""Networks that `ipaddress` does not call private in all versions of Python."""

CLOUD_METADATA_NETWORKS: tuple[IPv4Network | IPv6Network, ...] = (
    # Azure: "168.63.129.16 is a virtual public IP address" of the host: wire server, DNS, health probes.
    # learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
    IPv4Network("168.63.129.16/32"),
    # AWS, Google, Azure, DigitalOcean, Hetzner and others: metadata at 169.254.169.254, and AWS's credentials of
    # containers at 169.254.170.2 and 169.254.170.23. RFC 3927. docs.aws.amazon.com/AWSEC2/latest/UserGuide
    IPv4Network("169.254.0.0/16"),
    # Alibaba Cloud: metadata at 100.100.100.200, DNS and others beside it, in the shared address space of RFC 6598.
    # alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
    IPv4Network("100.64.0.0/10"),
    # Oracle Cloud, first generation: metadata at 192.0.0.192 (OWASP's cheat sheet on request forgery), among the
    # addresses that are for protocols (RFC 6890).
    IPv4Network("192.0.0.0/24"),
    # AWS and others: metadata at fd00:ec2::254, DNS at fd00:ec2::253; Google: fd20:ce::254. Unique local, RFC 4193.
    IPv6Network("fc00::/7"),
)
"""Services of cloud providers for their machines, credentials among them; some have public addresses."""

BLOCKED_NETWORKS = (*NON_PUBLIC_NETWORKS, *CLOUD_METADATA_NETWORKS)

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
        and not any(address in network for network in BLOCKED_NETWORKS if network.version == address.version)
    )


def open_public_socket(info: tuple[Any, ...]) -> socket.socket:
    """Return a socket for a resolved address, for `aiohttp.TCPConnector`. Raises AddressBlocked."""
    family, kind, protocol, _, socket_address = info
    try:
        address = ip_address(socket_address[0])
    except ValueError as error:
        raise AddressBlocked(socket_address[0]) from error
    if not is_public(address):
        raise AddressBlocked(address)
    return socket.socket(family=family, type=kind, proto=protocol)


def check_url(text: str, *, allow_private: bool) -> None:
    """Raise WebhookUrlRejected unless a webhook may have this URL, as far as the text shows."""
    url = _parse_url(text)
    if url.scheme != "https" and not (allow_private and url.scheme == "http"):
        raise WebhookUrlRejected("the URL must begin with https://")
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
            raise WebhookUrlRejected(f"{address} is not a public address")
        return
    last = host.rpartition(".")[2]
    if last[:1].isdigit() or ":" in host or "%" in host:
        raise WebhookUrlRejected(f"{host} is an unusual spelling of an address: write it as usual, or use a name")
    if "." not in host or last in LOCAL_NAMES:
        raise WebhookUrlRejected(f"{host} is not a public host name")


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
