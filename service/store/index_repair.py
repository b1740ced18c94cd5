"""What index repair needs of Redis: a scan of all keys, the turn of one instance, and the entries of a game."""

import asyncio
from collections.abc import AsyncIterator, Callable

from service.games.index_repair import IndexEntries, ScannedKeys
from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.game_index import GameIndex
from service.telemetry.clock import now

__all__ = ["RedisIndexRepair"]

PRUNE_BATCH_SIZE = 200
"""Number of entries of an index that are checked at once."""


class RedisIndexRepair(GameIndex):
    """`service.games.index_repair.IndexRepairStore` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = now) -> None:
        super().__init__(client, clock)

    async def scan(self, count: int) -> AsyncIterator[ScannedKeys]:
        """Scan all keys, and yield the games and indexes among each `count` of them, about."""
        async for page in self._client.scan(f"{keys.PREFIX}*", count):
            games = [game for key in page if (game := keys.game_of(key)) is not None]
            yield ScannedKeys(games, [key for key in page if keys.is_game_index(key)])

    async def try_acquire_turn(self, seconds: float) -> bool:
        """Take the turn for the next scan for `seconds`, and return False if another instance has it."""
        acquired = await self._client.execute("SET", keys.INDEX_REPAIR_LEASE, "", "NX", "PX", int(seconds * 1000))
        return acquired is not None

    async def extend_turn(self, seconds: float) -> None:
        """Extend the turn to `seconds` from now."""
        await self._client.execute("SET", keys.INDEX_REPAIR_LEASE, "", "PX", int(seconds * 1000))

    async def add_missing(self, game: str, entries: IndexEntries) -> int:
        """Add a game to those indexes and schedules that lack it, and return how many did."""
        indexes = [keys.game_index(index_key) for index_key in entries.index_keys]
        wanted: list[tuple[str, int, str]] = [(key, entries.created_at, game) for key in indexes]
        if entries.status is not None:
            wanted.append((keys.lobby(entries.status), entries.created_at, game))
        if entries.due_at is not None:
            wanted.append((keys.GAME_SCHEDULE, entries.due_at, game))
        if entries.archive_at is not None:
            wanted.append((keys.ARCHIVE_SCHEDULE, entries.archive_at, game))
        wanted += [(keys.WEBHOOK_SCHEDULE, at, f"{game} {webhook}") for webhook, at in entries.webhooks.items()]
        added = await asyncio.gather(
            *(self._client.execute("ZADD", key, "NX", at, member) for key, at, member in wanted)
        )
        new = [key for key, is_new in zip(indexes, added, strict=False) if is_new]
        await asyncio.gather(*(self._client.execute("EXPIRE", key, entries.index_ttl_s) for key in new))
        return sum(added)

    async def prune(self, index: str) -> int:
        """Remove games that do not exist from an index, unless they are being created; return how many."""
        start, removed = 0, 0
        while True:
            games = await self._client.execute("ZRANGE", index, start, start + PRUNE_BATCH_SIZE - 1)
            pruned = await self._remove_missing(index, [game.decode() for game in games])
            start, removed = start + len(games) - pruned, removed + pruned
            if len(games) < PRUNE_BATCH_SIZE:
                return removed
