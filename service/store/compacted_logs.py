"""The logs of ended games: archived, and after a while no longer streams, but in the archive or one compressed value.

The field `compacted` of a game's hash is a revision and the name of a document: the log up to that version is in this
document of the archive, or without a name, in the field `log`. What changes later, by a rematch, is in the stream,
until the whole log is compacted again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from service.games.archive import InvalidDocument, decode_document
from service.games.archiver import ArchiveStorage, LogState, StorageUnavailable
from service.games.due_work import record_failure
from service.games.ports import NO_REVISION, ArchiveUnavailable, Revision, StoredDiff, StoreUnavailable, UnreadableGame
from service.store import keys, log_entries
from service.store.connection import Argument
from service.store.log_entries import LOGS, REVISION_BYTES
from service.store.pipeline import PipelinedClient, Script
from service.supervision import spawn
from service.telemetry.clock import now
from service.telemetry.metrics import LOGS_COMPACTED

READ_TIMEOUT_S = 5.0
"""Timeout of a read from the archive; shorter than that of a request."""

MAX_CACHED_BYTES = 32 << 20
"""Of the diffs in the cache: a log has some 110 KB."""


def compress_log(diffs: Sequence[StoredDiff], end: Revision) -> bytes:
    """Return a whole log as one value. Raises UnreadableGame if it could not be read back as it is, up to its end."""
    packed = LOGS.compress(b"\n".join(diff.data for diff in diffs))
    try:
        is_whole = log_entries.chain(LOGS.decompress(packed).split(b"\n")) == [*diffs]
        is_whole &= Revision(diffs[-1].version, diffs[-1].digest) == end
    except ValueError as error:
        raise UnreadableGame(f"its log is damaged: {error}") from error
    if not is_whole:
        raise UnreadableGame("its log is damaged")
    return packed


class CompactedLogs:
    """Reads compacted logs, and caches those that were read last; `service.games.archiver.EndedLogs` on Redis."""

    def __init__(self, client: PipelinedClient) -> None:
        self._client = client
        self._state_script = Script(client, "log_state.lua")
        self.archive: ArchiveStorage | None = None
        self._logs: OrderedDict[tuple[str, bytes], list[StoredDiff]] = OrderedDict()
        self._bytes = 0
        self._reads: dict[tuple[str, bytes], asyncio.Task[list[StoredDiff]]] = {}

    async def load(self, game: str, since: int) -> tuple[Sequence[StoredDiff], Revision] | None:
        """Return the compacted diffs after version `since`, and the revision with which they end; None for none.

        Whoever has all of them needs no log, and so no archive. Readers at the same time share one read. Raises
        ArchiveUnavailable, UnreadableGame, StoreUnavailable.
        """
        compacted = await self._client.execute("HGET", keys.game(game), "compacted")
        if compacted is None:
            return None
        key, (end, _) = (game, compacted), decode_compacted(compacted)
        if since >= end.version:
            return [], end
        if key not in self._logs:
            if key not in self._reads:
                self._reads[key] = spawn("compacted-log", self._read(game), expected=(StoreUnavailable,))
                self._reads[key].add_done_callback(lambda _: self._reads.pop(key))
            log = await asyncio.shield(self._reads[key])
            if not log:  # the game was deleted meanwhile
                return None
            self._cache(key, log)
        else:
            log = self._logs[key]
            self._logs.move_to_end(key)
        return log[since:], Revision(log[-1].version, log[-1].digest)

    async def load_state(self, game: str) -> LogState:
        """Return where a game's log is."""
        archived, compacted = await self._client.execute("HMGET", keys.game(game), "archived", "compacted")
        end, document = decode_compacted(compacted or log_entries.pack_revision(NO_REVISION))
        return LogState(int(archived or 0), end.version, document)

    async def mark_pending(self, game: str, ttl_s: int) -> None:
        """Have a game that could not be archived live for `ttl_s` at least, and count it as pending."""
        await asyncio.gather(
            *(self._client.execute("EXPIRE", key, ttl_s, "GT") for key in (keys.game(game), keys.log(game))),
            self._client.execute("ZADD", keys.ARCHIVE_PENDING, "NX", int(now()), game),
        )

    async def mark_archived(self, game: str, revision: Revision, ttl_s: int) -> bool:
        """Store which revision is archived, and let the game expire in `ttl_s`; return False if it has another one."""
        return await self._set_state(game, revision, "", ttl_s, "", "archived", revision.version)

    async def compact(
        self, game: str, revision: Revision, document: str, log: Sequence[StoredDiff], ttl_s: int
    ) -> None:
        """Replace a game's stream by an archived document, or by the compressed log. Raises UnreadableGame."""
        packed = b"" if document else await asyncio.to_thread(compress_log, log, revision)
        compacted = log_entries.pack_revision(revision) + document.encode()
        archived = revision.version if document else ""
        if await self._set_state(game, revision, archived, ttl_s, "1", "compacted", compacted, "log", packed):
            LOGS_COMPACTED.labels("archive" if document else "compressed").inc()

    async def unmark_pending(self, game: str) -> None:
        """Count a game as pending no longer."""
        await self._client.execute("ZREM", keys.ARCHIVE_PENDING, game)

    async def _set_state(self, game: str, revision: Revision, *arguments: Argument) -> bool:
        script_keys = [keys.game(game), keys.log(game)]
        return bool(await self._state_script.run(script_keys, log_entries.pack_revision(revision), *arguments))

    def _cache(self, key: tuple[str, bytes], log: list[StoredDiff]) -> None:
        if key not in self._logs:
            self._logs[key] = log
            self._bytes += _size(log)
        while self._bytes > MAX_CACHED_BYTES:
            self._bytes -= _size(self._logs.popitem(last=False)[1])

    async def _read(self, game: str) -> list[StoredDiff]:
        """Read the compacted part of a log as it is now; it is empty if there is none any more."""
        compacted, packed = await self._client.execute("HMGET", keys.game(game), "compacted", "log")
        if compacted is None:
            return []
        try:
            end, name = decode_compacted(compacted)
            if name:
                data = await self._fetch(name)
                diffs = await asyncio.to_thread(lambda: [bytes(diff) for diff in decode_document(data).diffs])
            else:
                diffs = LOGS.decompress(packed or b"").split(b"\n")
            log = log_entries.chain(diffs[: end.version])
            if not log or Revision(log[-1].version, log[-1].digest) != end:
                raise ValueError(f"it does not end with the digest of version {end.version}")  # noqa: TRY301
        except (InvalidDocument, ValueError, ArchiveUnavailable) as error:
            failed = error if isinstance(error, UnreadableGame) else UnreadableGame(f"its log cannot be read: {error}")
            record_failure("archive", game, failed, "has no log for its readers")
            raise failed from error
        return log

    async def _fetch(self, name: str) -> bytes:
        if self.archive is None:
            raise ArchiveUnavailable(f"it is the document {name}, and no archive is set")
        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                return await self.archive.get(name)
        except (StorageUnavailable, TimeoutError) as error:
            raise ArchiveUnavailable(str(error) or f"not read within {READ_TIMEOUT_S:.0f} s") from error


def decode_compacted(compacted: bytes) -> tuple[Revision, str]:
    """Return with which revision a compacted log ends, and its document. Raises ValueError."""
    packed, name = compacted[:REVISION_BYTES], compacted[REVISION_BYTES:]
    return log_entries.unpack_revision(packed), name.decode()


def _size(log: Sequence[StoredDiff]) -> int:
    return sum(len(diff.data) for diff in log)
