"""Index repair: an incremental scan of everything stored, which restores missing index entries and removes stale ones.

Every game is added where it is missing: to the lobby, its index keys and the schedule. Entries of deleted games are
removed. The instances take turns, so that one bounded batch runs in each REPAIR_INTERVAL_S. When an index that had
games is suddenly empty, the instance that notices it scans on until all is repaired.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from schemas.vocabulary import STATUSES, Status
from service.games.game_failures import record_failure
from service.games.index_repair.game_repair import GameRepairer, LobbyEntry
from service.games.ports.game_store import StoreUnavailable, UnreadableGame
from service.games.repository import decode_game, read_access
from service.games.timestamps import unix_seconds

__all__ = ["REPAIR_INTERVAL_S", "IndexRepairer", "RepairReport", "RepairTiming"]

logger = logging.getLogger(__name__)

REPAIR_INTERVAL_S = 10.0
"""Interval between two batches, over all instances."""

SCAN_BATCH_SIZE = 1000
"""Number of keys in a batch; a million games with about five keys each take 14 hours."""

PRUNE_BATCH_SIZE = 200
"""Number of entries of each status, and of each index key, that a batch checks."""

MAX_CONCURRENT_GAMES = 8
"""Number of games repaired at once; more would delay other requests."""

MIN_EMPTIED_INDEX_SIZE = 20
"""An index of at least this many games that is empty in the next batch was deleted, and is rebuilt."""

_CURSOR_FIELD = "position"
_HURRY_FIELD = "hurry"
_NEXT_SCAN_FIELD = "rests"


class RepairTiming(NamedTuple):
    """Delays of the repair, in seconds."""

    grace_s: float = 15.0
    """Delay before a stale lobby entry is checked again, as a commit may be about to make it valid."""
    scan_interval_s: float = 600.0
    """Minimum delay between two scans."""


class RepairReport(NamedTuple):
    """The result of a scan, or of one batch."""

    games: int = 0
    added: int = 0
    """Number of entries that were missing."""
    removed: int = 0
    """Number of entries of games that are deleted or have another status."""
    unreadable: int = 0
    """Number of games that this instance cannot read."""

    def combine(self, other: "RepairReport") -> "RepairReport":
        """Return the sum of both reports."""
        return RepairReport(*(mine + its for mine, its in zip(self, other, strict=True)))


@dataclass(frozen=True, kw_only=True)
class IndexRepairer(GameRepairer):
    """Repairs the indexes for one instance."""

    timing: RepairTiming = RepairTiming()  # noqa: RUF009 (a NamedTuple)

    async def run(self, every_s: float = REPAIR_INTERVAL_S) -> None:
        """Repair a batch whenever one is due and no other instance does, until cancelled."""
        while True:
            with suppress(StoreUnavailable):
                if await self.indexes.try_acquire_turn(every_s):
                    await self._repair_in_turn(every_s)
            await asyncio.sleep(every_s / 2)

    async def _repair_in_turn(self, every_s: float) -> None:
        """Repair one batch; in a hurry repair the rest too, pausing as long as each batch takes."""
        loop = asyncio.get_running_loop()
        while True:
            started_at = loop.time()
            report, hurry = await self.repair_batch()
            if report.added or report.removed:
                logger.info("repaired indexes: %d entries added, %d removed", report.added, report.removed)
            if not hurry:
                return
            await self.indexes.extend_turn(every_s)
            await asyncio.sleep(loop.time() - started_at)

    async def repair_batch(self) -> tuple[RepairReport, bool]:
        """Repair the next batch of the scan; return the report, and whether to continue in a hurry."""
        progress, sizes, now = await self.indexes.load_progress(), await self.indexes.load_index_sizes(), self.clock()
        sizes_by_field = {name: str(size) for name, size in sizes.items()}
        emptied_indexes = [
            name for name, size in sizes.items() if not size and int(progress.get(name, 0)) >= MIN_EMPTIED_INDEX_SIZE
        ]
        if emptied_indexes:
            logger.warning("indexes are empty that had games (%s): rebuilding them", ", ".join(emptied_indexes))
        start = "" if emptied_indexes else progress.get(_CURSOR_FIELD, "")
        if not emptied_indexes and not start and now < float(progress.get(_NEXT_SCAN_FIELD, 0)):
            await self.indexes.save_progress(sizes_by_field)
            return RepairReport(), False
        report, suspects, cursor = await self._repair_scanned(start)
        pruned, starts = await self._prune_lobby(
            {status: int(progress.get(_start_field(status), 0)) for status in STATUSES}
        )
        hurry = bool(cursor) and (bool(emptied_indexes) or not progress or progress.get(_HURRY_FIELD) == "1")
        await self.indexes.save_progress(
            {
                **sizes_by_field,
                **{_start_field(status): str(start or 0) for status, start in starts.items()},
                _CURSOR_FIELD: cursor,
                _HURRY_FIELD: "1" if hurry else "",
                _NEXT_SCAN_FIELD: str(now + self.timing.scan_interval_s),
            }
        )
        return report.combine(pruned).combine(await self._remove_stale(suspects)), hurry

    async def repair_all(self, on_progress: Callable[[RepairReport], None] = lambda _: None) -> RepairReport:
        """Repair everything at once, calling `on_progress` now and then. Raises StoreUnavailable."""
        total, suspects, cursor = RepairReport(), list[LobbyEntry](), ""
        while True:
            report, more, cursor = await self._repair_scanned(cursor)
            total, suspects = total.combine(report), suspects + more
            on_progress(total)
            if not cursor:
                break
        starts: Mapping[Status, int] = dict.fromkeys(STATUSES, 0)
        while True:
            pruned, next_starts = await self._prune_lobby(starts)
            total = total.combine(pruned)
            starts = {status: start for status, start in next_starts.items() if start is not None}
            if not starts:
                return total.combine(await self._remove_stale(suspects))

    async def _repair_scanned(self, cursor: str) -> tuple[RepairReport, list[LobbyEntry], str]:
        """Repair the next scanned keys; return the report, suspect lobby entries and the next cursor."""
        scanned = await self.indexes.scan(cursor, SCAN_BATCH_SIZE)
        report, suspects = RepairReport(), list[LobbyEntry]()
        for first in range(0, len(scanned.games), MAX_CONCURRENT_GAMES):
            games = scanned.games[first : first + MAX_CONCURRENT_GAMES]
            for one, entries in await asyncio.gather(*(self._repair_game(game) for game in games)):
                report = report.combine(one)
                suspects += entries
        for first in range(0, len(scanned.index_keys), MAX_CONCURRENT_GAMES):
            names = scanned.index_keys[first : first + MAX_CONCURRENT_GAMES]
            removed = await asyncio.gather(*(self.indexes.prune_index_key(name, PRUNE_BATCH_SIZE) for name in names))
            report = report.combine(RepairReport(removed=sum(removed)))
        return report, suspects, scanned.cursor

    async def _repair_game(self, game: str) -> tuple[RepairReport, list[LobbyEntry]]:
        try:
            loaded = await self.store.load(game)
            if loaded is None:
                return RepairReport(), []
            added, suspects = await self.add_missing_entries(loaded)
        except (msgspec.DecodeError, UnreadableGame) as error:
            logger.warning("game %s cannot be read by this instance: %s", game, error)
            return RepairReport(games=1, unreadable=1), []
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  one failing game must not stop the scan for ever
            record_failure("index-repair", game, error, "is skipped")
            return RepairReport(games=1, unreadable=1), []
        return RepairReport(games=1, added=added), suspects

    async def _prune_lobby(self, starts: Mapping[Status, int]) -> tuple[RepairReport, dict[Status, int | None]]:
        """Remove deleted games from the next part of each status; return where to continue."""
        removed, next_starts = 0, dict[Status, int | None]()
        for status, start in starts.items():
            number, next_starts[status] = await self.indexes.prune_lobby(status, start, PRUNE_BATCH_SIZE)
            removed += number
        return RepairReport(removed=removed), next_starts

    async def _remove_stale(self, suspects: Sequence[LobbyEntry]) -> RepairReport:
        """Remove the suspect lobby entries that are still stale; one that became valid meanwhile is added again."""
        if not suspects:
            return RepairReport()
        await self.indexes.extend_turn(self.timing.grace_s + REPAIR_INTERVAL_S)
        await asyncio.sleep(self.timing.grace_s)
        removed = 0
        for entry in suspects:
            if await self._created_at_if_listed(entry) is not None:
                continue
            await self.indexes.unlist(*entry)
            removed += 1
            if (created_at := await self._created_at_if_listed(entry)) is not None:
                await self.indexes.list_game(*entry, created_at)
        return RepairReport(removed=removed)

    async def _created_at_if_listed(self, entry: LobbyEntry) -> int | None:
        """Return the creation time of the game if it belongs under the status, else None."""
        try:
            loaded = await self.store.load(entry.game)
            if loaded is None or read_access(loaded).visibility != "public":
                return None
            game = decode_game(loaded)
        except UnreadableGame:
            return None
        return unix_seconds(game.created_at) if game.status == entry.status else None


def _start_field(status: Status) -> str:
    return f"start:{status}"
