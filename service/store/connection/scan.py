"""SCAN over all keys of one server or of all primaries of a Cluster."""

from collections.abc import AsyncIterator

from service.store import keys
from service.store.connection.errors import CONNECTION_ERRORS, to_store_error
from service.store.connection.pipeline import PipelinedClient

__all__ = ["scan"]


async def scan(client: PipelinedClient, count: int, match: str = f"{keys.PREFIX}*") -> AsyncIterator[list[str]]:
    """Yield the keys that match, page by page, each of about `count` keys that Redis looks at.

    A key that exists throughout comes at least once. Raise StoreUnavailable.
    """
    if not client.topology.primaries():
        try:
            await client.topology.refresh()
        except CONNECTION_ERRORS as error:
            raise to_store_error(error) from error
    for primary in sorted(client.topology.primaries()):
        cursor: bytes | str = "0"
        while True:
            cursor, names = await client.execute("SCAN", cursor, "MATCH", match, "COUNT", count, primary=primary)
            yield [name.decode(errors="replace") for name in names]
            if not int(cursor):
                break
