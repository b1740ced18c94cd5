"""Which games are to be archived: dates at which to look at them, and in each game's hash the version that is."""

from collections.abc import Callable

from service.store import keys
from service.store.batch import Batches
from service.store.due import Due
from service.store.script import Script
from service.telemetry.clock import now

__all__ = ["RedisArchive"]


class RedisArchive:
    """`service.games.archive.port.ArchiveStore` on Redis."""

    def __init__(self, batches: Batches, clock: Callable[[], float] = now) -> None:
        self._batches = batches
        self._due = Due(batches, clock, keys.ARCHIVE_DUE)
        self._claim = Script(batches, "archive_claim.lua")
        self._note = Script(batches, "archive_note.lua")

    async def promise(self, game: str, at: int) -> None:
        """Have a game looked at by then."""
        await self._due.promise(game, at)

    async def due(self, now: int, limit: int) -> list[str]:
        """Games to look at, the most urgent first, until `settle`."""
        return await self._due.due(now, limit)

    async def settle(self, game: str, until: int | None) -> None:
        """It was looked at: not before then (None: never) again; what was promised meanwhile comes a little later."""
        await self._due.settle(game, until)

    async def claim(self, game: str, holder: str, seconds: int) -> bool:
        """Take a game for so long, so that nobody else archives it; False where somebody else has it."""
        return bool(await self._claim.run([keys.archive_lease(game)], holder, seconds))

    async def archived(self, game: str) -> int:
        """The version that is archived; 0 for none."""
        return int(await self._batches.send("HGET", keys.game(game), "archived") or 0)

    async def note(self, game: str, holder: str, version: int) -> bool:
        """Note that a version is archived, and let the game go; False where it has another now, or was not held."""
        return bool(await self._note.run([keys.game(game), keys.archive_lease(game)], holder, version))
