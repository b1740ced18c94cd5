"""The archiver: writes one document for every ended game, and compacts its log.

It is due work: an archiver leases a game, writes its document and records the archived version. Later its log leaves
Redis; without an archive it is compressed as a whole. After a crash another instance writes the same bytes under the
same name. A game that changes after its end, by a rematch, is queued and written again.

The ports of archive, export and import: the logs of ended games, archive storage, and the request to restore a game.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from service.engine import Game, is_finished
from service.games import archive
from service.games.due_work import Deferred, DueWorker, lease
from service.games.ports import Change, GameStore, Revision, StoredDiff, StoreError
from service.games.repository import UNARCHIVED_TTL_S, Retention, read_log
from service.games.tilesets import TileSetCatalogue
from service.telemetry.clock import unix_seconds


class StorageUnavailable(StoreError):
    """The archive storage did not store or return a document; says why."""

    reason: str


class ArchiveStorage(Protocol):
    """Where archives are stored."""

    async def put(self, name: str, data: bytes) -> None:
        """Store `data` under `name`, replacing what was there; atomic. Raises StorageUnavailable."""

    async def get(self, name: str) -> bytes:
        """Return what is stored under `name`. Raises StorageUnavailable."""


class LogState(NamedTuple):
    """Where the log of an ended game is."""

    archived: int
    """The archived version; 0 for none."""
    compacted: int
    """The version up to which it is no longer a stream; 0 for none."""
    document: str
    """Which document of the archive has these versions; empty if they are one compressed value."""


class EndedLogs(Protocol):
    """The logs of ended games. Every method may raise StoreUnavailable."""

    async def load_state(self, game: str) -> LogState:
        """Return where a game's log is."""

    async def compact(
        self, game: str, revision: Revision, document: str, log: Sequence[StoredDiff], ttl_s: int
    ) -> None:
        """Replace a game's stream by an archived document, or if that is empty, by the compressed log.

        The game expires `ttl_s` from now, or earlier. Does nothing if the game has another revision, or another version
        is archived.
        """

    async def mark_archived(self, game: str, revision: Revision, ttl_s: int) -> bool:
        """Record which revision is archived, and let the game expire `ttl_s` from now.

        Return False if the game has another one.
        """

    async def mark_pending(self, game: str, ttl_s: int) -> None:
        """Count a game that could not be archived as pending, and let it live for `ttl_s` at least."""

    async def unmark_pending(self, game: str) -> None:
        """Count a game as pending no longer."""


class RestoreRequest(NamedTuple):
    """A game to store from a document."""

    change: Change
    """The change that creates the game with its whole log."""
    webhooks: Sequence[archive.WebhookDocument]
    replace: bool
    """Whether it replaces a game with the same id."""


logger = logging.getLogger(__name__)

ARCHIVE_DELAY_S = 5
"""Delay between the end of a game and its archiving, by which its commit is stored or has failed."""

COMPRESSION_DELAY_S = 300
"""Without an archive, the delay between the end of a game and the compression of its log."""

LEASE_TTL_S = 90
"""Duration of a lease; longer than reading and writing take."""

STORAGE_TIMEOUT_S = 30
RETRY_DELAY_S = 30
"""Delay before a game that could not be written is tried again."""

MAX_CONCURRENT_WRITES = 4


@dataclass
class Archiver:
    """Archives games and compacts their logs for one instance."""

    store: GameStore
    logs: EndedLogs
    storage: ArchiveStorage | None
    tilesets: TileSetCatalogue
    clock: Callable[[], float]
    log_ttl_s: int = 3600
    """Seconds after the last change of an archived game until its log leaves Redis."""
    ended_ttl_s: int = Retention().finished
    """TTL of a game once it is archived."""

    def worker(self) -> DueWorker:
        """Return the worker that archives due games."""
        return DueWorker(
            "archive", self.store.due_archives, self.archive, self.clock, max_concurrent=MAX_CONCURRENT_WRITES
        )

    async def archive(self, game_id: str) -> int | None:
        """Archive an ended game or compact its log, and return when the rest is due.

        After a failure of the storage, a single game tries it again. Raises LeaseTaken, Deferred, InvalidDocument,
        TileSetMissing, UnreadableGame, StoreUnavailable.
        """
        async with lease(self.store.due_archives, game_id, LEASE_TTL_S):
            try:
                until = await self._process_log(game_id)
            except Exception as error:
                if self.storage is not None:
                    await self.logs.mark_pending(game_id, UNARCHIVED_TTL_S)
                if isinstance(error, StorageUnavailable):
                    logger.warning("game %s is not archived yet: %s", game_id, error)
                    raise Deferred(RETRY_DELAY_S, all_entries=True) from error
                raise
            await self.logs.unmark_pending(game_id)
            return until

    async def is_pending(self, game: Game) -> bool:
        """Return whether a game has ended, and its current version is to be archived or its log to be compacted."""
        return is_finished(game) and not self._is_done(game, await self.logs.load_state(game.id))

    def _is_done(self, game: Game, state: LogState) -> bool:
        is_stored = self.storage is None or (state.archived == game.version and state.document != "")
        return state.compacted == game.version and is_stored

    async def _process_log(self, game_id: str) -> int | None:
        """Write the document of an ended game, or compact its log, and return when the rest is due."""
        loaded = await self.store.load(game_id)
        if loaded is None or not is_finished(game := loaded.game):
            return None
        state = await self.logs.load_state(game_id)
        if self._is_done(game, state):
            return None
        name = "" if self.storage is None else archive.object_name(game.id, game.created_at)
        compact_at = unix_seconds(game.updated_at) + (self.log_ttl_s if name else COMPRESSION_DELAY_S)
        is_archived = self.storage is None or state.archived == game.version
        if is_archived and self.clock() < compact_at:
            return compact_at
        if self.storage is not None:
            document = await archive.build_archive(self.store, self.tilesets, loaded, game)
            if not (is_archived and await _has(self.storage, name, document)):
                if is_archived:
                    logger.warning("the archive does not return the document of game %s: it is written again", game_id)
                await _write(self.storage, name, document)
                if not await self.logs.mark_archived(game_id, loaded.revision, self.ended_ttl_s):
                    raise Deferred(0)  # it has changed
                return int(self.clock()) + RETRY_DELAY_S if is_archived else compact_at
        log = [] if name else await read_log(self.store, game_id, game.version)
        await self.logs.compact(game_id, loaded.revision, name, log, self.ended_ttl_s)
        return None


async def _write(storage: ArchiveStorage, name: str, document: archive.GameDocument) -> None:
    data = await asyncio.to_thread(archive.encode_document, document)
    try:
        async with asyncio.timeout(STORAGE_TIMEOUT_S):
            await storage.put(name, data)
    except TimeoutError as timeout:
        raise StorageUnavailable(f"not written within {STORAGE_TIMEOUT_S} s") from timeout


async def _has(storage: ArchiveStorage, name: str, document: archive.GameDocument) -> bool:
    """Return whether an archive still returns a document: its log is about to leave Redis."""
    try:
        async with asyncio.timeout(STORAGE_TIMEOUT_S):
            data = await storage.get(name)
        return await asyncio.to_thread(archive.decode_document, data) == document
    except (StorageUnavailable, TimeoutError, archive.InvalidDocument):
        return False
