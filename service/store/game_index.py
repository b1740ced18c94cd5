"""What games are found by: sorted sets of games by creation, one for each status of public games and one for each name.

A game is always listed under the status that it has: it is put there before the commit that brings the status, and
again after it, should a reader have mended the list in between; only then is it taken from the old status. A name is
written before the commit that brings it. So no game is ever missing, but one may be found where it does not belong, for
a reader to mend.

The set of a name is kept as long as any game could be: its end is put off by the first commit of each day that an
instance does. Games that are no more are taken out by who comes upon them: a reader, or whoever adds to a set and looks
at a few of its games by chance, so that no set grows for ever.
"""

import asyncio
import base64
import re
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from schemas.vocabulary import Status
from service.games.ports import Commit, Page
from service.games.timestamps import DAY_S
from service.store import keys
from service.store.connection.pipeline import Argument, PipelinedClient

__all__ = ["MIN_PRUNE_AGE_S", "GameIndex"]

MIN_PRUNE_AGE_S = 3600
"""A game that is younger may be missing because its creation is not stored yet."""

_PRUNE_SAMPLE_SIZE = 3
"""How many games are looked at when one is added: more than one, so that those that are no more become fewer."""

_MAX_REMEMBERED_GAMES = 10_000
"""Games whose sets this instance remembers to have put off today."""

_CURSOR_PATTERN = re.compile(r"(\d{1,12}):([A-Za-z0-9_-]{1,64})")

IndexEntry = tuple[int, str]
"""Creation and id of a game; a page runs from the greatest to the least."""


