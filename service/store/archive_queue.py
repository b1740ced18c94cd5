"""Games to archive: their due dates, and in each game's hash the version that is archived."""

from collections.abc import Callable

from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.schedule import Schedule
from service.store.scripts import Script
from service.telemetry.clock import now

__all__ = ["RedisArchiveQueue"]


class RedisArchiveQueue(Schedule):
    """`service.games.archive.port.ArchiveQueue` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = now) -> None:
        super().__init__(client, clock, keys.ARCHIVE_SCHEDULE)
        self._lease_script = Script(client, "acquire_lease.lua")
        self._ack_script = Script(client, "archive_ack.lua")

    async def acquire_lease(self, game: str, holder: str, seconds: int) -> bool:
        """Lease a game to one archiver for `seconds`, and return False if another one has it."""
        return bool(await self._lease_script.run([keys.archive_lease(game)], holder, seconds))

    async def load_archived_version(self, game: str) -> int:
        """Return the version that is archived; 0 for none."""
        return int(await self._client.execute("HGET", keys.game(game), "archived") or 0)

    async def mark_archived(self, game: str, holder: str, version: int) -> bool:
        """Store which version is archived, and release the lease.

        Return False if the game has another version by now, or the lease has expired.
        """
        return bool(await self._ack_script.run([keys.game(game), keys.archive_lease(game)], holder, version))
