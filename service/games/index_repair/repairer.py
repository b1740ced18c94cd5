"""What games are found by, mended: a walk over everything that is stored, a little of it at a time.

Every game that is there is put where it is missing: on the public list, under its names, among those that are due. What
names games that are no more is taken out. All instances take turns, so that one of them does a bounded part in each
`EVERY_S`; when an index is gone that had games before, whoever sees it walks on until all is mended.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import msgspec

from schemas.vocabulary import STATUSES, Status
from service.games.archive.port import ArchiveQueue
from service.games.context import Retention
from service.games.game_failures import record_failure
from service.games.index_repair.differences import LobbyEntry, RepairContext, add_missing_entries
from service.games.index_repair.port import IndexRepairStore
from service.games.ports import GameStore, StoreUnavailable, UnreadableGame
from service.games.repository import decode_game, read_access
from service.games.timestamps import unix_seconds

__all__ = ["REPAIR_INTERVAL_S", "IndexRepairer", "RepairReport", "RepairTiming"]

logger = logging.getLogger(__name__)

REPAIR_INTERVAL_S = 10.0
"""Between two parts of the walk, whichever instances do them."""

SCAN_BATCH_SIZE = 1000
"""Keys in one part: a million games, with some five keys each, are walked over in 14 hours."""

PRUNE_BATCH_SIZE = 200
"""Listed games of each status, and games found by one name, that one part looks at."""

MAX_CONCURRENT_GAMES = 8
"""Games that are looked at together: more would keep others waiting for too long when they all come at once."""

MIN_LOST_INDEX_SIZE = 20
"""An index that had so many games does not become empty by itself between two parts."""

_CURSOR_FIELD = "position"
_HURRY_FIELD = "hurry"
_NEXT_SCAN_FIELD = "rests"


class RepairTiming(NamedTuple):
    """How long is waited for what, in seconds."""

    grace_s: float = 15.0
    """A game listed where it does not belong may be so by a commit that is about to be stored: look again."""
    scan_interval_s: float = 600.0
    """After a walk the next one begins so much later at the earliest: few games need not be looked at often."""


class RepairReport(NamedTuple):
    """What a walk, or a part of it, has found and done."""

    games: int = 0
    added: int = 0
    """Places where a game was missing."""
    removed: int = 0
    """Places that named a game that is no more, or has another status."""
    unreadable: int = 0
    """Games that this instance cannot read."""

    def combine(self, other: "RepairReport") -> "RepairReport":
        """Both together."""
        return RepairReport(*(mine + its for mine, its in zip(self, other, strict=True)))


@dataclass(frozen=True)
class IndexRepairer:
    """Mends for one instance. With `archive` it has games archived that are over and are not yet."""

    store: GameStore
    indexes: IndexRepairStore
    retention: Retention
    clock: Callable[[], float]
    _: KW_ONLY
    archive_queue: ArchiveQueue | None = None
    timing: RepairTiming = RepairTiming()  # noqa: RUF009 (a NamedTuple)

    async def run(self, every_s: float = REPAIR_INTERVAL_S) -> None:
        """Until cancelled, do a part whenever it is time and nobody else does."""
        while True:
            try:
                if await self.indexes.try_acquire_turn(every_s):
                    await self._repair_in_turn(every_s)
            except StoreUnavailable as unavailable:
                logger.warning("the store does not answer, mending waits: %s", unavailable)
            await asyncio.sleep(every_s / 2)

    async def _repair_in_turn(self, every_s: float) -> None:
        """One part, or in a hurry all that is left, resting as long as each part takes."""
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            mended, hurry = await self.repair_batch()
            if mended.added or mended.removed:
                logger.info("mended what games are found by: %d added, %d removed", mended.added, mended.removed)
            if not hurry:
                return
            await self.indexes.extend_turn(every_s)
            await asyncio.sleep(loop.time() - began)

    async def repair_batch(self) -> tuple[RepairReport, bool]:
        """Walk on a little from where the last one stopped; gives what was done, and whether to hurry on."""
        before, sizes, now = await self.indexes.load_progress(), await self.indexes.load_index_sizes(), self.clock()
        noted = {name: str(size) for name, size in sizes.items()}
        lost = [name for name, size in sizes.items() if not size and int(before.get(name, 0)) >= MIN_LOST_INDEX_SIZE]
        if lost:
            logger.warning("what games are found by is gone (%s): it is made anew", ", ".join(lost))
        start = "" if lost else before.get(_CURSOR_FIELD, "")
        if not lost and not start and now < float(before.get(_NEXT_SCAN_FIELD, 0)):
            await self.indexes.save_progress(noted)
            return RepairReport(), False
        mended, suspects, position = await self._repair_scanned(start)
        pruned, starts = await self._prune_lobby(
            {status: int(before.get(_start_field(status), 0)) for status in STATUSES}
        )
        hurry = bool(position) and (bool(lost) or not before or before.get(_HURRY_FIELD) == "1")
        await self.indexes.save_progress(
            {
                **noted,
                **{_start_field(status): str(start or 0) for status, start in starts.items()},
                _CURSOR_FIELD: position,
                _HURRY_FIELD: "1" if hurry else "",
                _NEXT_SCAN_FIELD: str(now + self.timing.scan_interval_s),
            }
        )
        return mended.combine(pruned).combine(await self._remove_stale(suspects)), hurry

    async def repair_all(self, on_progress: Callable[[RepairReport], None] = lambda _: None) -> RepairReport:
        """The whole walk at once; `tell` hears now and then how far it is. Raises StoreUnavailable."""
        total, suspects, position = RepairReport(), list[LobbyEntry](), ""
        while True:
            mended, more, position = await self._repair_scanned(position)
            total, suspects = total.combine(mended), suspects + more
            on_progress(total)
            if not position:
                break
        starts: Mapping[Status, int] = dict.fromkeys(STATUSES, 0)
        while True:
            pruned, following = await self._prune_lobby(starts)
            total = total.combine(pruned)
            starts = {status: start for status, start in following.items() if start is not None}
            if not starts:
                return total.combine(await self._remove_stale(suspects))

    async def _repair_scanned(self, position: str) -> tuple[RepairReport, list[LobbyEntry], str]:
        """Mend the next portion; gives also where games should perhaps not be, and where to go on."""
        walked = await self.indexes.scan(position, SCAN_BATCH_SIZE)
        mended, suspects = RepairReport(), list[LobbyEntry]()
        for first in range(0, len(walked.games), MAX_CONCURRENT_GAMES):
            games = walked.games[first : first + MAX_CONCURRENT_GAMES]
            for one, places in await asyncio.gather(*(self._repair_game(game) for game in games)):
                mended = mended.combine(one)
                suspects += places
        for first in range(0, len(walked.index_keys), MAX_CONCURRENT_GAMES):
            names = walked.index_keys[first : first + MAX_CONCURRENT_GAMES]
            removed = await asyncio.gather(*(self.indexes.prune_index_key(name, PRUNE_BATCH_SIZE) for name in names))
            mended = mended.combine(RepairReport(removed=sum(removed)))
        return mended, suspects, walked.cursor

    async def _repair_game(self, game: str) -> tuple[RepairReport, list[LobbyEntry]]:
        means = RepairContext(
            self.store, self.indexes, self.archive_queue, self.retention.index_ttl_s(), int(self.clock())
        )
        try:
            loaded = await self.store.load(game)
            if loaded is None:
                return RepairReport(), []
            added, suspects = await add_missing_entries(means, loaded)
        except (msgspec.DecodeError, UnreadableGame) as error:
            logger.warning("game %s cannot be read by this instance: %s", game, error)
            return RepairReport(games=1, unreadable=1), []
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  the walk would stop at one failing game for ever
            record_failure("index-repair", game, error, "is passed over")
            return RepairReport(games=1, unreadable=1), []
        return RepairReport(games=1, added=added), suspects

    async def _prune_lobby(self, starts: Mapping[Status, int]) -> tuple[RepairReport, dict[Status, int | None]]:
        """Take games that are no more from the next part of the list of each status; gives where to go on."""
        removed, following = 0, dict[Status, int | None]()
        for status, start in starts.items():
            number, following[status] = await self.indexes.prune_lobby(status, start, PRUNE_BATCH_SIZE)
            removed += number
        return RepairReport(removed=removed), following

    async def _remove_stale(self, suspects: Sequence[LobbyEntry]) -> RepairReport:
        """Take games from where they did not belong and still do not; whoever came there meanwhile is put back."""
        if not suspects:
            return RepairReport()
        await self.indexes.extend_turn(self.timing.grace_s + REPAIR_INTERVAL_S)
        await asyncio.sleep(self.timing.grace_s)
        removed = 0
        for place in suspects:
            if await self._created_at_if_listed(place) is not None:
                continue
            await self.indexes.unlist(*place)
            removed += 1
            if (created_at := await self._created_at_if_listed(place)) is not None:
                await self.indexes.list_game(*place, created_at)
        return RepairReport(removed=removed)

    async def _created_at_if_listed(self, place: LobbyEntry) -> int | None:
        """When a game was created that should be listed there; None where it should not."""
        try:
            loaded = await self.store.load(place.game)
            if loaded is None or read_access(loaded).visibility != "public":
                return None
            game = decode_game(loaded)
        except UnreadableGame:
            return None
        return unix_seconds(game.created_at) if game.status == place.status else None


def _start_field(status: Status) -> str:
    return f"start:{status}"
