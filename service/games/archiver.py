"""The archiver: writes one document for every ended game, and compacts its log, from whichever instance is free.

The commit that ends a game queues it beforehand, so that no game is missed when an instance dies. An archiver leases a
game, writes its document and records the archived version. Later its log leaves Redis; without an archive it is
compressed as a whole. After a crash, the lease expires and another instance writes the same bytes under the same name.
A game that changes after its end, by a rematch, is queued and written again.

The ports of archive, export and import: the archive queue, archive storage, and the request to restore a game.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol
from uuid import uuid4

import msgspec

from service.engine import Game, is_finished
from service.games.archive import (
    GameDocument,
    InvalidDocument,
    WebhookDocument,
    build_archive,
    decode_document,
    encode_document,
    object_name,
)
from service.games.context import UNARCHIVED_TTL_S, Retention
from service.games.errors import TileSetMissing
from service.games.game_failures import record_failure
from service.games.ports import Change, GameStore, Revision, StoredDiff, StoreError, StoreUnavailable, UnreadableGame
from service.games.repository import read_log
from service.games.tilesets import TileSetCatalogue
from service.telemetry.clock import unix_seconds


class StorageUnavailable(StoreError):
    """The archive storage did not store or return a document; says why."""


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


class ArchiveQueue(Protocol):
    """The ended games whose logs are to be archived or compacted. Every method may raise StoreUnavailable."""

    async def schedule(self, game: str, at: int) -> bool:
        """Schedule a game for a Unix second; return False if it was scheduled earlier already."""

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Return the due games, the most urgent first, until `reschedule`."""

    async def reschedule(self, game: str, until: int | None) -> None:
        """Reschedule a game (None: unschedule it); a concurrent `schedule` takes effect a little later."""

    async def acquire_lease(self, game: str, holder: str, seconds: int) -> bool:
        """Acquire a game's lease for `seconds`; return False if another instance holds it."""

    async def load_log_state(self, game: str) -> LogState:
        """Return where a game's log is."""

    async def compact_log(
        self, game: str, revision: Revision, document: str, log: Sequence[StoredDiff], ttl_s: int
    ) -> None:
        """Replace a game's stream by an archived document, or if that is empty, by the compressed log.

        In the latter case the game expires `ttl_s` from now. Does nothing if the game has another revision, or another
        version is archived.
        """

    async def mark_archived(self, game: str, holder: str, version: int, ttl_s: int) -> bool:
        """Record the archived version, let the game expire `ttl_s` from now, and release the lease.

        With version 0, none could be archived: the game lives for `ttl_s` at least; 0 if there is nothing to archive.
        Return False if the game changed or the lease expired.
        """


class RestoreRequest(NamedTuple):
    """A game to store from a document."""

    change: Change
    """The change that creates the game with its whole log."""
    webhooks: Sequence[WebhookDocument]
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
DUE_BATCH_SIZE = 50


