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
from service.games.archive.port import ArchiveStore
from service.games.context import Retention
from service.games.game_failures import record_failure
from service.games.index_repair.differences import Means, Place, add_missing
from service.games.index_repair.port import Upkeep
from service.games.ports import GameStore, StoreUnavailable, UnreadableGame
from service.games.repository import decode_game, read_access
from service.games.timestamps import unix_seconds

__all__ = ["EVERY_S", "Mended", "Mender", "Pace"]

logger = logging.getLogger(__name__)

EVERY_S = 10.0
"""Between two parts of the walk, whichever instances do them."""

PART = 1000
"""Keys in one part: a million games, with some five keys each, are walked over in 14 hours."""

PRUNED = 200
"""Listed games of each status, and games found by one name, that one part looks at."""

AT_ONCE = 8
"""Games that are looked at together: more would keep others waiting for too long when they all come at once."""

MANY = 20
"""An index that had so many games does not become empty by itself between two parts."""

_POSITION = "position"
_HURRY = "hurry"
_RESTS = "rests"


class Pace(NamedTuple):
    """How long is waited for what, in seconds."""

    grace_s: float = 15.0
    """A game listed where it does not belong may be so by a commit that is about to be stored: look again."""
    rest_s: float = 600.0
    """After a walk the next one begins so much later at the earliest: few games need not be looked at often."""


class Mended(NamedTuple):
    """What a walk, or a part of it, has found and done."""

    games: int = 0
    added: int = 0
    """Places where a game was missing."""
    removed: int = 0
    """Places that named a game that is no more, or has another status."""
    unreadable: int = 0
    """Games that this instance cannot read."""

    def plus(self, other: "Mended") -> "Mended":
        """Both together."""
        return Mended(*(mine + its for mine, its in zip(self, other, strict=True)))


