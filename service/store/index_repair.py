"""What mending needs of Redis: a walk over everything, whose turn it is, and where the games are found.

In which order things are written and taken out, `index` and `due` say.
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
    """`service.games.index_repair.port.Upkeep` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = now) -> None:
        super().__init__(client, clock)
        self._schedule = Schedule(client, clock)

    async def scan(self, cursor: str, count: int) -> ScannedKeys:
        """Some of all games and names, about `count` keys on from `position` (empty: from the beginning)."""
        found, cursor = await scan(self._client, cursor, count)
        games = [game for key in found if (game := keys.game_of(key)) is not None]
        names = [name for key in found if (name := keys.index_key_of(key)) is not None]
        return ScannedKeys(games, names, cursor)

    async def try_acquire_turn(self, seconds: float) -> bool:
        """Whether it is time for the next part of the walk; if so, for nobody else for so long."""
        taken = await self._client.execute("SET", keys.INDEX_REPAIR_LEASE, "", "NX", "PX", int(seconds * 1000))
        return taken is not None

    async def extend_turn(self, seconds: float) -> None:
        """Go on for so long."""
        await self._client.execute("SET", keys.INDEX_REPAIR_LEASE, "", "PX", int(seconds * 1000))

    async def load_progress(self) -> Mapping[str, str]:
        """What `note_progress` noted, empty at first."""
        found = await self._client.execute("HGETALL", keys.INDEX_REPAIR_PROGRESS)
        return {name.decode(): value.decode() for name, value in found.items()}

    async def save_progress(self, progress: Mapping[str, str]) -> None:
        """Note how far the walk has come."""
        await self._client.execute(
            "HSET", keys.INDEX_REPAIR_PROGRESS, *(word for pair in progress.items() for word in pair)
        )

    async def load_index_sizes(self) -> dict[str, int]:
        """How many games each index has that is in one piece."""
        indexes = [*(keys.lobby(status) for status in STATUSES), keys.GAME_SCHEDULE, keys.WEBHOOK_SCHEDULE]
        sizes = await asyncio.gather(*(self._client.execute("ZCARD", key) for key in indexes))
        return {key.removeprefix(keys.PREFIX): size for key, size in zip(indexes, sizes, strict=True)}

    async def load_entries(self, game: str, index_keys: Sequence[str], webhooks: Sequence[str]) -> IndexEntries:
        """Where a game is found now."""
        sets = [(keys.lobby(status), game) for status in STATUSES]
        sets += [*((keys.game_index(name), game) for name in index_keys), (keys.GAME_SCHEDULE, game)]
        sets += [*((keys.WEBHOOK_SCHEDULE, f"{game} {hook}") for hook in webhooks), (keys.ARCHIVE_SCHEDULE, game)]
        scores = await asyncio.gather(*(self._client.execute("ZSCORE", key, member) for key, member in sets))
        there = iter([score is not None for score in scores])
        return IndexEntries(
            [status for status in STATUSES if next(there)],
            [name for name in index_keys if next(there)],
            next(there),
            [hook for hook in webhooks if next(there)],
            next(there),
        )

    async def schedule(self, game: str, at: int) -> None:
        """Have it looked at by then."""
        await self._schedule.schedule(game, at)
