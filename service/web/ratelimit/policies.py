"""Rate-limit policies: a quota of tokens that refills within a window, for each client.

The headers follow draft-ietf-httpapi-ratelimit-headers-11.
"""

import re
from math import ceil

from service.games.ports.game_store import RateLimit

__all__ = ["BadRate", "Policy", "parse_rate"]

_WRITTEN = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,5})", re.ASCII)

LEASES_PER_BUCKET = 20
"""Leases that make up a full bucket."""


class BadRate(ValueError):
    """A text is not QUOTA/SECONDS."""


def parse_rate(text: str) -> RateLimit:
    """Return the rate of a text: the quota, and the seconds that refill it. Raises BadRate.

    >>> parse_rate("1000/10")
    RateLimit(quota=1000, window_s=10)
    """
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise BadRate(text)
    return RateLimit(int(match[1]), int(match[2]))


class Policy:
    """A named rate that each client has.

    >>> Policy("writes", RateLimit(1000, 10)).header
    '"writes";q=1000;w=10'
    """

    def __init__(self, name: str, rate: RateLimit) -> None:
        self.name = name
        self.rate = rate
        self.quota = rate.quota
        self.token_interval_s = rate.window_s / rate.quota
        """Seconds in which one token refills."""
        self.lease_tokens = ceil(rate.quota / LEASES_PER_BUCKET)
        """Tokens that an instance borrows at once, and that a lease may be in debt."""
        self.header = f'"{name}";q={rate.quota};w={rate.window_s}'
        """The header `RateLimit-Policy`."""

    def for_network(self, addresses: int) -> "Policy":
        """Return the policy of a network, with the quota of so many addresses.

        >>> Policy("creations", RateLimit(1000, 3600)).for_network(2).header
        '"network-creations";q=2000;w=3600'
        """
        return Policy(f"network-{self.name}", RateLimit(self.quota * addresses, self.rate.window_s))