@dataclass(frozen=True)
class Mender:
    """Mends for one instance. With `archive` it has games archived that are over and are not yet."""

    store: GameStore
    upkeep: Upkeep
    retention: Retention
    clock: Callable[[], float]
    _: KW_ONLY
    archive: ArchiveStore | None = None
    pace: Pace = Pace()  # noqa: RUF009 (a NamedTuple)

    async def keep_mending(self, every_s: float = EVERY_S) -> None:
        """Until cancelled, do a part whenever it is time and nobody else does."""
        while True:
            try:
                if await self.upkeep.take_turn(every_s):
                    await self._turn(every_s)
            except StoreUnavailable as unavailable:
                logger.warning("the store does not answer, mending waits: %s", unavailable)
            await asyncio.sleep(every_s / 2)

    async def _turn(self, every_s: float) -> None:
        """One part, or in a hurry all that is left, resting as long as each part takes."""
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            mended, hurry = await self.part()
            if mended.added or mended.removed:
                logger.info("mended what games are found by: %d added, %d removed", mended.added, mended.removed)
            if not hurry:
                return
            await self.upkeep.keep_turn(every_s)
            await asyncio.sleep(loop.time() - began)

    async def part(self) -> tuple[Mended, bool]:
        """Walk on a little from where the last one stopped; gives what was done, and whether to hurry on."""
        before, sizes, now = await self.upkeep.progress(), await self.upkeep.sizes(), self.clock()
        noted = {name: str(size) for name, size in sizes.items()}
        lost = [name for name, size in sizes.items() if not size and int(before.get(name, 0)) >= MANY]
        if lost:
            logger.warning("what games are found by is gone (%s): it is made anew", ", ".join(lost))
        start = "" if lost else before.get(_POSITION, "")
        if not lost and not start and now < float(before.get(_RESTS, 0)):
            await self.upkeep.note_progress(noted)
            return Mended(), False
        mended, suspects, position = await self._walk_on(start)
        pruned, starts = await self._prune({status: int(before.get(_start_of(status), 0)) for status in STATUSES})
        hurry = bool(position) and (bool(lost) or not before or before.get(_HURRY) == "1")
        await self.upkeep.note_progress(
            {
                **noted,
                **{_start_of(status): str(start or 0) for status, start in starts.items()},
                _POSITION: position,
                _HURRY: "1" if hurry else "",
                _RESTS: str(now + self.pace.rest_s),
            }
        )
        return mended.plus(pruned).plus(await self._check_again(suspects)), hurry

    async def all(self, tell: Callable[[Mended], None] = lambda _: None) -> Mended:
        """The whole walk at once; `tell` hears now and then how far it is. Raises StoreUnavailable."""
        total, suspects, position = Mended(), list[Place](), ""
        while True:
            mended, more, position = await self._walk_on(position)
            total, suspects = total.plus(mended), suspects + more
            tell(total)
            if not position:
                break
        starts: Mapping[Status, int] = dict.fromkeys(STATUSES, 0)
        while True:
            pruned, following = await self._prune(starts)
            total = total.plus(pruned)
            starts = {status: start for status, start in following.items() if start is not None}
            if not starts:
                return total.plus(await self._check_again(suspects))

    async def _walk_on(self, position: str) -> tuple[Mended, list[Place], str]:
        """Mend the next portion; gives also where games should perhaps not be, and where to go on."""
        walked = await self.upkeep.walk(position, PART)
        mended, suspects = Mended(), list[Place]()
        for first in range(0, len(walked.games), AT_ONCE):
            games = walked.games[first : first + AT_ONCE]
            for one, places in await asyncio.gather(*(self._mend(game) for game in games)):
                mended = mended.plus(one)
                suspects += places
        for first in range(0, len(walked.names), AT_ONCE):
            names = walked.names[first : first + AT_ONCE]
            removed = await asyncio.gather(*(self.upkeep.prune_name(name, PRUNED) for name in names))
            mended = mended.plus(Mended(removed=sum(removed)))
        return mended, suspects, walked.position

    async def _mend(self, game: str) -> tuple[Mended, list[Place]]:
        means = Means(self.store, self.upkeep, self.archive, self.retention.index_ttl_s(), int(self.clock()))
        try:
            loaded = await self.store.load(game)
            if loaded is None:
                return Mended(), []
            added, suspects = await add_missing(means, loaded)
        except (msgspec.DecodeError, UnreadableGame) as error:
            logger.warning("game %s cannot be read by this instance: %s", game, error)
            return Mended(games=1, unreadable=1), []
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  the walk would stop at one failing game for ever
            record_failure("index-repair", game, error, "is passed over")
            return Mended(games=1, unreadable=1), []
        return Mended(games=1, added=added), suspects

    async def _prune(self, starts: Mapping[Status, int]) -> tuple[Mended, dict[Status, int | None]]:
        """Take games that are no more from the next part of the list of each status; gives where to go on."""
        removed, following = 0, dict[Status, int | None]()
        for status, start in starts.items():
            number, following[status] = await self.upkeep.prune_listed(status, start, PRUNED)
            removed += number
        return Mended(removed=removed), following

    async def _check_again(self, suspects: Sequence[Place]) -> Mended:
        """Take games from where they did not belong and still do not; whoever came there meanwhile is put back."""
        if not suspects:
            return Mended()
        await self.upkeep.keep_turn(self.pace.grace_s + EVERY_S)
        await asyncio.sleep(self.pace.grace_s)
        removed = 0
        for place in suspects:
            if await self._belongs(place) is not None:
                continue
            await self.upkeep.unlist(*place)
            removed += 1
            if (created_at := await self._belongs(place)) is not None:
                await self.upkeep.enlist(*place, created_at)
        return Mended(removed=removed)

    async def _belongs(self, place: Place) -> int | None:
        """When a game was created that should be listed there; None where it should not."""
        try:
            loaded = await self.store.load(place.game)
            if loaded is None or read_access(loaded).visibility != "public":
                return None
            game = decode_game(loaded)
        except UnreadableGame:
            return None
        return unix_seconds(game.created_at) if game.status == place.status else None


def _start_of(status: Status) -> str:
    return f"start:{status}"
