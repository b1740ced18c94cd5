"""How much a client may do: the buckets that there are, and how a setting writes one.

Source of the headers: draft-ietf-httpapi-ratelimit-headers-11.
"""

import re
from math import ceil

from service.games.ports import RateLimit

__all__ = ["BadRate", "Policy", "parse_rate"]

_WRITTEN = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,5})", re.ASCII)

LEASES_PER_BUCKET = 20
"""An instance borrows a bucket's tokens in portions; so many make a full bucket."""


class BadRate(ValueError):
    """It is not written as QUOTA/SECONDS."""


def parse_rate(text: str) -> RateLimit:
    """A bucket as a setting writes it: what it holds, and the seconds that fill it.

    >>> parse("1000/10")
    Size(quota=1000, window_s=10)
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise BadRate(text)
    return RateLimit(int(found[1]), int(found[2]))


class Policy:
    """A bucket that each client has.

    >>> Policy("writes", Size(1000, 10)).header
    '"writes";q=1000;w=10'
    """

    def __init__(self, name: str, size: RateLimit) -> None:
        self.name = name
        self.size = size
        self.quota = size.quota
        self.token_interval_s = size.window_s / size.quota
        """How long a token takes to come back."""
        self.lease_tokens = ceil(size.quota / LEASES_PER_BUCKET)
        """Tokens that an instance borrows at once, and those that it may be ahead by."""
        self.header = f'"{name}";q={size.quota};w={size.window_s}'
        """What `RateLimit-Policy` says."""

    def for_network(self, addresses: int) -> "Policy":
        """The policy for a network that may do what so many addresses may.

        >>> Policy("creations", Size(1000, 3600)).of_network(2).header
        '"network-creations";q=2000;w=3600'
        """
        return Policy(f"network-{self.name}", RateLimit(self.quota * addresses, self.size.window_s))
