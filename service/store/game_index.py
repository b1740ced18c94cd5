"""Indexes of games: sorted sets by creation, one for each status of public games (the lobby), one for each index key.

A public game is always listed under its status: it is added before the commit that brings the status, and once more
after it, in case a reader repaired the lobby in between; only then is it removed from the old status. An index key is
written before the commit that brings it. So an index may be stale, never incomplete, and readers repair stale entries.

The set of an index key expires later than any game could: the first commit of each day that an instance makes extends
it. Entries of games that have expired are removed by readers, and by whoever adds to a set: it checks a few random
entries, so that no set grows forever.

What index repair needs of Redis: a scan of all keys, the turn of one instance, and the entries of a game.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any

from schemas.vocabulary import Status
from service.engine import Game
from service.games.access import index_keys
from service.games.index_repair import IndexEntries, ScannedKeys
from service.games.ports import Change, Page, webhook_entry
from service.store import keys
from service.store.connection import Argument
from service.store.pipeline import PipelinedClient
from service.telemetry.clock import now, unix_seconds

MIN_PRUNE_AGE_S = 3600
"""The age from which on a missing game is removed: the creation of a younger one may not be stored yet."""

_PRUNE_SAMPLE_SIZE = 3
"""How many random entries are checked when one is added: more than one, so that stale entries become fewer."""

IndexEntry = tuple[int, str]
"""Creation (Unix seconds) and id of a game; pages run from the greatest entry to the least."""


class GameIndex:
    """The lobby and the index keys. Every method may raise StoreUnavailable."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = time.time) -> None:
        self.client = client
        self._clock = clock

    async def list_game(self, game: Game) -> None:
        """Add a game to the lobby under its status."""
        await self.client.execute("ZADD", keys.lobby(game.status), unix_seconds(game.created_at), game.id)

    async def unlist(self, game: str, status: Status) -> None:
        """Remove a game from the lobby under a status."""
        await self.client.execute("ZREM", keys.lobby(status), game)

    async def list_by_status(self, statuses: Sequence[Status], limit: int, after: str | None) -> Page:
        """Return public games that have, or had until lately, one of these statuses.

        `after` is a cursor of such a page.
        """
        return await self._page([keys.lobby(status) for status in statuses], limit, after)

    async def list_by_keys(self, index_keys: Sequence[str], limit: int, after: str | None) -> Page:
        """Return games under any of these index keys. `after` is a cursor of such a page."""
        return await self._page([keys.game_index(index_key) for index_key in index_keys], limit, after)

    async def list_before_commit(self, game: Game) -> None:
        """Add a game to the lobby under the status that a commit brings."""
        await asyncio.gather(self.list_game(game), self._prune_sample(keys.lobby(game.status), exclude=game.id))

    async def index_before_commit(self, change: Change) -> None:
        """Add a game under the index keys that a commit brings."""
        await asyncio.gather(
            self.index_game(change),
            *(
                self._prune_sample(keys.game_index(index_key), exclude=change.stored.id)
                for index_key in index_keys(change.stored.access)
            ),
        )

    def index_game(self, change: Change, *, return_exceptions: bool = False) -> asyncio.Future[Any]:
        """Add a game under its index keys, whose sets expire after the change's `index_ttl_s` at the earliest."""
        stored, created_at = change.stored, unix_seconds(change.stored.game.created_at)

        async def add(key: str) -> None:
            await self.client.execute("ZADD", key, created_at, stored.id)  # retried, maybe: a new set has no expiry yet
            await self.client.execute("EXPIRE", key, change.index_ttl_s)

        sets = [keys.game_index(index_key) for index_key in index_keys(stored.access)]
        return asyncio.gather(*map(add, sets), return_exceptions=return_exceptions)

    async def unindex_missing(self, index_keys: Sequence[str], game: str) -> int:
        """Remove a game that does not exist from these index keys, and return from how many.

        A game younger than MIN_PRUNE_AGE_S stays, because its creation may not be stored yet.
        """
        removed = (self._remove_missing(keys.game_index(index_key), [game]) for index_key in index_keys)
        return sum(await asyncio.gather(*removed))

    async def unindex(self, index_keys: Sequence[str], game: str) -> None:
        """Remove a game from these index keys, whether or not it exists."""
        await asyncio.gather(*(self.client.execute("ZREM", keys.game_index(key), game) for key in index_keys))

    async def _prune_sample(self, key: str, exclude: str) -> None:
        """Check a few random games of a set, and remove those that do not exist."""
        members = await self.client.execute("ZRANDMEMBER", key, _PRUNE_SAMPLE_SIZE)
        await self._remove_missing(key, {member.decode() for member in members} - {exclude})

    async def _remove_missing(self, key: str, games: Collection[str]) -> int:
        """Remove those of `games` that do not exist from a set, and return how many; a younger game stays.

        MIN_PRUNE_AGE_S says why.
        """
        exist = await asyncio.gather(*(self.client.execute("EXISTS", keys.game(game)) for game in games))
        missing = [game for game, exists in zip(games, exist, strict=True) if not exists]
        ages = await asyncio.gather(*(self.client.execute("ZSCORE", key, game) for game in missing))
        oldest = self._clock() - MIN_PRUNE_AGE_S
        old = [game for game, at in zip(missing, ages, strict=True) if at is not None and float(at) < oldest]
        return int(await self.client.execute("ZREM", key, *old)) if old else 0

    async def _page(self, sets: Sequence[str], limit: int, after: str | None) -> Page:
        """Return at most `limit` games of any set, the newest first, ties by id.

        `after` is a cursor.
        """
        before = None if after is None else _decode_cursor(after)
        newest = await asyncio.gather(*(self._read_newest(key, limit + 1, before) for key in set(sets)))
        merged = sorted({entry for entries in newest for entry in entries}, reverse=True)
        page = merged[:limit]
        return Page([game for _, game in page], "{}-{}".format(*page[-1]) if page and len(merged) > limit else None)

    async def _read_newest(self, key: str, count: int, before: IndexEntry | None) -> list[IndexEntry]:
        """Return the newest `count` entries of a set below `before`.

        Redis pages by score only, so the entries of the cursor's own second are read separately.
        """
        if before is None:
            return await self._read_range(key, "+inf", "-inf", "LIMIT", 0, count)
        second = str(before[0])
        tied, older = await asyncio.gather(
            self._read_range(key, second, second), self._read_range(key, f"({second}", "-inf", "LIMIT", 0, count)
        )
        return [*(entry for entry in tied if entry < before), *older][:count]

    async def _read_range(self, key: str, newest: str, oldest: str, *limit: Argument) -> list[IndexEntry]:
        entries = await self.client.execute("ZRANGE", key, newest, oldest, "BYSCORE", "REV", *limit, "WITHSCORES")
        return [(int(created_at), game.decode()) for game, created_at in entries]


