"""Which games are to be archived: dates at which to look at them, and in each game's hash the version that is."""

from collections.abc import Callable

from service.store import keys
from service.store.connection.pipeline import Batches
from service.store.schedule import Due
from service.store.scripts import Script
from service.telemetry.clock import now

__all__ = ["RedisArchive"]


class RedisArchive(Due):
    """`service.games.archive.port.ArchiveStore` on Redis."""

    def __init__(self, batches: Batches, clock: Callable[[], float] = now) -> None:
        super().__init__(batches, clock, keys.ARCHIVE_DUE)
        self._batches = batches
        self._claim = Script(batches, "claim.lua")
        self._note = Script(batches, "archive_ack.lua")

    async def claim(self, game: str, holder: str, seconds: int) -> bool:
        """Take a game for so long, so that nobody else archives it; False where somebody else has it."""
        return bool(await self._claim.run([keys.archive_lease(game)], holder, seconds))

    async def archived(self, game: str) -> int:
        """The version that is archived; 0 for none."""
        return int(await self._batches.send("HGET", keys.game(game), "archived") or 0)

    async def note(self, game: str, holder: str, version: int) -> bool:
        """Note that a version is archived, and let the game go; False where it has another now, or was not held."""
        return bool(await self._note.run([keys.game(game), keys.archive_lease(game)], holder, version))
