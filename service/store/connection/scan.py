"""Walking over all keys, a portion at a time, of one server or of all primaries of a Cluster.

A position says how far a walk has come. It holds as long as the servers stay the same: where another has become the
primary, some of its keys may be passed over, so whoever must see all keys begins again now and then.
"""

from typing import NamedTuple

from service.store import keys
from service.store.connection.errors import CONNECTION_ERRORS, to_store_error
from service.store.connection.pipeline import PipelinedClient

__all__ = ["START", "ScanPage", "scan"]

START = ""


class ScanPage(NamedTuple):
    """Some keys, and where to go on; BEGIN: that was all."""

    keys: list[str]
    cursor: str


async def scan(client: PipelinedClient, position: str, count: int, match: str = f"{keys.PREFIX}*") -> ScanPage:
    """The keys that come after `position`, about `count` of them looked at. Raises StoreUnavailable."""
    primaries = await _sorted_primaries(client)
    primary, _, cursor = position.rpartition(" ")
    if position == START or primary not in primaries:  # the first, or the one after that which is none any more
        primary, cursor = _next_primary(primaries, primary), "0"
    if not primary:
        return ScanPage([], START)
    following, found = await client.at(primary, "SCAN", cursor, "MATCH", match, "COUNT", count)
    if int(following):
        return ScanPage([key.decode(errors="replace") for key in found], f"{primary} {int(following)}")
    after = _next_primary(primaries, primary)
    return ScanPage([key.decode(errors="replace") for key in found], f"{after} 0" if after else START)


async def _sorted_primaries(client: PipelinedClient) -> list[str]:
    """The names of all primaries, in order."""
    if not client.topology.primaries():
        try:
            await client.topology.refresh()
        except CONNECTION_ERRORS as error:
            raise to_store_error(error) from error
    return sorted(client.topology.primaries())


def _next_primary(primaries: list[str], primary: str) -> str:
    """The next in order; empty after the last."""
    return next((name for name in primaries if name > primary), "")
