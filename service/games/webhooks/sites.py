"""Which URLs belong together, so that one owner of many names, or of many addresses, gets one share."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

__all__ = ["host_of_url", "site_of_host", "site_of_url"]

SHARED_SUFFIXES = frozenset({"ac", "co", "com", "edu", "gov", "net", "or", "org"})
"""Below these, in a country's domain, everybody registers names: example.co.uk and other.co.uk are two sites."""

IPV4_BITS, IPV6_BITS = 24, 48
"""Leading bits of the addresses that one owner often has all of."""


def site_of_url(url: str) -> str:
    """The site of the server that a URL names.

    >>> site("https://a.b.example.org:8080/hook"), site("https://[2001:db8:1:2::3]/")
    ('example.org', '2001:db8:1::/48')
    """
    return site_of_host(host_of_url(url))


def host_of_url(url: str) -> str:
    """The name or address in a URL, in lower case."""
    return (urlsplit(url).hostname or "").rstrip(".")


def site_of_host(host: str) -> str:
    """The site of a host: the name that was registered, as far as that can be seen, or the address's network.

    >>> site_of("bot.example.co.uk"), site_of("192.0.2.1"), site_of("localhost")
    ('example.co.uk', '192.0.2.0/24', 'localhost')
    """
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        labels = host.split(".")
        shared = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SHARED_SUFFIXES
        return ".".join(labels[-3 if shared else -2 :])
    return network_of_address(address)


def network_of_address(address: IPv4Address | IPv6Address) -> str:
    """The network that stands for an address."""
    bits = IPV4_BITS if isinstance(address, IPv4Address) else IPV6_BITS
    return str(ip_network((address, bits), strict=False))
