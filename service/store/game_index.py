"""Indexes of games: sorted sets by creation, one for each status of public games (the lobby), one for each index key.

A public game is always listed under its status: it is added before the commit that brings the status, and once more
after it, in case a reader repaired the lobby in between; only then is it removed from the old status. An index key is
written before the commit that brings it. So an index may be stale, never incomplete; readers leave out what they cannot
load, and the index repair removes it.

The set of an index key expires later than any game could: the first commit of each day that an instance makes extends
it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
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

IndexEntry = tuple[int, str]
"""Creation (Unix seconds) and id of a game; pages run from the greatest entry to the least."""


class GameIndex:
    """The lobby and the index keys. Every method may raise StoreUnavailable."""

    def __init__(self, client: PipelinedClient) -> None:
        self.client = client

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

    def index_game(self, change: Change, *, return_exceptions: bool = False) -> asyncio.Future[Any]:
        """Add a game under its index keys, whose sets expire after the change's `index_ttl_s` at the earliest."""
        stored, created_at = change.stored, unix_seconds(change.stored.game.created_at)

        async def add(key: str) -> None:
            await self.client.execute("ZADD", key, created_at, stored.id)  # retried, maybe: a new set has no expiry yet
            await self.client.execute("EXPIRE", key, change.index_ttl_s)

        sets = [keys.game_index(index_key) for index_key in index_keys(stored.access)]
        return asyncio.gather(*map(add, sets), return_exceptions=return_exceptions)

    async def unindex(self, index_keys: Sequence[str], game: str) -> None:
        """Remove a game from these index keys, whether or not it exists."""
        await asyncio.gather(*(self.client.execute("ZREM", keys.game_index(key), game) for key in index_keys))

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
    """`service.games.index_repair.IndexRepairStore` on Redis: a scan of all keys, the turn of one instance, repairs."""

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
        oldest, start, removed = now() - MIN_PRUNE_AGE_S, 0, 0
        while True:
            entries = await self._read_range(index, "+inf", "-inf", "LIMIT", start, PRUNE_BATCH_SIZE)
            exist = await asyncio.gather(*(self.client.execute("EXISTS", keys.game(game)) for _, game in entries))
            missing = [game for (at, game), exists in zip(entries, exist, strict=True) if not exists and at < oldest]
            pruned = await self.client.execute("ZREM", index, *missing) if missing else 0
            start, removed = start + len(entries) - pruned, removed + pruned
            if len(entries) < PRUNE_BATCH_SIZE:
                return removed
