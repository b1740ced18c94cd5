"""Which games are to be archived: dates at which to look at them, and in each game's hash the version that is."""

from collections.abc import Callable

from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.schedule import Schedule
from service.store.scripts import Script
from service.telemetry.clock import now

__all__ = ["RedisArchiveQueue"]


class RedisArchiveQueue(Schedule):
    """`service.games.archive.port.ArchiveStore` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = now) -> None:
        super().__init__(client, clock, keys.ARCHIVE_SCHEDULE)
        self._client = client
        self._claim_script = Script(client, "claim.lua")
        self._ack_script = Script(client, "archive_ack.lua")

    async def acquire_lease(self, game: str, holder: str, seconds: int) -> bool:
        """Take a game for so long, so that nobody else archives it; False where somebody else has it."""
        return bool(await self._claim_script.run([keys.archive_lease(game)], holder, seconds))

    async def load_archived_version(self, game: str) -> int:
        """The version that is archived; 0 for none."""
        return int(await self._client.execute("HGET", keys.game(game), "archived") or 0)

    async def mark_archived(self, game: str, holder: str, version: int) -> bool:
        """Note that a version is archived, and let the game go; False where it has another now, or was not held."""
        return bool(await self._ack_script.run([keys.game(game), keys.archive_lease(game)], holder, version))
