"""SCAN over all keys, page by page, of one server or of all primaries of a Cluster.

A cursor stays valid while the primaries stay the same. After a failover a scan may miss keys of the new primary, so
whoever must see all keys scans again from time to time.
"""

from typing import NamedTuple

from service.store import keys
from service.store.connection.errors import CONNECTION_ERRORS, to_store_error
from service.store.connection.pipeline import PipelinedClient

__all__ = ["START", "ScanPage", "scan"]

START = ""
"""The cursor of a scan's beginning, and of its end."""


class ScanPage(NamedTuple):
    """Some keys, and the cursor of the next page: START after the last one."""

    keys: list[str]
    cursor: str


async def scan(client: PipelinedClient, cursor: str, count: int, match: str = f"{keys.PREFIX}*") -> ScanPage:
    """Return the keys after `cursor` that match, of about `count` that Redis looks at. Raise StoreUnavailable."""
    primaries = await _sorted_primaries(client)
    primary, _, redis_cursor = cursor.rpartition(" ")
    if primary not in primaries:  # start with the first one, or after one that is a primary no more
        primary, redis_cursor = _next_primary(primaries, primary), "0"
    if not primary:
        return ScanPage([], START)
    next_cursor, names = await client.execute("SCAN", redis_cursor, "MATCH", match, "COUNT", count, primary=primary)
    page = [name.decode(errors="replace") for name in names]
    if int(next_cursor):
        return ScanPage(page, f"{primary} {int(next_cursor)}")
    following = _next_primary(primaries, primary)
    return ScanPage(page, f"{following} 0" if following else START)


async def _sorted_primaries(client: PipelinedClient) -> list[str]:
    """Return the names of all primaries in order. Raise StoreUnavailable."""
    if not client.topology.primaries():
        try:
            await client.topology.refresh()
        except CONNECTION_ERRORS as error:
            raise to_store_error(error) from error
    return sorted(client.topology.primaries())


def _next_primary(primaries: list[str], primary: str) -> str:
    """Return the primary after `primary` in order; empty after the last."""
    return next((name for name in primaries if name > primary), "")