def _decode_cursor(cursor: str) -> IndexEntry:
    created_at, _, game = cursor.partition("-")
    return int(created_at), game


PRUNE_BATCH_SIZE = 200
"""Number of entries of an index that are checked at once."""


class RedisIndexRepair(GameIndex):
    """`service.games.index_repair.IndexRepairStore` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = now) -> None:
        super().__init__(client, clock)

    async def scan(self, count: int) -> AsyncIterator[ScannedKeys]:
        """Scan all keys, and yield the games and indexes among each `count` of them, about."""
        async for page in self.client.scan(f"{keys.PREFIX}*", count):
            games = [game for key in page if (game := keys.game_of(key)) is not None]
            yield ScannedKeys(games, [key for key in page if keys.is_game_index(key)])

    async def try_acquire_turn(self, seconds: float) -> bool:
        """Take the turn for the next scan for `seconds`, and return False if another instance has it."""
        acquired = await self.client.execute("SET", keys.INDEX_REPAIR_LEASE, "", "NX", "PX", int(seconds * 1000))
        return acquired is not None

    async def extend_turn(self, seconds: float) -> None:
        """Extend the turn to `seconds` from now."""
        await self.client.execute("SET", keys.INDEX_REPAIR_LEASE, "", "PX", int(seconds * 1000))

    async def add_missing(self, game: str, entries: IndexEntries) -> int:
        """Add a game to those indexes and schedules that lack it, and return how many did. Shorten its life."""
        indexes = [keys.game_index(index_key) for index_key in entries.index_keys]
        wanted: list[tuple[str, int, str]] = [(key, entries.created_at, game) for key in indexes]
        if entries.status is not None:
            wanted.append((keys.lobby(entries.status), entries.created_at, game))
        if entries.due_at is not None:
            wanted.append((keys.GAME_SCHEDULE, entries.due_at, game))
        if entries.archive_at is not None:
            wanted.append((keys.ARCHIVE_SCHEDULE, entries.archive_at, game))
        wanted += [
            (keys.WEBHOOK_SCHEDULE, at, webhook_entry(game, webhook)) for webhook, at in entries.webhooks.items()
        ]
        added = await asyncio.gather(
            *(self.client.execute("ZADD", key, "NX", at, member) for key, at, member in wanted)
        )
        new = [key for key, is_new in zip(indexes, added, strict=False) if is_new]
        await asyncio.gather(*(self.client.execute("EXPIRE", key, entries.index_ttl_s) for key in new))
        if entries.max_ttl_s is not None:
            for key in (keys.game(game), keys.log(game)):
                await self.client.execute("EXPIRE", key, entries.max_ttl_s, "LT")
        return sum(added)

    async def prune(self, index: str) -> int:
        """Remove games that do not exist from an index, unless they are being created; return how many."""
        start, removed = 0, 0
        while True:
            games = await self.client.execute("ZRANGE", index, start, start + PRUNE_BATCH_SIZE - 1)
            pruned = await self._remove_missing(index, [game.decode() for game in games])
            start, removed = start + len(games) - pruned, removed + pruned
            if len(games) < PRUNE_BATCH_SIZE:
                return removed
