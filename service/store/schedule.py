"""The schedule of due games, and the queue of games to archive, with its leases."""

import asyncio
import time
from collections.abc import Callable, Sequence

from service.games.archiver import LogState
from service.games.ports import Revision, StoredDiff
from service.store import keys, log_entries
from service.store.compacted_logs import compress_log, decode_compacted
from service.store.pipeline import PipelinedClient, Script
from service.telemetry.clock import now
from service.telemetry.metrics import LOGS_COMPACTED

GRACE_S = 15
"""Seconds within which a commit is stored or given up after its date was set."""


class Schedule:
    """The due dates of all games, or of whatever else the sorted set `key` is for."""

    def __init__(
        self, client: PipelinedClient, clock: Callable[[], float] = time.time, key: str = keys.GAME_SCHEDULE
    ) -> None:
        self._client = client
        self._clock = clock
        self._key = key
        self._schedule_script = Script(client, "schedule.lua", wait_for_replicas=True)
        self._reschedule_script = Script(client, "reschedule.lua")
        self._postpone_script = Script(client, "postpone.lua")

    async def schedule(self, game: str, at: int) -> bool:
        """Set the due date of a commit before it is stored.

        Return False if an earlier date stands; then reschedule the game after the commit.
        """
        return bool(await self._schedule_script.run([self._key], game, at))

    async def reschedule(self, game: str, until: int | None) -> None:
        """Move the due date after looking at the game; None removes it.

        A date more than GRACE_S away counts only when a second look confirms it: a commit may be about to be stored.
        """
        now = int(self._clock())
        await self._reschedule_script.run([self._key], game, now, "" if until is None else until, f"{now + GRACE_S}.5")

    async def postpone(self, game: str, now: int, until: int) -> bool:
        """Move a game that is due `now` to `until`, and return False if it is not due."""
        return bool(await self._postpone_script.run([self._key], game, now, until))

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Return games that are due, the oldest date first."""
        games = await self._client.execute("ZRANGE", self._key, "-inf", now, "BYSCORE", "LIMIT", 0, limit)
        return [game.decode() for game in games]


class RedisArchiveQueue(Schedule):
    """`service.games.archiver.ArchiveQueue` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = now) -> None:
        super().__init__(client, clock, keys.ARCHIVE_SCHEDULE)
        self._lease_script = Script(client, "acquire_lease.lua")
        self._ack_script = Script(client, "archive_ack.lua")
        self._compact_script = Script(client, "compact_log.lua")

    async def acquire_lease(self, game: str, holder: str, seconds: int) -> bool:
        """Lease a game to one archiver for `seconds`, and return False if another one has it."""
        return bool(await self._lease_script.run([keys.archive_lease(game)], holder, seconds))

    async def load_log_state(self, game: str) -> LogState:
        """Return where a game's log is."""
        archived, compacted = await self._client.execute("HMGET", keys.game(game), "archived", "compacted")
        end, document = decode_compacted(compacted or b"0  ")
        return LogState(int(archived or 0), end.version, document)

    async def compact_log(
        self, game: str, revision: Revision, document: str, log: Sequence[StoredDiff], ttl_s: int
    ) -> None:
        """Replace a game's stream by an archived document, or by the compressed log. Raises UnreadableGame.

        Without a document, the game waits for no archive, and expires `ttl_s` from now.
        """
        packed = b"" if document else await asyncio.to_thread(compress_log, log)
        compacted = f"{revision.version} {revision.digest} {document}"
        arguments = log_entries.pack_revision(revision), revision.version, document, compacted, packed, ttl_s
        if await self._compact_script.run([keys.game(game), keys.log(game)], *arguments):
            LOGS_COMPACTED.labels("archive" if document else "compressed").inc()

    async def schedule(self, game: str, at: int) -> bool:
        """Schedule a game that ends, and count it as pending."""
        _, is_set = await asyncio.gather(
            self._client.execute("ZADD", keys.ARCHIVE_PENDING, "NX", at, game), super().schedule(game, at)
        )
        return is_set

    async def mark_archived(self, game: str, holder: str, version: int, ttl_s: int) -> bool:
        """Store which version is archived, after which the game expires in `ttl_s`, and release the lease.

        With version 0 none could be archived: the game counts as pending, and lives for `ttl_s` at least; with a
        `ttl_s` of 0 there is nothing to archive. Return False if the game has another version by now, or the lease has
        expired.
        """
        names = [keys.game(game), keys.archive_lease(game), keys.log(game)]
        if not await self._ack_script.run(names, holder, version, ttl_s):
            return False
        if ttl_s and not version:
            await self._client.execute("ZADD", keys.ARCHIVE_PENDING, "NX", int(self._clock()), game)
        else:
            await self._client.execute("ZREM", keys.ARCHIVE_PENDING, game)
        return True