@dataclass
class Archiver:
    """Archives games and compacts their logs for one instance."""

    store: GameStore
    queue: ArchiveQueue
    storage: ArchiveStorage | None
    tilesets: TileSetCatalogue
    clock: Callable[[], float]
    log_ttl_s: int = 3600
    """Seconds after the last change of an archived game until its log leaves Redis."""
    ended_ttl_s: int = Retention().finished
    """TTL of a game once it is archived."""
    _holder: str = field(init=False, default_factory=lambda: uuid4().hex)
    _is_storage_failing: bool = field(init=False, default=False)
    """Whether the latest write was rejected by the storage."""

    async def run(self, every_s: float = 1.0) -> None:
        """Archive due games until cancelled."""
        while True:
            more = False
            with suppress(StoreUnavailable):
                more = await self.archive_due() >= DUE_BATCH_SIZE
            await asyncio.sleep(RETRY_DELAY_S if self._is_storage_failing else 0 if more else every_s)

    async def archive_due(self) -> int:
        """Archive the due games; return how many were due. Raises StoreUnavailable.

        After a storage failure the remaining games stay queued, and the next call tries a single one.
        """
        games = await self.queue.list_due(int(self.clock()), 1 if self._is_storage_failing else DUE_BATCH_SIZE)
        self._is_storage_failing = False
        slots = asyncio.Semaphore(MAX_CONCURRENT_WRITES)

        async def archive(game: str) -> None:
            async with slots:
                if not self._is_storage_failing:
                    await self._process(game)

        await asyncio.gather(*(archive(game) for game in games))
        return len(games)

    async def _process(self, game_id: str) -> None:
        """Archive a game unless another instance holds its lease; postpone it on failure."""
        now = int(self.clock())
        if not await self.queue.acquire_lease(game_id, self._holder, LEASE_TTL_S):
            await self.queue.reschedule(game_id, now + LEASE_TTL_S)
            return
        try:
            archived, until = await self._process_log(game_id)
        except (InvalidDocument, TileSetMissing, StorageUnavailable, UnreadableGame, msgspec.DecodeError) as failed:
            if isinstance(failed, StorageUnavailable):
                self._is_storage_failing = True
            logger.warning("game %s is not archived yet: %s", game_id, failed)
            await self._postpone(game_id)
            return
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  one failing game must not stop the archiving of the others
            record_failure("archive", game_id, error, f"is retried in {RETRY_DELAY_S} s")
            await self._postpone(game_id)
            return
        if await self.queue.mark_archived(game_id, self._holder, archived, self.ended_ttl_s if archived else 0):
            await self.queue.reschedule(game_id, until)

    async def _postpone(self, game_id: str) -> None:
        await self.queue.mark_archived(game_id, self._holder, 0, UNARCHIVED_TTL_S if self.storage is not None else 0)
        await self.queue.reschedule(game_id, int(self.clock()) + RETRY_DELAY_S)

    async def is_pending(self, game: Game) -> bool:
        """Return whether a game has ended, and its current version is to be archived or its log to be compacted."""
        return is_finished(game) and not self._is_done(game, await self.queue.load_log_state(game.id))

    def _is_done(self, game: Game, state: LogState) -> bool:
        is_stored = self.storage is None or (state.archived == game.version and state.document != "")
        return state.compacted == game.version and is_stored

    async def _process_log(self, game_id: str) -> tuple[int, int | None]:
        """Do what is to be done now: write the document of an ended game, or compact its log.

        Return the archived version, 0 for none, and when the rest is due.
        """
        loaded = await self.store.load(game_id)
        if loaded is None or not is_finished(game := loaded.game):
            return 0, None
        state = await self.queue.load_log_state(game_id)
        if self._is_done(game, state):
            return state.archived, None
        name = "" if self.storage is None else object_name(game.id, game.created_at)
        compact_at = unix_seconds(game.updated_at) + (self.log_ttl_s if name else COMPRESSION_DELAY_S)
        is_archived = self.storage is None or state.archived == game.version
        if is_archived and self.clock() < compact_at:
            return state.archived, compact_at
        if self.storage is not None:
            document = await build_archive(self.store, self.tilesets, loaded, game)
            if not is_archived:
                await _write(self.storage, name, document)
                return game.version, compact_at
            if not await _has(self.storage, name, document):
                logger.warning("the archive does not return the document of game %s: it is written again", game_id)
                await _write(self.storage, name, document)
                return game.version, int(self.clock()) + RETRY_DELAY_S
        log = [] if name else await read_log(self.store, game_id, game.version)
        if not name and [diff.digest for diff in log[game.version - 1 :]] != [game.digest]:
            raise InvalidDocument("its log does not match the game's version")
        await self.queue.compact_log(game_id, loaded.revision, name, log, self.ended_ttl_s)
        return state.archived, None


async def _write(storage: ArchiveStorage, name: str, document: GameDocument) -> None:
    data = await asyncio.to_thread(encode_document, document)
    try:
        async with asyncio.timeout(STORAGE_TIMEOUT_S):
            await storage.put(name, data)
    except TimeoutError as timeout:
        raise StorageUnavailable(f"not written within {STORAGE_TIMEOUT_S} s") from timeout


async def _has(storage: ArchiveStorage, name: str, document: GameDocument) -> bool:
    """Return whether an archive still returns a document: its log is about to leave Redis."""
    try:
        async with asyncio.timeout(STORAGE_TIMEOUT_S):
            data = await storage.get(name)
        return await asyncio.to_thread(decode_document, data) == document
    except (StorageUnavailable, TimeoutError, InvalidDocument):
        return False
