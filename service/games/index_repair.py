"""Index repair: a scan of everything stored, which adds missing index entries and removes those of deleted games.

Every game is added where it is missing: to the lobby, its index keys and the schedules, of which a failover of another
primary may have lost entries. Readers remove what is stale. `south-seas reindex` scans at once, and one of the
instances in the background, SCAN_INTERVAL_S after the scan before.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple, Protocol

from schemas.vocabulary import Status
from service.engine import Game, is_finished
from service.games.access import index_keys, subject_of_key
from service.games.due_work import is_outage, record_failure
from service.games.lifecycle import next_due_at
from service.games.ports import GameStore, StoredWebhook, StoreUnavailable
from service.games.repository import Retention
from service.telemetry.clock import unix_seconds

logger = logging.getLogger(__name__)

SCAN_INTERVAL_S = 600.0
"""Pause between two scans in the background, over all instances."""

SCAN_BATCH_SIZE = 1000
"""Number of keys in a batch of a scan."""

PAUSE_RATIO = 4
"""In the background a scan pauses after each batch, this many times as long as the batch took."""

MAX_CONCURRENT_GAMES = 8
"""Number of games repaired at once; more would delay other requests."""


class ScannedKeys(NamedTuple):
    """One batch of a scan over all stored keys."""

    games: list[str]
    indexes: list[str]
    """Keys of the lobby and of index keys in the batch."""


class IndexEntries(NamedTuple):
    """The index entries that a game should have."""

    created_at: int
    """Unix seconds, by which lists are ordered."""
    status: Status | None
    """The status under which the lobby lists it; None for a private game."""
    index_keys: Sequence[str]
    index_ttl_s: int
    due_at: int | None
    webhooks: Mapping[str, int]
    """When each pending webhook is due."""
    archive_at: int | None
    max_ttl_s: int | None
    """How long the game may live from now on, if that is less than it would; None for as long as it would."""


class IndexRepairStore(Protocol):
    """A store whose indexes can be repaired. Every method may raise StoreUnavailable."""

    def scan(self, count: int) -> AsyncIterator[ScannedKeys]:
        """Yield the games and indexes among all keys, about `count` keys at a time."""

    async def try_acquire_turn(self, seconds: float) -> bool:
        """Return whether a scan is due, and if so reserve it for `seconds`."""

    async def extend_turn(self, seconds: float) -> None:
        """Extend the reservation to `seconds` from now."""

    async def add_missing(self, game: str, entries: IndexEntries) -> int:
        """Add the entries that are missing; return how many."""

    async def prune(self, index: str) -> int:
        """Remove deleted games from an index; return how many."""


@dataclass
class RepairReport:
    """The result of a scan."""

    games: int = 0
    added: int = 0
    """Number of entries that were missing."""
    removed: int = 0
    """Number of entries of deleted games."""
    unreadable: int = 0
    """Number of games that this instance cannot read."""


@dataclass(frozen=True)
class IndexRepairer:
    """Repairs the indexes.

    With `is_archive_pending`, as an instance has it, it also queues the ended games for which that is true, and lets no
    game live longer than the retention, which may have been longer when the game changed last.
    """

    store: GameStore
    indexes: IndexRepairStore
    retention: Retention
    clock: Callable[[], float]
    is_archive_pending: Callable[[Game], Awaitable[bool]] | None = None

    async def run(self, interval_s: float = SCAN_INTERVAL_S) -> None:
        """Repair everything whenever a scan is due and no other instance does, until cancelled."""

        async def pause(_report: RepairReport, batch_s: float) -> None:
            await self.indexes.extend_turn(interval_s)
            await asyncio.sleep(PAUSE_RATIO * batch_s)

        while True:
            with suppress(StoreUnavailable):
                if await self.indexes.try_acquire_turn(interval_s):
                    report = await self.repair_all(pause)
                    if report.added or report.removed:
                        logger.info("repaired indexes: %d entries added, %d removed", report.added, report.removed)
            await asyncio.sleep(interval_s / 20)

    async def repair_all(
        self, after_batch: Callable[[RepairReport, float], Awaitable[None]] | None = None
    ) -> RepairReport:
        """Repair everything. Raises StoreUnavailable.

        `after_batch` is called with the report so far and the seconds that the batch took.
        """
        report, started_at = RepairReport(), monotonic()
        async for scanned in self.indexes.scan(SCAN_BATCH_SIZE):
            for first in range(0, len(scanned.games), MAX_CONCURRENT_GAMES):
                games = scanned.games[first : first + MAX_CONCURRENT_GAMES]
                await asyncio.gather(*(self._repair_game(game, report) for game in games))
            for index in scanned.indexes:
                report.removed += await self.indexes.prune(index)
            if after_batch is not None:
                await after_batch(report, monotonic() - started_at)
                started_at = monotonic()
        return report

    async def _repair_game(self, game: str, report: RepairReport) -> None:
        """Repair one game; log and count a failure that is its own."""
        try:
            if await self.add_missing_entries(game, report):
                report.games += 1
        except Exception as error:  # one failing game must not stop the scan for ever
            if is_outage(error):
                raise
            record_failure("index-repair", game, error, "is skipped")
            report.games, report.unreadable = report.games + 1, report.unreadable + 1

    async def add_missing_entries(self, game_id: str, report: RepairReport) -> bool:
        """Add a game's missing index entries, and count them; return False if there is no such game.

        Raises UnreadableGame, or msgspec.DecodeError for a webhook that cannot be read.
        """
        loaded = await self.store.load(game_id)
        if loaded is None:
            return False
        game, access, now = loaded.game, loaded.access, int(self.clock())
        is_pending, max_ttl_s = False, None
        if self.is_archive_pending is not None:
            is_pending = await self.is_archive_pending(game)
            is_archived = is_finished(game) and not is_pending
            max_ttl_s = self.retention.finished if is_archived else self.retention.ttl_s(game.status)
        entries = IndexEntries(
            unix_seconds(game.created_at),
            game.status if access.visibility == "public" else None,
            index_keys(access),
            self.retention.index_ttl_s,
            next_due_at(game, now),
            await self._pending_webhooks(game, now) if loaded.webhooks else {},
            unix_seconds(game.updated_at) if is_pending else None,
            max_ttl_s,
        )
        added = await self.indexes.add_missing(game_id, entries)  # other games add to the report meanwhile
        report.added += added
        return True

    async def _pending_webhooks(self, game: Game, now: int) -> dict[str, int]:
        """Return when each webhook with a pending message or challenge is due."""
        pending = [
            one for one in await self.store.webhooks.list_by_subject(game.id) if one.state.is_behind(game.version)
        ]
        return {
            one.registration.id: one.state.next_attempt_at or now for one in pending if await self._gets_messages(one)
        }

    async def _gets_messages(self, webhook: StoredWebhook) -> bool:
        """Return whether a webhook of a game gets messages, or if it is an API key's, that of the key."""
        registration = webhook.registration
        if registration.api_key is None:
            return True
        stored = await self.store.webhooks.get(subject_of_key(registration.api_key), registration.id)
        return stored is None or stored.state.is_active  # the game forgets a deleted one when it is due
