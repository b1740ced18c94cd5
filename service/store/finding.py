"""What games are found by: for each name a sorted set of games by creation.

A name is written before the commit that brings it, so that no game is ever missing; it may name a game that has none of
it, which whoever reads finds out. A set is kept as long as any game could be: its end is put off by the first commit of
each day that an instance does. Games that are no more are taken out by who comes upon them: a reader, or whoever adds
to a set and looks at a few of its games by chance, so that no set grows for ever.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from service.games.port import Commit, Page
from service.games.times import DAY_S
from service.store import keys, places
from service.store.batch import Batches

__all__ = ["YOUNG_S", "Finding"]

YOUNG_S = 3600
"""A game that is younger may be missing because its creation is not stored yet."""

_LOOKED_AT = 3
"""How many games are looked at when one is added: more than one, so that those that are no more become fewer."""

_REMEMBERED = 10_000
"""Games whose sets this instance remembers to have put off today."""


class Finding:
    """The sets of all names."""

    def __init__(self, batches: Batches, clock: Callable[[], float] = time.time) -> None:
        self._batches = batches
        self._clock = clock
        self._put_off: dict[str, int] = {}

    async def before(self, commit: Commit) -> None:
        """Write the names that a commit brings."""
        self._is_put_off(commit.game)
        names = commit.found_by()
        await asyncio.gather(
            *self._writes(commit.game, names, commit.created_at, commit.found_s),
            *(self._sweep(name, commit.game) for name in names),
        )

    def beside(self, commit: Commit) -> asyncio.Future[list[Any]] | None:
        """Put the end of the sets off, once a day, in the batch of the commit itself; what comes of it may be left."""
        if self._is_put_off(commit.game):
            return None
        writes = self._writes(commit.game, commit.found_by(), commit.created_at, commit.found_s)
        return asyncio.gather(*writes, return_exceptions=True)

    async def keep(self, game: str, names: Sequence[str], created_at: int, seconds: int) -> None:
        """Have a game that is stored found by these names, for so long at least."""
        await asyncio.gather(*self._writes(game, names, created_at, seconds))

    async def page(self, names: Sequence[str], limit: int, after: str | None) -> Page:
        """At most `limit` games, the newest first; raises ValueError for a foreign cursor."""
        return await places.page(self._batches, [keys.found_by(name) for name in names], limit, after)

    async def lose(self, names: Sequence[str], game: str) -> int:
        """Take a game that is no more from these names, unless it is so young that its creation may be under way.

        Gives from how many it was taken.
        """
        return sum(await asyncio.gather(*(self._lose(keys.found_by(name), game) for name in names)))

    async def forget(self, names: Sequence[str], game: str) -> None:
        """Take a game from these names, though it is there."""
        await asyncio.gather(*(self._batches.send("ZREM", keys.found_by(name), game) for name in names))

    async def _lose(self, key: str, game: str) -> int:
        created_at = await self._batches.send("ZSCORE", key, game)
        if created_at is None or float(created_at) >= self._clock() - YOUNG_S:
            return 0
        removed: int = await self._batches.send("ZREM", key, game)
        return removed

    def _is_put_off(self, game: str) -> bool:
        """Whether this was asked today before, as far as this instance remembers."""
        day = int(self._clock()) // DAY_S
        if self._put_off.get(game) == day:
            return True
        self._put_off[game] = day
        if len(self._put_off) > _REMEMBERED:
            del self._put_off[next(iter(self._put_off))]
        return False

    def _writes(self, game: str, names: Sequence[str], created_at: int, seconds: int) -> list[asyncio.Future[Any]]:
        writes = []
        for name in names:
            key = keys.found_by(name)
            writes.append(self._batches.send("ZADD", key, created_at, game))
            writes.append(self._batches.send("EXPIRE", key, seconds))
        return writes

    async def _sweep(self, name: str, game: str) -> None:
        """Look at a few games that are found by this name, and take out those that are no more."""
        some = await self._batches.send("ZRANDMEMBER", keys.found_by(name), _LOOKED_AT)
        for one in {member.decode() for member in some} - {game}:
            if not await self._batches.send("EXISTS", keys.game(one)):
                await self.lose([name], one)
