"""Sites: the hosts and addresses that probably belong to one owner, who gets one share."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

__all__ = ["host_of_url", "site_of_host", "site_of_url"]

SHARED_SUFFIXES = frozenset({"ac", "co", "com", "edu", "gov", "net", "or", "org"})
"""Second-level domains of country domains under which anybody registers names, such as co.uk."""

IPV4_BITS, IPV6_BITS = 24, 48
"""Prefix lengths of the networks that one owner often has in full."""


def site_of_url(url: str) -> str:
    """Return the site of a URL's server.

    >>> site_of_url("https://a.b.example.org:8080/hook"), site_of_url("https://[2001:db8:1:2::3]/")
    ('example.org', '2001:db8:1::/48')
    """
    return site_of_host(host_of_url(url))


def host_of_url(url: str) -> str:
    """Return the host name or address of a URL, in lower case."""
    return (urlsplit(url).hostname or "").rstrip(".")


def site_of_host(host: str) -> str:
    """Return the site of a host: its registered domain, by a heuristic, or its address's network.

    >>> site_of_host("bot.example.co.uk"), site_of_host("192.0.2.1"), site_of_host("localhost")
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
    """Return the network that stands for an address."""
    bits = IPV4_BITS if isinstance(address, IPv4Address) else IPV6_BITS
    return str(ip_network((address, bits), strict=False))
