"""The list of public games, by status and creation.

A game is always listed under the status that it has: it is put there before the commit that brings the status, and
again after it, should a reader have mended the list in between; only then is it taken from the old status. So it may
be listed where it does not belong, for a reader to mend, but is never missing.
"""

import asyncio
import base64
import re
from collections.abc import Sequence

from schemas.vocabulary import Status
from service.games.port import Page
from service.store import keys
from service.store.batch import Batches

__all__ = ["Listing"]

_CURSOR = re.compile(r"(\d{1,12}):([A-Za-z0-9_-]{1,64})")

Place = tuple[int, str]
"""Creation and id of a listed game; the list runs from the greatest to the least."""


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
        before = None if after is None else _place(after)
        found = await asyncio.gather(*(self._newest(status, limit + 1, before) for status in set(statuses)))
        places = sorted({place for places in found for place in places}, reverse=True)
        page = places[:limit]
        return Page([game for _, game in page], _cursor(page[-1]) if page and len(places) > limit else None)

    async def _newest(self, status: Status, count: int, before: Place | None) -> list[Place]:
        """The first `count` of one status, those of the cursor's own second apart, as Redis pages by seconds only."""
        if before is None:
            return await self._range(status, "+inf", "-inf", "LIMIT", "0", str(count))
        second = str(before[0])
        tied, older = await asyncio.gather(
            self._range(status, second, second),
            self._range(status, f"({second}", "-inf", "LIMIT", "0", str(count)),
        )
        return [*(place for place in tied if place < before), *older][:count]

    async def _range(self, status: Status, newest: str, oldest: str, *limit: str) -> list[Place]:
        found = await self._batches.send(
            "ZRANGE", keys.listed(status), newest, oldest, "BYSCORE", "REV", *limit, "WITHSCORES", withscores=True
        )
        return [(int(created_at), game.decode()) for game, created_at in found]


def _cursor(place: Place) -> str:
    created_at, game = place
    return base64.urlsafe_b64encode(f"{created_at}:{game}".encode()).decode().rstrip("=")


def _place(cursor: str) -> Place:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except ValueError as error:
        raise ValueError(cursor) from error
    if not (found := _CURSOR.fullmatch(text)):
        raise ValueError(cursor)
    return int(found[1]), found[2]
