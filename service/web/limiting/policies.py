"""How much a client may do: the buckets that there are, and how a setting writes one.

Source of the headers: draft-ietf-httpapi-ratelimit-headers-11.
"""

import re
from math import ceil
from typing import NamedTuple

from service.games.buckets import Size

__all__ = ["BadRate", "Policy", "parse"]

_WRITTEN = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,5})", re.ASCII)

PORTIONS = 20
"""An instance borrows a bucket's tokens in portions; so many make a full bucket."""


class BadRate(ValueError):
    """It is not written as QUOTA/SECONDS."""


def parse(text: str) -> Size:
    """A bucket as a setting writes it: what it holds, and the seconds that fill it.

    >>> parse("1000/10")
    Size(quota=1000, window_s=10)
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise BadRate(text)
    return Size(int(found[1]), int(found[2]))


class Policy(NamedTuple):
    """A bucket that each client has."""

    name: str
    size: Size

    def of_network(self, addresses: int) -> "Policy":
        """The policy for a network that may do what so many addresses may.

        >>> Policy("creations", Size(1000, 3600)).of_network(2).header
        '"network-creations";q=2000;w=3600'
        """
        return Policy(f"network-{self.name}", Size(self.size.quota * addresses, self.size.window_s))

    @property
    def portion(self) -> int:
        """Tokens that an instance borrows at once, and those that it may be ahead by."""
        return ceil(self.size.quota / PORTIONS)

    @property
    def per_s(self) -> float:
        """Tokens that come back in a second."""
        return self.size.quota / self.size.window_s

    @property
    def header(self) -> str:
        """What `RateLimit-Policy` says.

        >>> Policy("writes", Size(1000, 10)).header
        '"writes";q=1000;w=10'
        """
        return f'"{self.name}";q={self.size.quota};w={self.size.window_s}'
