"""What mending needs of Redis: a walk over everything, whose turn it is, and where the games are found.

In which order things are written and taken out, `listing`, `finding` and `due` say.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from schemas.vocabulary import STATUSES, Status
from service.games.upkeep.port import Places, Walked
from service.store import keys
from service.store.batch import Batches
from service.store.due import Due
from service.store.finding import YOUNG_S, Finding
from service.store.listing import Listing
from service.store.scanning import scan
from service.telemetry.clock import now

__all__ = ["RedisUpkeep"]


class RedisUpkeep:
    """`service.games.upkeep.port.Upkeep` on Redis."""

    def __init__(self, batches: Batches, clock: Callable[[], float] = now) -> None:
        self._batches = batches
        self._clock = clock
        self._listing = Listing(batches)
        self._finding = Finding(batches, clock)
        self._due = Due(batches, clock)

    async def walk(self, position: str, count: int) -> Walked:
        """Some of all games and names, about `count` keys on from `position` (empty: from the beginning)."""
        found, position = await scan(self._batches, position, count)
        games = [game for key in found if (game := keys.game_of(key)) is not None]
        names = [name for key in found if (name := keys.name_of(key)) is not None]
        return Walked(games, names, position)

    async def take_turn(self, seconds: float) -> bool:
        """Whether it is time for the next part of the walk; if so, for nobody else for so long."""
        taken = await self._batches.send("SET", keys.UPKEEP_LEASE, "", "NX", "PX", int(seconds * 1000))
        return taken is not None

    async def keep_turn(self, seconds: float) -> None:
        """Go on for so long."""
        await self._batches.send("SET", keys.UPKEEP_LEASE, "", "PX", int(seconds * 1000))

    async def progress(self) -> Mapping[str, str]:
        """What `note_progress` noted, empty at first."""
        found = await self._batches.send("HGETALL", keys.UPKEEP)
        return {name.decode(): value.decode() for name, value in found.items()}

    async def note_progress(self, progress: Mapping[str, str]) -> None:
        """Note how far the walk has come."""
        await self._batches.send("HSET", keys.UPKEEP, *(word for pair in progress.items() for word in pair))

    async def sizes(self) -> dict[str, int]:
        """How many games each index has that is in one piece."""
        indexes = [*(keys.listed(status) for status in STATUSES), keys.DUE, keys.HOOKS_DUE]
        sizes = await asyncio.gather(*(self._batches.send("ZCARD", key) for key in indexes))
        return {key.removeprefix(keys.PREFIX): size for key, size in zip(indexes, sizes, strict=True)}

    async def places(self, game: str, names: Sequence[str], hooks: Sequence[str]) -> Places:
        """Where a game is found now."""
        listed, named, due, hooked, archive = await asyncio.gather(
            self._has([keys.listed(status) for status in STATUSES], game),
            self._has([keys.found_by(name) for name in names], game),
            self._has([keys.DUE], game),
            asyncio.gather(*(self._has([keys.HOOKS_DUE], f"{game} {hook}") for hook in hooks)),
            self._has([keys.ARCHIVE_DUE], game),
        )
        return Places(
            [status for status, there in zip(STATUSES, listed, strict=True) if there],
            [name for name, there in zip(names, named, strict=True) if there],
            all(due),
            [hook for hook, there in zip(hooks, hooked, strict=True) if all(there)],
            all(archive),
        )

    async def _has(self, sets: Sequence[str], member: str) -> list[bool]:
        scores = await asyncio.gather(*(self._batches.send("ZSCORE", key, member) for key in sets))
        return [score is not None for score in scores]

    async def enlist(self, game: str, status: Status, created_at: int) -> None:
        """List it under a status."""
        await self._listing.add(game, status, created_at)

    async def unlist(self, game: str, status: Status) -> None:
        """Take it from a status."""
        await self._listing.remove(game, status)

    async def name(self, game: str, names: Sequence[str], created_at: int, seconds: int) -> None:
        """Have it found by these names for so long."""
        await self._finding.keep(game, names, created_at, seconds)

    async def promise(self, game: str, at: int) -> None:
        """Have it looked at by then."""
        await self._due.promise(game, at)

    async def prune_listed(self, status: Status, start: int, count: int) -> tuple[int, int | None]:
        """Take out games that are no more, of `count` from the `start`th oldest on.

        Gives how many were taken out, and where to go on (None at the end).
        """
        key = keys.listed(status)
        found = await self._batches.send("ZRANGE", key, start, start + count - 1, "WITHSCORES")
        old = [game.decode() for game, created_at in found if created_at < self._clock() - YOUNG_S]
        gone = await self._gone(old)
        if gone:
            await self._batches.send("ZREM", key, *gone)
        return len(gone), start + len(found) - len(gone) if len(found) == count else None

    async def prune_name(self, name: str, count: int) -> int:
        """Take out games that are no more, of some found by this name; gives how many."""
        some = await self._batches.send("ZRANDMEMBER", keys.found_by(name), count)
        gone = await self._gone([game.decode() for game in some])
        return sum(await asyncio.gather(*(self._finding.lose([name], game) for game in gone)))

    async def _gone(self, games: Sequence[str]) -> list[str]:
        there = await asyncio.gather(*(self._batches.send("EXISTS", keys.game(game)) for game in games))
        return [game for game, exists in zip(games, there, strict=True) if not exists]