class GameIndex:
    """The sets of all statuses and names. Every method may raise StoreUnavailable."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = time.time) -> None:
        self._client = client
        self._clock = clock
        self._extended_on: dict[str, int] = {}

    async def list_game(self, game: str, status: Status, created_at: int) -> None:
        """List it under a status."""
        await self._client.execute("ZADD", keys.lobby(status), created_at, game)

    async def unlist(self, game: str, status: Status) -> None:
        """Take it from a status, which it does not have (any more)."""
        await self._client.execute("ZREM", keys.lobby(status), game)

    async def list_by_status(self, statuses: Sequence[Status], limit: int, after: str | None) -> Page:
        """Public games that have, or lately had, one of these statuses; raises ValueError for a foreign `after`."""
        return await self._page([keys.lobby(status) for status in statuses], limit, after)

    async def list_by_keys(self, names: Sequence[str], limit: int, after: str | None) -> Page:
        """Games that may be found by any of these names; raises ValueError for a foreign `after`."""
        return await self._page([keys.game_index(name) for name in names], limit, after)

    async def index_before_commit(self, commit: Commit) -> None:
        """Write the names that a commit brings."""
        self._is_extended_today(commit.game)
        names = commit.index_keys()
        await asyncio.gather(
            self.index_game(commit.game, names, commit.created_at, commit.index_ttl_s),
            *(self.prune_index_key(name, _PRUNE_SAMPLE_SIZE, but=commit.game) for name in names),
        )

    def start_extending(self, commit: Commit) -> asyncio.Future[list[Any]] | None:
        """Put the end of the sets off, once a day, in the batch of the commit itself; what comes of it may be left."""
        if self._is_extended_today(commit.game):
            return None
        return self._add(
            commit.game, commit.index_keys(), commit.created_at, commit.index_ttl_s, return_exceptions=True
        )

    async def index_game(self, game: str, index_keys: Sequence[str], created_at: int, seconds: int) -> None:
        """Have it found by these names, for so long at least."""
        await self._add(game, index_keys, created_at, seconds)

    async def unindex_missing(self, names: Sequence[str], game: str) -> int:
        """Take a game that is no more from these names, unless it is so young that its creation may be under way.

        Gives from how many it was taken.
        """
        return sum(await asyncio.gather(*(self._remove_missing(keys.game_index(name), game) for name in names)))

    async def unindex(self, names: Sequence[str], game: str) -> None:
        """Take a game from these names, though it is there."""
        await asyncio.gather(*(self._client.execute("ZREM", keys.game_index(name), game) for name in names))

    async def prune_index_key(self, index_key: str, count: int, but: str = "") -> int:
        """Take out games that are no more, of some found by this name; gives how many."""
        some = await self._client.execute("ZRANDMEMBER", keys.game_index(index_key), count)
        gone = await self._missing({member.decode() for member in some} - {but})
        return sum(await asyncio.gather(*(self.unindex_missing([index_key], game) for game in gone)))

    async def prune_lobby(self, status: Status, start: int, count: int) -> tuple[int, int | None]:
        """Take out games that are no more, of `count` from the `start`th oldest on.

        Gives how many were taken out, and where to go on (None at the end).
        """
        key = keys.lobby(status)
        found = await self._client.execute("ZRANGE", key, start, start + count - 1, "WITHSCORES")
        gone = await self._missing(
            [game.decode() for game, created_at in found if created_at < self._clock() - MIN_PRUNE_AGE_S]
        )
        if gone:
            await self._client.execute("ZREM", key, *gone)
        return len(gone), start + len(found) - len(gone) if len(found) == count else None

    async def _remove_missing(self, key: str, game: str) -> int:
        created_at = await self._client.execute("ZSCORE", key, game)
        if created_at is None or float(created_at) >= self._clock() - MIN_PRUNE_AGE_S:
            return 0
        removed: int = await self._client.execute("ZREM", key, game)
        return removed

    async def _missing(self, games: Collection[str]) -> list[str]:
        there = await asyncio.gather(*(self._client.execute("EXISTS", keys.game(game)) for game in games))
        return [game for game, exists in zip(games, there, strict=True) if not exists]

    def _is_extended_today(self, game: str) -> bool:
        """Whether this was asked today before, as far as this instance remembers."""
        day = int(self._clock()) // DAY_S
        if self._extended_on.get(game) == day:
            return True
        self._extended_on[game] = day
        if len(self._extended_on) > _MAX_REMEMBERED_GAMES:
            del self._extended_on[next(iter(self._extended_on))]
        return False

    def _add(
        self, game: str, names: Sequence[str], created_at: int, seconds: int, *, return_exceptions: bool = False
    ) -> asyncio.Future[list[Any]]:
        sets = [keys.game_index(name) for name in names]
        writes = [self._client.execute("ZADD", key, created_at, game) for key in sets]
        writes += [self._client.execute("EXPIRE", key, seconds) for key in sets]
        return asyncio.gather(*writes, return_exceptions=return_exceptions)

    async def _page(self, sets: Sequence[str], limit: int, after: str | None) -> Page:
        """At most `limit` games of any set, the newest first, ties by id; raises ValueError for a foreign cursor."""
        before = None if after is None else _decode_cursor(after)
        found = await asyncio.gather(*(self._read_newest(key, limit + 1, before) for key in set(sets)))
        places = sorted({place for places in found for place in places}, reverse=True)
        games = places[:limit]
        return Page([game for _, game in games], _encode_cursor(games[-1]) if games and len(places) > limit else None)

    async def _read_newest(self, key: str, count: int, before: IndexEntry | None) -> list[IndexEntry]:
        """The first `count` of one set, those of the cursor's own second apart, as Redis pages by seconds only."""
        if before is None:
            return await self._read_range(key, "+inf", "-inf", "LIMIT", 0, count)
        second = str(before[0])
        tied, older = await asyncio.gather(
            self._read_range(key, second, second), self._read_range(key, f"({second}", "-inf", "LIMIT", 0, count)
        )
        return [*(place for place in tied if place < before), *older][:count]

    async def _read_range(self, key: str, newest: str, oldest: str, *limit: Argument) -> list[IndexEntry]:
        found = await self._client.execute("ZRANGE", key, newest, oldest, "BYSCORE", "REV", *limit, "WITHSCORES")
        return [(int(created_at), game.decode()) for game, created_at in found]


def _encode_cursor(place: IndexEntry) -> str:
    created_at, game = place
    return base64.urlsafe_b64encode(f"{created_at}:{game}".encode()).decode().rstrip("=")


def _decode_cursor(cursor: str) -> IndexEntry:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except ValueError as error:
        raise ValueError(cursor) from error
    if not (found := _CURSOR_PATTERN.fullmatch(text)):
        raise ValueError(cursor)
    return int(found[1]), found[2]
