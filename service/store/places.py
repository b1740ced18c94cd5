"""Pages of games out of sorted sets, whose scores are the games' creations in Unix seconds."""

import asyncio
import base64
import re
from collections.abc import Sequence

from service.games.port import Page
from service.store.batch import Batches, Value

__all__ = ["page"]

_CURSOR = re.compile(r"(\d{1,12}):([A-Za-z0-9_-]{1,64})")

Place = tuple[int, str]
"""Creation and id of a game; a page runs from the greatest to the least."""


async def page(batches: Batches, keys: Sequence[str], limit: int, after: str | None) -> Page:
    """At most `limit` games of any set, the newest first, ties by id; raises ValueError for a foreign cursor."""
    before = None if after is None else _place(after)
    found = await asyncio.gather(*(_newest(batches, key, limit + 1, before) for key in set(keys)))
    places = sorted({place for places in found for place in places}, reverse=True)
    games = places[:limit]
    return Page([game for _, game in games], _cursor(games[-1]) if games and len(places) > limit else None)


async def _newest(batches: Batches, key: str, count: int, before: Place | None) -> list[Place]:
    """The first `count` of one set, those of the cursor's own second apart, as Redis pages by seconds only."""
    if before is None:
        return await _range(batches, key, "+inf", "-inf", "LIMIT", 0, count)
    second = str(before[0])
    tied, older = await asyncio.gather(
        _range(batches, key, second, second),
        _range(batches, key, f"({second}", "-inf", "LIMIT", 0, count),
    )
    return [*(place for place in tied if place < before), *older][:count]


async def _range(batches: Batches, key: str, newest: str, oldest: str, *limit: Value) -> list[Place]:
    found = await batches.send("ZRANGE", key, newest, oldest, "BYSCORE", "REV", *limit, "WITHSCORES")
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
