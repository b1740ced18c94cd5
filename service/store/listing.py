"""The list of public games, by status and creation.

A game is always listed under the status that it has: it is put there before the commit that brings the status, and
again after it, should a reader have mended the list in between; only then is it taken from the old status. So it may
be listed where it does not belong, for a reader to mend, but is never missing.
"""

from collections.abc import Sequence

from schemas.vocabulary import Status
from service.games.port import Page
from service.store import keys, places
from service.store.batch import Batches

__all__ = ["Listing"]


class Listing:
    """The list of public games."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    async def add(self, game: str, status: Status, created_at: int) -> None:
        """List the game under this status."""
        await self._batches.send("ZADD", keys.listed(status), created_at, game)

    async def remove(self, game: str, status: Status) -> None:
        """Take the game from this status."""
        await self._batches.send("ZREM", keys.listed(status), game)

    async def page(self, statuses: Sequence[Status], limit: int, after: str | None) -> Page:
        """At most `limit` games, the newest first, ties by id; raises ValueError for a foreign cursor."""
        return await places.page(self._batches, [keys.listed(status) for status in statuses], limit, after)
