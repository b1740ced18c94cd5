"""What index repair needs of Redis: a scan of all keys, the turn of one instance, and the entries of a game.

`service.store.game_index` and `service.store.schedule` say in which order entries are written and removed.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from schemas.vocabulary import STATUSES
from service.games.index_repair.port import IndexEntries, ScannedKeys
from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.connection.scan import scan
from service.store.game_index import GameIndex
from service.store.schedule import Schedule
from service.telemetry.clock import now

__all__ = ["RedisIndexRepair"]


class RedisIndexRepair(GameIndex):
    """`service.games.index_repair.port.IndexRepairStore` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = now) -> None:
        super().__init__(client, clock)
        self._schedule = Schedule(client, clock)

    async def scan(self, cursor: str, count: int) -> ScannedKeys:
        """Scan about `count` keys after `cursor` (empty: from the start), and return the games and index keys."""
        page, cursor = await scan(self._client, cursor, count)
        games = [game for key in page if (game := keys.game_of(key)) is not None]
        index_keys = [index_key for key in page if (index_key := keys.index_key_of(key)) is not None]
        return ScannedKeys(games, index_keys, cursor)

    async def try_acquire_turn(self, seconds: float) -> bool:
        """Take the turn for the next part of the scan for `seconds`, and return False if another instance has it."""
        acquired = await self._client.execute("SET", keys.INDEX_REPAIR_LEASE, "", "NX", "PX", int(seconds * 1000))
        return acquired is not None

    async def extend_turn(self, seconds: float) -> None:
        """Extend the turn to `seconds` from now."""
        await self._client.execute("SET", keys.INDEX_REPAIR_LEASE, "", "PX", int(seconds * 1000))

    async def load_progress(self) -> Mapping[str, str]:
        """Return what `save_progress` stored, empty at first."""
        stored = await self._client.execute("HGETALL", keys.INDEX_REPAIR_PROGRESS)
        return {name.decode(): value.decode() for name, value in stored.items()}

    async def save_progress(self, progress: Mapping[str, str]) -> None:
        """Store how far the scan is."""
        await self._client.execute(
            "HSET", keys.INDEX_REPAIR_PROGRESS, *(text for pair in progress.items() for text in pair)
        )

    async def load_index_sizes(self) -> dict[str, int]:
        """Return the number of entries of the lobby's indexes and of the schedules."""
        indexes = [*(keys.lobby(status) for status in STATUSES), keys.GAME_SCHEDULE, keys.WEBHOOK_SCHEDULE]
        sizes = await asyncio.gather(*(self._client.execute("ZCARD", key) for key in indexes))
        return {key.removeprefix(keys.PREFIX): size for key, size in zip(indexes, sizes, strict=True)}

    async def load_entries(self, game: str, index_keys: Sequence[str], webhooks: Sequence[str]) -> IndexEntries:
        """Return which indexes and schedules have a game, of those that it could be in."""
        sets = [(keys.lobby(status), game) for status in STATUSES]
        sets += [*((keys.game_index(index_key), game) for index_key in index_keys), (keys.GAME_SCHEDULE, game)]
        sets += [*((keys.WEBHOOK_SCHEDULE, f"{game} {webhook}") for webhook in webhooks), (keys.ARCHIVE_SCHEDULE, game)]
        scores = await asyncio.gather(*(self._client.execute("ZSCORE", key, member) for key, member in sets))
        is_present = iter([score is not None for score in scores])
        return IndexEntries(
            [status for status in STATUSES if next(is_present)],
            [index_key for index_key in index_keys if next(is_present)],
            next(is_present),
            [webhook for webhook in webhooks if next(is_present)],
            next(is_present),
        )

    async def schedule(self, game: str, at: int) -> None:
        """Schedule a game, if it is not due earlier."""
        await self._schedule.schedule(game, at)
